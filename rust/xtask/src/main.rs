//! A program for the developers of the Rust workspace. Its tasks are `cargo run -p xtask -- bindings [--check]`,
//! `… -- roundtrip` and `… -- c-client`. Without an argument it prints what they do.

mod bindings;
mod c_client;
mod facts;
mod layout;
mod roundtrip;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The result of a task. The error is a text for the developer, which says what is wrong.
type Outcome = Result<(), String>;

const USAGE: &str = "usage: cargo run -p xtask -- <chore>
  bindings           write the bindings of atc-sys and atc-tch from include/atc/*.h
  bindings --check   fail if they are not what the headers give
  roundtrip          header -> bindgen -> cbindgen -> header -> bindgen: equal prototypes and layouts
  c-client           packaged atc-sys -> cbindgen -> header: a C program with it calls the libatc in ATC_LIB_DIR";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let outcome = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["bindings"] => bindings::write(),
        ["bindings", "--check"] => bindings::check(),
        ["c-client"] => c_client::check(),
        ["roundtrip"] => roundtrip::check(),
        _ => Err(USAGE.to_owned()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

/// Returns the folder of the root of the repository.
fn repository() -> PathBuf {
    let xtask = Path::new(env!("CARGO_MANIFEST_DIR"));
    xtask.ancestors().nth(2).expect("xtask lies in rust/xtask").to_owned()
}
