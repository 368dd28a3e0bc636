//! Finds out with which switches (determinism, benchmark mode, TF32, …) all processes compute
//! results with equal bits, and how much slower these switches are.

mod screen;
mod sets;
mod study;

pub use screen::{errors, screen};
#[cfg(test)]
pub use sets::Switches;
pub use sets::{Set, sets};
pub use study::{Found, Named, Process, Study};
