#![doc = include_str!("../README.md")]
#![deny(clippy::must_use_candidate, clippy::return_self_not_must_use)]

mod convolution;
mod cpu;
#[cfg(feature = "cuda")]
mod cuda;
mod decision;
mod empty;
mod engine;
mod failure;
mod functions;
mod operation;
mod options;
mod original;
mod place;
mod recording;
mod shapes;
mod traced;

pub mod nn;

pub use atc;
pub use candle_core;
pub use candle_nn;

pub use convolution::Convolution;
pub use functions::{conv_transpose1d, conv_transpose2d, conv_transpose3d, conv1d, conv2d, conv3d};
pub use options::{Options, options, set_options};
pub use recording::{Recording, record};
