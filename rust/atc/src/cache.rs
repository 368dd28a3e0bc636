//! The plans that [`convolution`](crate::convolution()) keeps.

use crate::raw::call::{call, size_of_u32};
use crate::raw::error::Result;
use crate::sys;

/// Counts of the plan cache since the process began.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Statistics {
    /// Plans kept now.
    pub plans: u64,
    /// Calls that found their plan.
    pub hits: u64,
    /// Calls that did not.
    pub misses: u64,
    /// Plans that were removed to make room.
    pub evictions: u64,
    /// Calls that did not measure because their stream was being captured: each ran the choice of a
    /// known decision, or else the default engine.
    pub put_off: u64,
    /// The host memory that the kept plans take, in bytes, by an estimate.
    pub bytes: u64,
    /// The limit of the host memory of kept plans, in bytes
    /// ([`settings::set_plan_memory_limit`](crate::settings::set_plan_memory_limit)).
    pub byte_limit: u64,
}

/// Counts of the plan cache since the process began.
pub fn statistics() -> Result<Statistics> {
    let mut raw = sys::atc_cache_statistics {
        struct_size: size_of_u32::<sys::atc_cache_statistics>(),
        ..Default::default()
    };
    // SAFETY: `raw` may be written for the call, up to its struct_size.
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

/// Frees the plans that no call is using. The counts of [`Statistics`] are kept.
pub fn clear() -> Result<()> {
    // SAFETY: takes nothing.
    call(|| unsafe { sys::atc_cache_clear() })
}
