//! Processes that measure for `atc tune`, one for each device. If a candidate ends its process or
//! hangs, it is marked, the process is started again, and the problem goes on without it.
//!
//! A process is this program with the same command line and `--worker`. It reads a [`Job`] from each
//! line of its standard input, and answers with an [`Answer`] in a line of its standard output. In
//! the middle of a job it writes to its [slip](slip) alone, a file that the parent reads now and
//! then: so nobody is woken while it measures.

mod answer;
mod fleet;
mod process;
mod queue;
mod slip;

pub use answer::{Answer, Job, Refused};
pub use fleet::{Fleet, Limits, Watching};
pub use process::CANCEL;
pub use slip::Writer;
