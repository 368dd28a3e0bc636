//! All switches at once, and the guard that restores them.

use std::sync::Mutex;

use super::{DeterministicAlgorithms, Technique};
use crate::raw::call::{call, size_of_u32};
use crate::raw::error::{Error, Result};
use crate::raw::panic;
use crate::sys;

/// All switches at once.
///
/// ```
/// # fn main() -> atc::Result<()> {
/// let mut settings = atc::Settings::current()?;
/// settings.allow_tf32_cudnn = false;
/// settings.apply()?; // all or nothing
/// assert_eq!(atc::Settings::current()?, settings);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Settings {
    /// Measure candidates of CUDA convolutions.
    pub benchmark_cudnn: bool,
    /// How many of cuDNN's candidates race at most; 0 is all.
    pub benchmark_limit_cudnn: i32,
    /// If off, the engine `cudnn` is not used.
    pub user_enabled_cudnn: bool,
    /// Only deterministic convolution kernels.
    pub deterministic_cudnn: bool,
    /// How operations that have no deterministic form behave.
    pub deterministic_algorithms: DeterministicAlgorithms,
    /// TF32 in fp32 convolutions.
    pub allow_tf32_cudnn: bool,
    /// How candidates are timed.
    pub benchmark_technique: Technique,
    /// Most bytes of workspace that a candidate may use. [`apply`](Settings::apply) rounds the
    /// number down to a class.
    pub workspace_limit: u64,
}

/// A switch by itself.
struct Switch {
    differs: fn(&Settings, &Settings) -> bool,
    set: fn(&Settings) -> Result<()>,
}

macro_rules! switches {
    ($($field:ident => $set:ident,)+) => {
        &[$(Switch {
            differs: |one, other| one.$field != other.$field,
            set: |settings| super::$set(settings.$field),
        }),+]
    };
}

const SWITCHES: &[Switch] = switches! {
    benchmark_cudnn => set_benchmark_cudnn,
    benchmark_limit_cudnn => set_benchmark_limit_cudnn,
    user_enabled_cudnn => set_user_enabled_cudnn,
    deterministic_cudnn => set_deterministic_cudnn,
    deterministic_algorithms => set_deterministic_algorithms,
    allow_tf32_cudnn => set_allow_tf32_cudnn,
    benchmark_technique => set_benchmark_technique,
    workspace_limit => set_workspace_limit,
};

/// The error of a guard that could not restore the switches when it was dropped; the next call of this module
/// returns it.
static NOT_RESTORED: Mutex<Option<Error>> = Mutex::new(None);

impl Settings {
    /// The switches in force.
    pub fn current() -> Result<Self> {
        report_lost_error()?;
        let mut raw = sys::atc_settings {
            struct_size: size_of_u32::<sys::atc_settings>(),
            ..Default::default()
        };
        // SAFETY: the C function may write to `raw` during the call, up to its struct_size.
        call(|| unsafe { sys::atc_settings_get(&mut raw) })?;
        Ok(Self {
            benchmark_cudnn: raw.benchmark_cudnn != 0,
            benchmark_limit_cudnn: raw.benchmark_limit_cudnn,
            user_enabled_cudnn: raw.user_enabled_cudnn != 0,
            deterministic_cudnn: raw.deterministic_cudnn != 0,
            deterministic_algorithms: DeterministicAlgorithms::from_raw(
                raw.deterministic_algorithms,
            ),
            allow_tf32_cudnn: raw.allow_tf32_cudnn != 0,
            benchmark_technique: Technique::from_raw(raw.benchmark_technique),
            workspace_limit: raw.workspace_limit,
        })
    }

    /// Sets all switches, or none: if a value is refused, no switch changes.
    pub fn apply(&self) -> Result<()> {
        report_lost_error()?;
        let raw = sys::atc_settings {
            struct_size: size_of_u32::<sys::atc_settings>(),
            benchmark_cudnn: i32::from(self.benchmark_cudnn),
            benchmark_limit_cudnn: self.benchmark_limit_cudnn,
            user_enabled_cudnn: i32::from(self.user_enabled_cudnn),
            deterministic_cudnn: i32::from(self.deterministic_cudnn),
            deterministic_algorithms: self.deterministic_algorithms.to_raw(),
            allow_tf32_cudnn: i32::from(self.allow_tf32_cudnn),
            benchmark_technique: self.benchmark_technique.to_raw(),
            workspace_limit: self.workspace_limit,
        };
        // SAFETY: `raw` is read for the call.
        call(|| unsafe { sys::atc_settings_apply(&raw) })
    }

    /// Changes some switches until the guard is dropped. If a value is refused, no switch changes.
    /// Only the switches that `change` changes are written, because a switch that is written no
    /// longer inherits its value from the environment or from LibTorch. Switches belong to the
    /// process: other threads see the change, too, and guards that overlap must end in the reverse
    /// order of their beginning.
    pub fn scoped(change: impl FnOnce(&mut Self)) -> Result<SettingsGuard> {
        let before = Self::current()?;
        let mut within = before;
        change(&mut within);
        panic::hold(|| before.change_to(&within))?;
        let guard = SettingsGuard { before, within };
        // If a panic unwinds from here, the guard is dropped, and it restores the switches.
        panic::resume();
        Ok(guard)
    }

    /// Writes the switches that differ. If a value is refused, no switch changes.
    fn change_to(&self, other: &Self) -> Result<()> {
        let mut written: Vec<&Switch> = Vec::new();
        for switch in SWITCHES.iter().filter(|switch| (switch.differs)(self, other)) {
            if let Err(error) = (switch.set)(other) {
                // Switches that were written are set back. The error that is reported is that of
                // the refused value.
                written.iter().for_each(|switch| drop((switch.set)(self)));
                return Err(error);
            }
            written.push(switch);
        }
        Ok(())
    }
}

/// Restores, when dropped, the switches that [`Settings::scoped`] changed.
///
/// If libatc refuses the old values, the next call of [`Settings::current`], [`Settings::apply`] or
/// [`Settings::scoped`] returns the error; [`restore`](Self::restore) returns it at once.
#[derive(Debug)]
#[must_use = "the switches are restored as soon as the guard is dropped"]
pub struct SettingsGuard {
    before: Settings,
    within: Settings,
}

impl SettingsGuard {
    /// The switches that were in force before.
    #[must_use]
    pub fn before(&self) -> &Settings {
        &self.before
    }

    /// Restores the switches now.
    pub fn restore(self) -> Result<()> {
        let restored = self.bring_back();
        std::mem::forget(self);
        restored
    }

    /// Sets back every switch that was changed, and returns the first error.
    fn bring_back(&self) -> Result<()> {
        let changed = SWITCHES.iter().filter(|switch| (switch.differs)(&self.before, &self.within));
        changed.map(|switch| (switch.set)(&self.before)).fold(Ok(()), Result::and)
    }
}

impl Drop for SettingsGuard {
    fn drop(&mut self) {
        // A panic of the log's closure is kept for the next call: if the thread is unwinding
        // already, a second panic would end the process.
        if let Err(error) = panic::hold(|| self.bring_back()) {
            *NOT_RESTORED.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = Some(error);
        }
    }
}

fn report_lost_error() -> Result<()> {
    match NOT_RESTORED.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).take() {
        Some(error) => Err(error),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_of_the_log_does_not_leave_the_drop_of_a_guard() {
        let guard = Settings::scoped(|_| ()).unwrap();
        panic::catch(|| std::panic::resume_unwind(Box::new("in the log")));
        drop(guard);
        std::panic::catch_unwind(Settings::current).unwrap_err();
    }
}
