//! Computes the time of a step if the workspace of each convolution (the memory that it needs
//! besides its tensors) is limited.

use atc::Candidate;
use serde::Serialize;

use crate::decision::{Decision, RAN};
use crate::document::Document;

/// The limits of the workspace that are examined, in bytes. `atc_set_workspace_limit` rounds a
/// limit down to one of these numbers or to 4 GiB. 1 GiB is the default limit of races, so races
/// usually measure no candidate with a larger workspace.
const CLASSES: [u64; 4] = [0, 32 << 20, 256 << 20, 1 << 30];

/// One limit of the workspace: the time of a step under this limit, and the numbers of problems
/// that the limit affects.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Class {
    /// The limit of the workspace in bytes.
    pub workspace: u64,
    /// Seconds of a step if each problem runs the fastest candidate that was measured within the
    /// limit. Null if some problem has no such candidate.
    pub seconds: Option<f64>,
    /// The number of problems whose choice needs a larger workspace than the limit.
    pub limited: u64,
    /// The number of problems for which no candidate within the limit was measured.
    pub impossible: u64,
}

/// Returns the time of a step, and the numbers of affected problems, for each limit in `CLASSES`.
/// Problems whose choice was not timed are left out.
pub fn classes(document: &Document, recorded_steps: u64) -> Vec<Class> {
    let measured = || {
        document.problems.iter().filter_map(|problem| {
            problem.decision.time().map(|_| (problem.count as f64, &problem.decision))
        })
    };
    let class = |workspace| {
        let time = |(count, decision)| Some(count * fastest(decision, workspace)?);
        let seconds = measured().map(time).sum::<Option<f64>>();
        Class {
            workspace,
            seconds: seconds.map(|seconds| seconds / recorded_steps.max(1) as f64),
            limited: measured().filter(|(_, decision)| !fits(decision, workspace)).count() as u64,
            impossible: measured()
                .filter(|(_, decision)| fastest(decision, workspace).is_none())
                .count() as u64,
        }
    };
    CLASSES.map(class).into()
}

fn fits(decision: &Decision, workspace: u64) -> bool {
    let winner = decision.winner.and_then(|index| decision.candidates.get(index));
    winner.is_some_and(|winner| winner.workspace <= workspace)
}

/// Returns the seconds of the fastest candidate whose workspace is within the limit. If the choice
/// itself is within the limit, returns the seconds of the choice, even if another candidate has a
/// shorter median: such a difference may be due to chance.
fn fastest(decision: &Decision, workspace: u64) -> Option<f64> {
    if fits(decision, workspace) {
        return decision.time();
    }
    let time = |candidate: &Candidate| {
        let usable = candidate.workspace <= workspace && RAN.contains(&candidate.outcome);
        candidate.timing.filter(|_| usable).map(|timing| timing.median)
    };
    decision.candidates.iter().filter_map(time).min_by(f64::total_cmp)
}

#[cfg(test)]
mod tests {
    use atc::Outcome;

    use super::*;
    use crate::document::tests::{document, tuned};

    #[test]
    fn less_memory_is_never_faster() {
        let mut large = tuned("a", 2, &[0.004, 0.003, 0.001], 2);
        for (candidate, bytes) in large.decision.candidates.iter_mut().zip([0, 20 << 20, 300 << 20])
        {
            candidate.workspace = bytes;
            candidate.outcome = Outcome::Lost;
        }
        let small = tuned("b", 1, &[0.002], 0);
        let found = classes(&document(vec![large.clone(), small]), 1);
        let seconds: Vec<_> = found.iter().map(|class| class.seconds.unwrap()).collect();
        assert_eq!(seconds, [0.010, 0.008, 0.008, 0.004]);
        assert_eq!(found.iter().map(|class| class.limited).collect::<Vec<_>>(), [1, 1, 1, 0]);
        assert_eq!(classes(&document(vec![large.clone()]), 2)[3].seconds, Some(0.001));
        // A candidate with a wrong result does not count. No other candidate of this problem is
        // within the limit. So under this limit the problem cannot run, and the step has no time.
        large.decision.candidates[0].outcome = Outcome::WrongResult;
        let none = classes(&document(vec![large]), 1)[0];
        assert_eq!((none.seconds, none.limited, none.impossible), (None, 1, 1));
    }
}
