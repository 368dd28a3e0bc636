//! Setters and getters for switches of LibTorch that neither atc nor tch has.

use std::fmt;

use atc::Result;

use crate::raw::query;
use crate::sys;

/// The precision of the arithmetic inside fp32 matrix products. This precision does not affect
/// convolutions: the precision of convolutions is set by `allow_tf32_cudnn`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum MatmulPrecision {
    /// Products are computed in fp32. This is the default.
    #[default]
    Highest,
    /// Products may be computed in TF32, or as sums of two bf16.
    High,
    /// Products may be computed in bf16.
    Medium,
    /// A precision that this crate does not know, from another version of libatc_torch.
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
    /// Writes LibTorch's name of the precision.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Highest => formatter.pad("highest"),
            Self::High => formatter.pad("high"),
            Self::Medium => formatter.pad("medium"),
            Self::Other(raw) => write!(formatter, "{raw}"),
        }
    }
}

/// Sets whether LibTorch fills new memory with a known value while `deterministic_algorithms` is
/// on. The default is on.
pub fn set_fill_uninitialized_memory(enabled: bool) -> Result<()> {
    // SAFETY: the call passes only a plain value, and no pointer.
    atc::call(|| unsafe { sys::atc_torch_set_fill_uninitialized_memory(i32::from(enabled)) })
}

/// Returns whether LibTorch fills new memory with a known value while `deterministic_algorithms` is
/// on.
pub fn fill_uninitialized_memory() -> Result<bool> {
    // SAFETY: the C function may write to `out` during the call.
    query(|out: *mut i32| unsafe { sys::atc_torch_get_fill_uninitialized_memory(out) })
        .map(|enabled| enabled != 0)
}

/// Sets the precision inside fp32 matrix products. The default is [`MatmulPrecision::Highest`].
pub fn set_float32_matmul_precision(precision: MatmulPrecision) -> Result<()> {
    // SAFETY: the call passes only a plain value, and no pointer.
    atc::call(|| unsafe { sys::atc_torch_set_float32_matmul_precision(precision.to_raw()) })
}

/// Returns the precision inside fp32 matrix products.
///
/// # Errors
///
/// [`ErrorKind::Unsupported`](atc::ErrorKind::Unsupported): LibTorch's own switches contradict each
/// other. A call of [`set_float32_matmul_precision`] ends the contradiction.
pub fn float32_matmul_precision() -> Result<MatmulPrecision> {
    // SAFETY: the C function may write to `out` during the call.
    query(|out| unsafe { sys::atc_torch_get_float32_matmul_precision(out) })
        .map(MatmulPrecision::from_raw)
}
