//! The modules of this folder define the public types of the crate, which lib.rs re-exports. They
//! are a layer of the crate: they may use the layers `raw` and `sys` (the bindings) below them, but
//! not the crate's public modules, such as `log` and `settings`.

pub(crate) mod activation;
pub(crate) mod candidate;
pub(crate) mod device;
mod entry;
pub(crate) mod explanation;
pub(crate) mod extents;
pub(crate) mod folder_group;
pub(crate) mod geometry;
pub(crate) mod group;
pub(crate) mod opened_group;
pub(crate) mod operands;
pub(crate) mod options;
pub(crate) mod plan;
pub(crate) mod problem;
pub(crate) mod problem_spec;
pub(crate) mod problems;
pub(crate) mod progress;
pub(crate) mod report;
#[cfg(feature = "tracing")]
pub(crate) mod spans;
pub(crate) mod store;
pub(crate) mod store_entry;
pub(crate) mod technique;
pub(crate) mod tensor;
pub(crate) mod tune;
pub(crate) mod tuner;
pub(crate) mod view;
