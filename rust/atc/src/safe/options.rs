//! The options of plans, and the types that the options of plans and of tuners share.

mod setters;

use std::ffi::c_void;
use std::fmt;
use std::marker::PhantomData;
use std::ops::ControlFlow;
use std::time::Duration;

use crate::raw::call::{size_of_u32, switch};
use crate::raw::panic;
use crate::safe::progress::Progress;
use crate::safe::store::Store;
use crate::safe::technique::Technique;
use crate::safe::tune::Tune;
use crate::sys;

/// A limit of a number, for example of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Limit {
    /// The limit of the process's settings is used.
    #[default]
    Inherit,
    /// There is no limit.
    Unlimited,
    /// The limit is this number. The number 0 means that nothing is allowed.
    AtMost(u64),
}

impl Limit {
    /// Converts the limit to the number that stands for it in a C options struct. There 0 means that the limit is
    /// inherited from the settings. So C has two special numbers: `ATC_NONE` for a limit of 0, and `ATC_UNLIMITED` for
    /// no limit.
    pub(crate) fn option(self) -> u64 {
        match self {
            Self::Inherit => 0,
            Self::Unlimited => sys::ATC_UNLIMITED,
            Self::AtMost(0) => sys::ATC_NONE,
            // The caller may have given a limit that happens to be the number ATC_NONE (2^64 - 2), which means a limit
            // of 0 in C. Such a limit is lowered by 1, which makes no difference for so large a limit.
            Self::AtMost(sys::ATC_NONE) => sys::ATC_NONE - 1,
            Self::AtMost(limit) => limit,
        }
    }
}

impl From<u64> for Limit {
    fn from(limit: u64) -> Self {
        Self::AtMost(limit)
    }
}

/// Converts a time to seconds for a C options struct. There 0 seconds would mean the default time, so
/// [`Duration::ZERO`] becomes one nanosecond.
pub(crate) fn seconds(time: Duration) -> f64 {
    time.max(Duration::from_nanos(1)).as_secs_f64()
}

/// Options that influence which implementation a plan runs, and whether its creation measures. An option that is not
/// set is inherited from the settings of the process.
///
/// ```
/// use atc::{Device, Plan, PlanOptions, Problem, Source};
///
/// # fn main() -> atc::Result<()> {
/// let problem = Problem::conv2d(1, 8, 16, 16, 8).kernel(3).padding(1);
/// let options = PlanOptions::new().tune(true).workspace_limit(32 << 20);
/// let plan = Plan::with_options(Device::Cpu, &problem, &options)?;
/// println!("{} ({})", plan.choice()?, plan.source()?);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy)]
#[must_use = "each method returns the changed options and leaves these as they are"]
pub struct PlanOptions<'a> {
    raw: sys::atc_conv_options,
    store: PhantomData<&'a Store>,
    on_progress: Option<&'a OnPlanProgress<'a>>,
}

/// The type of the closure for progress. Several threads may make plans with the same options at the same time, and
/// each of these threads calls the closure. So the closure must be `Sync`.
type OnPlanProgress<'a> = dyn Fn(&Progress<'_>) -> ControlFlow<()> + Sync + 'a;

impl Default for PlanOptions<'_> {
    fn default() -> Self {
        Self::new()
    }
}

impl<'a> PlanOptions<'a> {
    /// Makes options that are all inherited from the settings of the process.
    pub fn new() -> Self {
        let struct_size = size_of_u32::<sys::atc_conv_options>();
        let raw = sys::atc_conv_options { struct_size, ..Default::default() };
        Self { raw, store: PhantomData, on_progress: None }
    }

    /// Makes plans read and write this store instead of the [active](Store::active) store. If the creation of such a
    /// plan measures the problem, the decision is used only for plans with the same `Store`. The store may be dropped
    /// when the plan has been made.
    ///
    /// ```
    /// use atc::{Device, Plan, PlanOptions, Problem, Store};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let folder = std::env::temp_dir().join(format!("atc-doc-own-{}", std::process::id()));
    /// let store = Store::open(&folder)?; // of this library, whatever the rest of the process uses
    /// let problem = Problem::conv2d(1, 8, 16, 16, 8).kernel(3).padding(1);
    /// let plan = Plan::with_options(Device::Cpu, &problem, &PlanOptions::new().store(&store))?;
    /// # drop(plan);
    /// # std::fs::remove_dir_all(folder)?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn store(mut self, store: &'a Store) -> Self {
        self.raw.store = store.as_raw();
        self.raw.use_store = 0;
        self
    }

    /// Makes plans use no store, not even the [active](Store::active) store of the process.
    pub fn without_store(mut self) -> Self {
        self.raw.store = std::ptr::null();
        self.raw.use_store = switch(false);
        self
    }

    /// Sets a closure for progress. The closure is called while the candidates (implementations) of a problem are
    /// measured, on the thread that makes the plan. The closure is not called if nothing is measured. If the
    /// closure returns [`ControlFlow::Break`], the measurements are discarded, and the call that makes the plan
    /// fails with [`ErrorKind::Cancelled`](crate::ErrorKind::Cancelled).
    ///
    /// A panic in the closure for progress also discards the measurements. The panic is resumed when libatc
    /// has returned.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    /// use std::sync::atomic::{AtomicBool, Ordering};
    /// use atc::{Device, ErrorKind, Plan, PlanOptions, Problem};
    ///
    /// # fn main() -> atc::Result<()> {
    /// static STOP: AtomicBool = AtomicBool::new(false); // set where the program is asked to end
    /// let proceed = |_: &atc::Progress<'_>| match STOP.load(Ordering::Relaxed) {
    ///     true => ControlFlow::Break(()),
    ///     false => ControlFlow::Continue(()),
    /// };
    /// let problem = Problem::conv2d(1, 8, 15, 16, 8).kernel(3).padding(1);
    /// let options = PlanOptions::new().tune(true).on_progress(&proceed);
    /// match Plan::with_options(Device::Cpu, &problem, &options) {
    ///     Err(error) if error.kind() == ErrorKind::Cancelled => return Ok(()),
    ///     plan => println!("{}", plan?.choice()?),
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn on_progress(
        mut self,
        closure: &'a (dyn Fn(&Progress<'_>) -> ControlFlow<()> + Sync + 'a),
    ) -> Self {
        self.on_progress = Some(closure);
        self
    }

    /// Returns the C struct of the options. It contains a pointer into `self`, so it may be used only while `self` is
    /// borrowed.
    pub(crate) fn for_call(&self) -> sys::atc_conv_options {
        let mut raw = self.raw;
        if let Some(closure) = &self.on_progress {
            raw.progress = Some(progress);
            raw.progress_payload = std::ptr::from_ref(closure).cast_mut().cast();
        }
        raw
    }
}

/// # Safety
/// `payload` points to the reference to the closure in the field `on_progress` of options that outlive the call. `raw`
/// is valid for the call.
unsafe extern "C" fn progress(raw: *const sys::atc_tune_progress, payload: *mut c_void) -> i32 {
    let flow = panic::catch(|| {
        // SAFETY: by the `# Safety` section of this function, `payload` points to a reference of this type. Everything
        // that the closure borrows outlives the call.
        let closure = unsafe { &*payload.cast::<&OnPlanProgress<'_>>() };
        // SAFETY: the caller of this function meets the conditions of its `# Safety` section.
        let raw = unsafe { &*raw };
        // SAFETY: the strings of `raw` are valid during the callback.
        closure(&unsafe { Progress::from_raw(raw) })
    });
    // If the closure has panicked, `flow` is `None`, which also cancels the measurement.
    i32::from(flow != Some(ControlFlow::Continue(())))
}

impl fmt::Debug for PlanOptions<'_> {
    /// Prints only the options that were set. All other options are inherited.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let raw = &self.raw;
        setters::said(Said(formatter.debug_struct("PlanOptions")), raw)
            .field("without_store", raw.use_store == sys::ATC_OFF, &true)
            .field("store", !raw.store.is_null(), &raw.store)
            .field("on_progress", self.on_progress.is_some(), &format_args!("a closure"))
            .0
            .finish()
    }
}

/// Prints the options that were set, for `Debug`. Each method prints one field of a C options struct. The method prints
/// nothing if the field has the number that means "inherit".
pub(crate) struct Said<'a, 'f>(pub(crate) fmt::DebugStruct<'a, 'f>);

impl Said<'_, '_> {
    pub(crate) fn field(mut self, name: &str, said: bool, value: &dyn fmt::Debug) -> Self {
        if said {
            self.0.field(name, value);
        }
        self
    }

    pub(crate) fn switch(self, name: &str, raw: i32) -> Self {
        self.field(name, raw != 0, &(raw == sys::ATC_ON))
    }

    pub(crate) fn tuning(self, name: &str, raw: i32) -> Self {
        match raw {
            sys::ATC_TUNE_LATER => self.field(name, true, &Tune::Later),
            sys::ATC_TUNE_BESIDE => self.field(name, true, &Tune::Beside),
            sys::ATC_TUNE_PREDICT => self.field(name, true, &Tune::Predict),
            _ => self.switch(name, raw),
        }
    }

    pub(crate) fn technique(self, raw: i32) -> Self {
        self.field("technique", raw != 0, &Technique::from_raw(raw))
    }

    pub(crate) fn number(self, name: &str, raw: u64) -> Self {
        self.field(name, raw != 0, &raw)
    }

    pub(crate) fn limit(self, name: &str, raw: u64) -> Self {
        let limit = match raw {
            sys::ATC_NONE => Limit::AtMost(0),
            sys::ATC_UNLIMITED => Limit::Unlimited,
            limit => Limit::AtMost(limit),
        };
        self.field(name, raw != 0, &limit)
    }

    pub(crate) fn time(self, name: &str, raw: f64) -> Self {
        let time = Duration::try_from_secs_f64(raw).unwrap_or(Duration::MAX);
        self.field(name, raw != 0.0, &time)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_of_nothing_is_not_the_default() {
        let raw = PlanOptions::new().budget(Duration::ZERO).raw;
        assert!(raw.budget_seconds > 0.0 && raw.budget_seconds < 1e-6, "{}", raw.budget_seconds);
        assert_eq!(seconds(Duration::from_millis(500)), 0.5);
        assert!(seconds(Duration::MAX).is_finite());
    }

    #[test]
    fn debug_says_what_was_said() {
        assert_eq!(format!("{:?}", PlanOptions::new()), "PlanOptions");
        let options = PlanOptions::new()
            .tune(true)
            .technique(Technique::Once)
            .workspace_limit(0)
            .budget(Duration::from_millis(1500));
        assert_eq!(
            format!("{options:?}"),
            "PlanOptions { tune: true, technique: Once, workspace_limit: AtMost(0), budget: 1.5s }"
        );
    }

    #[test]
    fn tuning_is_a_switch_with_a_third_state() {
        for (given, text) in
            [(Tune::from(true), "true"), (Tune::Off, "false"), (Tune::Later, "Later")]
        {
            let options = PlanOptions::new().tune(given);
            assert_eq!(format!("{options:?}"), format!("PlanOptions {{ tune: {text} }}"));
        }
    }

    #[test]
    fn a_limit_of_nothing_is_not_the_default() {
        assert_eq!(Limit::Inherit.option(), 0);
        assert_eq!(Limit::from(0).option(), sys::ATC_NONE);
        assert_eq!(Limit::from(5).option(), 5);
        assert_eq!(Limit::from(sys::ATC_NONE).option(), sys::ATC_NONE - 1);
        assert_eq!(Limit::Unlimited.option(), sys::ATC_UNLIMITED);
    }
}
