//! Counts the convolutions that atc ran, and those that LibTorch ran.

use atc::Result;

use crate::raw::size_of_u32;
use crate::sys;

/// Counts of convolutions since the start of the process or the last call of [`reset_statistics`].
/// Each direction of a layer (forward, and the gradients of input and weights) counts as one
/// convolution. So a training step counts three convolutions for each layer, and two for the first
/// layer, whose input needs no gradient.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub struct Statistics {
    /// The number of convolutions that atc ran.
    pub taken: u64,
    /// The numbers of convolutions that LibTorch ran, by reason.
    pub passed: Passed,
}

/// The numbers of convolutions that LibTorch ran, by the reason why atc did not run them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub struct Passed {
    /// The number of convolutions for which no store was in use and tuning was off.
    pub nothing_known: u64,
    /// The number of convolutions for which a record or a race (a measurement of the candidates)
    /// has chosen LibTorch's own convolution.
    pub chosen: u64,
    /// The number of convolutions that have no usable record, and that were not measured.
    pub not_recorded: u64,
    /// The number of convolutions whose operands are on two devices, or on a device that is neither
    /// the CPU nor CUDA.
    pub device: u64,
    /// The number of convolutions whose dtypes differ, or are not fp32, bf16 or fp16.
    pub dtype: u64,
    /// The number of convolutions with a tensor that is sparse, quantized, mkldnn or undefined, or
    /// that has a stride 0 or elements that overlap.
    pub layout: u64,
    /// The number of convolutions with an empty tensor, with more than 3 spatial dimensions, or
    /// with shapes that LibTorch refuses.
    pub shape: u64,
    /// The number of convolutions for which atc returned an error. LibTorch prints the first error
    /// of each kind as a warning.
    pub failed: u64,
    /// The number of convolutions for which a newer libatc_torch gave a reason that this crate does
    /// not know.
    pub other: u64,
}

impl Passed {
    /// Returns the number of all convolutions that LibTorch ran, whatever the reason was.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.nothing_known
            + self.chosen
            + self.not_recorded
            + self.device
            + self.dtype
            + self.layout
            + self.shape
            + self.failed
            + self.other
    }
}

/// Returns the counts of all threads since the start of the process or the last call of
/// [`reset_statistics`]. The calls of [`convolution`](crate::convolution) and of `conv1d` to
/// `conv_transpose3d` are always counted. All other convolutions are counted while
/// [`install`](crate::install) is in force.
pub fn statistics() -> Result<Statistics> {
    let mut raw = sys::atc_torch_statistics {
        struct_size: size_of_u32::<sys::atc_torch_statistics>(),
        ..Default::default()
    };
    // SAFETY: the C function may write to `raw` during the call, up to its struct_size.
    atc::call(|| unsafe { sys::atc_torch_statistics_get(&mut raw) })?;
    let passed = |reason: i32| raw.passed[reason as usize];
    Ok(Statistics {
        taken: raw.taken,
        passed: Passed {
            nothing_known: passed(sys::ATC_TORCH_PASSED_NOTHING_KNOWN),
            chosen: passed(sys::ATC_TORCH_PASSED_CHOSEN),
            not_recorded: passed(sys::ATC_TORCH_PASSED_NOT_RECORDED),
            device: passed(sys::ATC_TORCH_PASSED_DEVICE),
            dtype: passed(sys::ATC_TORCH_PASSED_DTYPE),
            layout: passed(sys::ATC_TORCH_PASSED_LAYOUT),
            shape: passed(sys::ATC_TORCH_PASSED_SHAPE),
            failed: passed(sys::ATC_TORCH_PASSED_FAILED),
            other: raw.passed[sys::ATC_TORCH_PASSED_REASONS as usize..].iter().sum(),
        },
    })
}

/// Sets every count to 0.
pub fn reset_statistics() -> Result<()> {
    // SAFETY: the C function takes no arguments.
    atc::call(|| unsafe { sys::atc_torch_statistics_reset() })
}
