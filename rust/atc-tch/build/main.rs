//! The build script of atc-tch. If atc-sys has built libatc, the script builds libatc_torch (the
//! bridge to LibTorch) in the same build tree. Otherwise it searches for libatc_torch beside
//! libatc, and then by pkg-config.

mod vars;

use std::path::{Path, PathBuf};
use std::process::Command;

const FILE: &str = "libatc_torch.so";

/// Runs the build script. `tests/build_script.rs` calls this function, too.
pub fn main() {
    println!("cargo::rerun-if-changed=build");
    if vars::documentation() {
        return;
    }
    match built().or_else(beside_libatc).or_else(installed) {
        Some(folder) => announce(&folder),
        None => {
            // No bridge was found, but it may be installed later. Cargo would not notice this by
            // the date of the file, because an installed file keeps the date of its build, which
            // may be older than this run. So a file that does not exist is added to the files that
            // cargo watches. Cargo then runs this script at every build.
            println!("cargo::rerun-if-changed=build/until-there-is-a-bridge");
            let looked = vars::libatc_folder().unwrap_or_default();
            println!(
                "cargo::warning={FILE}, atc's LibTorch bridge, was found neither beside libatc ({}) nor by \
                 pkg-config: linking will fail. Configure atc with -DATC_TORCH=ON, with -DLIBTORCH_ROOT=DIR if CMake \
                 does not find LibTorch, and install it again. If the bridge is installed elsewhere, set ATC_LIB_DIR \
                 to the folder of {FILE}, or PKG_CONFIG_PATH to the folder of atc-torch.pc.",
                looked.display()
            );
            println!("cargo::rustc-link-lib=dylib=atc_torch");
        }
    }
}

/// Makes cargo run this script again if libatc_torch in `folder` changes or is removed.
fn watch(folder: &Path) {
    println!("cargo::rerun-if-changed={}", folder.join(FILE).display());
}

fn beside_libatc() -> Option<PathBuf> {
    let folder = vars::libatc_folder().filter(|folder| folder.join(FILE).exists())?;
    watch(&folder);
    Some(folder)
}

/// Returns the folder of libatc_torch that pkg-config reports.
fn installed() -> Option<PathBuf> {
    let found = pkg_config::Config::new()
        .cargo_metadata(false)
        .atleast_version(env!("CARGO_PKG_VERSION"))
        .probe("atc-torch")
        .ok()?;
    let folder = found.link_paths.into_iter().find(|folder| folder.join(FILE).exists())?;
    watch(&folder);
    Some(folder)
}

/// Builds libatc_torch if atc-sys has built libatc, and returns the folder of libatc_torch. CMake
/// uses the build tree of libatc, so that both libraries come from one build. A program that cargo
/// builds has a single LibTorch, so the bridge is built for this LibTorch alone. Cargo watches the
/// sources. Cargo does not watch files that this script writes: otherwise cargo would run the script
/// at every build.
fn built() -> Option<PathBuf> {
    let build = vars::libatc_build()?;
    let libtorch = vars::libtorch_folder()?;
    let repository = vars::manifest_folder().join("../..").canonicalize().ok()?;
    for part in ["CMakeLists.txt", "cmake", "src", "ffi", "include", "torch"] {
        println!("cargo::rerun-if-changed={}", repository.join(part).display());
    }
    let mut configure = vars::cmake();
    configure.arg(&build).args(["-DATC_TORCH=ON", "-DATC_LIBTORCH_ROOTS="]);
    configure.arg(format!("-DLIBTORCH_ROOT={}", libtorch.parent()?.display()));
    run(configure);
    let mut compile = vars::cmake();
    compile.arg("--build").arg(&build).args(["--target", "atc_torch", "--parallel", &vars::jobs()]);
    run(compile);
    [build.join("lib"), build].into_iter().find(|folder| folder.join(FILE).exists())
}

fn run(mut command: Command) {
    let status = command.status().expect("CMake, which has configured this build tree");
    assert!(status.success(), "libatc_torch was not built: see CMake's output above");
}

/// Tells cargo the folders of the libraries: for linking, for the rpath of this crate's own tests,
/// and for the build scripts of crates that depend on this crate.
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
    // Programs use no symbol of libtorch_cuda, because this library registers its functions when it
    // is loaded. Linkers drop libraries of which no symbol is used. The arguments `--no-as-needed`
    // and `-ltorch` keep libtorch_cuda.
    println!("cargo::rustc-link-arg=-Wl,--no-as-needed");
    println!("cargo::rustc-link-arg=-ltorch");
}
