//! The plan cache: libatc keeps the plans that [`convolution`](crate::convolution()) makes, and
//! uses them for later calls.

use crate::raw::call::{call, size_of_u32};
use crate::raw::error::Result;
use crate::sys;

/// Counts of the plan cache, from the start of the process. [`statistics`] returns them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Statistics {
    /// The number of plans in the cache now.
    pub plans: u64,
    /// The number of calls whose plan was in the cache.
    pub hits: u64,
    /// The number of calls whose plan was not in the cache.
    pub misses: u64,
    /// The number of plans that were removed from the cache to make room.
    pub evictions: u64,
    /// The number of calls that postponed a measurement because their stream was being captured. If a decision of the
    /// problem was known, such a call ran the implementation that the decision has chosen. Otherwise the call ran on
    /// the default engine.
    pub put_off: u64,
    /// The host memory of the plans in the cache, in bytes. The number is an estimate.
    pub bytes: u64,
    /// The limit for the memory of the plans in the cache, in bytes
    /// ([`settings::set_plan_memory_limit`](crate::settings::set_plan_memory_limit)).
    pub byte_limit: u64,
}

/// Returns the counts of the plan cache, from the start of the process.
pub fn statistics() -> Result<Statistics> {
    let mut raw = sys::atc_cache_statistics {
        struct_size: size_of_u32::<sys::atc_cache_statistics>(),
        ..Default::default()
    };
    // SAFETY: the C function may write to `raw` during the call, up to its struct_size.
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

/// Frees the plans of the cache that no call is using. Does not reset the counts of [`Statistics`].
pub fn clear() -> Result<()> {
    // SAFETY: the C function takes no arguments.
    call(|| unsafe { sys::atc_cache_clear() })
}
