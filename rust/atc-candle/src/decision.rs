//! Which implementation runs a problem on the CPU.

use atc::{Device, ErrorKind, Plan, PlanOptions, Problem, Source, settings};
use candle_core::Result;

use crate::engine;
use crate::failure::failure;
use crate::options::Options;

/// What runs a problem.
pub(crate) enum Decision {
    /// A plan of atc.
    Plan(Plan),
    /// candle's own convolution, which was measured as the fastest, or pinned.
    Candle,
    /// No engine of atc but the slow reference takes the problem.
    Nothing,
}

/// Decides by the store, by a race in which candle's own convolution takes part, or, if nothing is known, by atc's default.
pub(crate) fn decide(problem: &Problem, options: &Options) -> Result<Decision> {
    engine::register().map_err(failure)?;
    let asked = options.for_plans();
    let with_candle = asked.front_end(engine::NAME).map_err(failure)?;
    let Some(plan) = acquire(problem, &with_candle)? else {
        return obey_pins(problem, &with_candle).map(|()| Decision::Nothing);
    };
    if !engine::is_chosen(&plan).map_err(failure)? {
        return Ok(Decision::Plan(plan));
    }
    // As the engine of the front end, candle's convolution is the default, too.
    if plan.source().map_err(failure)? != Source::Default {
        return Ok(Decision::Candle);
    }
    let plan = acquire(problem, &asked)?;
    Ok(plan.map_or(Decision::Candle, Decision::Plan))
}

/// `None`: no engine takes the problem.
fn acquire(problem: &Problem, options: &PlanOptions<'_>) -> Result<Option<Plan>> {
    match Plan::acquire(Device::Cpu, problem, options) {
        Ok(plan) => Ok(Some(plan)),
        Err(error) if error.kind() == ErrorKind::Unsupported => Ok(None),
        Err(error) => Err(failure(error)),
    }
}

/// An error if pins are why no engine takes the problem: then nothing else may run.
fn obey_pins(problem: &Problem, options: &PlanOptions<'_>) -> Result<()> {
    let pins = settings::pins_for(Device::Cpu, problem, options).map_err(failure)?;
    match pins.as_str() {
        "[]" => Ok(()),
        // The plan's own error says more.
        _ => Plan::acquire(Device::Cpu, problem, options).map(drop).map_err(failure),
    }
}

/// A plan of a problem that only the reference may take.
pub(crate) fn reference(problem: &Problem, options: &Options) -> Result<Plan> {
    let options = options.for_plans().allow_reference(true);
    Plan::acquire(Device::Cpu, problem, &options).map_err(failure)
}
