//! Links the tests and examples of this crate with an rpath, so that the loader finds libatc when
//! they run. The rpath is the folder in which the build script of atc-sys has found or built
//! libatc.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=DEP_ATC_LIBDIR");
    if let Some(folder) = std::env::var_os("DEP_ATC_LIBDIR") {
        println!("cargo::rustc-link-arg=-Wl,-rpath,{}", folder.to_string_lossy());
    }
}
