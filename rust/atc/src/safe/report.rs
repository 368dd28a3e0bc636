//! The results of a tuning run.

use crate::raw::call::{call, query, size_of_u32, text};
use crate::raw::error::{Error, Result};
use crate::raw::handle::Owned;
use crate::safe::candidate::{Candidate, Source};
use crate::safe::device::Device;
use crate::safe::problem::Problem;
use crate::sys;

/// The results of a tuning run, for each problem, in the order of the problems.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Report {
    /// The device that was measured.
    pub device: Device,
    /// Whether the progress closure cancelled the run. Decisions made before are kept.
    pub cancelled: bool,
    /// How many of the problems have a provisional decision.
    pub provisional: usize,
    /// One for each problem.
    pub problems: Vec<TunedProblem>,
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
    /// Why there is no decision, if there is none; the fields below then have no meaning.
    pub error: Option<Error>,
    /// How the decision came about.
    pub source: Source,
    /// The decision: `engine@version:configuration`; empty where there is none.
    pub choice: String,
    /// Index of the candidate that was chosen.
    pub winner: Option<usize>,
    /// Index of the candidate that would run without tuning.
    pub default_candidate: Option<usize>,
    /// All candidates.
    pub candidates: Vec<Candidate>,
    /// Executions of this run, all candidates together; 0 if the decision was known.
    pub executions: u64,
    /// Time spent on this problem by this run.
    pub seconds: f64,
    /// Clocks kept changing, or the race could not distinguish the leaders in time: the decision is provisional.
    pub unstable: bool,
    /// Of a provisional decision: by how much the choice may be slower than another candidate, relative, as
    /// far as the technique judges it; else 0.
    pub risk: f64,
    /// Candidates were lost to memory, none was compared in time, or the race was cancelled.
    pub incomplete: bool,
    /// Written to the store in use.
    pub stored: bool,
    /// Cut short by the progress closure.
    pub cancelled: bool,
    /// The store that should keep the decision could not be written: this process alone remembers it.
    pub unwritten: bool,
    /// The reasons for the flags above; may be empty.
    pub why: String,
}

impl TunedProblem {
    /// Whether the race decided nothing that another process could use: it failed, lost a candidate to want of memory,
    /// was cancelled, or ended before two candidates were compared. Such a choice is not stored.
    #[must_use]
    pub fn is_undecided(&self) -> bool {
        self.error.is_some() || self.incomplete
    }

    /// The candidate that was chosen.
    #[must_use]
    pub fn winning(&self) -> Option<&Candidate> {
        self.candidates.get(self.winner?)
    }

    /// How many times faster the choice is than the candidate that would run without tuning, by the medians.
    #[must_use]
    pub fn speedup(&self) -> Option<f64> {
        let default = self.candidates.get(self.default_candidate?)?.timing?;
        Some(default.median / self.winning()?.timing?.median)
    }
}

impl Report {
    /// How many of the problems are [undecided](TunedProblem::is_undecided). The others are firm or provisional.
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
    ) -> Result<Self> {
        // SAFETY: a live handle, `out` may be written for the call.
        let count: usize =
            query(|out| unsafe { sys::atc_tune_report_count(out, handle.shared()) })?;
        // SAFETY: likewise.
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
    // SAFETY: a live handle, `raw` may be written for the call, up to its struct_size.
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
    // SAFETY: a live handle, `raw` may be written for the call, up to its struct_size.
    call(|| unsafe { sys::atc_tune_report_candidate(&mut raw, report.shared(), problem, index) })?;
    // SAFETY: the strings are borrowed from the report, which outlives this function, and copied.
    Ok(unsafe { Candidate::from_raw(&raw) })
}
