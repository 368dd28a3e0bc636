//! A struct with all switches, those of atc and of LibTorch, and a guard that restores the
//! switches.

use atc::{ErrorKind, Result};

use crate::MatmulPrecision;
use crate::raw::in_drop;
use crate::switches::{
    fill_uninitialized_memory, float32_matmul_precision, set_fill_uninitialized_memory,
    set_float32_matmul_precision,
};

/// The values of all switches: those of [`atc::Settings`], and two switches that only LibTorch has.
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
    /// The switches of [`atc::Settings`]: some that only atc has, and those that atc and LibTorch
    /// share after [`init`](crate::init).
    pub shared: atc::Settings,
    /// Whether LibTorch fills new memory with a known value while `deterministic_algorithms` is on.
    pub fill_uninitialized_memory: bool,
    /// The precision of the arithmetic inside fp32 matrix products. `None` means that LibTorch's
    /// own switches for this precision contradict each other. [`apply`](Settings::apply) does not
    /// change these switches if the value is `None`.
    pub float32_matmul_precision: Option<MatmulPrecision>,
}

impl Settings {
    /// Returns the present values of all switches.
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

    /// Sets all switches. If a value is refused, no switch changes.
    pub fn apply(&self) -> Result<()> {
        let before = Self::current()?;
        self.change(&before).inspect_err(|_| {
            // Restores the old values. This cannot fail, because the old values were valid. The
            // returned error is the error of the new value that was refused.
            let _ = before.change(self);
        })
    }

    /// Changes some switches. When the returned guard is dropped, it restores these switches.
    ///
    /// Switches belong to the process, so other threads see the change, too. If several guards
    /// exist at the same time, they must be dropped in the reverse order of their creation.
    pub fn scoped(change: impl FnOnce(&mut Self)) -> Result<SettingsGuard> {
        let before = Self::current()?;
        let mut within = before;
        change(&mut within);
        within.apply()?;
        Ok(SettingsGuard { before })
    }

    /// Writes only the switches whose values in `self` and in `from` differ. The reason: some of
    /// LibTorch's switches inherit their value from another switch, and a getter returns the
    /// inherited value. If this value was written, the switch would no longer inherit.
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

/// The guard that [`Settings::scoped`] returns. When the guard is dropped, it restores the values
/// that the switches had when the guard was made.
///
/// If the drop cannot restore a switch, an error is logged. [`restore`](Self::restore) returns the
/// error instead.
#[derive(Debug)]
#[must_use = "the switches are restored as soon as the guard is dropped"]
pub struct SettingsGuard {
    before: Settings,
}

impl SettingsGuard {
    /// Returns the values of the switches that the guard will restore.
    #[must_use]
    pub fn before(&self) -> &Settings {
        &self.before
    }

    /// Restores the switches now, before the guard would be dropped. Returns an error if a switch
    /// cannot be restored.
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
                // If this line cannot be written to the log, the error of `log::write` is ignored.
                let _ = atc::log::write(atc::log::Level::Error, &line);
            }
        });
    }
}
