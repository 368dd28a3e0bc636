//! Finds libatc, or builds it where its sources are around this crate.

mod vars;

use std::path::{Path, PathBuf};

/// libatc, found.
struct Library {
    folder: PathBuf,
    include: Option<PathBuf>,
    /// CMake's build tree, if this script has built it.
    build: Option<PathBuf>,
}

fn main() {
    println!("cargo::rerun-if-changed=build");
    if vars::docs_rs() {
        return;
    }
    match named().or_else(installed).or_else(built) {
        Some(library) => announce(&library),
        None => {
            println!(
                "cargo::warning=libatc was not found. Install it and set PKG_CONFIG_PATH to the folder of \
                 atc.pc, or set ATC_LIB_DIR to the folder of libatc.so. Linking will fail."
            );
            println!("cargo::rustc-link-lib=dylib=atc");
        }
    }
}

/// The folder an environment variable names.
fn named() -> Option<Library> {
    let folder = vars::library_folder()?;
    if !folder.join("libatc.so").exists() {
        println!("cargo::warning=ATC_LIB_DIR: there is no libatc.so in {}", folder.display());
    }
    let include = folder.parent().map(|prefix| prefix.join("include"));
    let include = include.filter(|include| include.join("atc/atc.h").exists());
    Some(Library { folder, include, build: None })
}

/// What pkg-config knows.
fn installed() -> Option<Library> {
    let found = pkg_config::Config::new()
        .cargo_metadata(false)
        .atleast_version(env!("CARGO_PKG_VERSION"))
        .probe("atc")
        .ok()?;
    Some(Library {
        folder: found.link_paths.first()?.clone(),
        include: found.include_paths.first().cloned(),
        build: None,
    })
}

/// A build of the repository this crate lies in.
fn built() -> Option<Library> {
    let repository = vars::manifest_folder().join("../..").canonicalize().ok()?;
    if !repository.join("ffi/atc.map").exists() {
        return None;
    }
    for part in ["CMakeLists.txt", "cmake", "src", "ffi", "include"] {
        println!("cargo::rerun-if-changed={}", repository.join(part).display());
    }
    let build = cmake::Config::new(&repository)
        .profile("Release")
        .define("ATC_TESTS", "OFF")
        .define("ATC_TORCH", "OFF")
        .build_target("atc")
        .build()
        .join("build");
    let include = Some(repository.join("include"));
    Some(Library { folder: find(&build)?, include, build: Some(build) })
}

fn find(build: &Path) -> Option<PathBuf> {
    [build.join("lib"), build.to_owned()].into_iter().find(|dir| dir.join("libatc.so").exists())
}

/// Tells cargo, this crate's own tests, and the build scripts of dependent crates.
fn announce(library: &Library) {
    let folder = library.folder.display();
    println!("cargo::rustc-link-search=native={folder}");
    println!("cargo::rustc-link-lib=dylib=atc");
    println!("cargo::rustc-link-arg=-Wl,-rpath,{folder}");
    println!("cargo::rustc-env=ATC_SYS_LIBRARY_FOLDER={folder}");
    println!("cargo::metadata=LIBDIR={folder}");
    if let Some(include) = &library.include {
        println!("cargo::metadata=INCLUDE={}", include.display());
    }
    if let Some(build) = &library.build {
        println!("cargo::metadata=BUILD={}", build.display());
    }
}
