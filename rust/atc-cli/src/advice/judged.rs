//! Selects the problems on which an advice is based, and computes which part of the time these
//! problems take.

use crate::document::{Document, Tuned};
use crate::gain::Certainty;

/// Returns the decided problems whose gain has a confidence interval. A problem whose times are
/// single samples has no interval. Such problems are left out, because with one of them the gain of
/// the whole network would have no interval either. If no problem has an interval, all decided
/// problems with a gain are returned.
pub fn of(document: &Document) -> Document {
    let mut problems: Vec<_> = document.problems.iter().filter(is_certain).cloned().collect();
    if problems.is_empty() {
        let measured =
            |tuned: &&Tuned| tuned.decision.is_decided() && tuned.decision.gain().is_some();
        problems = document.problems.iter().filter(measured).cloned().collect();
    }
    Document { problems, ..document.clone() }
}

fn is_certain(tuned: &&Tuned) -> bool {
    let decision = &tuned.decision;
    let timed = [decision.winner, decision.default].into_iter().all(|index| {
        decision.timing_of(index).is_some_and(|timing| Certainty::of(timing).is_some())
    });
    timed && decision.is_decided()
}

/// Returns which part (0 to 1) of the time of all convolutions, without tuning, is spent in those
/// problems of `judged` whose gain has an interval. If a problem was not timed, its time is
/// estimated from its number of operations, at the mean rate of the timed problems.
pub fn share(document: &Document, judged: &Document) -> f64 {
    let all = estimated(document);
    if all > 0.0 { known(judged.problems.iter().filter(is_certain)).0 / all } else { 0.0 }
}

fn estimated(document: &Document) -> f64 {
    let (time, flops) = known(document.problems.iter());
    let unknown = document.problems.iter().filter(|tuned| time_of(tuned).is_none());
    let missing: f64 = unknown.map(|tuned| tuned.count as f64 * tuned.columns.flops()).sum();
    if flops > 0.0 { time * (1.0 + missing / flops) } else { time }
}

/// Returns two sums over all problems that have a time: the sum of their seconds, and the sum of
/// their numbers of operations. Each problem is counted as often as it was called.
fn known<'a>(problems: impl Iterator<Item = &'a Tuned>) -> (f64, f64) {
    problems.fold((0.0, 0.0), |(time, flops), tuned| match time_of(tuned) {
        Some(own) => {
            let count = tuned.count as f64;
            (time + count * own, flops + count * tuned.columns.flops())
        }
        None => (time, flops),
    })
}

/// Returns the seconds of the candidate that runs without tuning. If this candidate was not timed
/// (for example because it is the own convolution of a recorded program), returns the seconds of
/// the choice.
fn time_of(tuned: &Tuned) -> Option<f64> {
    tuned.decision.default_time().or_else(|| tuned.decision.time())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::tests::{document, tuned};

    fn share_of(problems: Vec<Tuned>) -> f64 {
        let document = document(problems);
        share(&document, &of(&document))
    }

    #[test]
    fn undecided_problems_and_single_samples_are_time_that_was_not_judged() {
        let known = tuned("a", 3, &[0.002, 0.001], 1);
        let mut alone = tuned("b", 2, &[0.007], 0);
        alone.decision.incomplete = true;
        assert_eq!(share_of(vec![known.clone()]), 1.0);
        assert!((share_of(vec![known.clone(), alone]) - 0.3).abs() < 1e-12);
        let mut single = tuned("c", 1, &[0.006, 0.006], 0);
        single.decision.candidates[0].timing.as_mut().unwrap().samples = 1;
        assert_eq!(share_of(vec![known, single.clone()]), 0.5);
        assert_eq!(share_of(vec![single]), 0.0);
    }

    #[test]
    fn a_problem_without_a_time_counts_by_its_operations() {
        let known = tuned("a", 1, &[0.002, 0.001], 1);
        let mut unknown = tuned("b", 3, &[0.002], 0);
        unknown.decision = Default::default();
        assert!((share_of(vec![known, unknown.clone()]) - 0.25).abs() < 1e-12);
        assert_eq!(share_of(vec![unknown]), 0.0);
        assert_eq!(share_of(vec![]), 0.0);
    }
}
