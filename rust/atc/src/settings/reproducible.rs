//! What a repeatable run needs.

use crate::call::{call, fixed_text, size_of_u32};
use crate::error::Result;
use crate::sys;

/// What a repeatable run would need and this process could not set.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Reproducible {
    /// No CUDA generator is known to atc: no bridge is loaded.
    pub no_cuda_seed: bool,
    /// A store is in use in a mode that may learn new choices.
    pub open_selection: bool,
    /// `CUBLAS_WORKSPACE_CONFIG` is not set in the environment.
    pub cublas_workspace: bool,
    /// `OMP_NUM_THREADS` is not set: sums depend on the core count.
    pub cpu_threads: bool,
    /// The same for people, a line each.
    pub text: String,
}

impl Reproducible {
    /// Whether nothing is missing.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        !(self.no_cuda_seed || self.open_selection || self.cublas_workspace || self.cpu_threads)
    }
}

/// Deterministic kernels, benchmark off, all seeds. What could not be set is listed and is no failure.
pub fn set_reproducible(seed: u64) -> Result<Reproducible> {
    let mut raw = sys::atc_reproducible_report {
        struct_size: size_of_u32::<sys::atc_reproducible_report>(),
        ..Default::default()
    };
    // SAFETY: `raw` may be written for the call, up to its struct_size.
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
