//! Finds libatc, or builds it if its sources are around this crate. Writes the entries through
//! which the feature `dlopen` calls it.

mod cmake;
mod entries;
mod vars;

use std::path::{Path, PathBuf};

/// Where libatc was found.
struct Library {
    folder: PathBuf,
    include: Option<PathBuf>,
    /// CMake's build tree, if this script has built it.
    build: Option<PathBuf>,
}

fn main() {
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-changed=src/bindings.rs");
    println!("cargo::rustc-check-cfg=cfg(atc_dlopen, atc_absent)");
    if vars::docs_rs() {
        return;
    }
    match find() {
        Ok(None) => {
            entries::write();
            println!("cargo::rustc-cfg=atc_absent");
        }
        Ok(Some(library)) => announce(&library),
        Err(reason) => println!("cargo::error={reason}"),
    }
}

/// `None`: there is no libatc for the target.
fn find() -> Result<Option<Library>, String> {
    if let Some(library) = named() {
        return Ok(Some(library));
    }
    if !vars::is_for_linux() {
        return Ok(None);
    }
    let crate_folder = vars::manifest_folder();
    let repository = crate_folder.join("../..").canonicalize().unwrap_or_default();
    let in_repository = repository.join("ffi/atc.map").exists();
    if vars::vendored() && !vars::system() {
        return if in_repository {
            built(&repository, false).map(Some)
        } else {
            built(&crate_folder.join("libatc"), true).map(Some)
        };
    }
    if let Some(library) = installed() {
        return Ok(Some(library));
    }
    if in_repository && !vars::system() {
        return built(&repository, false).map(Some);
    }
    Err("libatc was not found: install atc and set PKG_CONFIG_PATH to the folder of its atc.pc or ATC_LIB_DIR to \
         the folder of its libatc.so, or build it from source with the feature `vendored`"
        .into())
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

/// The library that pkg-config names.
fn installed() -> Option<Library> {
    let found = pkg_config::Config::new()
        .cargo_metadata(false)
        .atleast_version(env!("CARGO_PKG_VERSION"))
        .probe("atc")
        .ok()?;
    // pkg-config does not print folders in which the loader looks anyway.
    let folder = found.link_paths.first().cloned();
    let folder =
        folder.or_else(|| pkg_config::get_variable("atc", "libdir").ok().map(PathBuf::from))?;
    Some(Library { folder, include: found.include_paths.first().cloned(), build: None })
}

/// Builds libatc's sources: those of the repository around this crate, or those that the crate carries.
fn built(sources: &Path, carried: bool) -> Result<Library, String> {
    for part in ["CMakeLists.txt", "cmake", "src", "ffi", "include"] {
        println!("cargo::rerun-if-changed={}", sources.join(part).display());
    }
    let build = vars::out_folder().join("build");
    let folder = cmake::build(sources, &build, carried)?;
    Ok(Library { folder, include: Some(sources.join("include")), build: Some(build) })
}

/// Passes the folders on: to cargo, to this crate's own code and tests, and to the build scripts of
/// dependent crates.
fn announce(library: &Library) {
    let folder = library.folder.display();
    let runtime = vars::runtime_folder().unwrap_or_else(|| library.folder.clone());
    let runtime = runtime.display();
    if vars::dlopen() {
        entries::write();
        println!("cargo::rustc-cfg=atc_dlopen");
    } else {
        println!("cargo::rustc-link-search=native={folder}");
        println!("cargo::rustc-link-lib=dylib=atc");
        println!("cargo::rustc-link-arg=-Wl,-rpath,{runtime}");
    }
    println!("cargo::rustc-env=ATC_SYS_LIBRARY_FOLDER={runtime}");
    println!("cargo::metadata=LIBDIR={folder}");
    if let Some(include) = &library.include {
        println!("cargo::metadata=INCLUDE={}", include.display());
    }
    if let Some(build) = &library.build {
        println!("cargo::metadata=BUILD={}", build.display());
    }
}
