//! Raw declarations of libatc's C ABI, generated from its headers.
//!
//! The crate `atc` is the safe interface; this one is for those who need a function that it does not
//! wrap. Every function is as `include/atc/*.h` documents it: the comments here are the headers' own.
//!
//! # Finding libatc
//!
//! The build script takes the first of
//! 1. `<TARGET>_ATC_LIB_DIR`, for example `x86_64_unknown_linux_gnu_ATC_LIB_DIR`, then `ATC_LIB_DIR`: the
//!    folder that holds `libatc.so`;
//! 2. `pkg-config atc`;
//! 3. where the crate lies in atc's own repository: a build of that repository by CMake.
//!
//! It hands `DEP_ATC_LIBDIR`, `DEP_ATC_INCLUDE` and, after 3, `DEP_ATC_BUILD` (CMake's build tree) to the
//! build scripts of crates that depend on it directly. An rpath does not travel to them by itself: a
//! program that is to find libatc outside the loader's path says
//! `cargo::rustc-link-arg=-Wl,-rpath,$DEP_ATC_LIBDIR` in its own build script, or runs with
//! `LD_LIBRARY_PATH`.
//!
//! # Names
//!
//! `atc_foo` is `atc1_foo` in the shared library (1 is the ABI's major version), so that other libraries'
//! `atc_*` functions cannot be taken for it. The crate declares each function as `atc1_foo` and exports it as
//! `atc_foo` too: both are the same function. cbindgen writes `atc1_foo` into a header, which links.
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
