//! Raw declarations of libatc's C ABI, generated from its headers.
//!
//! The crate `atc` is the safe interface. This crate also has the functions that `atc` does not
//! wrap. The comments are those of `include/atc/*.h`.
//!
//! # Finding libatc
//!
//! The build script takes the first of
//! 1. `<TARGET>_ATC_LIB_DIR`, for example `x86_64_unknown_linux_gnu_ATC_LIB_DIR`, then `ATC_LIB_DIR`: the
//!    folder that holds `libatc.so`;
//! 2. `pkg-config atc`;
//! 3. if the crate lies in atc's own repository: a build of that repository by CMake, with the
//!    arguments in `ATC_CMAKE_ARGS` (separated by spaces; for example `-DATC_ONEDNN=OFF
//!    -DATC_KERNELS=OFF`).
//!
//! The feature `vendored` replaces 2 and 3 by a build of the sources that the crate carries, or of the repository
//! around it; this needs CMake, a C++17 compiler and zlib. With the feature `system`, which takes precedence,
//! libatc is never built.
//!
//! The build script passes `DEP_ATC_LIBDIR`, `DEP_ATC_INCLUDE` and, after a build, `DEP_ATC_BUILD` (CMake's build
//! tree) to the build scripts of crates that depend on this crate directly.
//!
//! For other systems than Linux there is no libatc. The crate compiles there and links nothing, unless `ATC_LIB_DIR` names a folder.
//! [`is_loaded`] returns false, the functions of the crate `atc` return an error, and a call of a function of this crate ends the
//! process with an error text.
//!
//! # Starting programs
//!
//! With the feature `dlopen`, which is on by default, libatc is not linked but opened when the
//! program starts. The first of these is used: the libatc that the process has loaded already; one
//! in a folder of `LD_LIBRARY_PATH`; one beside the program; one in `../lib` beside the program;
//! one in the folder where the build script found libatc; one in the loader's default places.
//! Programs need no rpath, and can be started from `target`. Programs also start if there is no
//! libatc. Then [`is_loaded`] returns false, the functions of the crate `atc` return an error, and
//! the first call of a function of this crate ends the process with an error text. Linux without glibc, or on another processor
//! than x86-64 and aarch64, always links libatc.
//!
//! Without the feature libatc is linked. Cargo passes an rpath only to a package's own programs. If
//! libatc is outside the loader's path, either run the program with `LD_LIBRARY_PATH`, or let it
//! depend on this crate directly and print `cargo::rustc-link-arg=-Wl,-rpath,$DEP_ATC_LIBDIR` in
//! its build script.
//!
//! # Names
//!
//! In the shared library the function `atc_foo` is named `atc1_foo` (1 is the ABI's major version),
//! so that it cannot be confused with an `atc_*` function of another library. This crate declares
//! `atc1_foo` and re-exports it as `atc_foo`; both are the same function. Headers made by cbindgen
//! declare `atc1_foo`, so C programs link.
//!
//! Handles are structs without contents that other crates cannot create; cbindgen declares them by name alone.
#![no_std]

#[allow(
    missing_docs,
    non_camel_case_types,
    clippy::all,
    clippy::multiple_unsafe_ops_per_block,
    clippy::undocumented_unsafe_blocks,
    rustdoc::bare_urls,
    rustdoc::broken_intra_doc_links,
    rustdoc::invalid_html_tags
)]
#[rustfmt::skip]
mod bindings;

pub use bindings::*;

// Declares functions of the loader, which are no part of the bindings.
/// cbindgen:ignore
#[cfg(atc_dlopen)]
mod dlopen;

/// cbindgen:ignore
#[cfg(atc_absent)]
mod absent;

/// Whether there is a libatc for the system for which this crate was compiled: for Linux.
pub const EXISTS: bool = cfg!(not(atc_absent));

/// Returns whether the functions of this crate can be called. Returns false with the feature `dlopen`, if no libatc was found when
/// the program started, and on a system for which there is no libatc.
#[must_use]
pub fn is_loaded() -> bool {
    #[cfg(atc_dlopen)]
    return dlopen::is_loaded();
    #[cfg(not(atc_dlopen))]
    EXISTS
}

/// Returns the folder in which programs look for libatc, among other places: the folder in which
/// the build script found it, or that of `ATC_RUNTIME_DIR`. Returns "" if libatc is linked.
#[must_use]
pub const fn library_folder() -> &'static str {
    #[cfg(atc_dlopen)]
    return dlopen::FOLDER;
    #[cfg(not(atc_dlopen))]
    ""
}
