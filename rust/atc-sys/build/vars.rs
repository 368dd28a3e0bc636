//! Every environment variable the build script looks at.

use std::ffi::OsString;
use std::path::PathBuf;

/// Set by docs.rs, where there is no libatc and nothing is linked.
pub fn docs_rs() -> bool {
    read("DOCS_RS").is_some()
}

/// The folder that holds libatc: `<TARGET>_ATC_LIB_DIR`, then `ATC_LIB_DIR`.
pub fn library_folder() -> Option<PathBuf> {
    let target = read("TARGET")?.into_string().ok()?.replace('-', "_");
    read(&format!("{target}_ATC_LIB_DIR")).or_else(|| read("ATC_LIB_DIR")).map(PathBuf::from)
}

/// Where this crate's own Cargo.toml lies.
pub fn manifest_folder() -> PathBuf {
    PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR"))
}

/// Reads a variable and makes cargo run the script again when it changes.
fn read(name: &str) -> Option<OsString> {
    println!("cargo::rerun-if-env-changed={name}");
    std::env::var_os(name).filter(|value| !value.is_empty())
}
