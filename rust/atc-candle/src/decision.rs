//! Decides which implementation runs a problem (one direction of a convolution).

use atc::{ErrorKind, Problem, settings};
use candle_core::Result;

use crate::engine;
use crate::failure::failure;
use crate::options::Options;
use crate::place::{Place, Ready};

/// The result of a decision: what runs the problem.
pub(crate) enum Decision {
    /// A plan of atc runs the problem.
    Plan(Ready),
    /// candle's own convolution runs, because it is the fastest measured candidate or because a pin (a rule of the
    /// user) prescribes it.
    Candle,
    /// No engine of atc supports the problem, except the slow reference.
    Nothing,
}

/// Decides which implementation runs a problem. The decision comes from pins, from the store, or from a race, which
/// times the implementations of atc and candle's own convolution. If none of these gives a decision, atc's default
/// engine runs the problem.
pub(crate) fn decide(place: &Place, problem: &Problem, options: &Options) -> Result<Decision> {
    engine::register().map_err(failure)?;
    let options = options.for_plans();
    match place.acquire(problem, &options) {
        Ok(plan) if engine::is_chosen(plan.plan()).map_err(failure)? => Ok(Decision::Candle),
        Ok(plan) => Ok(Decision::Plan(plan)),
        Err(error) if error.kind() == ErrorKind::Unsupported => {
            let pins = settings::pins_for(place.device(), problem, &options).map_err(failure)?;
            // None of the engines that are allowed can run the problem. This is an error only if a pin (a rule of the
            // user) prescribes an implementation or forbids candle. In all other cases candle's own convolution runs,
            // or atc's slow reference if candle does not support the convolution either.
            if pins.contains(r#""choice":"#) || pins.contains(engine::NAME) {
                return Err(failure(error));
            }
            Ok(Decision::Nothing)
        }
        Err(error) => Err(failure(error)),
    }
}

/// Makes a plan that runs atc's reference (a slow implementation), for a problem that no other engine of atc supports.
pub(crate) fn reference(place: &Place, problem: &Problem, options: &Options) -> Result<Ready> {
    let options = options.for_plans().allow_reference(true);
    place.acquire(problem, &options).map_err(failure)
}
