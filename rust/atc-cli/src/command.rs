//! The commands.

pub mod compare;
pub mod compare_side;
pub mod env;
pub mod report;
pub mod store;
pub mod tune;
