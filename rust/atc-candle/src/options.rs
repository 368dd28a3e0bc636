//! Options that determine how convolutions are decided, for the process or for one convolution.

use std::sync::RwLock;
use std::time::Duration;

use atc::{PlanOptions, Technique, Tune};

/// How convolutions are decided (which implementation runs them). [`set_options`] sets the options of the process,
/// [`Convolution::options`](crate::Convolution::options) those of one convolution. By default the decisions of the
/// store in use are used, and nothing is measured. A convolution without a decision runs on atc's default engine.
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

/// Sets the options of the process. They apply to all convolutions that have no options of their own, from the next
/// call on.
pub fn set_options(options: Options) {
    *OF_THE_PROCESS.write().unwrap_or_else(|poisoned| poisoned.into_inner()) = options;
}

/// Returns the options that [`set_options`] has set.
pub fn options() -> Options {
    *OF_THE_PROCESS.read().unwrap_or_else(|poisoned| poisoned.into_inner())
}

impl Options {
    /// Makes options of which none is set: all have the values of the settings of the process ([`atc::settings`]).
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

    /// Sets when a convolution without a decision is measured. `true`: at the first call of the convolution.
    /// [`Tune::Later`]: not during calls. With `Later` the convolution is only noted, and an [`atc::Tuner`] can measure
    /// the noted convolutions between two steps ([`atc::Problems::noted`]). By default the environment variable
    /// `ATC_TUNE` decides. If this variable is not set, tuning follows [`atc::settings::set_benchmark_cudnn`] on CUDA,
    /// and is off on the CPU.
    pub fn tune(mut self, tune: impl Into<Tune>) -> Self {
        self.tune = Some(tune.into());
        self
    }

    /// Sets whether only deterministic implementations may run.
    pub fn deterministic(mut self, enabled: bool) -> Self {
        self.deterministic = Some(enabled);
        self
    }

    /// Sets whether decisions must be firm. If so, provisional (uncertain) decisions are neither read from the store
    /// nor written to it.
    pub fn require_firm(mut self, enabled: bool) -> Self {
        self.require_firm = Some(enabled);
        self
    }

    /// Sets whether candle's own convolution is refused if it is less precise than the options allow.
    pub fn strict_precision(mut self, enabled: bool) -> Self {
        self.strict_precision = Some(enabled);
        self
    }

    /// Sets how candidates are timed.
    pub fn technique(mut self, technique: Technique) -> Self {
        self.technique = Some(technique);
        self
    }

    /// Sets the longest time that the measurement of one problem may take. The default is 2 s.
    pub fn budget(mut self, budget: Duration) -> Self {
        self.budget = Some(budget);
        self
    }

    pub(crate) fn for_plans(&self) -> PlanOptions<'static> {
        // Plans must not use atc's reference (a slow implementation). So if no other engine of atc supports a
        // convolution, candle runs it.
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
