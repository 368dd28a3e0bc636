//! All switches at once, including LibTorch's own, and the guard that restores them.

use atc::{ErrorKind, Result};

use crate::MatmulPrecision;
use crate::raw::in_drop;
use crate::switches::{
    fill_uninitialized_memory, float32_matmul_precision, set_fill_uninitialized_memory,
    set_float32_matmul_precision,
};

/// All switches at once: those of [`atc::Settings`], and two that only LibTorch has.
///
/// ```
/// # fn main() -> atc_tch::Result<()> {
/// // SAFETY: no other thread uses LibTorch yet.
/// unsafe { atc_tch::init() }?;
/// {
///     let _guard = atc_tch::Settings::scoped(|settings| {
///         settings.shared.user_enabled_cudnn = false;
///         settings.float32_matmul_precision = Some(atc_tch::MatmulPrecision::High);
///     })?;
///     assert!(!tch::Cuda::user_enabled_cudnn());
/// }
/// assert!(tch::Cuda::user_enabled_cudnn());
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Settings {
    /// The switches of [`atc::Settings`]: those that atc and LibTorch share after
    /// [`init`](crate::init), and atc's own.
    pub shared: atc::Settings,
    /// Whether new memory is filled while `deterministic_algorithms` is on.
    pub fill_uninitialized_memory: bool,
    /// Precision inside fp32 matrix products. `None` if LibTorch's own switches contradict each
    /// other; [`apply`](Settings::apply) with `None` does not change these switches.
    pub float32_matmul_precision: Option<MatmulPrecision>,
}

impl Settings {
    /// The switches in force.
    pub fn current() -> Result<Self> {
        let precision = match float32_matmul_precision() {
            Ok(precision) => Some(precision),
            Err(error) if error.kind() == ErrorKind::Unsupported => None,
            Err(error) => return Err(error),
        };
        Ok(Self {
            shared: atc::Settings::current()?,
            fill_uninitialized_memory: fill_uninitialized_memory()?,
            float32_matmul_precision: precision,
        })
    }

    /// Sets all switches, or none: if a value is refused, no switch changes.
    pub fn apply(&self) -> Result<()> {
        let before = Self::current()?;
        self.change(&before).inspect_err(|_| {
            // The old values were valid, so setting them back does not fail. The error that is
            // returned is that of the refused value.
            let _ = before.change(self);
        })
    }

    /// Changes some switches until the guard is dropped.
    ///
    /// Switches belong to the process: other threads see the change too, and guards that overlap
    /// must end in the reverse order of their beginning.
    pub fn scoped(change: impl FnOnce(&mut Self)) -> Result<SettingsGuard> {
        let before = Self::current()?;
        let mut within = before;
        change(&mut within);
        within.apply()?;
        Ok(SettingsGuard { before })
    }

    /// Writes only the switches that differ from `from`. LibTorch's getters return the value in
    /// force, also if it is inherited; writing an inherited value would end the inheritance.
    fn change(&self, from: &Self) -> Result<()> {
        if self.shared != from.shared {
            self.shared.apply()?;
        }
        if self.fill_uninitialized_memory != from.fill_uninitialized_memory {
            set_fill_uninitialized_memory(self.fill_uninitialized_memory)?;
        }
        match self.float32_matmul_precision {
            Some(precision) if from.float32_matmul_precision != Some(precision) => {
                set_float32_matmul_precision(precision)
            }
            _ => Ok(()),
        }
    }
}

/// The guard of [`Settings::scoped`]. When it is dropped, it restores the switches that were in
/// force before.
///
/// If restoring fails in a drop, an error is logged. [`restore`](Self::restore) returns the error.
#[derive(Debug)]
#[must_use = "the switches are restored as soon as the guard is dropped"]
pub struct SettingsGuard {
    before: Settings,
}

impl SettingsGuard {
    /// Returns the switches that will be restored.
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

    fn bring_back(&self) -> Result<()> {
        self.before.change(&Settings::current()?)
    }
}

impl Drop for SettingsGuard {
    fn drop(&mut self) {
        in_drop(|| {
            if let Err(error) = self.bring_back() {
                let line = format!("the switches of a scope could not be restored: {error}");
                // If the log line cannot be written, the error is ignored.
                let _ = atc::log::write(atc::log::Level::Error, &line);
            }
        });
    }
}
