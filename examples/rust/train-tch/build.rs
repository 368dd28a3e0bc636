//! What a program on atc-tch needs of its build script: link arguments do not travel from crate to
//! crate.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=DEP_ATC_TORCH_RPATH");
    if let Ok(folders) = std::env::var("DEP_ATC_TORCH_RPATH") {
        println!("cargo::rustc-link-arg=-Wl,-rpath,{folders}");
    }
    // Keeps libtorch_cuda, which nothing is called from by name.
    println!("cargo::rustc-link-arg=-Wl,--no-as-needed");
    println!("cargo::rustc-link-arg=-ltorch");
}
