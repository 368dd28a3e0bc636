//! The commands.

pub mod env;
pub mod report;
pub mod store;
pub mod tune;
