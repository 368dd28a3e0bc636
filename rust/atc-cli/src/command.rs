//! The commands of the program `atc`, with one module for each command.

pub mod advise;
pub mod compare;
pub mod compare_side;
pub mod completions;
pub mod determinism;
pub mod determinism_side;
pub mod env;
pub mod explain;
pub mod man_pages;
pub mod pins;
pub mod report;
pub mod select;
mod share;
pub mod store;
pub mod trace;
pub mod tune;
pub mod tune_worker;
