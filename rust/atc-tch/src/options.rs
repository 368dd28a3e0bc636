//! What may be asked of atc for convolutions of LibTorch.

use std::fmt;
use std::time::Duration;

use atc::sys::{ATC_OFF, ATC_ON};

use crate::raw::size_of_u32;
use crate::sys;

/// How convolutions are decided: of all by [`install_with`](crate::install_with), of one by
/// [`convolution`](crate::convolution). By default what the store in use knows is used, and nothing
/// is measured.
///
/// ```
/// use std::time::Duration;
///
/// let options = atc_tch::Options::new().tune(true).budget(Duration::from_millis(500));
/// # let _ = options;
/// ```
#[derive(Clone, Copy, PartialEq)]
#[must_use = "each method returns the changed options and leaves these as they are"]
pub struct Options {
    pub(crate) raw: sys::atc_torch_options,
}

impl Default for Options {
    fn default() -> Self {
        Self::new()
    }
}

impl Options {
    /// The defaults.
    pub fn new() -> Self {
        let struct_size = size_of_u32::<sys::atc_torch_options>();
        Self { raw: sys::atc_torch_options { struct_size, ..Default::default() } }
    }

    /// Measure what is met and not known. By default `benchmark_cudnn` decides that for CUDA
    /// tensors, and nothing is measured on the CPU.
    pub fn tune(mut self, enabled: bool) -> Self {
        self.raw.tune = switch(enabled);
        self
    }

    /// Pack the weights of convolutions that need no gradient when they are met a second time, and
    /// keep them packed. Who writes to them in a way that autograd's version counter does not see
    /// (`Tensor::data()`) must call [`forget_weights`](crate::forget_weights) then. Off by default.
    pub fn constant_weights(mut self, enabled: bool) -> Self {
        self.raw.constant_weights = switch(enabled);
        self
    }

    /// Let atc's slow reference run what nothing else can. Off by default: LibTorch runs it.
    pub fn allow_reference(mut self, enabled: bool) -> Self {
        self.raw.allow_reference = switch(enabled);
        self
    }

    /// Provisional records are as good as none, and what comes out provisional is not stored
    /// ([`atc::PlanOptions::require_firm`]). Off by default.
    pub fn require_firm(mut self, enabled: bool) -> Self {
        self.raw.require_firm = switch(enabled);
        self
    }

    /// LibTorch's own convolution may round partial sums more coarsely than is allowed and runs where it is the
    /// fastest; on, it is refused then ([`atc::PlanOptions::strict_precision`]). Off by default.
    pub fn strict_precision(mut self, enabled: bool) -> Self {
        self.raw.strict_precision = switch(enabled);
        self
    }

    /// How long the race of one convolution may take. Default 2 s. [`Duration::ZERO`] is no time at
    /// all: only LibTorch's own convolution is timed.
    pub fn budget(mut self, budget: Duration) -> Self {
        // 0 would mean the default.
        self.raw.budget_seconds = budget.max(Duration::from_nanos(1)).as_secs_f64();
        self
    }
}

impl fmt::Debug for Options {
    /// What was said; the rest is the default.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let raw = &self.raw;
        let mut fields = formatter.debug_struct("Options");
        for (name, value) in [
            ("tune", raw.tune),
            ("constant_weights", raw.constant_weights),
            ("allow_reference", raw.allow_reference),
            ("require_firm", raw.require_firm),
            ("strict_precision", raw.strict_precision),
        ] {
            if value != 0 {
                fields.field(name, &(value == ATC_ON));
            }
        }
        if raw.budget_seconds != 0.0 {
            let budget = Duration::try_from_secs_f64(raw.budget_seconds);
            fields.field("budget", &budget.unwrap_or(Duration::MAX));
        }
        fields.finish()
    }
}

fn switch(enabled: bool) -> i32 {
    if enabled { ATC_ON } else { ATC_OFF }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_of_nothing_is_not_the_default_and_debug_says_what_was_said() {
        assert!(Options::new().budget(Duration::ZERO).raw.budget_seconds > 0.0);
        let options = Options::new().tune(true).budget(Duration::from_millis(500));
        assert_eq!(format!("{options:?}"), "Options { tune: true, budget: 500ms }");
    }
}
