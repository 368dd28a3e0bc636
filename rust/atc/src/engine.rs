//! The engines of this process, and plug-ins that register further engines. An engine is a library or a set of kernels
//! that computes convolutions, for example oneDNN or cuDNN. For one convolution an engine may have several
//! implementations (candidates). To find the fastest, atc times the candidates of all engines; this measurement is
//! called a race.
//!
//! An engine that is written in Rust is registered with the C function [`sys::atc_engine_register`].

use std::path::Path;

use crate::raw::call::{c_path, c_text, call, fixed_text, query, size_of_u32};
use crate::raw::error::Result;
use crate::sys;

/// The properties of an engine.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct EngineInfo {
    /// The engine's name. No other engine of the process has this name.
    pub name: String,
    /// The engine's version. If a race (the timing of all implementations of a convolution) has timed implementations
    /// of the engine, the version is stored with the decision.
    pub version: String,
    /// Whether the engine is part of libatc.
    pub built_in: bool,
    /// Whether the engine runs convolutions on the CPU.
    pub serves_cpu: bool,
    /// Whether the engine runs convolutions on CUDA devices.
    pub serves_cuda: bool,
}

/// Returns the engines of this process.
pub fn engines() -> Result<Vec<EngineInfo>> {
    // SAFETY: the C function writes only `out`, and only during the call.
    let count: usize = query(|out| unsafe { sys::atc_engine_count(out) })?;
    (0..count).map(engine).collect()
}

fn engine(index: usize) -> Result<EngineInfo> {
    let mut raw = sys::atc_engine_info {
        struct_size: size_of_u32::<sys::atc_engine_info>(),
        ..Default::default()
    };
    // SAFETY: `raw` lives for the call. The C function writes at most the `struct_size` bytes of `raw`, and only during
    // the call.
    call(|| unsafe { sys::atc_engine_describe(&mut raw, index) })?;
    Ok(EngineInfo {
        name: fixed_text(&raw.name),
        version: fixed_text(&raw.version),
        built_in: raw.built_in != 0,
        serves_cpu: raw.serves_cpu != 0,
        serves_cuda: raw.serves_cuda != 0,
    })
}

/// Removes an engine that a plug-in or the program has registered. Fails with
/// [`ErrorKind::Busy`](crate::ErrorKind::Busy) if plans of the engine exist, or if a call is using the engine.
pub fn unregister(name: &str) -> Result<()> {
    let name = c_text("name", name)?;
    // SAFETY: the string ends with NUL and lives for the call.
    call(|| unsafe { sys::atc_engine_unregister(name.as_ptr()) })
}

/// Loads a shared library that registers engines. The library is never unloaded.
///
/// # Safety
/// Loading a library runs code of the library, and later calls let the engines of the library read and write operands.
/// So the library must follow the contract of `atc/extend.h`.
pub unsafe fn load_plugin(file: impl AsRef<Path>) -> Result<()> {
    let file = c_path("plug-in", file.as_ref())?;
    // SAFETY: the path ends with NUL and lives for the call. The caller promises that the library follows the contract
    // of `atc/extend.h`.
    call(|| unsafe { sys::atc_plugin_load(file.as_ptr()) })
}
