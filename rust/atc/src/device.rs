//! Functions that describe the devices and libraries of this machine, set seeds, and wait for a device.
//!
//! On a machine without CUDA the queries about CUDA succeed and return `false`, 0 or `None`. The calls that set seeds
//! or wait succeed, too, and do nothing on CUDA.

use std::path::PathBuf;

use crate::raw::call::{call, fixed_path, fixed_text, query, size_of_u32};
use crate::raw::error::Result;
use crate::raw::handle::string;
use crate::sys;

pub use crate::safe::device::Device;

impl Device {
    /// Returns the properties of the device. Fails with
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if this machine does not have the device.
    pub fn describe(self) -> Result<DeviceInfo> {
        let mut raw = sys::atc_device_info {
            struct_size: size_of_u32::<sys::atc_device_info>(),
            ..Default::default()
        };
        // SAFETY: `raw` lives for the call. The C function writes at most the `struct_size` bytes of `raw`, and only
        // during the call.
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
    /// The name of the device, for example `Intel(R) Xeon(R) …` or `NVIDIA H200`.
    pub name: String,
    /// On the CPU: the names of the instruction sets that affect convolutions, separated by spaces.
    pub isa: String,
    /// On CUDA: the number of multiprocessors (SMs). On the CPU: the number of threads that a convolution uses.
    pub compute_units: i32,
    /// The size of the device's last-level cache in bytes; `None` if the size is not known.
    pub cache_bytes: Option<u64>,
    /// The total memory of the device in bytes; `None` if the number is not known.
    pub memory_bytes: Option<u64>,
    /// The CUDA compute capability, as (major, minor); `None` on the CPU.
    pub compute_capability: Option<(i32, i32)>,
}

/// A library that atc uses, or that atc would use if the library were installed.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct LibraryInfo {
    /// The name of the library, for example `oneDNN`, `CUDA driver` or `cuDNN`.
    pub name: String,
    /// Whether the library is loaded. If the library is not loaded, the field `note` says whether the library is
    /// missing or was not searched for.
    pub loaded: bool,
    /// The version of the loaded library; empty if the library is not loaded.
    pub version: String,
    /// The version of the library that atc was compiled against; empty if atc was compiled without the library.
    pub compiled_version: String,
    /// The file from which the library was loaded; `None` if the library is not loaded.
    pub file: Option<PathBuf>,
    /// A sentence about what is missing: for example why the library is not loaded, or which part of the library is
    /// missing and what does not work without it. Empty if nothing is missing.
    pub note: String,
    /// Warnings about the library, one sentence each. Reasons for a warning are: the parts of the library have
    /// different versions, the library does not support a device yet, or its version has a known fault.
    pub remarks: Vec<String>,
}

/// Returns the libraries that atc uses, and the libraries that atc would use if they were installed.
pub fn libraries() -> Result<Vec<LibraryInfo>> {
    // SAFETY: the C function writes only `out`, and only during the call.
    let count: usize = query(|out| unsafe { sys::atc_library_count(out) })?;
    (0..count).map(library).collect()
}

fn library(index: usize) -> Result<LibraryInfo> {
    let mut raw = sys::atc_library_info {
        struct_size: size_of_u32::<sys::atc_library_info>(),
        ..Default::default()
    };
    // SAFETY: `raw` lives for the call. The C function writes at most the `struct_size` bytes of `raw`, and only during
    // the call.
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

/// Returns the known faults of oneDNN, cuDNN and cuBLASLt that atc works around, as a JSON array with one object for
/// each fault. The faults are those of atc's own table, and those of the file that the environment variable
/// `CUDNN_ERRATA_JSON_FILE` names.
///
/// Each object has these members, all of them strings: `name`, `library`, `running` (the version of the loaded
/// library), `versions`, `device`, `directions`, `implementations`, `condition`, `consequence`, `handling`,
/// `description` and `source`. The member `applies` is a boolean: whether the loaded library has the fault on a device
/// of this machine.
pub fn faults_json() -> Result<String> {
    // SAFETY: the C function writes `out`.
    string(|out| unsafe { sys::atc_faults_describe(out) })
}

/// Returns whether there is a CUDA device that can be used.
pub fn cuda_is_available() -> Result<bool> {
    // SAFETY: the C function writes only `out`, and only during the call.
    query(|out| unsafe { sys::atc_cuda_is_available(out) }).map(|value: i32| value != 0)
}

/// Returns the number of CUDA devices; 0 without CUDA.
pub fn cuda_device_count() -> Result<i32> {
    // SAFETY: the C function writes only `out`, and only during the call.
    query(|out| unsafe { sys::atc_cuda_device_count(out) })
}

/// Returns whether there is a cuDNN that can be used.
pub fn cudnn_is_available() -> Result<bool> {
    // SAFETY: the C function writes only `out`, and only during the call.
    query(|out| unsafe { sys::atc_cudnn_is_available(out) }).map(|value: i32| value != 0)
}

/// Returns the version of the loaded cuDNN as cuDNN's own number: 90100 is version 9.1.0. Returns `None` if no cuDNN is
/// loaded.
pub fn cudnn_version() -> Result<Option<i64>> {
    // SAFETY: the C function writes only `out`, and only during the call.
    query(|out| unsafe { sys::atc_cudnn_version(out) })
        .map(|version| Some(version).filter(|v| *v != 0))
}

/// Returns the version of the cuDNN headers that libatc was compiled with, as cuDNN's own number. Returns `None` if
/// libatc was compiled without cuDNN.
pub fn cudnn_compiled_version() -> Result<Option<i64>> {
    // SAFETY: the C function writes only `out`, and only during the call.
    query(|out| unsafe { sys::atc_cudnn_compiled_version(out) })
        .map(|version| Some(version).filter(|v| *v != 0))
}

/// Sets the seed of the random numbers with which tuning fills the tensors of its measurements. A bridge (a library
/// that connects atc with a framework such as LibTorch) may have registered the framework's default random generator.
/// In this case the function also seeds that generator.
pub fn manual_seed(seed: u64) -> Result<()> {
    // SAFETY: the call passes only a plain value, and no pointer.
    call(|| unsafe { sys::atc_manual_seed(seed) })
}

/// Like [`manual_seed`], but for all devices: if the bridge to a framework (such as LibTorch) is loaded, the function
/// seeds the framework's random generators of all devices.
pub fn manual_seed_all(seed: u64) -> Result<()> {
    // SAFETY: the call passes only a plain value, and no pointer.
    call(|| unsafe { sys::atc_manual_seed_all(seed) })
}

/// Waits until all work of the CUDA device with this index is finished. `None` stands for the current device. Without
/// CUDA the call does nothing and succeeds.
pub fn synchronize(index: Option<i32>) -> Result<()> {
    // SAFETY: the call passes only a plain value, and no pointer.
    call(|| unsafe { sys::atc_synchronize(index.unwrap_or(-1)) })
}
