//! Devices and libraries of this machine, seeds, and waiting for a device.
//!
//! Without CUDA every query succeeds and answers "none", and every other call succeeds without touching CUDA.

use std::path::PathBuf;

use crate::raw::call::{call, fixed_path, fixed_text, query, size_of_u32};
use crate::raw::error::Result;
use crate::raw::handle::string;
use crate::sys;

pub use crate::safe::device::Device;

impl Device {
    /// Describes the device. [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if
    /// this machine does not have the device.
    pub fn describe(self) -> Result<DeviceInfo> {
        let mut raw = sys::atc_device_info {
            struct_size: size_of_u32::<sys::atc_device_info>(),
            ..Default::default()
        };
        // SAFETY: the C function may write to `raw` during the call, up to its struct_size.
        call(|| unsafe { sys::atc_device_describe(&mut raw, self.to_raw()) })?;
        let capability = (raw.compute_major, raw.compute_minor);
        Ok(DeviceInfo {
            name: fixed_text(&raw.name),
            isa: fixed_text(&raw.isa),
            compute_units: raw.compute_units,
            cache_bytes: Some(raw.cache_bytes).filter(|bytes| *bytes > 0),
            memory_bytes: Some(raw.memory_bytes).filter(|bytes| *bytes > 0),
            compute_capability: Some(capability).filter(|capability| *capability != (0, 0)),
        })
    }
}

/// The properties of a device.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct DeviceInfo {
    /// For example `Intel(R) Xeon(R) …`, `NVIDIA H200`.
    pub name: String,
    /// On the CPU: the instruction sets that affect convolutions, separated by spaces.
    pub isa: String,
    /// On CUDA the number of SMs; on the CPU the number of threads that a convolution uses.
    pub compute_units: i32,
    /// Size of the last-level cache, if it is known.
    pub cache_bytes: Option<u64>,
    /// Total memory, if it is known.
    pub memory_bytes: Option<u64>,
    /// CUDA compute capability; `None` on the CPU.
    pub compute_capability: Option<(i32, i32)>,
}

/// A library atc uses or would use.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct LibraryInfo {
    /// For example `oneDNN`, `CUDA driver`, `cuDNN`.
    pub name: String,
    /// Whether the library is loaded. If it is not, `note` says whether it is missing or was not
    /// looked for.
    pub loaded: bool,
    /// The version of the loaded library; empty if it is not loaded.
    pub version: String,
    /// The version of the library that atc was compiled against; empty if atc was compiled without
    /// it.
    pub compiled_version: String,
    /// The file that the library was loaded from, if it is loaded.
    pub file: Option<PathBuf>,
    /// A sentence that names a missing part of the library and the functions that fail because of
    /// it; empty if no part is missing.
    pub note: String,
    /// Warnings about the library, one sentence each: parts that do not fit together, devices that
    /// the library does not support yet, known faults of its version.
    pub remarks: Vec<String>,
}

/// The libraries atc uses or would use.
pub fn libraries() -> Result<Vec<LibraryInfo>> {
    // SAFETY: the C function may write to `out` during the call.
    let count: usize = query(|out| unsafe { sys::atc_library_count(out) })?;
    (0..count).map(library).collect()
}

fn library(index: usize) -> Result<LibraryInfo> {
    let mut raw = sys::atc_library_info {
        struct_size: size_of_u32::<sys::atc_library_info>(),
        ..Default::default()
    };
    // SAFETY: the C function may write to `raw` during the call, up to its struct_size.
    call(|| unsafe { sys::atc_library_describe(&mut raw, index) })?;
    Ok(LibraryInfo {
        name: fixed_text(&raw.name),
        loaded: raw.loaded != 0,
        version: fixed_text(&raw.version),
        compiled_version: fixed_text(&raw.compiled_version),
        file: Some(fixed_path(&raw.file)).filter(|file| !file.as_os_str().is_empty()),
        note: fixed_text(&raw.note),
        remarks: fixed_text(&raw.remarks).lines().map(str::to_owned).collect(),
    })
}

/// The known faults of oneDNN, cuDNN and cuBLASLt that atc works around, as a JSON array of objects: the table that
/// comes with atc, and the rules of the file that `CUDNN_ERRATA_JSON_FILE` names. The members are `name`, `library`,
/// `running` (the library's version), `versions`, `device`, `directions`, `implementations`, `condition`, `consequence`,
/// `handling`, `description` and `source`, all strings, and `applies`: whether the running library has the fault on a
/// device of this machine.
pub fn faults_json() -> Result<String> {
    // SAFETY: the C function writes `out`.
    string(|out| unsafe { sys::atc_faults_describe(out) })
}

/// Whether there is a CUDA device that can be used.
pub fn cuda_is_available() -> Result<bool> {
    // SAFETY: the C function may write to `out` during the call.
    query(|out| unsafe { sys::atc_cuda_is_available(out) }).map(|value: i32| value != 0)
}

/// How many CUDA devices there are.
pub fn cuda_device_count() -> Result<i32> {
    // SAFETY: the C function may write to `out` during the call.
    query(|out| unsafe { sys::atc_cuda_device_count(out) })
}

/// Whether there is a cuDNN that can be used.
pub fn cudnn_is_available() -> Result<bool> {
    // SAFETY: the C function may write to `out` during the call.
    query(|out| unsafe { sys::atc_cudnn_is_available(out) }).map(|value: i32| value != 0)
}

/// The version of the loaded cuDNN as cuDNN numbers it: 90100 is 9.1.0.
pub fn cudnn_version() -> Result<Option<i64>> {
    // SAFETY: the C function may write to `out` during the call.
    query(|out| unsafe { sys::atc_cudnn_version(out) })
        .map(|version| Some(version).filter(|v| *v != 0))
}

/// The version of the cuDNN headers that libatc was compiled with.
pub fn cudnn_compiled_version() -> Result<Option<i64>> {
    // SAFETY: the C function may write to `out` during the call.
    query(|out| unsafe { sys::atc_cudnn_compiled_version(out) })
        .map(|version| Some(version).filter(|v| *v != 0))
}

/// Seeds the data of tuning runs. If a bridge (for example to LibTorch) has registered a default
/// generator, seeds that, too.
pub fn manual_seed(seed: u64) -> Result<()> {
    // SAFETY: the call passes a plain value.
    call(|| unsafe { sys::atc_manual_seed(seed) })
}

/// Like [`manual_seed`], but also seeds the bridge's generators of all devices.
pub fn manual_seed_all(seed: u64) -> Result<()> {
    // SAFETY: the call passes a plain value.
    call(|| unsafe { sys::atc_manual_seed_all(seed) })
}

/// Waits for all work of a CUDA device; `None` is the current device. Without CUDA it succeeds at
/// once.
pub fn synchronize(index: Option<i32>) -> Result<()> {
    // SAFETY: the call passes a plain value.
    call(|| unsafe { sys::atc_synchronize(index.unwrap_or(-1)) })
}
