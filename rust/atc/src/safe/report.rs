//! The results of a tuning run.

use crate::raw::call::{call, query, size_of_u32, text};
use crate::raw::error::{Error, Result};
use crate::raw::handle::Owned;
use crate::safe::candidate::{Candidate, Source};
use crate::safe::device::Device;
use crate::safe::group::Agreement;
use crate::safe::problem::Problem;
use crate::sys;

/// The results of a tuning run: one for each problem, in the order of the problems.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Report {
    /// The device that was measured.
    pub device: Device,
    /// Whether the progress closure cancelled the run. Decisions that the run made before are kept.
    pub cancelled: bool,
    /// How many of the problems have a provisional decision.
    pub provisional: usize,
    /// One for each problem.
    pub problems: Vec<TunedProblem>,
    /// The agreement of the ranks, if the tuner has a [group](crate::Tuner::group).
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
    /// Why the problem has no decision; `None` if it has one. If there is an error, the fields
    /// below have no meaning.
    pub error: Option<Error>,
    /// How the decision came about.
    pub source: Source,
    /// The choice: `engine@version:configuration`; empty if there is no decision.
    pub choice: String,
    /// Index of the candidate that was chosen.
    pub winner: Option<usize>,
    /// Index of the candidate that would run without tuning.
    pub default_candidate: Option<usize>,
    /// All candidates.
    pub candidates: Vec<Candidate>,
    /// Number of executions in this run, over all candidates; 0 if the decision was known before.
    pub executions: u64,
    /// Seconds that this run spent on this problem.
    pub seconds: f64,
    /// The most device memory (CPU: main memory) that the race of this run held at once, in bytes;
    /// 0 if nothing was measured.
    #[cfg_attr(feature = "serde", serde(default))]
    pub memory_bytes: u64,
    /// The decision is provisional: clocks kept changing, or the race could not distinguish the
    /// leaders in time.
    pub unstable: bool,
    /// By how much the choice may be slower than another candidate, as a fraction, if the decision
    /// is provisional and the technique of the race estimates it; else 0.
    pub risk: f64,
    /// The race is incomplete: candidates were lost for want of memory, no two candidates were
    /// compared in time, or the race was cancelled.
    pub incomplete: bool,
    /// The decision was written to the store in use.
    pub stored: bool,
    /// The progress closure cut the race of this problem short.
    pub cancelled: bool,
    /// The decision could not be written to the store, so only this process remembers it.
    pub unwritten: bool,
    /// The reasons for the flags above (`unstable` and after); may be empty.
    pub why: String,
}

impl TunedProblem {
    /// Whether the race made no decision that another process could use: it failed, lost a
    /// candidate for want of memory, was cancelled, or ended before two candidates were compared.
    /// Such a choice is not stored.
    #[must_use]
    pub fn is_undecided(&self) -> bool {
        self.error.is_some() || self.incomplete
    }

    /// The candidate that was chosen.
    #[must_use]
    pub fn winning(&self) -> Option<&Candidate> {
        self.candidates.get(self.winner?)
    }

    /// How many times faster the choice is than the candidate that would run without tuning, by
    /// their medians. `None` if one of them has no time.
    #[must_use]
    pub fn speedup(&self) -> Option<f64> {
        let default = self.candidates.get(self.default_candidate?)?.timing?;
        Some(default.median / self.winning()?.timing?.median)
    }
}

impl Report {
    /// Returns how many of the problems are [undecided](TunedProblem::is_undecided). All other
    /// problems have a firm or a provisional decision.
    #[must_use]
    pub fn undecided(&self) -> usize {
        self.problems.iter().filter(|tuned| tuned.is_undecided()).count()
    }

    /// Copies everything out of libatc's report.
    pub(crate) fn from_handle(
        handle: &Owned<sys::atc_tune_report>,
        device: Device,
        problems: &[Problem],
        cancelled: bool,
        in_group: bool,
    ) -> Result<Self> {
        // SAFETY: the handle is live, and the C function may write to `out` during the call.
        let count: usize =
            query(|out| unsafe { sys::atc_tune_report_count(out, handle.shared()) })?;
        // SAFETY: the handle is live, and the C function may write to `out` during the call.
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
    // SAFETY: the handle is live, and the C function may write to `raw` during the call, up to its struct_size.
    call(|| unsafe { sys::atc_tune_report_problem(&mut raw, report.shared(), index) })?;
    // SAFETY: the strings are borrowed from the report, which outlives this function, and copied.
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
    // SAFETY: the handle is live, and the C function may write to `raw` during the call, up to its struct_size.
    call(|| unsafe { sys::atc_tune_report_candidate(&mut raw, report.shared(), problem, index) })?;
    // SAFETY: the strings are borrowed from the report, which outlives this function, and copied.
    Ok(unsafe { Candidate::from_raw(&raw) })
}
