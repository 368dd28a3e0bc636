//! The engines that take part in races, and plug-ins that register further engines.
//!
//! An engine written in Rust registers itself through [`sys::atc_engine_register`].

use std::path::Path;

use crate::raw::call::{c_path, c_text, call, fixed_text, query, size_of_u32};
use crate::raw::error::Result;
use crate::sys;

/// An engine that takes part in races.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct EngineInfo {
    /// Unique among the engines.
    pub name: String,
    /// The engine's version. It is kept with every decision of a race in which the engine took
    /// part.
    pub version: String,
    /// Whether the engine is part of libatc.
    pub built_in: bool,
    /// Whether it runs on the CPU.
    pub serves_cpu: bool,
    /// Whether it runs on CUDA devices.
    pub serves_cuda: bool,
}

/// The engines of this process.
pub fn engines() -> Result<Vec<EngineInfo>> {
    // SAFETY: the C function may write to `out` during the call.
    let count: usize = query(|out| unsafe { sys::atc_engine_count(out) })?;
    (0..count).map(engine).collect()
}

fn engine(index: usize) -> Result<EngineInfo> {
    let mut raw = sys::atc_engine_info {
        struct_size: size_of_u32::<sys::atc_engine_info>(),
        ..Default::default()
    };
    // SAFETY: the C function may write to `raw` during the call, up to its struct_size.
    call(|| unsafe { sys::atc_engine_describe(&mut raw, index) })?;
    Ok(EngineInfo {
        name: fixed_text(&raw.name),
        version: fixed_text(&raw.version),
        built_in: raw.built_in != 0,
        serves_cpu: raw.serves_cpu != 0,
        serves_cuda: raw.serves_cuda != 0,
    })
}

/// Removes a registered engine. [`ErrorKind::Busy`](crate::ErrorKind::Busy) while plans of the engine exist.
pub fn unregister(name: &str) -> Result<()> {
    let name = c_text("name", name)?;
    // SAFETY: the string ends with NUL and lives for the call.
    call(|| unsafe { sys::atc_engine_unregister(name.as_ptr()) })
}

/// Loads a shared library that registers engines. It is never unloaded.
///
/// # Safety
/// Loading a library runs its code. Its engines then read and write the operands of every call. So
/// the library must follow the contract of `atc/extend.h`.
pub unsafe fn load_plugin(file: impl AsRef<Path>) -> Result<()> {
    let file = c_path("plug-in", file.as_ref())?;
    // SAFETY: the path ends with NUL and lives for the call. The rest is this function's contract.
    call(|| unsafe { sys::atc_plugin_load(file.as_ptr()) })
}
