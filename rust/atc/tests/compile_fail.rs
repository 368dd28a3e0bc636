//! Programs that must not compile: one per promise about lifetimes and threads.
#![allow(missing_docs)]

use std::process::Command;

/// The compiler whose messages stand in the `.stderr` files.
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
    // Dependencies of a feature have names of their own, and then the compiler prints longer paths.
    if !cfg!(feature = "cudarc") {
        eprintln!("skipped: the messages are those with all features (--all-features)");
        return;
    }
    trybuild::TestCases::new().compile_fail("tests/promises/*.rs");
}
