//! Autotuned convolution: describe a convolution, get a plan, run it.
//!
//! ```
//! use atc::{Device, Operand, Operands, Plan, Problem, Tensor};
//!
//! # fn main() -> atc::Result<()> {
//! let problem = Problem::conv2d(1, 3, 32, 32, 8).kernel(3).padding(1).stride(2);
//! let x = Tensor::<f32>::ones(&problem, Operand::X)?;
//! let w = Tensor::<f32>::ones(&problem, Operand::W)?;
//! let mut y = Tensor::<f32>::zeros(&problem, Operand::Y)?;
//! let mut plan = Plan::new(Device::Cpu, &problem)?;
//! plan.execute(Operands::forward(&x, &w, &mut y))?;
//! assert_eq!(y.shape(), [1, 8, 16, 16]);
//! assert_eq!(y.as_slice()[17], 27.0); // an inner output sums 3 channels of 3 x 3 ones
//! # Ok(())
//! # }
//! ```
//!
//! A [`Tuner`] measures the candidates of many problems once, a [`Store`] keeps the decisions, and
//! every later [`Plan`] of those problems uses them. [`settings`] has the switches of the process,
//! each with a getter; [`Settings::scoped`] sets some for a while. [`mod@trace`] reports which
//! choices a running program uses, and how long they take.
//!
//! # Features
//!
//! | feature | |
//! |---|---|
//! | `cudarc` | operands, plans and memory on CUDA by the crate cudarc 0.19 (module `cudarc`) |
//! | `dlpack` | exchange of tensors with other libraries by DLPack, in both directions (module `dlpack`) |
//! | `ndarray`, `ndarray-0-17` | arrays of ndarray 0.16, of ndarray 0.17, as [`TensorView`] and [`TensorViewMut`] (module `ndarray`) |
//! | `serde` | `Serialize` and `Deserialize` for problems, reports and the types of their fields |
//! | `tracing` | spans and events for tuning runs and plans; `log::to_tracing` sends libatc's log there too |
//!
//! With `tracing`, a [`Tuner`]'s run is the span `tune` of level info. It has an event for each
//! problem (target `atc::tune`), which is a warning if the problem has no decision. The creation of
//! a [`Plan`] is the span `plan` of level debug, with an event for the decision (target
//! `atc::plan`).
//!
//! # Errors
//!
//! Every fallible call returns [`Result`]. Programs should decide by [`Error::kind`]. The error's
//! text names the wrong value and the remedy. It uses the field names of the C headers, which are
//! the same in every language.
//!
//! # Threads
//!
//! A [`Plan`] may move between threads, but only one thread may use it at a time (`Send`, not
//! `Sync`). A [`Store`] may be shared between threads. Settings belong to the process.
//!
//! # Panics in closures
//!
//! A panic in a closure passed to this crate (progress, log sink) does not unwind through C. The
//! panic is caught, and resumed when the C call has returned and the device no longer uses the
//! operands. A panic in a closure for progress also cancels tuning; a panic in a log sink cancels
//! nothing. If the C call was part of a drop, the drop does not resume the panic: the thread's next
//! call of this crate does.
//!
//! # Linking
//!
//! The crate `atc-sys` finds libatc (by `ATC_LIB_DIR`, by pkg-config, or in the repository around
//! the crate). With the feature `dlopen`, which is on by default, programs open libatc when they
//! start and need no rpath; [`atc-sys`](sys#starting-programs) lists the places that are searched.
//!
//! Without the feature `dlopen`, libatc is linked, and cargo passes no rpath on to dependent
//! programs. If libatc is not in the loader's path, either run the program with `LD_LIBRARY_PATH`,
//! or depend on `atc-sys` directly and put this into your own `build.rs`:
//!
//! ```
//! if let Ok(folder) = std::env::var("DEP_ATC_LIBDIR") {
//!     println!("cargo::rustc-link-arg=-Wl,-rpath,{folder}");
//! }
//! ```

#![deny(clippy::must_use_candidate, clippy::return_self_not_must_use)]

mod convolution;
mod raw;
mod safe;
mod sync;

pub mod cache;
#[cfg(feature = "cudarc")]
pub mod cudarc;
pub mod device;
#[cfg(feature = "dlpack")]
pub mod dlpack;
pub mod engine;
pub mod log;
#[cfg(any(feature = "ndarray", feature = "ndarray-0-17"))]
pub mod ndarray;
pub mod settings;
pub mod trace;

pub use atc_sys as sys;
pub use half;

pub use convolution::{convolution, convolution_on_stream};
pub use raw::call::call;
pub use raw::error::{Error, ErrorKind, Result};
pub use safe::activation::Activation;
pub use safe::candidate::{Candidate, Outcome, Source, Timing};
pub use safe::device::Device;
pub use safe::explanation::{Barrier, Ceilings, Entrant, Explanation, Rule};
pub use safe::extents::Extents;
pub use safe::folder_group::FolderGroup;
pub use safe::group::{Agreement, Group, GroupError, RankClass};
pub use safe::opened_group::OpenedGroup;
pub use safe::operands::Operands;
pub use safe::options::{Limit, PlanOptions};
pub use safe::plan::{Plan, Workspace};
pub use safe::problem::{DType, Direction, Epilogue, Layout, Operand, Problem};
pub use safe::problem_spec::{ProblemSpec, Strides};
pub use safe::problems::Problems;
pub use safe::progress::Progress;
pub use safe::report::{Report, TunedProblem};
pub use safe::store::{
    ImportOptions, Imported, MergeOptions, PutOptions, Store, StoreInfo, StoreMode,
};
pub use safe::store_entry::{Conditions, StoreEntry};
pub use safe::technique::Technique;
pub use safe::tensor::Tensor;
pub use safe::tune::Tune;
pub use safe::tuner::Tuner;
pub use safe::view::{AsTensor, AsTensorMut, Element, TensorView, TensorViewMut};
pub use settings::{Settings, SettingsGuard};

/// The running libatc's version, for example `"0.1.0"`.
pub fn version() -> Result<&'static str> {
    raw::call::ready()?;
    // SAFETY: the function takes nothing and returns a static string.
    let text = unsafe { sys::atc_version_string() };
    // SAFETY: the C function returns a static string that ends with NUL.
    Ok(unsafe { raw::call::text(text) })
}
