//! The environment variables that the build script reads. All of them are read in this file.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

/// Whether the crate is compiled only for its documentation: on docs.rs, or with the feature
/// `doc-only`. If so, nothing is linked, and torch-sys has not searched for a LibTorch.
pub fn documentation() -> bool {
    read("DOCS_RS").is_some() || read("CARGO_FEATURE_DOC_ONLY").is_some()
}

/// The folder with the LibTorch that torch-sys uses.
pub fn libtorch_folder() -> Option<PathBuf> {
    read("DEP_TCH_LIBTORCH_LIB").map(PathBuf::from)
}

/// The folder with the libatc that atc-sys found. atc-sys searches in this order:
/// `<TARGET>_ATC_LIB_DIR`, `ATC_LIB_DIR`, pkg-config, its own build.
pub fn libatc_folder() -> Option<PathBuf> {
    read("DEP_ATC_LIBDIR").map(PathBuf::from)
}

/// The build tree of CMake in which atc-sys has built libatc.
pub fn libatc_build() -> Option<PathBuf> {
    read("DEP_ATC_BUILD").map(PathBuf::from)
}

/// The folder of this crate's own Cargo.toml.
pub fn manifest_folder() -> PathBuf {
    PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR"))
}

/// The command of CMake. The variable `CMAKE` may name another program.
pub fn cmake() -> Command {
    Command::new(read("CMAKE").unwrap_or_else(|| "cmake".into()))
}

/// The number of compilers that cargo allows to run at once.
pub fn jobs() -> String {
    std::env::var("NUM_JOBS").unwrap_or_else(|_| "1".into())
}

/// Reads a variable, and makes cargo run the script again when the variable changes. An empty
/// variable counts as not set.
fn read(name: &str) -> Option<OsString> {
    println!("cargo::rerun-if-env-changed={name}");
    std::env::var_os(name).filter(|value| !value.is_empty())
}
