//! The runs of libatc's tuner in one command. All problems of a run have the same `constant_weights` and the same
//! options (`Terms`), so a command may need several runs. Problems that had too little time get further runs.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use atc::Store;

use super::How;
use super::shown::Shown;
use crate::decision::Decision;
use crate::failure::Result;
use crate::problems::{Request, Terms};
use crate::progress::Progress;
use crate::workers::{Fleet, Limits};
use crate::{convert, interrupt, output, units};

/// The default time for the race (the measurement of the candidates) of a problem. libatc has the
/// same default.
const USUAL_BUDGET: Duration = Duration::from_secs(2);
/// If a problem is measured again, its race gets at least this much time.
const LEAST_BUDGET: Duration = Duration::from_millis(10);
/// A problem whose race had too little time is measured again at most this many times. Each new race gets at least
/// twice the time of the race before.
const MOST_ROUNDS: usize = 12;

/// The runs of libatc's tuner in one command, and the decisions that they have made so far.
pub struct Runs<'a> {
    how: &'a How<'a>,
    requests: &'a [Request],
    technique: atc::Technique,
    started: Instant,
    /// The workers that measure; none if this process measures.
    fleet: Option<&'a mut Fleet>,
    /// The decision of each request (each convolution of the command); none if there is no decision
    /// yet.
    pub decisions: Vec<Option<Decision>>,
    pub cancelled: bool,
}

/// The options in which two runs of the tuner may differ, though both belong to the same command.
#[derive(Clone, Copy, Default)]
struct Run<'a> {
    problem_budget: Option<Duration>,
    /// The store that is used in place of the active store. If it is `None`, the active store is
    /// used.
    store: Option<&'a Store>,
    quiet: bool,
}

impl<'a> Runs<'a> {
    pub fn new(
        how: &'a How<'a>,
        requests: &'a [Request],
        technique: atc::Technique,
        started: Instant,
        fleet: Option<&'a mut Fleet>,
    ) -> Self {
        let decisions = vec![None; requests.len()];
        Self { how, requests, technique, started, fleet, decisions, cancelled: false }
    }

    /// Decides the requests (convolutions) whose indices are in `part`.
    pub fn measure(&mut self, part: &[usize]) -> Result<()> {
        let (problem_budget, quiet) = (self.how.timing.problem_budget, self.how.quiet);
        self.run(part, &Run { problem_budget, quiet, store: None })?;
        self.give_more_time(part)
    }

    /// Decides the requests with the indices in `part` by the decisions in `store`. This store is open in mode
    /// replay-only, so nothing is measured.
    pub fn replay(&mut self, part: &[usize], store: &Store) -> Result<()> {
        self.run(part, &Run { store: Some(store), quiet: true, ..Run::default() })
    }

    /// Measures problems again if their race ended before two candidates were compared. This is repeated as long as
    /// time is left in the budget of all problems. Each round doubles the time for a problem. If each of these
    /// problems has already taken longer than the doubled time, the shortest of the times that they took is used as
    /// the new time: a race cannot stop during an execution, so a single long execution may exceed the budget by
    /// far.
    fn give_more_time(&mut self, part: &[usize]) -> Result<()> {
        let mut budget = self.how.timing.problem_budget.unwrap_or(USUAL_BUDGET);
        for _ in 0..MOST_ROUNDS {
            let wants_time =
                |index: &&usize| self.decisions[**index].as_ref().is_some_and(Decision::wants_time);
            let wanting: Vec<_> = part.iter().filter(wants_time).copied().collect();
            if wanting.is_empty()
                || self.cancelled
                || self.rest().is_some_and(|rest| rest.is_zero())
            {
                break;
            }
            budget = budget.saturating_mul(2).max(LEAST_BUDGET).max(self.least_spent(&wanting));
            let line = format!(
                "{} undecided for want of time: measured again with {} each",
                units::count(wanting.len() as u64, "problem"),
                units::time(budget.as_secs_f64())
            );
            output::note_unless(self.how.quiet, &line);
            let (problem_budget, quiet) = (Some(budget), self.how.quiet);
            self.run(&wanting, &Run { problem_budget, quiet, store: None })?;
        }
        Ok(())
    }

    /// Returns the shortest time that was spent on a problem whose index is in `part`.
    fn least_spent(&self, part: &[usize]) -> Duration {
        let decisions = part.iter().filter_map(|index| self.decisions[*index].as_ref());
        let spent = decisions.map(|decision| Duration::try_from_secs_f64(decision.seconds).ok());
        spent.flatten().min().unwrap_or_default()
    }

    /// Returns the time that is left of the budget of all problems; `None` if there is no such budget.
    fn rest(&self) -> Option<Duration> {
        self.how.timing.budget.map(|all| all.saturating_sub(self.started.elapsed()))
    }

    fn run(&mut self, part: &[usize], run: &Run<'_>) -> Result<()> {
        if run.store.is_none() && self.fleet.is_some() {
            return self.run_by_workers(part, run);
        }
        // The tuner has one value of `constant_weights` and one set of options for a whole run. So the requests are
        // divided into runs.
        let mut left = part.to_vec();
        left.sort_by_key(|index| self.requests[*index].constant_weights);
        while let Some(first) = left.first().map(|index| &self.requests[*index]) {
            let (constant_weights, terms) = (first.constant_weights, &first.terms);
            let alike = |index: &usize| {
                let request = &self.requests[*index];
                request.constant_weights == constant_weights && request.terms == *terms
            };
            let (part, others): (Vec<_>, Vec<_>) = left.into_iter().partition(alike);
            left = others;
            let report = self.report(&part, constant_weights, terms, run)?;
            self.cancelled |= report.cancelled;
            for (index, found) in part.into_iter().zip(&report.problems) {
                self.take(index, convert::decision(found));
            }
        }
        Ok(())
    }

    fn run_by_workers(&mut self, part: &[usize], run: &Run<'_>) -> Result<()> {
        let Some(fleet) = self.fleet.as_deref_mut() else { return Ok(()) };
        let requests: Vec<_> = part.iter().map(|index| &self.requests[*index]).collect();
        let questions = requests.iter().map(|request| super::question(request));
        let questions = questions.collect::<Result<Vec<_>>>()?;
        let limits = Limits {
            problem_budget: run.problem_budget,
            total_budget: self.how.timing.budget,
            started: self.started,
        };
        let mut shown = Shown::new(run.quiet, &requests, fleet.devices(), limits);
        let decided = fleet.decide(&questions, &limits, &mut shown);
        shown.finish();
        let (decisions, cancelled) = decided?;
        self.cancelled |= cancelled;
        for (index, decision) in part.iter().zip(decisions) {
            self.take(*index, decision);
        }
        Ok(())
    }

    fn take(&mut self, index: usize, decision: Decision) {
        let decision = match &self.requests[index].original {
            Some(original) => decision.against(original),
            None => decision,
        };
        let known = &mut self.decisions[index];
        *known = Some(match known.take() {
            Some(earlier) => earlier.followed_by(decision),
            None => decision,
        });
    }

    fn report(
        &self,
        part: &[usize],
        constant_weights: bool,
        terms: &Terms,
        run: &Run<'_>,
    ) -> Result<atc::Report> {
        let how = self.how;
        let budget = self.rest();
        let requests: Vec<_> = part.iter().map(|index| &self.requests[*index]).collect();
        let problems: Vec<_> = requests.iter().map(|request| convert::problem(request)).collect();
        let mut progress = Progress::new(run.quiet, requests.len());
        let mut tuner =
            super::tuner(how, self.technique, constant_weights, terms).on_progress(|seen| {
                let name = requests.get(seen.problem).map_or("", |request| &request.layer.name);
                progress.update(seen, name, budget);
                if interrupt::asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
        if let Some(store) = run.store {
            tuner = tuner.store(store);
        }
        if let Some(budget) = budget {
            tuner = tuner.total_budget(budget);
        }
        if let Some(budget) = run.problem_budget {
            tuner = tuner.problem_budget(budget);
        }
        let report = tuner.run(&problems);
        drop(tuner);
        progress.finish();
        Ok(report?)
    }
}
