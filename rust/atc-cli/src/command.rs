//! The commands.

pub mod compare;
pub mod compare_side;
pub mod completions;
pub mod env;
pub mod man_pages;
pub mod report;
pub mod store;
pub mod tune;
