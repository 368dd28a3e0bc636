//! The build script. It finds an installed libatc, or builds libatc from source. Then it passes the folders of libatc
//! to cargo. For the feature `dlopen` the script also writes the list of functions that the program looks up in libatc.

mod cmake;
mod entries;
mod vars;

use std::path::{Path, PathBuf};

/// The folders of the libatc that was found or built.
struct Library {
    folder: PathBuf,
    include: Option<PathBuf>,
    /// The build folder of CMake, if this script has built libatc.
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

/// Finds or builds libatc. Returns `None` if the target is not Linux, because libatc exists only for Linux.
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

/// Returns the library in the folder that the environment variable `ATC_LIB_DIR` names; `None` if the variable is not
/// set.
fn named() -> Option<Library> {
    let folder = vars::library_folder()?;
    if !folder.join("libatc.so").exists() {
        println!("cargo::warning=ATC_LIB_DIR: there is no libatc.so in {}", folder.display());
    }
    let include = folder.parent().map(|prefix| prefix.join("include"));
    let include = include.filter(|include| include.join("atc/atc.h").exists());
    Some(Library { folder, include, build: None })
}

/// Returns the library that pkg-config reports.
fn installed() -> Option<Library> {
    let found = pkg_config::Config::new()
        .cargo_metadata(false)
        .atleast_version(env!("CARGO_PKG_VERSION"))
        .probe("atc")
        .ok()?;
    // pkg-config leaves out the folders in which the linker searches by default. If libatc is in such a folder,
    // `link_paths` is empty. Then the folder is read from the variable `libdir` in the file atc.pc.
    let folder = found.link_paths.first().cloned();
    let folder =
        folder.or_else(|| pkg_config::get_variable("atc", "libdir").ok().map(PathBuf::from))?;
    Some(Library { folder, include: found.include_paths.first().cloned(), build: None })
}

/// Builds libatc from `sources`. `carried` is false if `sources` is the repository around this crate, and true if
/// `sources` is the copy in the packaged crate.
fn built(sources: &Path, carried: bool) -> Result<Library, String> {
    for part in ["CMakeLists.txt", "cmake", "src", "ffi", "include"] {
        println!("cargo::rerun-if-changed={}", sources.join(part).display());
    }
    let build = vars::out_folder().join("build");
    let folder = cmake::build(sources, &build, carried)?;
    Ok(Library { folder, include: Some(sources.join("include")), build: Some(build) })
}

/// Passes the folders of libatc to cargo, to the code and tests of this crate, and to the build scripts of crates that
/// depend on this crate.
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
