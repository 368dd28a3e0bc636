//! A struct with the values of the process's switches (settings), and a guard that gives the
//! switches their old values again.

use std::sync::Mutex;

use super::{DeterministicAlgorithms, Technique};
use crate::raw::call::{call, size_of_u32};
use crate::raw::error::{Error, Result};
use crate::raw::panic;
use crate::sys;

/// The values of the process's switches: the settings that this struct has as fields. The memory
/// limits of races and plans, the library folders and the pins are not part of this struct.
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
    /// Whether the candidates (implementations) of CUDA convolutions are measured.
    pub benchmark_cudnn: bool,
    /// The largest number of cuDNN's candidates (implementations) that are measured for one problem; 0 means all.
    pub benchmark_limit_cudnn: i32,
    /// Whether the engine `cudnn` may be used.
    pub user_enabled_cudnn: bool,
    /// Whether only deterministic convolution kernels are used.
    pub deterministic_cudnn: bool,
    /// The behaviour of operations that have no deterministic implementation.
    pub deterministic_algorithms: DeterministicAlgorithms,
    /// Whether TF32 is allowed in fp32 convolutions.
    pub allow_tf32_cudnn: bool,
    /// The technique by which candidates are timed.
    pub benchmark_technique: Technique,
    /// The largest workspace that a candidate may use, in bytes. [`apply`](Settings::apply) rounds this number down, as
    /// [`set_workspace_limit`](super::set_workspace_limit) does.
    pub workspace_limit: u64,
}

/// One switch (setting of the process), as two functions. The first function returns whether two
/// `Settings` have different values of the switch. The second function sets the switch.
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

/// The error of a guard that was dropped and could not restore a switch (a setting of the process).
/// A drop cannot return an error, so the next call of `current`, `apply` or `scoped` returns the
/// error.
static NOT_RESTORED: Mutex<Option<Error>> = Mutex::new(None);

impl Settings {
    /// Returns the current values of all switches (settings of the process) that this struct has as
    /// fields.
    pub fn current() -> Result<Self> {
        report_lost_error()?;
        let mut raw = sys::atc_settings {
            struct_size: size_of_u32::<sys::atc_settings>(),
            ..Default::default()
        };
        // SAFETY: `raw` lives for the call. The C function writes at most the `struct_size` bytes of `raw`, and only
        // during the call.
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

    /// Sets all switches (settings of the process) to the values in this struct. If libatc refuses
    /// a value, no switch is changed.
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
        // SAFETY: the C function reads `raw` only during the call.
        call(|| unsafe { sys::atc_settings_apply(&raw) })
    }

    /// Changes switches (settings of the process) until the returned guard is dropped. `change`
    /// gets the current values and changes some of them. If libatc refuses a value, no switch is
    /// changed.
    ///
    /// Only the switches (settings) that `change` has changed are written. The reason: after a
    /// write a switch no longer follows the environment or LibTorch. Switches belong to the
    /// process, so other threads see the change, too. If two guards exist at the same time, the
    /// guard that was made later must be dropped first.
    pub fn scoped(change: impl FnOnce(&mut Self)) -> Result<SettingsGuard> {
        let before = Self::current()?;
        let mut within = before;
        change(&mut within);
        panic::hold(|| before.change_to(&within))?;
        let guard = SettingsGuard { before, within };
        // The guard is made before `panic::resume` is called, because `panic::resume` may resume a
        // panic of the log's closure. Then the unwinding drops the guard, which restores the
        // switches.
        panic::resume();
        Ok(guard)
    }

    /// Writes the switches (settings of the process) whose values differ between `self` (the
    /// current values) and `other` (the new values). If libatc refuses a value, no switch is
    /// changed.
    fn change_to(&self, other: &Self) -> Result<()> {
        let mut written: Vec<&Switch> = Vec::new();
        for switch in SWITCHES.iter().filter(|switch| (switch.differs)(self, other)) {
            if let Err(error) = (switch.set)(other) {
                // A value was refused. The switches (settings) that this loop has already written
                // get their old values again, and the function returns the error of the refused
                // value.
                written.iter().for_each(|switch| drop((switch.set)(self)));
                return Err(error);
            }
            written.push(switch);
        }
        Ok(())
    }
}

/// A guard that [`Settings::scoped`] returns. When the guard is dropped, the switches (settings of
/// the process) that `scoped` has changed get their old values again.
///
/// When a [`SettingsGuard`] is dropped, libatc may refuse an old value. A drop cannot return this
/// error, so the error is returned by the next call of [`Settings::current`], [`Settings::apply`]
/// or [`Settings::scoped`]. To get the error immediately, call [`restore`](Self::restore) instead
/// of dropping the guard.
#[derive(Debug)]
#[must_use = "the switches are restored as soon as the guard is dropped"]
pub struct SettingsGuard {
    before: Settings,
    within: Settings,
}

impl SettingsGuard {
    /// Returns the values that all switches (settings of the process) had before the change.
    #[must_use]
    pub fn before(&self) -> &Settings {
        &self.before
    }

    /// Restores the switches (settings of the process) now instead of on drop. Returns the error if
    /// libatc refuses an old value.
    pub fn restore(self) -> Result<()> {
        let restored = self.bring_back();
        std::mem::forget(self);
        restored
    }

    /// Gives every switch (setting) that was changed its old value. If a switch cannot be restored,
    /// the other switches are restored nevertheless. Returns the first error.
    fn bring_back(&self) -> Result<()> {
        let changed = SWITCHES.iter().filter(|switch| (switch.differs)(&self.before, &self.within));
        changed.map(|switch| (switch.set)(&self.before)).fold(Ok(()), Result::and)
    }
}

impl Drop for SettingsGuard {
    fn drop(&mut self) {
        // The log's closure may panic while a switch is written. `hold` prevents that the panic is
        // resumed in this drop: if the thread was unwinding already, a second panic would end the
        // process. The panic is resumed in the next call of this crate.
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
