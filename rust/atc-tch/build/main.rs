//! Finds libatc_torch, beside libatc or elsewhere, or builds it where its sources are around this
//! crate.

mod vars;

use std::path::{Path, PathBuf};

const FILE: &str = "libatc_torch.so";

fn main() {
    println!("cargo::rerun-if-changed=build");
    if vars::documentation() {
        return;
    }
    match beside_libatc().or_else(installed).or_else(built) {
        Some(folder) => announce(&folder),
        None => {
            let looked = vars::libatc_folder().unwrap_or_default();
            println!(
                "cargo::warning={FILE} was found neither beside libatc ({}) nor by pkg-config. Install atc with its \
                 LibTorch bridge and set PKG_CONFIG_PATH to the folder of atc-torch.pc, or set ATC_LIB_DIR to \
                 the folder of {FILE}. Linking will fail.",
                looked.display()
            );
            println!("cargo::rustc-link-lib=dylib=atc_torch");
        }
    }
}

fn beside_libatc() -> Option<PathBuf> {
    vars::libatc_folder().filter(|folder| folder.join(FILE).exists())
}

/// What pkg-config knows.
fn installed() -> Option<PathBuf> {
    let found = pkg_config::Config::new()
        .cargo_metadata(false)
        .atleast_version(env!("CARGO_PKG_VERSION"))
        .probe("atc-torch")
        .ok()?;
    found.link_paths.into_iter().find(|folder| folder.join(FILE).exists())
}

/// One more target in the build tree in which atc-sys has built libatc: the process is to have one
/// libatc.
fn built() -> Option<PathBuf> {
    let build = vars::libatc_build()?;
    let libtorch = vars::libtorch_folder()?;
    let repository = vars::manifest_folder().join("../..").canonicalize().ok()?;
    for part in ["CMakeLists.txt", "cmake", "src", "ffi", "include"] {
        println!("cargo::rerun-if-changed={}", repository.join(part).display());
    }
    cmake::Config::new(&repository)
        .out_dir(build.parent()?)
        .profile("Release")
        .define("ATC_TESTS", "OFF")
        .define("ATC_TORCH", "ON")
        .define("LIBTORCH_ROOT", libtorch.parent()?)
        .build_target("atc_torch")
        .build();
    [build.join("lib"), build].into_iter().find(|folder| folder.join(FILE).exists())
}

/// Tells cargo, this crate's own tests, and the build scripts of dependent crates.
fn announce(folder: &Path) {
    println!("cargo::rustc-link-search=native={}", folder.display());
    println!("cargo::rustc-link-lib=dylib=atc_torch");
    println!("cargo::metadata=LIBDIR={}", folder.display());

    let mut folders = vec![folder.to_owned()];
    folders.extend(vars::libatc_folder());
    folders.extend(vars::libtorch_folder());
    folders.dedup();
    let folders: Vec<_> = folders.iter().map(|folder| folder.display().to_string()).collect();
    let rpath = folders.join(":");
    println!("cargo::metadata=RPATH={rpath}");
    println!("cargo::rustc-link-arg=-Wl,-rpath,{rpath}");
    // libtorch_cuda registers itself when it is loaded; nobody calls it by name, and linkers drop
    // such libraries.
    println!("cargo::rustc-link-arg=-Wl,--no-as-needed");
    println!("cargo::rustc-link-arg=-ltorch");
}
