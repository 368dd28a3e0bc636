//! The options of the command line and of a problem's calls as a tuner.

use super::How;
use crate::cli::Retune;
use crate::problems::Terms;

/// A tuner for problems with this kind of weights and these options of their calls.
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
