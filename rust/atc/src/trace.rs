//! The trace of a running program: a list that says how often each convolution runs, with which implementation
//! (choice), and how long its executions take.
//!
//! All calls are counted, but not all are timed. For each pair of a problem and a choice, the first call is timed, and
//! then every n-th call ([`Options::sample_every`]). On the CPU the time is the duration of the call. On CUDA the time
//! is measured by two events on the stream, before and after the work. If a call is captured into a CUDA graph, it is
//! counted once, at the capture, and is not timed. The executions by which atc measures candidates are not counted.
//!
//! A process has at most one trace at a time. The environment variable `ATC_TRACE=FILE` starts a trace without a change
//! of the program. Its file is written when the process exits, unless the program calls [`stop`] before.
//!
//! ```
//! use atc::trace::{self, Options};
//! use atc::{Operand, Operands, Plan, Problem, Tensor};
//!
//! # fn main() -> atc::Result<()> {
//! let problem = Problem::conv2d(1, 3, 32, 32, 8).kernel(3);
//! let x = Tensor::<f32>::ones(&problem, Operand::X)?;
//! let w = Tensor::<f32>::ones(&problem, Operand::W)?;
//! let mut y = Tensor::<f32>::zeros(&problem, Operand::Y)?;
//! let mut plan = Plan::new(atc::Device::Cpu, &problem)?;
//! trace::start(&Options::new())?;
//! for _ in 0..10 {
//!     plan.execute(Operands::forward(&x, &w, &mut y))?;
//! }
//! let trace = trace::stop()?;
//! println!("{}", trace.table()?);
//! let rows = trace.rows()?;
//! assert_eq!(rows[0].choice, plan.choice()?);
//! assert_eq!(rows[0].calls, 10);
//! # Ok(())
//! # }
//! ```

use std::path::{Path, PathBuf};

use crate::raw::c_enum::c_enum;
use crate::raw::call::{c_path, call, query, size_of_u32, text};
use crate::raw::error::{Error, Result};
use crate::raw::handle::{Owned, create, string};
use crate::safe::device::Device;
use crate::sys;

/// The options of a trace: which calls are timed, the largest numbers of rows and of timed calls that are kept, and the
/// file to which the trace is written.
#[derive(Debug, Clone, Default)]
#[must_use = "each method returns the changed options"]
pub struct Options {
    sample_every: u32,
    max_rows: u32,
    max_events: u32,
    file: Option<PathBuf>,
}

impl Options {
    /// Makes options of a trace in which all options have their defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets which calls are timed. For each pair of a problem and a choice (implementation), the first call is timed,
    /// and then every `n`-th call. 0 means the default: every call on the CPU, and every 8th call on CUDA.
    pub fn sample_every(mut self, n: u32) -> Self {
        self.sample_every = n;
        self
    }

    /// Sets the largest number of rows for pairs of a problem and a choice (implementation). The calls of all further
    /// pairs are counted together in one row, with the problem `other`. 0 means the default, 1024.
    pub fn max_rows(mut self, rows: u32) -> Self {
        self.max_rows = rows;
        self
    }

    /// Sets the largest number of timed calls in the timeline of [`Trace::json`]. If more calls are timed, the timeline
    /// has only the most recent ones. 0 means the default, 65,536.
    pub fn max_events(mut self, events: u32) -> Self {
        self.max_events = events;
        self
    }

    /// Sets the file of the trace. [`stop`] writes the file. If `stop` is not called, the file is written when the
    /// process exits. In this case calls that CUDA devices have not finished by then are missing. If the name ends in
    /// `.txt`, the file contains the text of [`Trace::table`], else that of [`Trace::json`]. In the name, `%p` stands
    /// for the process id, and `%%` for a `%`. The folder must exist. If there is a regular file of this name, it is
    /// replaced. If the name is that of something else, such as a folder or a device, it is refused.
    pub fn file(mut self, file: impl AsRef<Path>) -> Self {
        self.file = Some(file.as_ref().to_owned());
        self
    }
}

/// Starts the trace of the process. The call fails with [`ErrorKind::Busy`](crate::ErrorKind::Busy) if a trace is
/// running, with [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the name of the file has a `%`
/// that is neither `%p` nor `%%`, and with [`ErrorKind::Io`](crate::ErrorKind::Io) if the file cannot be written.
pub fn start(options: &Options) -> Result<()> {
    let file = options.file.as_deref().map(|file| c_path("file", file)).transpose()?;
    let raw = sys::atc_trace_options {
        struct_size: size_of_u32::<sys::atc_trace_options>(),
        sample_every: options.sample_every,
        max_rows: options.max_rows,
        max_events: options.max_events,
        file: file.as_ref().map_or(std::ptr::null(), |file| file.as_ptr()),
    };
    // SAFETY: the struct and the path live for the call, and libatc copies them.
    call(|| unsafe { sys::atc_trace_start(&raw) })
}

/// Ends the trace, even if the environment variable `ATC_TRACE` has started it, and returns the results. If the trace
/// has a file, the file is written. The function waits until CUDA devices have finished the timed calls. Calls that
/// other threads are making at this time may be missing.
///
/// The call fails with [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if no trace is running. It
/// fails with [`ErrorKind::Io`](crate::ErrorKind::Io) if the file could not be written; then the trace is lost.
pub fn stop() -> Result<Trace> {
    // SAFETY: the C function writes only `out`, and only during the call.
    let handle = create(|out| unsafe { sys::atc_trace_stop(out) })?;
    handle
        .map(Trace)
        .ok_or_else(|| Error::new(sys::ATC_ERROR_INTERNAL, "no trace was returned".to_owned()))
}

/// The results of a trace.
pub struct Trace(Owned<sys::atc_trace>);

c_enum! {
    /// The kind of a [`Row`]: which calls the row counts.
    RowKind ("kind of row") {
        /// The calls of one problem with one choice on one device.
        Problem = ATC_TRACE_ROW_PROBLEM => "problem",
        /// The calls of one choice on one device, for all problems.
        Choice = ATC_TRACE_ROW_CHOICE => "choice",
        /// All calls of the trace.
        Total = ATC_TRACE_ROW_TOTAL => "total",
    }
}

/// A row of a trace: the number of calls that it counts, and statistics of their times.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Row {
    /// The kind of the row: which calls it counts.
    pub kind: RowKind,
    /// The device on which the calls ran; `None` if the row is the total.
    pub device: Option<Device>,
    /// The problem in one line; empty if the row counts the calls of several problems.
    pub problem: String,
    /// The choice (implementation), `engine@version:configuration`. A front end (a library that computes convolutions
    /// itself and reports them to atc, such as the LibTorch bridge) may have given another text. Empty if the row is
    /// the total.
    pub choice: String,
    /// The number of calls, timed or not.
    pub calls: u64,
    /// The times of the calls; `None` if no call was timed.
    pub times: Option<Times>,
}

/// The times of a [`Row`]. They are statistics over the timed calls, in seconds per call, except `timed` and `total`.
///
/// `median`, `p90` and `p99` are the quantiles for q = 0.5, 0.9 and 0.99. If the times of the n timed calls are sorted
/// in ascending order, the quantile for q is the time with the index `floor(q * (n - 1))`. The quantiles have an error
/// of at most 1 %. All other figures are exact.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
#[allow(missing_docs)]
pub struct Times {
    /// The number of timed calls.
    pub timed: u64,
    /// The estimated total time of all calls of the row in seconds, including calls that were not timed. For each pair
    /// of a problem and a choice that the row counts, the number of calls is multiplied by their mean time. `total` is
    /// the sum of these products.
    pub total: f64,
    pub mean: f64,
    pub median: f64,
    pub p90: f64,
    pub p99: f64,
    pub min: f64,
    pub max: f64,
    /// The sample standard deviation of the times of the n timed calls, in seconds. (The sum of the squared differences
    /// from the mean is divided by n - 1.)
    pub deviation: f64,
}

impl Trace {
    /// Returns the rows of the trace: first the rows of kind [`RowKind::Problem`], grouped by device and problem, then
    /// the rows of kind [`RowKind::Choice`], then the row of kind [`RowKind::Total`]. Among rows of one kind, those
    /// with the largest total time come first.
    pub fn rows(&self) -> Result<Vec<Row>> {
        // SAFETY: the object behind the C handle was not destroyed. The C function writes only `out`, and only during
        // the call.
        let count: usize = query(|out| unsafe { sys::atc_trace_row_count(out, self.0.shared()) })?;
        (0..count).map(|index| self.row(index)).collect()
    }

    fn row(&self, index: usize) -> Result<Row> {
        let struct_size = size_of_u32::<sys::atc_trace_row>();
        let mut raw = sys::atc_trace_row { struct_size, ..Default::default() };
        // SAFETY: the object behind the C handle was not destroyed. The C function writes at most the `struct_size`
        // bytes of `raw`, and only during the call.
        call(|| unsafe { sys::atc_trace_row_get(&mut raw, self.0.shared(), index) })?;
        // SAFETY: the strings that `raw` points to are valid as long as the trace exists. The trace outlives this
        // function, which copies the strings.
        let owned = |string| unsafe { text(string) }.to_owned();
        let kind = RowKind::from_raw(raw.kind);
        let times = Times {
            timed: raw.timed,
            total: raw.total,
            mean: raw.mean,
            median: raw.median,
            p90: raw.p90,
            p99: raw.p99,
            min: raw.min,
            max: raw.max,
            deviation: raw.deviation,
        };
        Ok(Row {
            kind,
            device: match kind {
                RowKind::Total => None,
                _ => Some(Device::from_raw(raw.device)?),
            },
            problem: owned(raw.problem),
            choice: owned(raw.choice),
            calls: raw.calls,
            times: (raw.timed > 0).then_some(times),
        })
    }

    /// Returns the rows as a text table for people.
    pub fn table(&self) -> Result<String> {
        self.text(sys::ATC_TRACE_TABLE)
    }

    /// Returns the rows and a timeline of the timed calls as JSON. The format is that of Chrome's traces, which the
    /// viewer Perfetto can show. The times of the timeline count from the same point as those of PyTorch's profiler.
    pub fn json(&self) -> Result<String> {
        self.text(sys::ATC_TRACE_JSON)
    }

    fn text(&self, format: i32) -> Result<String> {
        // SAFETY: the object behind the C handle was not destroyed. The C function writes only `out`, and only during
        // the call.
        string(|out| unsafe { sys::atc_trace_text(out, self.0.shared(), format) })
    }
}

impl std::fmt::Debug for Trace {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Trace").finish_non_exhaustive()
    }
}
