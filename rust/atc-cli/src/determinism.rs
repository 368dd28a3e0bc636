//! Finds which switches give equal bits from process to process, and how much time they cost.

mod screen;
mod sets;
mod study;

pub use screen::{errors, screen};
#[cfg(test)]
pub use sets::Switches;
pub use sets::{Set, sets};
pub use study::{Found, Named, Process, Study};
