//! The progress of measurements. atc passes it to a closure of the program, which can show the progress, and cancel the
//! measurements by its return value.

use std::time::Duration;

use crate::raw::call::text;
use crate::sys;

/// The progress of a tuning run, or of the measurement that makes a plan.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Progress<'a> {
    /// The index of the problem that is being measured, from 0.
    pub problem: usize,
    /// The number of problems that the call decides.
    pub problems: usize,
    /// The fraction of the work on the current problem that is done: 0 at the start, and 1 when the problem is decided
    /// or has failed.
    pub problem_fraction: f64,
    /// The time since the beginning of the call.
    pub elapsed: Duration,
    /// The problem that is being measured, in one line, for people.
    pub description: &'a str,
    /// The candidate (implementation) that is prepared, checked or timed after this call of the closure, as the text of
    /// a choice; empty if there is none.
    pub candidate: &'a str,
}

impl<'a> Progress<'a> {
    /// # Safety
    /// The strings that `raw` points to are NULL or end with NUL, and are valid for `'a`.
    pub(crate) unsafe fn from_raw(raw: &sys::atc_tune_progress) -> Self {
        Self {
            problem: raw.problem as usize,
            problems: raw.problems as usize,
            problem_fraction: raw.problem_fraction,
            elapsed: Duration::try_from_secs_f64(raw.seconds).unwrap_or_default(),
            // SAFETY: the caller of this function meets the conditions of its `# Safety` section.
            description: unsafe { text(raw.description) },
            // SAFETY: by the `# Safety` section of this function, the string is NULL or ends with
            // NUL, and is valid for `'a`.
            candidate: unsafe { text(raw.candidate) },
        }
    }
}
