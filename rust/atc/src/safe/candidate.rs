//! The candidates of a decision. A candidate is one implementation, in one configuration, that can run a problem. A
//! race is the measurement that times the candidates of a problem. A decision is the result of a race. Its choice is
//! the candidate that the plans of the problem run.

use crate::raw::c_enum::c_enum;
use crate::raw::call::{positive, text};
use crate::sys;

c_enum! {
    /// The origin of a decision (which implementation runs a problem).
    Source ("source") {
        /// The caller gave the choice.
        Given = ATC_SOURCE_GIVEN => "given",
        /// The choice is from a record (a decision that is kept in the store).
        Record = ATC_SOURCE_RECORD => "record",
        /// The choice is from the record (the stored decision) of another problem, which differs from this problem only
        /// in its sizes. If there are records of several such problems, the record of the most similar one is used.
        Inherited = ATC_SOURCE_INHERITED => "inherited",
        /// An earlier call of this process measured the problem.
        Memory = ATC_SOURCE_MEMORY => "memory",
        /// This call measured the problem.
        Tuned = ATC_SOURCE_TUNED => "tuned",
        /// Nothing was measured. The choice is the first candidate of the default engine (the engine that runs a
        /// problem without tuning).
        Default = ATC_SOURCE_DEFAULT => "default",
        /// The slow reference engine runs the problem, because no other engine can run it.
        Reference = ATC_SOURCE_REFERENCE => "reference",
        /// The choice is from the pin file, in which a user fixes choices ([`set_pins`](crate::settings::set_pins)).
        Pinned = ATC_SOURCE_PINNED => "pinned",
        /// The ranks (processes) of a job have agreed on the choice ([`Group`](crate::Group)).
        Agreed = ATC_SOURCE_AGREED => "agreed",
        /// The problem was not measured in a race, but by timing the program's own calls of the convolution
        /// ([`Tune::Beside`](crate::Tune::Beside)).
        Beside = ATC_SOURCE_BESIDE => "beside",
        /// This problem was not measured. Measurements of similar problems predict that the choice is faster than the
        /// candidate that would run without tuning ([`Tune::Predict`](crate::Tune::Predict)).
        Predicted = ATC_SOURCE_PREDICTED => "predicted",
        /// The choice is from a record of the same problem that was measured with other versions of cuDNN, oneDNN or
        /// LibTorch ([`PlanOptions::other_versions`](crate::PlanOptions::other_versions)).
        Adopted = ATC_SOURCE_ADOPTED => "adopted",
    }
}

c_enum! {
    /// The result of a candidate in a race (the timing of all candidates of a problem): for example that it was slower
    /// than the winner, or that it failed.
    Outcome ("outcome") {
        /// The candidate is the choice.
        Won = ATC_OUTCOME_WON => "won",
        /// The candidate was timed until the end of the race, and was slower than the choice.
        Lost = ATC_OUTCOME_LOST => "lost",
        /// The candidate was timed. Its timing ended early, because it was much slower than the fastest candidate.
        Dropped = ATC_OUTCOME_DROPPED => "dropped",
        /// The candidate is about as fast as the winner: their times differ by less than the tie margin (by default 1
        /// %), and the winner was preferred.
        Tied = ATC_OUTCOME_TIED => "tied",
        /// The candidate could not be built.
        NotPrepared = ATC_OUTCOME_NOT_PREPARED => "not-prepared",
        /// The candidate computed a wrong result.
        WrongResult = ATC_OUTCOME_WRONG_RESULT => "wrong-result",
        /// An execution of the candidate failed.
        Failed = ATC_OUTCOME_FAILED => "failed",
        /// There was not enough memory to prepare or run the candidate.
        OutOfMemory = ATC_OUTCOME_OUT_OF_MEMORY => "out-of-memory",
        /// The candidate was not timed. Reasons are: the time limit of the race was reached, the race already had the
        /// largest allowed number of candidates, or the race was cancelled.
        Skipped = ATC_OUTCOME_SKIPPED => "skipped",
        /// The candidate was only listed, and not measured.
        Offered = ATC_OUTCOME_OFFERED => "offered",
    }
}

impl Default for Outcome {
    /// Returns [`Outcome::Offered`]: the candidate was not measured.
    fn default() -> Self {
        Self::Offered
    }
}

/// A candidate (one implementation, in one configuration, that can run a problem) and its result in the race that timed
/// the candidates.
///
/// Serialization leaves out `rewrites` if it is empty, `launches` if it is `None`, and `captured` and `imprecise` if
/// they are false. If a field is missing, deserialization uses the field's default.
#[derive(Debug, Clone, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default))]
#[non_exhaustive]
pub struct Candidate {
    /// The rewrites of the candidate, as they are written before the engine's name in the text of a choice (for example
    /// `nhwc@1>`). A rewrite turns the problem into another problem (for example with another layout), which the engine
    /// then computes. Empty if the candidate has no rewrites.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "String::is_empty"))]
    pub rewrites: String,
    /// The engine's name.
    pub engine: String,
    /// The engine's version.
    pub version: String,
    /// The configuration of the engine, as the engine's own text. Rewrites, engine, version and configuration together
    /// are the text of the choice.
    pub configuration: String,
    /// The engine's description of the configuration, for people.
    pub notes: String,
    /// The result of the candidate in the race.
    pub outcome: Outcome,
    /// Why the candidate was not chosen; may be empty.
    pub reason: String,
    /// The size of the workspace that the candidate needs, in bytes.
    pub workspace: u64,
    /// The number of executions of the candidate in the race, including executions that were not timed.
    pub executions: u64,
    /// Whether this candidate runs if a plan is made while a stream is captured into a CUDA graph, although another
    /// candidate has won the race. All other plans run the winner.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "std::ops::Not::not"))]
    pub captured: bool,
    /// True if the result of the candidate is correct, but less precise than the options allow. Then `reason` has the
    /// details.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "std::ops::Not::not"))]
    pub imprecise: bool,
    /// The number of kernels, copies and memory fills that one execution launches, if this number is known.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub launches: Option<u64>,
    /// The candidate's times; `None` if the candidate was not timed.
    pub timing: Option<Timing>,
}

/// The times of a candidate, in seconds per execution. The executions are timed in batches. A sample is the time of one
/// batch divided by its number of executions. The fields are statistics over the samples.
///
/// Serialization leaves out `host` if it is `None`, and `in_graph` if it is false. If a field is missing,
/// deserialization uses 0, `None` or false.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default))]
#[non_exhaustive]
pub struct Timing {
    /// The number of samples: the number of batches that were timed.
    pub samples: u64,
    /// The mean of the samples, in seconds.
    pub mean: f64,
    /// The median of the samples, in seconds.
    pub median: f64,
    /// The smallest sample, in seconds.
    pub min: f64,
    /// The largest sample, in seconds.
    pub max: f64,
    /// The standard deviation of the samples, in seconds.
    pub deviation: f64,
    /// The median clock frequency of the device during the samples, in hertz, if this frequency is known.
    pub clock_hz: Option<f64>,
    /// The time that the host needs to issue one execution: the median in seconds, if this time was measured. If this
    /// time is larger than `median` (the time on the device), the host is the bottleneck. Then a call outside of a CUDA
    /// graph takes this time and not `median`.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub host: Option<f64>,
    /// Whether the executions were timed in CUDA graphs. In a CUDA graph the host's work for each launch does not
    /// count. A race uses CUDA graphs if the host issues at least one of its candidates more slowly than the device
    /// runs this candidate.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "std::ops::Not::not"))]
    pub in_graph: bool,
}

impl Timing {
    /// Returns the relative spread of the samples: the standard deviation divided by the mean. Returns `None` if there
    /// are fewer than two samples.
    #[must_use]
    pub fn noise(&self) -> Option<f64> {
        (self.samples > 1 && self.mean > 0.0).then(|| self.deviation / self.mean)
    }
}

impl Candidate {
    /// Returns the text of the choice of this candidate, for [`Plan::with_choice`](crate::Plan::with_choice).
    #[must_use]
    pub fn choice(&self) -> String {
        format!("{}{}@{}:{}", self.rewrites, self.engine, self.version, self.configuration)
    }

    /// # Safety
    /// The strings of `raw` are NULL or end with NUL, and they live for the call.
    pub(crate) unsafe fn from_raw(raw: &sys::atc_candidate) -> Self {
        // SAFETY: the caller of this function meets the conditions of its `# Safety` section.
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
