//! The switches of the process, each with a getter.
//!
//! Every switch may be set on every machine: without CUDA a setter succeeds, its getter remembers the
//! value, and nothing else changes ([`crate::device`] tells whether a switch can have an effect). A change
//! takes effect at the next plan creation and the next eager call of every thread; existing plans stay as they
//! are. An explicit call takes precedence over the environment, the environment over the default.
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
    /// The behaviour of an operation that has no deterministic form.
    DeterministicAlgorithms ("mode") {
        /// Whatever is fastest. The default.
        Off = ATC_DETERMINISTIC_ALGORITHMS_OFF => "off",
        /// A warning; for convolutions, deterministic kernels.
        Warn = ATC_DETERMINISTIC_ALGORITHMS_WARN => "warn",
        /// An error; for convolutions, deterministic kernels.
        Error = ATC_DETERMINISTIC_ALGORITHMS_ERROR => "error",
    }
}

/// A boolean switch: its setter and its getter.
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
    /// Measure candidates of CUDA convolutions and use the best one. Default off.
    set_benchmark_cudnn, benchmark_cudnn, atc_set_benchmark_cudnn, atc_get_benchmark_cudnn
}
switch! {
    /// Off: the engine `cudnn` is not used. Default on.
    set_user_enabled_cudnn, user_enabled_cudnn, atc_set_user_enabled_cudnn,
    atc_get_user_enabled_cudnn
}
switch! {
    /// Only deterministic convolution kernels. Default off.
    set_deterministic_cudnn, deterministic_cudnn, atc_set_deterministic_cudnn,
    atc_get_deterministic_cudnn
}
switch! {
    /// TF32 in fp32 convolutions. Default on, as in LibTorch.
    set_allow_tf32_cudnn, allow_tf32_cudnn, atc_set_allow_tf32_cudnn, atc_get_allow_tf32_cudnn
}

/// How many of cuDNN's candidates race at most; 0 = all. Default 10.
pub fn set_benchmark_limit_cudnn(limit: i32) -> Result<()> {
    // SAFETY: a plain value.
    call(|| unsafe { sys::atc_set_benchmark_limit_cudnn(limit) })
}

/// How many of cuDNN's candidates race at most; 0 = all.
pub fn benchmark_limit_cudnn() -> Result<i32> {
    // SAFETY: `out` may be written for the call.
    query(|out| unsafe { sys::atc_get_benchmark_limit_cudnn(out) })
}

/// Sets the behaviour of operations that have no deterministic form. Default off.
pub fn set_deterministic_algorithms(mode: DeterministicAlgorithms) -> Result<()> {
    // SAFETY: a plain value.
    call(|| unsafe { sys::atc_set_deterministic_algorithms(mode.to_raw()) })
}

/// The behaviour of operations that have no deterministic form.
pub fn deterministic_algorithms() -> Result<DeterministicAlgorithms> {
    // SAFETY: `out` may be written for the call.
    query(|out| unsafe { sys::atc_get_deterministic_algorithms(out) })
        .map(DeterministicAlgorithms::from_raw)
}

/// How candidates are timed. Default [`Technique::Interleaved`].
pub fn set_benchmark_technique(technique: Technique) -> Result<()> {
    // SAFETY: a plain value.
    call(|| unsafe { sys::atc_set_benchmark_technique(technique.to_raw()) })
}

/// How candidates are timed.
pub fn benchmark_technique() -> Result<Technique> {
    // SAFETY: `out` may be written for the call.
    query(|out| unsafe { sys::atc_get_benchmark_technique(out) }).map(Technique::from_raw)
}

/// Most bytes of workspace a candidate may use, rounded down to a class (0, 32 MiB, 256 MiB, 1 GiB, 4 GiB).
/// `u64::MAX` is the largest class. Default 1 GiB.
pub fn set_workspace_limit(bytes: u64) -> Result<()> {
    // SAFETY: a plain value.
    call(|| unsafe { sys::atc_set_workspace_limit(bytes) })
}

/// The workspace class in force, in bytes.
pub fn workspace_limit() -> Result<u64> {
    // SAFETY: `out` may be written for the call.
    query(|out| unsafe { sys::atc_get_workspace_limit(out) })
}

/// The folders in which libcuda, cuDNN, cuBLASLt and NVML are looked for first. An empty list clears it.
/// [`ErrorKind::Busy`](crate::ErrorKind::Busy) once one of them has been looked for;
/// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for a folder with a `:` in its name, because `:`
/// separates folders.
pub fn set_library_path<P: AsRef<Path>>(folders: &[P]) -> Result<()> {
    let joined = std::env::join_paths(folders.iter().map(P::as_ref)).map_err(|cause| {
        Error::invalid(format!("library_path cannot hold one of the folders: {cause}"))
    })?;
    let joined = c_path("library_path", Path::new(&joined))?;
    // SAFETY: a string that ends with NUL and lives for the call.
    call(|| unsafe { sys::atc_set_library_path(joined.as_ptr()) })
}

/// Where CUDA's libraries are looked for first.
pub fn library_path() -> Result<Vec<PathBuf>> {
    let mut out = std::ptr::null();
    // SAFETY: `out` may be written for the call.
    call(|| unsafe { sys::atc_get_library_path(&mut out) })?;
    // SAFETY: the text is valid until this thread calls atc_get_library_path again. It is copied here.
    let joined = unsafe { path(out) };
    Ok(std::env::split_paths(joined).filter(|folder| !folder.as_os_str().is_empty()).collect())
}

/// Reads a pin file and obeys it from now on, in place of the file before (that of `ATC_PINS` included); `None`: no
/// pins. A pinned choice outranks records and tuning; a choice given with a call outranks pins. The file is not read
/// again when it changes.
///
/// [`ErrorKind::Io`](crate::ErrorKind::Io): the file cannot be read;
/// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument): it is no pin file, and the message has the line,
/// the field and its value. The pins before stay in force then.
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

/// The pins in force that a plan obeys, as JSON text: an array of `{"number", "line", "name"}` with a member `"choice"`
/// or `"bar"`. It has the pin whose choice the plan takes, or all bars that hold. Nothing is built.
pub fn pins_for(device: Device, problem: &Problem, options: &PlanOptions<'_>) -> Result<String> {
    let raw = problem.checked()?;
    let options = options.for_call();
    // SAFETY: problem and options are read for the call, `out` is written.
    string(|out| unsafe { sys::atc_conv_pins(out, device.to_raw(), raw, &options) })
}

/// A hash of the patterns, choices and bars in force, whatever their names and comments; `None`: no pins.
pub fn pins_hash() -> Result<Option<u64>> {
    // SAFETY: `out` may be written for the call.
    let hash = query(|out| unsafe { sys::atc_get_pins_hash(out) })?;
    Ok((hash != 0).then_some(hash))
}

/// Reads the environment (`ATC_BENCHMARK`, `ATC_DETERMINISTIC`, `ATC_STORE`, …) again and applies it over
/// explicit calls. A malformed value is an error and changes nothing.
pub fn from_env() -> Result<()> {
    // SAFETY: takes nothing.
    call(|| unsafe { sys::atc_settings_from_env() })
}
