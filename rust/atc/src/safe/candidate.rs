//! The candidates of a decision, with their times.

use crate::raw::c_enum::c_enum;
use crate::raw::call::{positive, text};
use crate::sys;

c_enum! {
    /// How a decision came about.
    Source ("source") {
        /// The caller's choice.
        Given = ATC_SOURCE_GIVEN => "given",
        /// A record of the store in use has the choice.
        Record = ATC_SOURCE_RECORD => "record",
        /// A record of the same problem at the nearest size has the choice.
        Inherited = ATC_SOURCE_INHERITED => "inherited",
        /// Measured earlier in this process.
        Memory = ATC_SOURCE_MEMORY => "memory",
        /// Measured now.
        Tuned = ATC_SOURCE_TUNED => "tuned",
        /// Nothing was measured: the default engine's first offer.
        Default = ATC_SOURCE_DEFAULT => "default",
        /// The slow reference runs, because no other engine has an offer.
        Reference = ATC_SOURCE_REFERENCE => "reference",
        /// A pin of the pin file in force has the choice ([`set_pins`](crate::settings::set_pins)).
        Pinned = ATC_SOURCE_PINNED => "pinned",
        /// The ranks of a job have agreed on it ([`Group`](crate::Group)).
        Agreed = ATC_SOURCE_AGREED => "agreed",
        /// Calls of this process have measured the problem ([`Tune::Beside`](crate::Tune::Beside)).
        Beside = ATC_SOURCE_BESIDE => "beside",
        /// Nothing was measured: races of similar layers let expect that the choice is faster than the
        /// default ([`Tune::Predict`](crate::Tune::Predict)).
        Predicted = ATC_SOURCE_PREDICTED => "predicted",
    }
}

c_enum! {
    /// A candidate's standing in a race.
    Outcome ("outcome") {
        /// It is the choice.
        Won = ATC_OUTCOME_WON => "won",
        /// Timed to the end, slower.
        Lost = ATC_OUTCOME_LOST => "lost",
        /// Timed, fell behind early.
        Dropped = ATC_OUTCOME_DROPPED => "dropped",
        /// So close to the winner that the race counts them as tied (within the tie margin), and
        /// not chosen.
        Tied = ATC_OUTCOME_TIED => "tied",
        /// Could not be built.
        NotPrepared = ATC_OUTCOME_NOT_PREPARED => "not-prepared",
        /// Refused by the correctness gate.
        WrongResult = ATC_OUTCOME_WRONG_RESULT => "wrong-result",
        /// An execution failed.
        Failed = ATC_OUTCOME_FAILED => "failed",
        /// There was not enough memory to prepare or run the candidate.
        OutOfMemory = ATC_OUTCOME_OUT_OF_MEMORY => "out-of-memory",
        /// Not timed: the budget ended, the candidate limit was reached, or the race was cancelled.
        Skipped = ATC_OUTCOME_SKIPPED => "skipped",
        /// Nothing was measured.
        Offered = ATC_OUTCOME_OFFERED => "offered",
    }
}

impl Default for Outcome {
    /// Nothing was measured.
    fn default() -> Self {
        Self::Offered
    }
}

/// One way to run a problem, and its result in the race.
///
/// Serialization leaves out `rewrites` and `launches` if there are none, and `captured` and
/// `imprecise` if they are false. Deserialization takes a missing field from the default value.
#[derive(Debug, Clone, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default))]
#[non_exhaustive]
pub struct Candidate {
    /// The rewrites that run around the engine, in the form of the choice (`nhwc@1>`); empty if
    /// there are none.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "String::is_empty"))]
    pub rewrites: String,
    /// The engine's name.
    pub engine: String,
    /// The engine's version.
    pub version: String,
    /// The engine's own configuration. Engine, version and configuration together identify a
    /// choice.
    pub configuration: String,
    /// The engine's description of the configuration, to be shown to people.
    pub notes: String,
    /// The candidate's standing in the race.
    pub outcome: Outcome,
    /// Why the candidate was not chosen; may be empty.
    pub reason: String,
    /// Bytes of workspace.
    pub workspace: u64,
    /// How often the candidate was executed, timed or not.
    pub executions: u64,
    /// Plans that are made during a stream capture run this candidate. It is not the winner, which
    /// other plans run.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "std::ops::Not::not"))]
    pub captured: bool,
    /// The candidate is correct, but less precise than the options allow; `reason` says how.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "std::ops::Not::not"))]
    pub imprecise: bool,
    /// Number of kernels, copies and fills of one execution, if it is known.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub launches: Option<u64>,
    /// The candidate's times; `None` if it was not timed.
    pub timing: Option<Timing>,
}

/// The times of a candidate: seconds per execution, over the samples.
///
/// Serialization leaves out `host` if it is not known and `in_graph` if it is false.
/// Deserialization reads a missing number as 0.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default))]
#[non_exhaustive]
pub struct Timing {
    /// Batches timed.
    pub samples: u64,
    /// Mean, seconds.
    pub mean: f64,
    /// Median, seconds.
    pub median: f64,
    /// Fastest, seconds.
    pub min: f64,
    /// Slowest, seconds.
    pub max: f64,
    /// Standard deviation, seconds.
    pub deviation: f64,
    /// Median clock of the device during the samples, if it is known.
    pub clock_hz: Option<f64>,
    /// Time that the host needs to issue one execution: the median in seconds, if it was measured.
    /// If it is more than `median`, an eager call takes this long.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub host: Option<f64>,
    /// Whether the executions were timed in CUDA graphs. A race uses graphs if the host could not
    /// issue some candidate as fast as the device ran it.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "std::ops::Not::not"))]
    pub in_graph: bool,
}

impl Timing {
    /// The relative spread of the samples: their standard deviation divided by their mean. `None`
    /// if there are fewer than two samples.
    #[must_use]
    pub fn noise(&self) -> Option<f64> {
        (self.samples > 1 && self.mean > 0.0).then(|| self.deviation / self.mean)
    }
}

impl Candidate {
    /// The text that names this candidate for [`Plan::with_choice`](crate::Plan::with_choice).
    #[must_use]
    pub fn choice(&self) -> String {
        format!("{}{}@{}:{}", self.rewrites, self.engine, self.version, self.configuration)
    }

    /// # Safety
    /// The strings of `raw` are NULL or end with NUL, and they live for the call.
    pub(crate) unsafe fn from_raw(raw: &sys::atc_candidate) -> Self {
        // SAFETY: the caller keeps the contract of this function.
        let owned = |string| unsafe { text(string) }.to_owned();
        let flag = |bit: i32| raw.flags & bit as u32 != 0;
        Self {
            rewrites: owned(raw.rewrites),
            engine: owned(raw.engine),
            version: owned(raw.version),
            configuration: owned(raw.configuration),
            notes: owned(raw.notes),
            outcome: Outcome::from_raw(raw.outcome),
            reason: owned(raw.reason),
            workspace: raw.workspace,
            executions: raw.executions,
            captured: flag(sys::ATC_CANDIDATE_CAPTURED),
            imprecise: flag(sys::ATC_CANDIDATE_IMPRECISE),
            launches: Some(raw.launches).filter(|launches| *launches > 0),
            timing: (raw.samples > 0).then(|| Timing {
                samples: raw.samples,
                mean: raw.mean,
                median: raw.median,
                min: raw.min,
                max: raw.max,
                deviation: raw.deviation,
                clock_hz: positive(raw.clock_hz),
                host: positive(raw.host),
                in_graph: flag(sys::ATC_CANDIDATE_IN_GRAPH),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_a_newer_library_are_kept() {
        assert_eq!(Outcome::from_raw(77), Outcome::Other(77));
        assert_eq!(Outcome::Other(77).to_raw(), 77);
        assert_eq!("77".parse(), Ok(Outcome::Other(77)));
        assert_eq!(Outcome::from_raw(1), Outcome::Won);
    }

    #[test]
    fn names_are_those_of_the_header() {
        let c_name = |prefix: &str, name: String| {
            format!("ATC_{prefix}_{}", name.to_uppercase().replace('-', "_"))
        };
        for outcome in Outcome::ALL {
            // SAFETY: the C function accepts any number.
            let name = unsafe { sys::atc_outcome_name(outcome.to_raw()) };
            // SAFETY: the C function returns a static string.
            assert_eq!(unsafe { text(name) }, c_name("OUTCOME", outcome.to_string()));
        }
        for source in Source::ALL {
            // SAFETY: the C function accepts any number.
            let name = unsafe { sys::atc_source_name(source.to_raw()) };
            // SAFETY: the C function returns a static string.
            assert_eq!(unsafe { text(name) }, c_name("SOURCE", source.to_string()));
        }
    }

    #[test]
    fn every_name_is_read_as_it_is_written() {
        for outcome in Outcome::ALL {
            assert_eq!(outcome.to_string().parse(), Ok(*outcome));
            assert_eq!(Outcome::from_raw(outcome.to_raw()), *outcome);
        }
        let error = "bogus".parse::<Source>().unwrap_err();
        assert!(error.message().contains("given, record"), "{error}");
    }
}
