//! The environment variables that the build script reads, each with a function of its own.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

/// Returns whether docs.rs runs the build. On docs.rs there is no libatc, and nothing is linked.
pub fn docs_rs() -> bool {
    read("DOCS_RS").is_some()
}

/// Returns the folder that contains libatc: the value of the variable `<TARGET>_ATC_LIB_DIR`, or else of the variable
/// `ATC_LIB_DIR`. `<TARGET>` stands for the target's name with `_` in place of `-`.
pub fn library_folder() -> Option<PathBuf> {
    let target = read("TARGET")?.into_string().ok()?.replace('-', "_");
    read(&format!("{target}_ATC_LIB_DIR")).or_else(|| read("ATC_LIB_DIR")).map(PathBuf::from)
}

/// Returns the value of `ATC_RUNTIME_DIR`: the folder in which programs search for libatc when they run. In the value,
/// `$ORIGIN` stands for the folder of the program. If the variable is not set, programs search in the folder where the
/// build script found libatc.
pub fn runtime_folder() -> Option<PathBuf> {
    read("ATC_RUNTIME_DIR").map(PathBuf::from)
}

/// Returns the folder of this crate's Cargo.toml.
pub fn manifest_folder() -> PathBuf {
    PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR"))
}

/// Returns the folder in which this script may write files.
pub fn out_folder() -> PathBuf {
    PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"))
}

/// Returns whether the feature `dlopen` is on and `src/dlopen.rs` supports the target: Linux with glibc on x86-64 or
/// aarch64.
pub fn dlopen() -> bool {
    let target = |name: &str| read(&format!("CARGO_CFG_TARGET_{name}")).unwrap_or_default();
    read("CARGO_FEATURE_DLOPEN").is_some()
        && target("OS") == "linux"
        && target("ENV") == "gnu"
        && ["x86_64", "aarch64"].iter().any(|arch| target("ARCH") == *arch)
}

/// Returns whether the target is Linux, the only operating system on which libatc runs.
pub fn is_for_linux() -> bool {
    read("CARGO_CFG_TARGET_OS").is_some_and(|os| os == "linux")
}

/// Returns whether the feature `system` is on. With this feature the build script never builds libatc, but needs an
/// installed libatc.
pub fn system() -> bool {
    read("CARGO_FEATURE_SYSTEM").is_some()
}

/// Returns whether the feature `vendored` is on. With this feature libatc is built from source, unless `ATC_LIB_DIR`
/// names a folder or the feature `system` is on, too.
pub fn vendored() -> bool {
    read("CARGO_FEATURE_VENDORED").is_some()
}

/// Returns the command that runs CMake: the program that the variable `CMAKE` names, or `cmake`.
pub fn cmake() -> Command {
    Command::new(read("CMAKE").unwrap_or_else(|| "cmake".into()))
}

/// Returns the arguments that the user adds to the configuration step of CMake: the value of the variable
/// `ATC_CMAKE_ARGS`, split at spaces.
pub fn cmake_arguments() -> Vec<String> {
    let arguments = read("ATC_CMAKE_ARGS").unwrap_or_default();
    arguments.to_string_lossy().split_whitespace().map(str::to_owned).collect()
}

/// Returns whether the user has chosen CMake's generator (for example Ninja) by the variable `CMAKE_GENERATOR`. CMake
/// itself reads this variable.
pub fn generator_is_chosen() -> bool {
    read("CMAKE_GENERATOR").is_some()
}

/// Returns the number of compilers that may run at the same time, as cargo gives it to the build script.
pub fn jobs() -> String {
    std::env::var("NUM_JOBS").unwrap_or_else(|_| "1".into())
}

/// Returns the value of a variable; `None` if the variable is not set or is empty. Makes cargo run the build script
/// again if the variable changes.
fn read(name: &str) -> Option<OsString> {
    println!("cargo::rerun-if-env-changed={name}");
    std::env::var_os(name).filter(|value| !value.is_empty())
}
