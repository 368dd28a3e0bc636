//! The results of a tuning run.

use crate::raw::call::{call, query, size_of_u32, text};
use crate::raw::error::{Error, Result};
use crate::raw::handle::Owned;
use crate::safe::candidate::{Candidate, Source};
use crate::safe::device::Device;
use crate::safe::group::Agreement;
use crate::safe::problem::Problem;
use crate::sys;

/// The results of a tuning run. There is one result for each problem, in the order of the problems.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Report {
    /// The device on which the problems were measured.
    pub device: Device,
    /// Whether the progress closure cancelled the run. Decisions that the run made before the cancellation are kept.
    pub cancelled: bool,
    /// The number of problems whose decision is provisional (uncertain).
    pub provisional: usize,
    /// The results, one for each problem.
    pub problems: Vec<TunedProblem>,
    /// If the tuner has a [group](crate::Tuner::group) of ranks (processes of a job): what the ranks have agreed on.
    /// Else `None`.
    pub agreement: Option<Agreement>,
}

/// The result of one problem.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct TunedProblem {
    /// The problem.
    pub problem: Problem,
    /// The problem in one line, for people.
    pub description: String,
    /// The error because of which the problem has no decision; `None` if the problem has a decision. If there is an
    /// error, the fields that follow in this struct have no meaning.
    pub error: Option<Error>,
    /// The origin of the decision.
    pub source: Source,
    /// The choice (the implementation that was chosen), `engine@version:configuration`; empty if there is no decision.
    pub choice: String,
    /// The index of the choice in `candidates`; `None` if the choice is not in this list.
    pub winner: Option<usize>,
    /// The index in `candidates` of the candidate that would run without tuning; `None` if the list does not have this
    /// candidate.
    pub default_candidate: Option<usize>,
    /// The candidates: all implementations that were considered for the problem.
    pub candidates: Vec<Candidate>,
    /// The number of executions of all candidates in this run; 0 if the decision was known before.
    pub executions: u64,
    /// The time that this run spent on this problem, in seconds.
    pub seconds: f64,
    /// The largest amount of device memory (on the CPU: main memory) that the measurement of this problem held at one
    /// time, in bytes. Memory that the program already held is not included. 0 if nothing was measured.
    #[cfg_attr(feature = "serde", serde(default))]
    pub memory_bytes: u64,
    /// Whether the decision is provisional (uncertain). Reasons are: the clock frequencies of the device kept changing,
    /// the time limit of the problem did not suffice to tell the fastest candidates apart, or the total time limit of
    /// the run left time for only some candidates.
    pub unstable: bool,
    /// If the decision is provisional: by how much the choice may be slower than another candidate, as a fraction (0.1
    /// is 10 %). 0 if the decision is firm, or if the technique of the measurement does not estimate this number.
    pub risk: f64,
    /// Whether the measurement is incomplete. Reasons are: a candidate ran out of memory, the time limit was reached
    /// before two candidates were compared, or the measurement was cancelled. The decision of an incomplete measurement
    /// is not stored.
    pub incomplete: bool,
    /// Whether the decision was written to the store.
    pub stored: bool,
    /// Whether the progress closure cancelled the measurement of this problem.
    pub cancelled: bool,
    /// True if the decision should have been stored, but could not be written to the store. Then only this process has
    /// the decision.
    pub unwritten: bool,
    /// The reasons why `unstable`, `incomplete`, `cancelled` or `unwritten` is true, as text; may
    /// be empty.
    pub why: String,
}

impl TunedProblem {
    /// Returns whether the problem has failed or its measurement is [incomplete](TunedProblem::incomplete). In these
    /// cases nothing was stored, so there is no decision that another process can use.
    #[must_use]
    pub fn is_undecided(&self) -> bool {
        self.error.is_some() || self.incomplete
    }

    /// Returns the candidate that was chosen.
    #[must_use]
    pub fn winning(&self) -> Option<&Candidate> {
        self.candidates.get(self.winner?)
    }

    /// Returns the speed-up by tuning: the median time of the candidate that would run without tuning, divided by the
    /// median time of the choice. Returns `None` if one of the two candidates has no time.
    #[must_use]
    pub fn speedup(&self) -> Option<f64> {
        let default = self.candidates.get(self.default_candidate?)?.timing?;
        Some(default.median / self.winning()?.timing?.median)
    }
}

impl Report {
    /// Returns the number of problems that are [undecided](TunedProblem::is_undecided). All other problems have a
    /// decision, which is firm (certain) or provisional (uncertain).
    #[must_use]
    pub fn undecided(&self) -> usize {
        self.problems.iter().filter(|tuned| tuned.is_undecided()).count()
    }

    /// Makes a report from libatc's handle. All strings are copied.
    pub(crate) fn from_handle(
        handle: &Owned<sys::atc_tune_report>,
        device: Device,
        problems: &[Problem],
        cancelled: bool,
        in_group: bool,
    ) -> Result<Self> {
        // SAFETY: the object behind the C handle was not destroyed. The C function writes only `out`, and only during
        // the call.
        let count: usize =
            query(|out| unsafe { sys::atc_tune_report_count(out, handle.shared()) })?;
        // SAFETY: the object behind the C handle was not destroyed. The C function writes only `out`, and only during
        // the call.
        let provisional =
            query(|out| unsafe { sys::atc_tune_report_provisional(out, handle.shared()) })?;
        let problems = problems.iter().take(count).enumerate();
        Ok(Self {
            device,
            cancelled,
            provisional,
            problems: problems
                .map(|(index, problem)| tuned_problem(handle, index, problem))
                .collect::<Result<_>>()?,
            agreement: in_group.then(|| Agreement::from_handle(handle)).transpose()?,
        })
    }
}

fn tuned_problem(
    report: &Owned<sys::atc_tune_report>,
    index: usize,
    problem: &Problem,
) -> Result<TunedProblem> {
    let struct_size = size_of_u32::<sys::atc_tuned_problem>();
    let mut raw = sys::atc_tuned_problem { struct_size, ..Default::default() };
    // SAFETY: the object behind the C handle was not destroyed. The C function writes at most the `struct_size` bytes
    // of `raw`, and only during the call.
    call(|| unsafe { sys::atc_tune_report_problem(&mut raw, report.shared(), index) })?;
    // SAFETY: the strings that `raw` points to are valid as long as the report exists. The report outlives this
    // function, which copies the strings.
    let owned = |string| unsafe { text(string) }.to_owned();
    let flag = |bit: i32| raw.flags & bit as u32 != 0;
    let why = owned(raw.why);
    Ok(TunedProblem {
        problem: *problem,
        description: owned(raw.description),
        error: (raw.status != sys::ATC_OK).then(|| Error::new(raw.status, why.clone())),
        source: Source::from_raw(raw.source),
        choice: owned(raw.choice),
        winner: usize::try_from(raw.winner).ok(),
        default_candidate: usize::try_from(raw.default_candidate).ok(),
        candidates: (0..raw.candidates as usize)
            .map(|candidate| tuned_candidate(report, index, candidate))
            .collect::<Result<_>>()?,
        executions: raw.executions,
        seconds: raw.seconds,
        memory_bytes: raw.memory_bytes,
        unstable: flag(sys::ATC_TUNED_UNSTABLE),
        risk: raw.risk,
        incomplete: flag(sys::ATC_TUNED_INCOMPLETE),
        stored: flag(sys::ATC_TUNED_STORED),
        cancelled: flag(sys::ATC_TUNED_CANCELLED),
        unwritten: flag(sys::ATC_TUNED_UNWRITTEN),
        why,
    })
}

fn tuned_candidate(
    report: &Owned<sys::atc_tune_report>,
    problem: usize,
    index: usize,
) -> Result<Candidate> {
    let struct_size = size_of_u32::<sys::atc_candidate>();
    let mut raw = sys::atc_candidate { struct_size, ..Default::default() };
    // SAFETY: the object behind the C handle was not destroyed. The C function writes at most the `struct_size` bytes
    // of `raw`, and only during the call.
    call(|| unsafe { sys::atc_tune_report_candidate(&mut raw, report.shared(), problem, index) })?;
    // SAFETY: the strings that `raw` points to are valid as long as the report exists. The report outlives this
    // function, which copies the strings.
    Ok(unsafe { Candidate::from_raw(&raw) })
}
