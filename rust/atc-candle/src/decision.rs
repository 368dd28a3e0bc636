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
    /// candle's own convolution runs, because it is the fastest measured candidate or because a pin chooses it.
    Candle,
    /// No engine of atc supports the problem, except the slow reference.
    Nothing,
}

/// Decides which implementation runs a problem. The decision comes from pins, from the store, or from a race that also
/// times candle's own convolution. If there is none of these, atc's default engine runs the problem.
pub(crate) fn decide(place: &Place, problem: &Problem, options: &Options) -> Result<Decision> {
    engine::register().map_err(failure)?;
    let options = options.for_plans();
    match place.acquire(problem, &options) {
        Ok(plan) if engine::is_chosen(plan.plan()).map_err(failure)? => Ok(Decision::Candle),
        Ok(plan) => Ok(Decision::Plan(plan)),
        Err(error) if error.kind() == ErrorKind::Unsupported => {
            let pins = settings::pins_for(place.device(), problem, &options).map_err(failure)?;
            // No allowed engine can run the problem. This is an error only if a pin names a choice or bars candle. If
            // pins only bar other engines, candle's own convolution runs.
            if pins.contains(r#""choice":"#) || pins.contains(engine::NAME) {
                return Err(failure(error));
            }
            Ok(Decision::Nothing)
        }
        Err(error) => Err(failure(error)),
    }
}

/// Makes a plan by atc's slow reference, for a problem that no other engine of atc supports.
pub(crate) fn reference(place: &Place, problem: &Problem, options: &Options) -> Result<Ready> {
    let options = options.for_plans().allow_reference(true);
    place.acquire(problem, &options).map_err(failure)
}
