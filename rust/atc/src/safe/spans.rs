//! Spans and events of `tracing` for tuning runs and plan creation.

use tracing::span::EnteredSpan;
use tracing::{debug, debug_span, info, info_span, warn};

use crate::raw::error::Result;
use crate::safe::candidate::Source;
use crate::safe::device::Device;
use crate::safe::problem::Problem;
use crate::safe::report::{Report, TunedProblem};

/// Enters the `tracing` span `tune`, which covers one tuning run.
pub(crate) fn tuning(device: Device, problems: usize) -> EnteredSpan {
    info_span!(target: "atc::tune", "tune", %device, problems).entered()
}

/// Writes a `tracing` event for each problem of a tuning run.
pub(crate) fn tuned(report: &Report) {
    report.problems.iter().for_each(tuned_problem);
    if report.cancelled {
        warn!(target: "atc::tune", "cancelled");
    }
}

fn tuned_problem(tuned: &TunedProblem) {
    let problem = tuned.description.as_str();
    if let Some(error) = &tuned.error {
        warn!(target: "atc::tune", problem, %error, "not decided");
        return;
    }
    if tuned.is_undecided() {
        let why = tuned.why.as_str();
        warn!(target: "atc::tune", problem, choice = tuned.choice.as_str(), why, "not decided");
        return;
    }
    info!(
        target: "atc::tune",
        problem,
        choice = tuned.choice.as_str(),
        source = %tuned.source,
        candidates = tuned.candidates.len(),
        executions = tuned.executions,
        seconds = tuned.seconds,
        speedup = tuned.speedup(),
        provisional = tuned.unstable,
        why = tuned.why.as_str(),
        "decided"
    );
}

/// Enters the `tracing` span `plan`, which covers the creation of one plan. If the creation
/// measures the problem, the span includes the measurement.
pub(crate) fn planning(device: Device, problem: &Problem) -> EnteredSpan {
    debug_span!(target: "atc::plan", "plan", %device, ?problem).entered()
}

/// Writes a `tracing` event for a plan that was created. The closure `decision` returns the choice
/// of the plan and the origin of this choice. `decision` calls libatc, so it is called only if a
/// subscriber records the event.
pub(crate) fn planned<'a>(decision: impl FnOnce() -> Result<(&'a str, Source)>) {
    if !tracing::enabled!(target: "atc::plan", tracing::Level::DEBUG) {
        return;
    }
    if let Ok((choice, source)) = decision() {
        debug!(target: "atc::plan", choice, %source, "decided");
    }
}
