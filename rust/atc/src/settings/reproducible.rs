//! Switches and seeds for a repeatable run.

use crate::raw::call::{call, fixed_text, size_of_u32};
use crate::raw::error::Result;
use crate::sys;

/// The requirements of a repeatable run that this process could not set.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Reproducible {
    /// CUDA generators could not be seeded: no bridge is loaded that knows them.
    pub no_cuda_seed: bool,
    /// The store's mode allows new choices to be made. Only a replay-only store prevents that.
    pub open_selection: bool,
    /// `CUBLAS_WORKSPACE_CONFIG` is not set in the environment.
    pub cublas_workspace: bool,
    /// `OMP_NUM_THREADS` is not set, so CPU results depend on the number of cores.
    pub cpu_threads: bool,
    /// The missing requirements as text, a line for each.
    pub text: String,
}

impl Reproducible {
    /// Whether nothing is missing.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        !(self.no_cuda_seed || self.open_selection || self.cublas_workspace || self.cpu_threads)
    }
}

/// Turns deterministic kernels on and benchmark off, and sets all seeds. The result lists
/// requirements that could not be set; they are not an error.
pub fn set_reproducible(seed: u64) -> Result<Reproducible> {
    let mut raw = sys::atc_reproducible_report {
        struct_size: size_of_u32::<sys::atc_reproducible_report>(),
        ..Default::default()
    };
    // SAFETY: the C function may write to `raw` during the call, up to its struct_size.
    call(|| unsafe { sys::atc_set_reproducible(&mut raw, seed) })?;
    let missing = |bit: i32| raw.missing & bit as u32 != 0;
    Ok(Reproducible {
        no_cuda_seed: missing(sys::ATC_REPRODUCIBLE_NO_CUDA_SEED),
        open_selection: missing(sys::ATC_REPRODUCIBLE_OPEN_SELECTION),
        cublas_workspace: missing(sys::ATC_REPRODUCIBLE_CUBLAS_WORKSPACE),
        cpu_threads: missing(sys::ATC_REPRODUCIBLE_CPU_THREADS),
        text: fixed_text(&raw.text),
    })
}
