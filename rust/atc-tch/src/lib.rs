#![doc = include_str!("../README.md")]
// This lint reports a `main` in an example of the documentation. The README, which is the documentation of this crate,
// needs a `main`, because it shows a whole build.rs.
#![allow(clippy::needless_doctest_main)]
#![deny(clippy::must_use_candidate, clippy::return_self_not_must_use)]

mod convolution;
mod geometry;
mod group;
mod info;
mod install;
mod options;
mod raw;
mod recording;
mod settings;
mod statistics;
mod switches;

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
pub mod sys;

pub use atc;
pub use tch;

pub use atc::{Error, ErrorKind, Result};
pub use convolution::{
    conv_transpose1d, conv_transpose2d, conv_transpose3d, conv1d, conv2d, conv3d, convolution,
};
pub use geometry::Geometry;
pub use group::TorchGroup;
pub use info::{CudaState, Info, describe, init, load_cuda};
pub use install::{forget_weights, install, install_with, uninstall};
pub use options::Options;
pub use recording::{Recording, record};
pub use settings::{Settings, SettingsGuard};
pub use statistics::{Passed, Statistics, reset_statistics, statistics};
pub use switches::{
    MatmulPrecision, fill_uninitialized_memory, float32_matmul_precision,
    set_fill_uninitialized_memory, set_float32_matmul_precision,
};
