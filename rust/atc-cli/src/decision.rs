//! A decision as the JSON of `--json` has it, and the figures that follow from it.

use atc::{Candidate, Outcome, Timing};
use serde::{Deserialize, Serialize};

use crate::account::Standing;
use crate::gain::{Certainty, Gain};
use crate::units;

/// The source of a decision if the reference runs because no other engine has an offer.
const REFERENCE: &str = "reference";
/// The name of the source of decisions that a race of this run has made.
const TUNED: &str = "tuned";
/// The outcomes of candidates that were timed and whose result was right.
pub const RAN: [Outcome; 4] = [Outcome::Won, Outcome::Lost, Outcome::Tied, Outcome::Dropped];

/// A decision and its candidates.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Decision {
    /// The problem in libatc's description.
    pub description: String,
    /// "ok", or the kind of the error that `why` describes.
    pub status: String,
    /// The source of the decision: "tuned", "record", "memory", …; empty if nothing was decided.
    pub source: String,
    pub choice: String,
    /// Indices of `candidates`.
    pub winner: Option<usize>,
    pub default: Option<usize>,
    /// Index of libatc's default, if `default` is the program's own convolution and was not the
    /// default of the race.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub library_default: Option<usize>,
    /// The decision is provisional: the choice is not certain to be the fastest.
    pub unstable: bool,
    /// By how much the choice may be slower than another candidate, as a fraction, if the decision
    /// is provisional.
    #[serde(skip_serializing_if = "is_zero")]
    pub risk: f64,
    pub incomplete: bool,
    pub cancelled: bool,
    pub stored: bool,
    /// The store could not be written; `why` has the error.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unwritten: bool,
    pub why: String,
    pub executions: u64,
    /// Seconds that this run spent on this problem.
    pub seconds: f64,
    /// The most memory that the race held at once, in bytes.
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

    /// Whether a choice was made. There is none if only the slow reference can run the problem, if the race compared
    /// nothing, or if memory for a candidate ran out.
    pub fn is_decided(&self) -> bool {
        self.standing() != Standing::Undecided
    }

    /// Whether the race ended before it had timed two candidates, for want of time alone.
    pub fn wants_time(&self) -> bool {
        let is = |outcomes: &[Outcome]| {
            self.candidates.iter().filter(|one| outcomes.contains(&one.outcome)).count()
        };
        let race_without_result = self.status == "ok" && self.source == TUNED && self.incomplete;
        race_without_result && !self.cancelled && is(&RAN) < 2 && is(&[Outcome::OutOfMemory]) == 0
    }

    /// Says in a word why there is no decision.
    pub fn refused(&self) -> Option<&str> {
        match self.source.as_str() {
            _ if self.status != "ok" || self.choice.is_empty() => Some(&self.status),
            REFERENCE => Some("reference only"),
            _ if self.incomplete => Some("undecided"),
            _ => None,
        }
    }

    /// Returns the choice. If there is none, returns the reason in parentheses.
    pub fn told(&self) -> String {
        self.refused().map_or_else(|| self.choice.clone(), |why| format!("({why})"))
    }

    /// Joins the decision with that of a later race of the same problem. Takes the later decision,
    /// or keeps `self` if the later race decided nothing. Executions and seconds are the sums of
    /// both races.
    pub fn followed_by(self, later: Self) -> Self {
        let (executions, seconds) =
            (self.executions + later.executions, self.seconds + later.seconds);
        Self { executions, seconds, ..if later.status == "ok" { later } else { self } }
    }

    /// Makes the program's own engine, `original`, the default, so that the gain is over the engine
    /// that the program would run without atc. There is no gain if that engine was not timed.
    pub fn against(mut self, original: &str) -> Self {
        let is_original = |one: &Candidate| one.engine == original && one.rewrites.is_empty();
        let original = self.candidates.iter().position(is_original);
        // Decisions of earlier versions have libatc's default although the original took part.
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

    /// Seconds per execution of the candidate that would run without tuning, if it was measured.
    pub fn default_time(&self) -> Option<f64> {
        self.median_of(self.default)
    }

    /// How many times faster the choice is than the candidate that would run without tuning, if both were measured.
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

    /// The times of the candidate, if it was measured.
    pub fn timing_of(&self, index: Option<usize>) -> Option<&Timing> {
        self.candidates.get(index?)?.timing.as_ref()
    }

    /// Why the decision is provisional, and by how much its choice may be slower; `None` if the
    /// decision is firm or there is none.
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

    /// Returns how many of the candidates were timed: "3/14".
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
