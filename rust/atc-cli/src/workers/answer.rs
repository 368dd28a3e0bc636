//! The messages between a worker and its parent: jobs and answers.

use serde::{Deserialize, Serialize};

use crate::decision::Decision;

/// A job: one problem that the worker has to decide.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Job {
    /// The problem: a document with one problem, in the form of `atc tune --json`.
    pub problem: String,
    /// The rest of the budget of the whole command, in seconds. The next field is the budget of
    /// this problem, in seconds.
    pub total_budget: Option<f64>,
    pub problem_budget: Option<f64>,
    /// The candidates that the worker must not run.
    pub refused: Vec<Refused>,
}

/// A candidate that has crashed or hung a worker, and the reason as text.
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
    /// The command cannot continue, because its options or its problems are not valid.
    Failed(String),
}
