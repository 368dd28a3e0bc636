//! Every environment variable that the build script reads.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

/// Set by docs.rs, where there is no libatc and nothing is linked.
pub fn docs_rs() -> bool {
    read("DOCS_RS").is_some()
}

/// The folder that holds libatc: `<TARGET>_ATC_LIB_DIR`, then `ATC_LIB_DIR`.
pub fn library_folder() -> Option<PathBuf> {
    let target = read("TARGET")?.into_string().ok()?.replace('-', "_");
    read(&format!("{target}_ATC_LIB_DIR")).or_else(|| read("ATC_LIB_DIR")).map(PathBuf::from)
}

/// The folder in which programs look for libatc when they run, if that is not the folder of the build:
/// `ATC_RUNTIME_DIR`. `$ORIGIN` stands for the folder of the program.
pub fn runtime_folder() -> Option<PathBuf> {
    read("ATC_RUNTIME_DIR").map(PathBuf::from)
}

/// Where this crate's own Cargo.toml lies.
pub fn manifest_folder() -> PathBuf {
    PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR"))
}

/// Where this script may write.
pub fn out_folder() -> PathBuf {
    PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"))
}

/// Whether the feature `dlopen` is on and `src/dlopen.rs` supports the target.
pub fn dlopen() -> bool {
    let target = |name: &str| read(&format!("CARGO_CFG_TARGET_{name}")).unwrap_or_default();
    read("CARGO_FEATURE_DLOPEN").is_some()
        && target("OS") == "linux"
        && target("ENV") == "gnu"
        && ["x86_64", "aarch64"].iter().any(|arch| target("ARCH") == *arch)
}

/// Whether programs are compiled for Linux, the only system on which libatc runs.
pub fn is_for_linux() -> bool {
    read("CARGO_CFG_TARGET_OS").is_some_and(|os| os == "linux")
}

/// Whether the feature `system` is on: libatc is never built.
pub fn system() -> bool {
    read("CARGO_FEATURE_SYSTEM").is_some()
}

/// Whether the feature `vendored` is on: libatc is built from the sources in this crate.
pub fn vendored() -> bool {
    read("CARGO_FEATURE_VENDORED").is_some()
}

/// CMake, which `CMAKE` may name.
pub fn cmake() -> Command {
    Command::new(read("CMAKE").unwrap_or_else(|| "cmake".into()))
}

/// Arguments for CMake's configuration, separated by spaces: `ATC_CMAKE_ARGS`.
pub fn cmake_arguments() -> Vec<String> {
    let arguments = read("ATC_CMAKE_ARGS").unwrap_or_default();
    arguments.to_string_lossy().split_whitespace().map(str::to_owned).collect()
}

/// CMake itself reads this one.
pub fn generator_is_chosen() -> bool {
    read("CMAKE_GENERATOR").is_some()
}

/// How many compilers cargo allows to run at once.
pub fn jobs() -> String {
    std::env::var("NUM_JOBS").unwrap_or_else(|_| "1".into())
}

/// Reads a variable and makes cargo run the script again when it changes.
fn read(name: &str) -> Option<OsString> {
    println!("cargo::rerun-if-env-changed={name}");
    std::env::var_os(name).filter(|value| !value.is_empty())
}
