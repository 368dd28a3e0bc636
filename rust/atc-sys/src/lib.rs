//! Raw declarations of the C ABI of libatc (autotuned convolution), generated from the C headers of libatc.
//!
//! The crate `atc` is the safe interface to libatc. This crate has all C functions, including functions that the crate
//! `atc` does not wrap. The comments of the declarations are the comments of the C headers `include/atc/*.h`.
//!
//! # Finding libatc
//!
//! The build script uses the first libatc that it finds in this order:
//! 1. the folder that the environment variable `<TARGET>_ATC_LIB_DIR` names (for example
//!    `x86_64_unknown_linux_gnu_ATC_LIB_DIR`), or else the folder that `ATC_LIB_DIR` names. The folder must contain
//!    `libatc.so`;
//! 2. the libatc that `pkg-config atc` reports;
//! 3. if the crate is inside atc's own repository: a libatc that the build script builds from that repository with
//!    CMake. The environment variable `ATC_CMAKE_ARGS` can have further arguments for CMake, separated by spaces, for
//!    example `-DATC_ONEDNN=OFF -DATC_KERNELS=OFF`.
//!
//! With the feature `vendored`, the build script does not ask pkg-config for a libatc. If `ATC_LIB_DIR` names no
//! folder, the build script builds libatc from the repository around the crate, or else from the copy of the sources
//! in the packaged crate. A build needs CMake, a C++17 compiler and zlib. With the feature `system` libatc is never
//! built. If the features `vendored` and `system` are both on, `system` takes precedence.
//!
//! The build scripts of crates that depend directly on this crate get these environment variables: `DEP_ATC_LIBDIR`
//! (the folder of libatc), `DEP_ATC_INCLUDE` (the folder of the headers, if it was found) and, if libatc was built,
//! `DEP_ATC_BUILD` (CMake's build folder).
//!
//! libatc exists only for Linux. On other operating systems the crate compiles, but links nothing (exception:
//! `ATC_LIB_DIR` names a folder). On such a system [`is_loaded`] returns false, and the functions of the crate `atc`
//! return an error. A call of a C function of this crate ends the process with an error text.
//!
//! # Starting programs
//!
//! With the feature `dlopen`, which is on by default, libatc is not linked. A program opens libatc when the program
//! starts. If the process has loaded a libatc already, this libatc is used. Otherwise the program uses the first libatc
//! in these places: the folders of `LD_LIBRARY_PATH`, the folder of the program, the folder `../lib` relative to the
//! folder of the program, the folder where the build script found libatc, and the loader's default folders. Programs
//! need no rpath, and can be started from `target`.
//!
//! With the feature `dlopen` a program also starts if there is no libatc. Then [`is_loaded`] returns false, and the
//! functions of the crate `atc` return an error. The first call of a C function of this crate ends the process with
//! an error text.
//!
//! The feature `dlopen` has no effect on Linux without glibc, and on processors other than x86-64 and aarch64: there
//! libatc is always linked.
//!
//! Without the feature `dlopen`, libatc is linked. Cargo gives an rpath only to programs of this package. If libatc is
//! not in the loader's search path, there are two ways to start a program of another package. Either run the program
//! with `LD_LIBRARY_PATH`. Or let its package depend directly on this crate, and print
//! `cargo::rustc-link-arg=-Wl,-rpath,$DEP_ATC_LIBDIR` in its build script.
//!
//! # Names
//!
//! A C function that the headers call `atc_foo` has the name `atc1_foo` in the shared library; 1 is the major version
//! of the ABI. So the function cannot be confused with a function of another library whose name begins with `atc_`.
//! This crate declares `atc1_foo`, and re-exports it as `atc_foo`. Headers that cbindgen makes from this crate declare
//! `atc1_foo`, so C programs that use these headers can be linked.
//!
//! The types of handles are opaque structs, which other crates cannot create. In C headers cbindgen declares only the
//! names of these structs.
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

// The module declares functions of the loader. They are not part of the bindings, so cbindgen must ignore them.
/// cbindgen:ignore
#[cfg(atc_dlopen)]
mod dlopen;

/// cbindgen:ignore
#[cfg(atc_absent)]
mod absent;

/// Whether there is a libatc for the operating system for which this crate was compiled. This is true for Linux, and
/// for any system if `ATC_LIB_DIR` named a folder when the crate was built.
pub const EXISTS: bool = cfg!(not(atc_absent));

/// Returns whether the C functions of this crate can be called. Returns false in two cases: with the feature `dlopen`,
/// if no libatc was found when the program started; and on a system for which there is no libatc.
#[must_use]
pub fn is_loaded() -> bool {
    #[cfg(atc_dlopen)]
    return dlopen::is_loaded();
    #[cfg(not(atc_dlopen))]
    EXISTS
}

/// Returns one of the folders in which programs search for libatc: the folder that `ATC_RUNTIME_DIR` named when the
/// crate was built, or else the folder in which the build script found libatc. Returns "" if libatc is linked.
#[must_use]
pub const fn library_folder() -> &'static str {
    #[cfg(atc_dlopen)]
    return dlopen::FOLDER;
    #[cfg(not(atc_dlopen))]
    ""
}
