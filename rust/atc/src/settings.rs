//! Setters and getters of the process's switches. (A switch is a setting of the process, such as
//! whether TF32 is allowed.)
//!
//! Every switch (setting of the process) can be set on every machine. On a machine without CUDA,
//! the switches for CUDA can be set and read, but have no effect. The functions
//! [`cuda_is_available`](crate::device::cuda_is_available) and
//! [`cudnn_is_available`](crate::device::cudnn_is_available) return whether the machine has CUDA
//! and cuDNN.
//!
//! A changed switch affects plans that are created after the change, and calls without a plan
//! ([`convolution`](crate::convolution())), on all threads. Existing plans do not change. A value
//! that a call has set takes precedence over an environment variable, and an environment variable
//! takes precedence over the default.
//!
//! ```
//! # fn main() -> atc::Result<()> {
//! let before = atc::settings::benchmark_cudnn()?;
//! {
//!     let _guard = atc::Settings::scoped(|settings| settings.benchmark_cudnn = !before)?;
//!     assert_eq!(atc::settings::benchmark_cudnn()?, !before);
//! }
//! assert_eq!(atc::settings::benchmark_cudnn()?, before);
//! # Ok(())
//! # }
//! ```

mod reproducible;
mod snapshot;

use std::path::{Path, PathBuf};

use crate::raw::c_enum::c_enum;
use crate::raw::call::{c_path, call, path, query};
use crate::raw::error::{Error, Result};
use crate::raw::handle::string;
use crate::safe::device::Device;
use crate::safe::options::PlanOptions;
use crate::safe::problem::Problem;
use crate::sys;

pub use crate::safe::technique::Technique;
pub use reproducible::{Reproducible, set_reproducible};
pub use snapshot::{Settings, SettingsGuard};

c_enum! {
    /// The behaviour of an operation that has no deterministic implementation.
    DeterministicAlgorithms ("mode") {
        /// An operation without a deterministic implementation runs with its fastest
        /// implementation. The default.
        Off = ATC_DETERMINISTIC_ALGORITHMS_OFF => "off",
        /// An operation without a deterministic implementation logs a warning. Convolutions use
        /// deterministic kernels.
        Warn = ATC_DETERMINISTIC_ALGORITHMS_WARN => "warn",
        /// An operation without a deterministic implementation returns an error. Convolutions use
        /// deterministic kernels.
        Error = ATC_DETERMINISTIC_ALGORITHMS_ERROR => "error",
    }
}

/// Defines the setter and the getter of a switch (setting of the process) that is on or off.
macro_rules! switch {
    ($(#[$meta:meta])* $set:ident, $get:ident, $c_set:ident, $c_get:ident) => {
        $(#[$meta])*
        pub fn $set(enabled: bool) -> Result<()> {
            // SAFETY: the argument of the C function is a number, and not a pointer.
            call(|| unsafe { sys::$c_set(i32::from(enabled)) })
        }

        #[doc = concat!("What [`", stringify!($set), "`] set last, or what is in force without it.")]
        pub fn $get() -> Result<bool> {
            // SAFETY: the C function writes only `out`, and only during the call.
            query(|out| unsafe { sys::$c_get(out) }).map(|value: i32| value != 0)
        }
    };
}

switch! {
    /// Sets whether convolutions on CUDA are tuned: their candidates (implementations) are measured, and the fastest is
    /// used. Off by default.
    set_benchmark_cudnn, benchmark_cudnn, atc_set_benchmark_cudnn, atc_get_benchmark_cudnn
}
switch! {
    /// Sets whether the engine `cudnn` may be used. On by default.
    set_user_enabled_cudnn, user_enabled_cudnn, atc_set_user_enabled_cudnn,
    atc_get_user_enabled_cudnn
}
switch! {
    /// Sets whether only deterministic convolution kernels are used. Off by default.
    set_deterministic_cudnn, deterministic_cudnn, atc_set_deterministic_cudnn,
    atc_get_deterministic_cudnn
}
switch! {
    /// Sets whether TF32 is allowed in fp32 convolutions. On by default, as in LibTorch.
    set_allow_tf32_cudnn, allow_tf32_cudnn, atc_set_allow_tf32_cudnn, atc_get_allow_tf32_cudnn
}

/// Sets the largest number of candidates (implementations) of cuDNN that are measured for one problem. 0 means all
/// candidates. The default is 10.
pub fn set_benchmark_limit_cudnn(limit: i32) -> Result<()> {
    // SAFETY: the argument of the C function is a number, and not a pointer.
    call(|| unsafe { sys::atc_set_benchmark_limit_cudnn(limit) })
}

/// Returns the largest number of candidates (implementations) of cuDNN that are measured for one problem. 0 means all
/// candidates.
pub fn benchmark_limit_cudnn() -> Result<i32> {
    // SAFETY: the C function writes only `out`, and only during the call.
    query(|out| unsafe { sys::atc_get_benchmark_limit_cudnn(out) })
}

/// Sets what happens in an operation (such as a convolution) that has no deterministic implementation. The default is
/// [`DeterministicAlgorithms::Off`].
pub fn set_deterministic_algorithms(mode: DeterministicAlgorithms) -> Result<()> {
    // SAFETY: the argument of the C function is a number, and not a pointer.
    call(|| unsafe { sys::atc_set_deterministic_algorithms(mode.to_raw()) })
}

/// Returns what operations do if they have no deterministic implementation.
pub fn deterministic_algorithms() -> Result<DeterministicAlgorithms> {
    // SAFETY: the C function writes only `out`, and only during the call.
    query(|out| unsafe { sys::atc_get_deterministic_algorithms(out) })
        .map(DeterministicAlgorithms::from_raw)
}

/// Sets the technique by which candidates (implementations of a problem) are timed. The default is
/// [`Technique::Interleaved`].
pub fn set_benchmark_technique(technique: Technique) -> Result<()> {
    // SAFETY: the argument of the C function is a number, and not a pointer.
    call(|| unsafe { sys::atc_set_benchmark_technique(technique.to_raw()) })
}

/// Returns the technique by which candidates (implementations of a problem) are timed.
pub fn benchmark_technique() -> Result<Technique> {
    // SAFETY: the C function writes only `out`, and only during the call.
    query(|out| unsafe { sys::atc_get_benchmark_technique(out) }).map(Technique::from_raw)
}

/// Sets the largest workspace that a candidate (implementation) may use, in bytes. The limit is rounded down to one of
/// the numbers 0, 32 MiB, 256 MiB, 1 GiB and 4 GiB. `u64::MAX` means the largest of them. The default is 1 GiB.
pub fn set_workspace_limit(bytes: u64) -> Result<()> {
    // SAFETY: the argument of the C function is a number, and not a pointer.
    call(|| unsafe { sys::atc_set_workspace_limit(bytes) })
}

/// Returns the largest workspace that a candidate (implementation) may use, in bytes, as [`set_workspace_limit`] has
/// rounded it.
pub fn workspace_limit() -> Result<u64> {
    // SAFETY: the C function writes only `out`, and only during the call.
    query(|out| unsafe { sys::atc_get_workspace_limit(out) })
}

/// Sets the largest number of bytes that a race (the measurement of all candidates of a problem) may allocate on its
/// device (on the CPU: in main memory). Memory that the program already holds does not count. `None`, the default,
/// means a quarter of the memory that is free when the race begins. `u64::MAX` means no limit. The number 0 fails with
/// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument).
pub fn set_race_memory_limit(bytes: Option<u64>) -> Result<()> {
    // SAFETY: the argument of the C function is a number, and not a pointer.
    call(|| unsafe { sys::atc_set_race_memory_limit(bytes.unwrap_or(sys::ATC_AUTOMATIC)) })
}

/// Returns the largest number of bytes that a race (the measurement of all candidates of a problem) may allocate.
/// `None` means a quarter of the memory that is free when the race begins.
pub fn race_memory_limit() -> Result<Option<u64>> {
    // SAFETY: the C function writes only `out`, and only during the call.
    query(|out| unsafe { sys::atc_get_race_memory_limit(out) })
        .map(|bytes: u64| (bytes != sys::ATC_AUTOMATIC).then_some(bytes))
}

/// Sets the largest number of bytes of host memory that the plans in libatc's plan cache may take. If they take more,
/// the least recently used plans are destroyed. The sizes of plans are estimates. The default is 2 GiB. `u64::MAX`
/// means no limit. The number 0 fails with [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument).
pub fn set_plan_memory_limit(bytes: u64) -> Result<()> {
    // SAFETY: the argument of the C function is a number, and not a pointer.
    call(|| unsafe { sys::atc_set_plan_memory_limit(bytes) })
}

/// Returns the largest number of bytes of host memory that the plans in libatc's plan cache may take.
pub fn plan_memory_limit() -> Result<u64> {
    // SAFETY: the C function writes only `out`, and only during the call.
    query(|out| unsafe { sys::atc_get_plan_memory_limit(out) })
}

/// Sets the folders in which atc searches for libcuda, cuDNN, cuBLASLt and NVML before it searches in all other places.
/// An empty list means that there are no such folders. The call fails with [`ErrorKind::Busy`](crate::ErrorKind::Busy)
/// if atc has already searched for one of these libraries. It fails with
/// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the name of a folder contains a `:`, because
/// `:` separates folders.
pub fn set_library_path<P: AsRef<Path>>(folders: &[P]) -> Result<()> {
    let joined = std::env::join_paths(folders.iter().map(P::as_ref)).map_err(|cause| {
        Error::invalid(format!("library_path cannot hold one of the folders: {cause}"))
    })?;
    let joined = c_path("library_path", Path::new(&joined))?;
    // SAFETY: the string ends with NUL and lives for the call.
    call(|| unsafe { sys::atc_set_library_path(joined.as_ptr()) })
}

/// Returns the folders in which atc searches for libcuda, cuDNN, cuBLASLt and NVML before it searches in all other
/// places.
pub fn library_path() -> Result<Vec<PathBuf>> {
    let mut out = std::ptr::null();
    // SAFETY: the C function writes only `out`, and only during the call.
    call(|| unsafe { sys::atc_get_library_path(&mut out) })?;
    // SAFETY: the text is valid until this thread calls atc_get_library_path again. It is copied here.
    let joined = unsafe { path(out) };
    Ok(std::env::split_paths(joined).filter(|folder| !folder.as_os_str().is_empty()).collect())
}

/// Sets the pin file of the process. A pin is an entry of this file. It says for certain problems which implementation
/// runs them, or which implementations must not run them. The new file replaces the previous pin file, even if the
/// environment variable `ATC_PINS` names the previous one. `None` removes all pins. The file is read in this call, and
/// is not read again if it changes.
///
/// If a pin says which implementation runs a problem, the pin takes precedence over the store and
/// over tuning. If a call names the implementation itself
/// ([`Plan::with_choice`](crate::Plan::with_choice)), the call takes precedence over the pin.
///
/// The call fails with [`ErrorKind::Io`](crate::ErrorKind::Io) if the file cannot be read. It fails with
/// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the file is not a valid pin file; then the
/// error text names the line, the field and the value. After an error the previous pins remain in force.
pub fn set_pins(file: Option<&Path>) -> Result<()> {
    let file = c_path("pins", file.unwrap_or(Path::new("")))?;
    // SAFETY: the string ends with NUL and lives for the call.
    call(|| unsafe { sys::atc_set_pins(file.as_ptr()) })
}

/// Returns the path of the pin file that the process uses; `None` if it uses no pin file.
pub fn pins() -> Result<Option<PathBuf>> {
    let mut out = std::ptr::null();
    // SAFETY: the C function writes only `out`, and only during the call.
    call(|| unsafe { sys::atc_get_pins(&mut out) })?;
    // SAFETY: the text is valid until this thread calls atc_get_pins again. It is copied here.
    let file = unsafe { path(out) };
    Ok((!file.is_empty()).then(|| PathBuf::from(file)))
}

/// Returns the pins that apply to a plan of the problem with these options, as the JSON text of an array. Each object
/// of the array has the members `"number"`, `"line"` and `"name"` of a pin, and one of the members `"choice"` and
/// `"bar"`. A pin with `"choice"` says which implementation runs the problem; then the array has only this pin.
/// Otherwise the array has all pins that forbid implementations for the problem (`"bar"`). No plan is built.
pub fn pins_for(device: Device, problem: &Problem, options: &PlanOptions<'_>) -> Result<String> {
    let raw = problem.checked()?;
    let options = options.for_call();
    // SAFETY: the C function reads `raw` (the problem) and `options`, writes `out`, and uses these pointers only during
    // the call.
    string(|out| unsafe { sys::atc_conv_pins(out, device.to_raw(), raw, &options) })
}

/// Returns a hash of the pins that the process uses: for which problems they are, and what they prescribe or forbid.
/// The names and comments of pins do not change the hash. Returns `None` if there are no pins.
pub fn pins_hash() -> Result<Option<u64>> {
    // SAFETY: the C function writes only `out`, and only during the call.
    let hash = query(|out| unsafe { sys::atc_get_pins_hash(out) })?;
    Ok((hash != 0).then_some(hash))
}

/// Reads the environment variables (`ATC_BENCHMARK`, `ATC_DETERMINISTIC`, `ATC_STORE`, …) again.
/// Their values replace the values of the switches (settings of the process), even if a call has
/// set a switch before. If a value is malformed, the call fails and changes nothing.
pub fn from_env() -> Result<()> {
    // SAFETY: the C function takes no arguments.
    call(|| unsafe { sys::atc_settings_from_env() })
}
