//! How the convolutions of the process are decided.

use std::sync::RwLock;
use std::time::Duration;

use atc::{PlanOptions, Technique, Tune};

/// How convolutions are decided: all of the process by [`set_options`], one by
/// [`Convolution::options`](crate::Convolution::options). By default the decisions of the store in use are used, and nothing
/// is measured. A convolution without a decision runs on atc's default engine.
///
/// ```
/// use std::time::Duration;
///
/// use atc_candle::Options;
///
/// let options = Options::new().tune(true).budget(Duration::from_millis(500));
/// # let _ = options;
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[must_use = "each method returns the changed options and leaves these as they are"]
pub struct Options {
    tune: Option<Tune>,
    deterministic: Option<bool>,
    require_firm: Option<bool>,
    strict_precision: Option<bool>,
    technique: Option<Technique>,
    budget: Option<Duration>,
}

static OF_THE_PROCESS: RwLock<Options> = RwLock::new(Options::new());

/// Sets the options of all convolutions that have none of their own, from their next call on.
pub fn set_options(options: Options) {
    *OF_THE_PROCESS.write().unwrap_or_else(|poisoned| poisoned.into_inner()) = options;
}

/// The options that [`set_options`] has set.
pub fn options() -> Options {
    *OF_THE_PROCESS.read().unwrap_or_else(|poisoned| poisoned.into_inner())
}

impl Options {
    /// Everything inherited from the settings of the process ([`atc::settings`]).
    pub const fn new() -> Self {
        Self {
            tune: None,
            deterministic: None,
            require_firm: None,
            strict_precision: None,
            technique: None,
            budget: None,
        }
    }

    /// On: a convolution without a decision is measured at its first call. [`Tune::Later`]: it is only noted, and an
    /// [`atc::Tuner`] measures the noted ones between two steps ([`atc::Problems::noted`]). By default the environment variable
    /// `ATC_TUNE` decides, else on CUDA [`atc::settings::set_benchmark_cudnn`]; without both it is off.
    pub fn tune(mut self, tune: impl Into<Tune>) -> Self {
        self.tune = Some(tune.into());
        self
    }

    /// Only deterministic implementations.
    pub fn deterministic(mut self, enabled: bool) -> Self {
        self.deterministic = Some(enabled);
        self
    }

    /// Provisional records are not used, and provisional decisions are not stored.
    pub fn require_firm(mut self, enabled: bool) -> Self {
        self.require_firm = Some(enabled);
        self
    }

    /// Refuse candle's own convolution where it is less precise than allowed.
    pub fn strict_precision(mut self, enabled: bool) -> Self {
        self.strict_precision = Some(enabled);
        self
    }

    /// How candidates are timed.
    pub fn technique(mut self, technique: Technique) -> Self {
        self.technique = Some(technique);
        self
    }

    /// How long measuring one problem may take. Default 2 s.
    pub fn budget(mut self, budget: Duration) -> Self {
        self.budget = Some(budget);
        self
    }

    pub(crate) fn for_plans(&self) -> PlanOptions<'static> {
        // Convolutions that no engine of atc takes are left to candle.
        let mut plan = PlanOptions::new().allow_reference(false);
        if let Some(tune) = self.tune {
            plan = plan.tune(tune);
        }
        if let Some(enabled) = self.deterministic {
            plan = plan.deterministic(enabled);
        }
        if let Some(enabled) = self.require_firm {
            plan = plan.require_firm(enabled);
        }
        if let Some(enabled) = self.strict_precision {
            plan = plan.strict_precision(enabled);
        }
        if let Some(technique) = self.technique {
            plan = plan.technique(technique);
        }
        if let Some(budget) = self.budget {
            plan = plan.budget(budget);
        }
        plan
    }
}
