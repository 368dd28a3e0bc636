//! Workers: processes that measure for `atc tune`, one for each device. If a candidate crashes its
//! worker or hangs, the candidate is "refused": it is recorded as unusable. A new worker then
//! continues with the problem, without this candidate.
//!
//! A worker is this program with the same command line and `--worker`. The worker reads a [`Job`]
//! from each line of its standard input, and writes an [`Answer`] as a line to its standard output.
//! During a job the worker reports its progress only in its [slip](slip), a small file that the
//! parent reads a few times a second. Writing to this file wakes no process (writing to a pipe
//! would), so it does not disturb measurements.

mod answer;
mod fleet;
mod process;
mod queue;
mod slip;

pub use answer::{Answer, Job, Refused};
pub use fleet::{Fleet, Limits, Watching};
pub use process::CANCEL;
pub use slip::Writer;
