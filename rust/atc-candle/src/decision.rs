//! Which implementation runs a problem on the CPU.

use atc::{Device, ErrorKind, Plan, Problem};
use candle_core::Result;

use crate::failure::failure;
use crate::options::Options;

/// What runs a problem.
pub(crate) enum Decision {
    /// A plan of atc.
    Plan(Plan),
    /// No engine of atc but the slow reference takes the problem.
    Nothing,
}

/// Decides by the store, by a race, or by atc's default.
pub(crate) fn decide(problem: &Problem, options: &Options) -> Result<Decision> {
    match Plan::acquire(Device::Cpu, problem, &options.for_plans()) {
        Ok(plan) => Ok(Decision::Plan(plan)),
        Err(error) if error.kind() == ErrorKind::Unsupported => Ok(Decision::Nothing),
        Err(error) => Err(failure(error)),
    }
}

/// A plan of a problem that only the reference may take.
pub(crate) fn reference(problem: &Problem, options: &Options) -> Result<Plan> {
    let options = options.for_plans().allow_reference(true);
    Plan::acquire(Device::Cpu, problem, &options).map_err(failure)
}
