//! The switches of the process, each with a getter.
//!
//! Every switch may be set on every machine. Without CUDA a setter succeeds, its getter returns the
//! value, and nothing else changes ([`crate::device`] tells whether the machine has CUDA). A change
//! takes effect at the next plan creation and the next eager call of every thread; existing plans
//! do not change. An explicit call takes precedence over the environment, and the environment over
//! the default.
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
    /// How an operation that has no deterministic form behaves.
    DeterministicAlgorithms ("mode") {
        /// Whatever is fastest. The default.
        Off = ATC_DETERMINISTIC_ALGORITHMS_OFF => "off",
        /// A warning is logged. Convolutions use deterministic kernels.
        Warn = ATC_DETERMINISTIC_ALGORITHMS_WARN => "warn",
        /// An error is returned. Convolutions use deterministic kernels.
        Error = ATC_DETERMINISTIC_ALGORITHMS_ERROR => "error",
    }
}

/// Defines the setter and the getter of a boolean switch.
macro_rules! switch {
    ($(#[$meta:meta])* $set:ident, $get:ident, $c_set:ident, $c_get:ident) => {
        $(#[$meta])*
        pub fn $set(enabled: bool) -> Result<()> {
            // SAFETY: a plain value.
            call(|| unsafe { sys::$c_set(i32::from(enabled)) })
        }

        #[doc = concat!("What [`", stringify!($set), "`] set last, or what is in force without it.")]
        pub fn $get() -> Result<bool> {
            // SAFETY: `out` may be written for the call.
            query(|out| unsafe { sys::$c_get(out) }).map(|value: i32| value != 0)
        }
    };
}

switch! {
    /// Candidates of CUDA convolutions are measured, and the best one is used. Off by default.
    set_benchmark_cudnn, benchmark_cudnn, atc_set_benchmark_cudnn, atc_get_benchmark_cudnn
}
switch! {
    /// If off, the engine `cudnn` is not used. On by default.
    set_user_enabled_cudnn, user_enabled_cudnn, atc_set_user_enabled_cudnn,
    atc_get_user_enabled_cudnn
}
switch! {
    /// Only deterministic convolution kernels are used. Off by default.
    set_deterministic_cudnn, deterministic_cudnn, atc_set_deterministic_cudnn,
    atc_get_deterministic_cudnn
}
switch! {
    /// TF32 is allowed in fp32 convolutions. On by default, as in LibTorch.
    set_allow_tf32_cudnn, allow_tf32_cudnn, atc_set_allow_tf32_cudnn, atc_get_allow_tf32_cudnn
}

/// Sets how many of cuDNN's candidates race at most; 0 is all. Default 10.
pub fn set_benchmark_limit_cudnn(limit: i32) -> Result<()> {
    // SAFETY: a plain value.
    call(|| unsafe { sys::atc_set_benchmark_limit_cudnn(limit) })
}

/// Returns how many of cuDNN's candidates race at most; 0 is all.
pub fn benchmark_limit_cudnn() -> Result<i32> {
    // SAFETY: `out` may be written for the call.
    query(|out| unsafe { sys::atc_get_benchmark_limit_cudnn(out) })
}

/// Sets how operations that have no deterministic form behave. Off by default.
pub fn set_deterministic_algorithms(mode: DeterministicAlgorithms) -> Result<()> {
    // SAFETY: a plain value.
    call(|| unsafe { sys::atc_set_deterministic_algorithms(mode.to_raw()) })
}

/// Returns how operations that have no deterministic form behave.
pub fn deterministic_algorithms() -> Result<DeterministicAlgorithms> {
    // SAFETY: `out` may be written for the call.
    query(|out| unsafe { sys::atc_get_deterministic_algorithms(out) })
        .map(DeterministicAlgorithms::from_raw)
}

/// Sets how candidates are timed. Default [`Technique::Interleaved`].
pub fn set_benchmark_technique(technique: Technique) -> Result<()> {
    // SAFETY: a plain value.
    call(|| unsafe { sys::atc_set_benchmark_technique(technique.to_raw()) })
}

/// How candidates are timed.
pub fn benchmark_technique() -> Result<Technique> {
    // SAFETY: `out` may be written for the call.
    query(|out| unsafe { sys::atc_get_benchmark_technique(out) }).map(Technique::from_raw)
}

/// Sets how many bytes of workspace a candidate may use. The number is rounded down to a class (0,
/// 32 MiB, 256 MiB, 1 GiB, 4 GiB); `u64::MAX` is the largest class. Default 1 GiB.
pub fn set_workspace_limit(bytes: u64) -> Result<()> {
    // SAFETY: a plain value.
    call(|| unsafe { sys::atc_set_workspace_limit(bytes) })
}

/// Returns the workspace class in force, in bytes.
pub fn workspace_limit() -> Result<u64> {
    // SAFETY: `out` may be written for the call.
    query(|out| unsafe { sys::atc_get_workspace_limit(out) })
}

/// Sets how many bytes a race may allocate beyond the memory that the program holds, on its device
/// (on the CPU: main memory). `None`, the default, is a quarter of the memory that is free when the
/// race begins; `u64::MAX` is no limit. 0 is
/// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument).
pub fn set_race_memory_limit(bytes: Option<u64>) -> Result<()> {
    // SAFETY: a plain value.
    call(|| unsafe { sys::atc_set_race_memory_limit(bytes.unwrap_or(sys::ATC_AUTOMATIC)) })
}

/// Returns the limit of the memory of a race in bytes; `None`: a quarter of the free memory.
pub fn race_memory_limit() -> Result<Option<u64>> {
    // SAFETY: `out` may be written for the call.
    query(|out| unsafe { sys::atc_get_race_memory_limit(out) })
        .map(|bytes: u64| (bytes != sys::ATC_AUTOMATIC).then_some(bytes))
}

/// Sets how many bytes of host memory the kept plans of the process may take, by estimates. Default
/// 2 GiB; `u64::MAX` is no limit. 0 is
/// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument).
pub fn set_plan_memory_limit(bytes: u64) -> Result<()> {
    // SAFETY: a plain value.
    call(|| unsafe { sys::atc_set_plan_memory_limit(bytes) })
}

/// Returns the limit of the host memory of kept plans in bytes.
pub fn plan_memory_limit() -> Result<u64> {
    // SAFETY: `out` may be written for the call.
    query(|out| unsafe { sys::atc_get_plan_memory_limit(out) })
}

/// Sets the folders in which libcuda, cuDNN, cuBLASLt and NVML are looked for first. An empty list
/// removes these folders. [`ErrorKind::Busy`](crate::ErrorKind::Busy) once one of these libraries
/// has been looked for; [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for a
/// folder with a `:` in its name, because `:` separates folders.
pub fn set_library_path<P: AsRef<Path>>(folders: &[P]) -> Result<()> {
    let joined = std::env::join_paths(folders.iter().map(P::as_ref)).map_err(|cause| {
        Error::invalid(format!("library_path cannot hold one of the folders: {cause}"))
    })?;
    let joined = c_path("library_path", Path::new(&joined))?;
    // SAFETY: a string that ends with NUL and lives for the call.
    call(|| unsafe { sys::atc_set_library_path(joined.as_ptr()) })
}

/// Returns the folders in which CUDA's libraries are looked for first.
pub fn library_path() -> Result<Vec<PathBuf>> {
    let mut out = std::ptr::null();
    // SAFETY: `out` may be written for the call.
    call(|| unsafe { sys::atc_get_library_path(&mut out) })?;
    // SAFETY: the text is valid until this thread calls atc_get_library_path again. It is copied here.
    let joined = unsafe { path(out) };
    Ok(std::env::split_paths(joined).filter(|folder| !folder.as_os_str().is_empty()).collect())
}

/// Reads a pin file and obeys it from now on. It replaces the pin file before it, also that of
/// `ATC_PINS`; `None` ends all pins. A pinned choice outranks records and tuning; a choice given
/// with a call outranks pins. The file is not read again when it changes.
///
/// [`ErrorKind::Io`](crate::ErrorKind::Io) if the file cannot be read;
/// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if it is no pin file, with the
/// line, the field and its value in the text. After an error the old pins remain in force.
pub fn set_pins(file: Option<&Path>) -> Result<()> {
    let file = c_path("pins", file.unwrap_or(Path::new("")))?;
    // SAFETY: a string that ends with NUL and lives for the call.
    call(|| unsafe { sys::atc_set_pins(file.as_ptr()) })
}

/// The pin file in force.
pub fn pins() -> Result<Option<PathBuf>> {
    let mut out = std::ptr::null();
    // SAFETY: `out` may be written for the call.
    call(|| unsafe { sys::atc_get_pins(&mut out) })?;
    // SAFETY: the text is valid until this thread calls atc_get_pins again. It is copied here.
    let file = unsafe { path(out) };
    Ok((!file.is_empty()).then(|| PathBuf::from(file)))
}

/// Returns the pins that a plan with these options obeys, as JSON text: an array of `{"number",
/// "line", "name"}` with a member `"choice"` or `"bar"`. If a pin sets the choice, the array has
/// this pin alone; otherwise it has every bar that applies. No plan is built.
pub fn pins_for(device: Device, problem: &Problem, options: &PlanOptions<'_>) -> Result<String> {
    let raw = problem.checked()?;
    let options = options.for_call();
    // SAFETY: problem and options are read for the call, `out` is written.
    string(|out| unsafe { sys::atc_conv_pins(out, device.to_raw(), raw, &options) })
}

/// Returns a hash of the patterns, choices and bars in force, which does not depend on names and
/// comments of pins. `None` if there are no pins.
pub fn pins_hash() -> Result<Option<u64>> {
    // SAFETY: `out` may be written for the call.
    let hash = query(|out| unsafe { sys::atc_get_pins_hash(out) })?;
    Ok((hash != 0).then_some(hash))
}

/// Reads the environment (`ATC_BENCHMARK`, `ATC_DETERMINISTIC`, `ATC_STORE`, …) again. Its values
/// replace those of explicit calls. A malformed value is an error and changes nothing.
pub fn from_env() -> Result<()> {
    // SAFETY: takes nothing.
    call(|| unsafe { sys::atc_settings_from_env() })
}
