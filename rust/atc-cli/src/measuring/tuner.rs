//! Makes a tuner of libatc from the options of the command line and the options of a problem's
//! calls.

use super::How;
use crate::cli::Retune;
use crate::problems::Terms;

/// Returns a tuner for problems that have this value of `constant_weights` and whose calls had the
/// options `terms`.
pub fn tuner<'a>(
    how: &'a How<'_>,
    technique: atc::Technique,
    constant_weights: bool,
    terms: &Terms,
) -> atc::Tuner<'a> {
    let tuner = atc::Tuner::new(how.device).technique(technique).constant_weights(constant_weights);
    let mut tuner = terms.apply(how.options.apply(tuner));
    tuner = match how.retune {
        None => tuner,
        Some(Retune::All) => tuner.retune(true),
        Some(Retune::Provisional) => tuner.retune_provisional(),
    };
    if how.without_store {
        tuner = tuner.without_store();
    }
    if let Some(seed) = how.timing.seed {
        tuner = tuner.seed(seed);
    }
    if !how.engines.is_empty() {
        tuner = tuner.engines_allowed(how.engines);
    }
    tuner
}
