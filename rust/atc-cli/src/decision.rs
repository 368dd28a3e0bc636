//! A decision, in the form that `--json` writes, and figures that are computed from it.

use atc::{Candidate, Outcome, Timing};
use serde::{Deserialize, Serialize};

use crate::account::Standing;
use crate::gain::{Certainty, Gain};
use crate::units;

/// The value of [`Decision::source`] if only the slow engine `reference` can run the problem.
const REFERENCE: &str = "reference";
/// The value of [`Decision::source`] if a race (the timing of all candidates) of this run made the
/// decision.
const TUNED: &str = "tuned";
/// A candidate has one of these outcomes if it was timed and its result was correct.
pub const RAN: [Outcome; 4] = [Outcome::Won, Outcome::Lost, Outcome::Tied, Outcome::Dropped];

/// The decision for a problem, with its candidates.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Decision {
    /// The problem in one line, as libatc describes it.
    pub description: String,
    /// "ok", or the kind of the error (such as "unsupported") that the field `why` describes.
    pub status: String,
    /// The source of the decision: "tuned" (a race of this run), "record" (the store), "memory" (an earlier race of
    /// this process), …; empty if nothing was decided.
    pub source: String,
    pub choice: String,
    /// The index of the choice in `candidates`. The next field, `default`, is the index of the candidate that runs
    /// without tuning.
    pub winner: Option<usize>,
    pub default: Option<usize>,
    /// The index of libatc's default in `candidates`. The index is present only if gains are relative to the own
    /// convolution of a recorded program and libatc's default is another candidate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub library_default: Option<usize>,
    /// Whether the decision is provisional: the choice is not certain to be the fastest.
    pub unstable: bool,
    /// If the decision is provisional: how much slower than another candidate the choice may be (0.1 means 10 %).
    #[serde(skip_serializing_if = "is_zero")]
    pub risk: f64,
    pub incomplete: bool,
    pub cancelled: bool,
    pub stored: bool,
    /// Whether the decision could not be written to the store; `why` then has the error.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unwritten: bool,
    pub why: String,
    pub executions: u64,
    /// Seconds that this run of `atc` spent on the problem.
    pub seconds: f64,
    /// The largest number of bytes of memory that the race used at the same time.
    #[serde(skip_serializing_if = "is_nothing")]
    pub memory_bytes: u64,
    pub candidates: Vec<Candidate>,
}

fn is_zero(value: &f64) -> bool {
    *value == 0.0
}

fn is_nothing(bytes: &u64) -> bool {
    *bytes == 0
}

impl Decision {
    pub fn standing(&self) -> Standing {
        match (self.refused(), self.unstable) {
            (Some(_), _) => Standing::Undecided,
            (None, true) => Standing::Provisional,
            (None, false) => Standing::Firm,
        }
    }

    /// Whether a choice was made. The problem is undecided if no engine or only the slow reference can run it, if its
    /// race compared no two candidates, or if there was not enough memory for a candidate.
    pub fn is_decided(&self) -> bool {
        self.standing() != Standing::Undecided
    }

    /// Whether the race timed fewer than two candidates only because it had too little time.
    pub fn wants_time(&self) -> bool {
        let is = |outcomes: &[Outcome]| {
            self.candidates.iter().filter(|one| outcomes.contains(&one.outcome)).count()
        };
        let race_without_result = self.status == "ok" && self.source == TUNED && self.incomplete;
        race_without_result && !self.cancelled && is(&RAN) < 2 && is(&[Outcome::OutOfMemory]) == 0
    }

    /// If there is no decision, returns the reason as one word.
    pub fn refused(&self) -> Option<&str> {
        match self.source.as_str() {
            _ if self.status != "ok" || self.choice.is_empty() => Some(&self.status),
            REFERENCE => Some("reference only"),
            _ if self.incomplete => Some("undecided"),
            _ => None,
        }
    }

    /// Returns the choice. If there is none, returns in parentheses why there is none.
    pub fn told(&self) -> String {
        self.refused().map_or_else(|| self.choice.clone(), |why| format!("({why})"))
    }

    /// Combines this decision with the decision of a later race of the same problem. The result is the later
    /// decision, or `self` if the later race ended with an error. The result counts the executions and the
    /// seconds of both races.
    pub fn followed_by(self, later: Self) -> Self {
        let (executions, seconds) =
            (self.executions + later.executions, self.seconds + later.seconds);
        Self { executions, seconds, ..if later.status == "ok" { later } else { self } }
    }

    /// Makes `original` the default: the engine that a recorded program uses without atc. The gain of the decision is
    /// then relative to this engine. There is no gain if this engine was not timed.
    pub fn against(mut self, original: &str) -> Self {
        let is_original = |one: &Candidate| one.engine == original && one.rewrites.is_empty();
        let original = self.candidates.iter().position(is_original);
        // If `self.default` is not `original`, it is libatc's own default. In decisions that earlier versions of
        // atc made, this is the case even if `original` was timed.
        if self.default != original {
            self.library_default = self.library_default.or(self.default);
        }
        self.default = original;
        self
    }

    /// Seconds per execution of the choice, if it was measured.
    pub fn time(&self) -> Option<f64> {
        self.median_of(self.winner)
    }

    /// Seconds per execution of the candidate that runs without tuning, if it was measured.
    pub fn default_time(&self) -> Option<f64> {
        self.median_of(self.default)
    }

    /// How many times faster the choice is than the candidate that runs without tuning, if both were measured.
    pub fn gain(&self) -> Option<Gain> {
        self.gain_over(self.default)
    }

    /// How many times faster the choice is than the candidate `slower`, if both were measured.
    pub fn gain_over(&self, slower: Option<usize>) -> Option<Gain> {
        let (winner, default) = (self.timing_of(self.winner)?, self.timing_of(slower)?);
        if winner.median <= 0.0 {
            return None;
        }
        if self.winner == slower {
            return Some(Gain::new(1.0, []));
        }
        let parts = [winner, default].map(|timing| (1.0, Certainty::of(timing)));
        Some(Gain::new(default.median / winner.median, parts))
    }

    /// The times of the candidate with this index, if it was measured.
    pub fn timing_of(&self, index: Option<usize>) -> Option<&Timing> {
        self.candidates.get(index?)?.timing.as_ref()
    }

    /// Returns why the decision is provisional, and how much slower its choice may be. Returns `None` if the decision
    /// is firm or there is no decision.
    pub fn provisional(&self) -> Option<String> {
        if !self.is_decided() || !self.unstable {
            return None;
        }
        let why = if self.why.is_empty() { "its race was unstable" } else { &self.why };
        Some(if self.risk > 0.0 {
            format!("the choice may take {} another one: {why}", units::compared(1.0 + self.risk))
        } else {
            why.to_owned()
        })
    }

    /// Returns how many of the candidates were timed: "3/14" means 3 of 14.
    pub fn timed(&self) -> String {
        let timed = self.candidates.iter().filter(|candidate| candidate.timing.is_some()).count();
        format!("{timed}/{}", self.candidates.len())
    }

    fn median_of(&self, index: Option<usize>) -> Option<f64> {
        self.timing_of(index).map(|timing| timing.median)
    }
}

#[cfg(test)]
mod tests {
    use crate::document::tests::tuned;

    #[test]
    fn indices_out_of_range_are_no_times() {
        let mut problem = tuned("a", 1, &[1.0], 0);
        problem.decision.winner = Some(9);
        assert_eq!((problem.decision.time(), problem.decision.gain()), (None, None));
    }
}
