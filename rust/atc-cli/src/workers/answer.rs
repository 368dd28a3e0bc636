//! What a worker is asked and what it answers.

use serde::{Deserialize, Serialize};

use crate::decision::Decision;

/// One problem to decide.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Job {
    /// A document with one problem, as `atc tune --json` writes it.
    pub problem: String,
    /// Seconds.
    pub total_budget: Option<f64>,
    pub problem_budget: Option<f64>,
    /// The candidates that may not run.
    pub refused: Vec<Refused>,
}

/// A candidate that has ended a process or hung, and how.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refused {
    pub choice: String,
    pub reason: String,
}

/// The answer to a job.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Answer {
    Decided {
        decision: Box<Decision>,
        cancelled: bool,
    },
    /// The command cannot go on: its options or its problems are not valid.
    Failed(String),
}
