//! Lets `atc` find libatc: beside it in an installed prefix, else where atc-sys found it.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=DEP_ATC_LIBDIR");
    println!("cargo::rustc-link-arg-bins=-Wl,-rpath,$ORIGIN/../lib");
    if let Some(folder) = std::env::var_os("DEP_ATC_LIBDIR") {
        for kind in ["bins", "tests"] {
            println!("cargo::rustc-link-arg-{kind}=-Wl,-rpath,{}", folder.to_string_lossy());
        }
    }
}
