//! Switches of LibTorch that atc does not have. tch has neither setters nor getters for them.

use std::fmt;

use atc::Result;

use crate::raw::query;
use crate::sys;

/// Precision inside fp32 matrix products. It does not affect convolutions, which have
/// `allow_tf32_cudnn`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum MatmulPrecision {
    /// fp32. The default.
    #[default]
    Highest,
    /// Products may be computed in TF32, or as sums of two bf16.
    High,
    /// bf16.
    Medium,
    /// A number that this crate does not know, from another version of libatc_torch.
    Other(i32),
}

impl MatmulPrecision {
    fn from_raw(raw: i32) -> Self {
        match raw {
            sys::ATC_TORCH_PRECISION_HIGHEST => Self::Highest,
            sys::ATC_TORCH_PRECISION_HIGH => Self::High,
            sys::ATC_TORCH_PRECISION_MEDIUM => Self::Medium,
            other => Self::Other(other),
        }
    }

    fn to_raw(self) -> i32 {
        match self {
            Self::Highest => sys::ATC_TORCH_PRECISION_HIGHEST,
            Self::High => sys::ATC_TORCH_PRECISION_HIGH,
            Self::Medium => sys::ATC_TORCH_PRECISION_MEDIUM,
            Self::Other(raw) => raw,
        }
    }
}

impl fmt::Display for MatmulPrecision {
    /// LibTorch's names.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Highest => formatter.pad("highest"),
            Self::High => formatter.pad("high"),
            Self::Medium => formatter.pad("medium"),
            Self::Other(raw) => write!(formatter, "{raw}"),
        }
    }
}

/// Sets whether new memory is filled with a known value while `deterministic_algorithms` is on. On
/// by default.
pub fn set_fill_uninitialized_memory(enabled: bool) -> Result<()> {
    // SAFETY: the call passes a plain value.
    atc::call(|| unsafe { sys::atc_torch_set_fill_uninitialized_memory(i32::from(enabled)) })
}

/// Returns whether new memory is filled while `deterministic_algorithms` is on.
pub fn fill_uninitialized_memory() -> Result<bool> {
    // SAFETY: the C function may write to `out` during the call.
    query(|out: *mut i32| unsafe { sys::atc_torch_get_fill_uninitialized_memory(out) })
        .map(|enabled| enabled != 0)
}

/// Sets the precision inside fp32 matrix products. Default [`MatmulPrecision::Highest`].
pub fn set_float32_matmul_precision(precision: MatmulPrecision) -> Result<()> {
    // SAFETY: the call passes a plain value.
    atc::call(|| unsafe { sys::atc_torch_set_float32_matmul_precision(precision.to_raw()) })
}

/// Precision inside fp32 matrix products.
///
/// # Errors
///
/// [`ErrorKind::Unsupported`](atc::ErrorKind::Unsupported): LibTorch's own switches contradict each
/// other. [`set_float32_matmul_precision`] repairs that.
pub fn float32_matmul_precision() -> Result<MatmulPrecision> {
    // SAFETY: the C function may write to `out` during the call.
    query(|out| unsafe { sys::atc_torch_get_float32_matmul_precision(out) })
        .map(MatmulPrecision::from_raw)
}
