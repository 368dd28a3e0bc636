//! Which implementation runs a problem.

use atc::{ErrorKind, Problem, settings};
use candle_core::Result;

use crate::engine;
use crate::failure::failure;
use crate::options::Options;
use crate::place::{Place, Ready};

/// What runs a problem.
pub(crate) enum Decision {
    /// A plan of atc.
    Plan(Ready),
    /// candle's own convolution, which was measured as the fastest, or pinned.
    Candle,
    /// No engine of atc but the slow reference takes the problem.
    Nothing,
}

/// Decides by pins, by the store, by a race in which candle's own convolution takes part, or, if nothing is known, by atc's
/// default.
pub(crate) fn decide(place: &Place, problem: &Problem, options: &Options) -> Result<Decision> {
    engine::register().map_err(failure)?;
    let options = options.for_plans();
    match place.acquire(problem, &options) {
        Ok(plan) if engine::is_chosen(plan.plan()).map_err(failure)? => Ok(Decision::Candle),
        Ok(plan) => Ok(Decision::Plan(plan)),
        Err(error) if error.kind() == ErrorKind::Unsupported => {
            let pins = settings::pins_for(place.device(), problem, &options).map_err(failure)?;
            // Bars of other engines leave candle's own.
            if pins.contains(r#""choice":"#) || pins.contains(engine::NAME) {
                return Err(failure(error));
            }
            Ok(Decision::Nothing)
        }
        Err(error) => Err(failure(error)),
    }
}

/// A plan of a problem that only the reference may take.
pub(crate) fn reference(place: &Place, problem: &Problem, options: &Options) -> Result<Ready> {
    let options = options.for_plans().allow_reference(true);
    place.acquire(problem, &options).map_err(failure)
}
