//! Link arguments that every program on atc-tch has to set itself: cargo does not pass them on from
//! crate to crate.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=DEP_ATC_TORCH_RPATH");
    if let Ok(folders) = std::env::var("DEP_ATC_TORCH_RPATH") {
        println!("cargo::rustc-link-arg=-Wl,-rpath,{folders}");
    }
    // Keeps libtorch_cuda, which linkers drop otherwise: no function of it is called by name.
    println!("cargo::rustc-link-arg=-Wl,--no-as-needed");
    println!("cargo::rustc-link-arg=-ltorch");
}
