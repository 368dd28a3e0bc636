//! Tests that the compiler refuses certain programs: the `.rs` files in `tests/promises`. Each
//! program breaks one rule of the API about lifetimes, threads or unused results. The `.stderr`
//! file beside a program has the expected messages of the compiler.
#![allow(missing_docs)]

use std::process::Command;

/// The version of the compiler that wrote the messages in the `.stderr` files.
const PINNED: &str = "rustc 1.95.";

#[test]
fn promises_are_kept_by_the_compiler() {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version = Command::new(rustc).arg("--version").output().expect("rustc").stdout;
    let version = String::from_utf8_lossy(&version).into_owned();
    if !version.starts_with(PINNED) {
        eprintln!("skipped: the messages are those of {PINNED}, this is {version}");
        return;
    }
    // The messages in the `.stderr` files were written with all features on. With fewer features
    // the compiler prints other messages. If the feature `cudarc` is on, the test assumes that all
    // features are on.
    if !cfg!(feature = "cudarc") {
        eprintln!("skipped: the messages are those with all features (--all-features)");
        return;
    }
    trybuild::TestCases::new().compile_fail("tests/promises/*.rs");
}
