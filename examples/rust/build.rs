//! Sets the rpath of libatc, which cargo does not pass on from a crate to the programs that use it.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=DEP_ATC_LIBDIR");
    if let Ok(folder) = std::env::var("DEP_ATC_LIBDIR") {
        println!("cargo::rustc-link-arg=-Wl,-rpath,{folder}");
    }
}
