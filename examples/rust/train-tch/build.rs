//! Sets the link arguments that a program with atc-tch needs. Each program must set them itself, because cargo does not
//! pass link arguments from a library crate to the program.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=DEP_ATC_TORCH_RPATH");
    if let Ok(folders) = std::env::var("DEP_ATC_TORCH_RPATH") {
        println!("cargo::rustc-link-arg=-Wl,-rpath,{folders}");
    }
    // Links the program with libtorch_cuda even though the program calls no function of libtorch_cuda. Without this
    // argument the linker would drop libtorch_cuda.
    println!("cargo::rustc-link-arg=-Wl,--no-as-needed");
    println!("cargo::rustc-link-arg=-ltorch");
}
