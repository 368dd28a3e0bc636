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
//! The words of this crate: a *problem* is the description of a convolution. A *candidate* is one implementation that
//! can run the problem: an engine (a library or a set of kernels) with a configuration. A *race* is the measurement
//! that times the candidates of a problem. A *decision* is the result of a race; its *choice* is the candidate that
//! plans of the problem run.
//!
//! A [`Tuner`] measures the candidates of many problems. A [`Store`] keeps the decisions on disk. Every later [`Plan`]
//! of these problems uses the decisions, and nothing is measured again. The module [`settings`] has the switches of the
//! process; each switch has a getter. [`Settings::scoped`] changes switches until a guard is dropped. The module
//! [`mod@trace`] reports which choices a running program uses, and how long their executions take.
//!
//! # Features
//!
//! | feature | effect |
//! |---|---|
//! | `cudarc` | convolutions run on CUDA memory and streams of the crate cudarc 0.19 (module `cudarc`) |
//! | `dlpack` | tensors are exchanged with other libraries by DLPack, in both directions (module `dlpack`) |
//! | `ndarray`, `ndarray-0-17` | arrays of ndarray 0.16 or of ndarray 0.17 can be used as [`TensorView`] and [`TensorViewMut`] (module `ndarray`) |
//! | `serde` | problems, reports and the types of their fields implement `Serialize` and `Deserialize` |
//! | `tracing` | tuning runs and the creation of plans emit spans and events of tracing; `log::to_tracing` sends libatc's log to tracing |
//!
//! With the feature `tracing`, a run of a [`Tuner`] is a span `tune` of level info. The span has one event for each
//! problem (target `atc::tune`). The event is a warning if the problem has no decision. The creation of a [`Plan`] is a
//! span `plan` of level debug, with one event for the decision (target `atc::plan`).
//!
//! # Errors
//!
//! Every call that can fail returns [`Result`]. A program that handles errors should compare [`Error::kind`], because
//! texts may change. The text of an error names the wrong value and the remedy. Fields have the names of the C headers
//! in these texts, because the texts are the same in every language.
//!
//! # Threads
//!
//! A [`Plan`] may move between threads, but only one thread at a time may use the plan (`Send`, not `Sync`). A
//! [`Store`] may be shared between threads. The settings belong to the process: a change affects all threads.
//!
//! # Panics in closures
//!
//! C code calls the closures for progress and for the log. A panic in such a closure does not unwind through C. The
//! panic is caught. It is resumed after the C call has returned, and after the device has finished the work of this
//! call. A panic in a closure for progress also cancels the tuning. A panic in a closure for the log cancels nothing.
//! If the C call was part of a drop, the panic is not resumed in the drop, but in the thread's next call of this crate.
//!
//! # Linking
//!
//! The build script of the crate `atc-sys` finds libatc: by `ATC_LIB_DIR`, by pkg-config, or in the repository around
//! the crate. With the feature `dlopen`, which is on by default, a program opens libatc when the program starts, and
//! needs no rpath. The page of [`atc-sys`](sys#starting-programs) lists the folders in which the program searches.
//!
//! Without the feature `dlopen`, libatc is linked, and cargo gives no rpath to programs of other packages. So the
//! loader finds libatc only in the folders that it searches by default. If libatc is elsewhere, either run the program
//! with `LD_LIBRARY_PATH`, or depend on `atc-sys` directly and put this code into your own `build.rs`:
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

/// Returns the version of the libatc that this process has loaded, for example `"0.1.0"`.
pub fn version() -> Result<&'static str> {
    raw::call::ready()?;
    // SAFETY: the function takes no arguments and returns a static string.
    let text = unsafe { sys::atc_version_string() };
    // SAFETY: the C function returns a static string that ends with NUL.
    Ok(unsafe { raw::call::text(text) })
}
