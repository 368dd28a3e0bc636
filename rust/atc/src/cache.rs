//! The plan cache: [`convolution`](crate::convolution()) makes a plan for each problem (description of a convolution).
//! libatc keeps these plans, and uses them for later calls.

use crate::raw::call::{call, size_of_u32};
use crate::raw::error::Result;
use crate::sys;

/// The present size of the plan cache, and counts of its events since the start of the process. [`statistics`] returns
/// this struct.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Statistics {
    /// The number of plans in the cache now.
    pub plans: u64,
    /// The number of calls whose plan was in the cache.
    pub hits: u64,
    /// The number of calls whose plan was not in the cache.
    pub misses: u64,
    /// The number of plans that were removed from the cache because its plans took more memory than `byte_limit`.
    pub evictions: u64,
    /// The number of calls that should have measured the implementations of their problem, but did not, because their
    /// stream was being captured into a CUDA graph. Such a call ran the implementation that an earlier decision has
    /// chosen. If there was no decision, the default engine ran the problem. (An engine is a library or a set of
    /// kernels.)
    pub put_off: u64,
    /// The host memory that the plans in the cache take, in bytes. The number is an estimate.
    pub bytes: u64,
    /// The largest amount of host memory that the plans in the cache may take, in bytes
    /// ([`settings::set_plan_memory_limit`](crate::settings::set_plan_memory_limit)).
    pub byte_limit: u64,
}

/// Returns the present size of the plan cache, and the counts of its hits, misses and other events since the start of
/// the process.
pub fn statistics() -> Result<Statistics> {
    let mut raw = sys::atc_cache_statistics {
        struct_size: size_of_u32::<sys::atc_cache_statistics>(),
        ..Default::default()
    };
    // SAFETY: `raw` lives for the call. The C function writes at most the `struct_size` bytes of `raw`, and only during
    // the call.
    call(|| unsafe { sys::atc_cache_stats(&mut raw) })?;
    Ok(Statistics {
        plans: raw.plans,
        hits: raw.hits,
        misses: raw.misses,
        evictions: raw.evictions,
        put_off: raw.put_off,
        bytes: raw.bytes,
        byte_limit: raw.byte_limit,
    })
}

/// Frees all plans in the cache, except plans that a call is using now. Does not reset the counts of [`Statistics`].
pub fn clear() -> Result<()> {
    // SAFETY: the C function takes no arguments.
    call(|| unsafe { sys::atc_cache_clear() })
}
