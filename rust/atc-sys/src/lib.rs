//! Raw declarations of libatc's C ABI, generated from its headers.
//!
//! The crate `atc` is the safe interface; this crate has the functions that `atc` does not wrap, too. The
//! comments are those of `include/atc/*.h`.
//!
//! # Finding libatc
//!
//! The build script takes the first of
//! 1. `<TARGET>_ATC_LIB_DIR`, for example `x86_64_unknown_linux_gnu_ATC_LIB_DIR`, then `ATC_LIB_DIR`: the
//!    folder that holds `libatc.so`;
//! 2. `pkg-config atc`;
//! 3. where the crate lies in atc's own repository: a build of that repository by CMake, with the arguments in
//!    `ATC_CMAKE_ARGS` (separated by spaces; for example `-DATC_ONEDNN=OFF -DATC_KERNELS=OFF`).
//!
//! The feature `vendored` replaces 2 and 3 by a build of the sources that the crate carries, or of the repository
//! around it; this needs CMake, a C++17 compiler and zlib. With the feature `system`, which takes precedence,
//! libatc is never built.
//!
//! The build script passes `DEP_ATC_LIBDIR`, `DEP_ATC_INCLUDE` and, after a build, `DEP_ATC_BUILD` (CMake's build
//! tree) to the build scripts of crates that depend on this crate directly.
//!
//! # Starting programs
//!
//! With the feature `dlopen`, which is on by default, libatc is not linked but opened when the program starts.
//! The first of these is used: the libatc that the process has loaded already; one in a folder of
//! `LD_LIBRARY_PATH`; beside the program; in `../lib` beside the program; in the folder where the build script
//! found it; in the loader's default places. Programs need no rpath, and can be started from `target`. Without a
//! libatc programs start, too: [`is_loaded`] returns false, and the first call of any function ends the process
//! with an error text; the functions of the crate `atc` return an error. Targets other than Linux with glibc on x86-64
//! and aarch64 link libatc in any case.
//!
//! Without the feature libatc is linked. Cargo passes an rpath only to a package's own programs: a program that
//! must find libatc outside the loader's path depends on this crate directly and prints
//! `cargo::rustc-link-arg=-Wl,-rpath,$DEP_ATC_LIBDIR` in its build script, or runs with `LD_LIBRARY_PATH`.
//!
//! # Names
//!
//! `atc_foo` is `atc1_foo` in the shared library (1 is the ABI's major version), so that it cannot be confused
//! with an `atc_*` function of another library. The crate declares each function as `atc1_foo` and re-exports it
//! as `atc_foo`; both are the same function. Headers made by cbindgen declare `atc1_foo`, so C programs link.
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

/// Whether the functions of this crate can be called: false where libatc is opened when the program starts
/// (feature `dlopen`) and was not found.
#[must_use]
pub fn is_loaded() -> bool {
    #[cfg(atc_dlopen)]
    return dlopen::is_loaded();
    #[cfg(not(atc_dlopen))]
    true
}

/// The folder in which programs look for libatc, beside other places: the one in which the build script found it, or
/// that of `ATC_RUNTIME_DIR`. Empty where libatc is linked.
#[must_use]
pub const fn library_folder() -> &'static str {
    #[cfg(atc_dlopen)]
    return dlopen::FOLDER;
    #[cfg(not(atc_dlopen))]
    ""
}
