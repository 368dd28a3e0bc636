//! How far a measurement has come.

use std::time::Duration;

use crate::raw::call::text;
use crate::sys;

/// How far a tuning run, or the race for a plan, has come.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Progress<'a> {
    /// Index of the problem that is being measured, from 0.
    pub problem: usize,
    /// Number of problems.
    pub problems: usize,
    /// How much of this problem is done: 0 at its start, 1 once it is decided or has failed.
    pub problem_fraction: f64,
    /// Time since the call began.
    pub elapsed: Duration,
    /// The problem, for people.
    pub description: &'a str,
    /// The choice that is prepared, checked or timed next; empty if none is.
    pub candidate: &'a str,
}

impl<'a> Progress<'a> {
    /// # Safety
    /// The strings of `raw` are valid for `'a`.
    pub(crate) unsafe fn from_raw(raw: &sys::atc_tune_progress) -> Self {
        Self {
            problem: raw.problem as usize,
            problems: raw.problems as usize,
            problem_fraction: raw.problem_fraction,
            elapsed: Duration::try_from_secs_f64(raw.seconds).unwrap_or_default(),
            // SAFETY: the caller keeps the contract of this function.
            description: unsafe { text(raw.description) },
            // SAFETY: by this function's contract.
            candidate: unsafe { text(raw.candidate) },
        }
    }
}
