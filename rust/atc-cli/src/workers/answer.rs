//! The messages between a worker and its parent: jobs and answers.

use serde::{Deserialize, Serialize};

use crate::decision::Decision;

/// A job: one problem that the worker has to decide.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Job {
    /// The problem: the JSON text of a document with one problem, in the form that `atc tune
    /// --json` writes.
    pub problem: String,
    /// The seconds that are left for all problems of the command; none if this time is not limited.
    /// The next field has the seconds for this problem, if they are given.
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
