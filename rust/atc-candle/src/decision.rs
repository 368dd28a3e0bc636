//! Decides which implementation runs a problem on the CPU.

use atc::{Device, ErrorKind, Plan, Problem, settings};
use candle_core::Result;

use crate::engine;
use crate::failure::failure;
use crate::options::Options;

/// What runs a problem.
pub(crate) enum Decision {
    /// A plan of atc.
    Plan(Plan),
    /// candle's own convolution, because it was measured as the fastest or is pinned.
    Candle,
    /// No engine of atc supports the problem, except the slow reference.
    Nothing,
}

/// Decides by pins, by the store, by a race in which candle's own convolution takes part, or, if nothing is known, by atc's
/// default.
pub(crate) fn decide(problem: &Problem, options: &Options) -> Result<Decision> {
    engine::register().map_err(failure)?;
    let options = options.for_plans();
    match Plan::acquire(Device::Cpu, problem, &options) {
        Ok(plan) if engine::is_chosen(&plan).map_err(failure)? => Ok(Decision::Candle),
        Ok(plan) => Ok(Decision::Plan(plan)),
        Err(error) if error.kind() == ErrorKind::Unsupported => {
            let pins = settings::pins_for(Device::Cpu, problem, &options).map_err(failure)?;
            // If pins only bar other engines, candle's own convolution is left to run.
            if pins.contains(r#""choice":"#) || pins.contains(engine::NAME) {
                return Err(failure(error));
            }
            Ok(Decision::Nothing)
        }
        Err(error) => Err(failure(error)),
    }
}

/// Makes a plan of a problem that only the reference may run.
pub(crate) fn reference(problem: &Problem, options: &Options) -> Result<Plan> {
    let options = options.for_plans().allow_reference(true);
    Plan::acquire(Device::Cpu, problem, &options).map_err(failure)
}
