//! The function [`set_reproducible`], which sets the switches and seeds for a run with repeatable results, and the list
//! of requirements that it could not meet.

use crate::raw::call::{call, fixed_text, size_of_u32};
use crate::raw::error::Result;
use crate::sys;

/// The requirements of a run with repeatable results that are not met. Each boolean field stands for one requirement,
/// and is true if this requirement is not met.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Reproducible {
    /// Whether the random generators of a framework on CUDA could not be seeded. The cause is that no bridge (a library
    /// that connects atc with a framework such as LibTorch) is loaded.
    pub no_cuda_seed: bool,
    /// Whether the active store is in the mode read-write. In this mode a run may store new decisions. A later run
    /// would use them, and so may run other implementations than this run. The mode replay-only prevents this.
    pub open_selection: bool,
    /// Whether the environment variable `CUBLAS_WORKSPACE_CONFIG` is not set.
    pub cublas_workspace: bool,
    /// Whether the environment variable `OMP_NUM_THREADS` (the number of threads) is not set. Without it the number of
    /// threads, and so the last bits of results on the CPU, depend on the number of cores.
    pub cpu_threads: bool,
    /// The missing requirements as text, with one line for each requirement.
    pub text: String,
}

impl Reproducible {
    /// Returns whether all requirements of a run with repeatable results are met.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        !(self.no_cuda_seed || self.open_selection || self.cublas_workspace || self.cpu_threads)
    }
}

/// Prepares a run with repeatable results: allows only deterministic kernels (an operation that has none fails), turns
/// `benchmark_cudnn` off, and sets the seeds of all random generators to `seed`. The result lists the requirements that
/// are not met. The call succeeds even if there are such requirements.
pub fn set_reproducible(seed: u64) -> Result<Reproducible> {
    let mut raw = sys::atc_reproducible_report {
        struct_size: size_of_u32::<sys::atc_reproducible_report>(),
        ..Default::default()
    };
    // SAFETY: `raw` lives for the call. The C function writes at most the `struct_size` bytes of `raw`, and only during
    // the call.
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
