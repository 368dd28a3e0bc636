//! A trace of a live program: how often each convolution runs, with which choice, and how long it
//! takes.
//!
//! For each problem and choice the first call is timed, and then each n-th one: on the CPU by the
//! time of the call, on CUDA by events. A call in a stream capture is counted once, when it is
//! captured, and not timed. Races are not in the trace. The process has at most one trace.
//! `ATC_TRACE=FILE` in the environment starts a trace without a change of the program, and writes
//! it when the process exits.
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

/// The options of a trace: what it times, and the file to which it is written.
#[derive(Debug, Clone, Default)]
#[must_use = "each method returns the changed options"]
pub struct Options {
    sample_every: u32,
    max_rows: u32,
    max_events: u32,
    file: Option<PathBuf>,
}

impl Options {
    /// The defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// For each problem and choice the first call is timed, and then each `n`-th one. 0 is the
    /// default: each call on the CPU, each 8th call on CUDA.
    pub fn sample_every(mut self, n: u32) -> Self {
        self.sample_every = n;
        self
    }

    /// Sets how many pairs of a problem and a choice are counted separately. The calls of further
    /// pairs are counted together, as problem `other`. 0 is the default, 1024.
    pub fn max_rows(mut self, rows: u32) -> Self {
        self.max_rows = rows;
        self
    }

    /// Sets how many timed calls the timeline of [`Trace::json`] has at most; it has the last ones.
    /// 0 is the default, 65,536.
    pub fn max_events(mut self, events: u32) -> Self {
        self.max_events = events;
        self
    }

    /// Sets the file of the trace. It is written by [`stop`], or else when the process exits; then
    /// it lacks the calls that CUDA devices still run. It gets the table if the name ends in
    /// `.txt`, else JSON. In the name `%p` stands for the process id, and `%%` for a `%`. The
    /// folder must exist. An existing regular file is replaced, anything else is refused.
    pub fn file(mut self, file: impl AsRef<Path>) -> Self {
        self.file = Some(file.as_ref().to_owned());
        self
    }
}

/// Starts the trace of the process. [`ErrorKind::Busy`](crate::ErrorKind::Busy) while a trace runs;
/// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the file's name has a `%`
/// that is not `%p` or `%%`; [`ErrorKind::Io`](crate::ErrorKind::Io) if the file cannot be written.
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

/// Ends the trace, also the one of `ATC_TRACE`, and writes its file if it has one. Waits for the
/// timed calls that CUDA devices still run. Calls that other threads are making at this moment may
/// be missing.
///
/// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if no trace runs;
/// [`ErrorKind::Io`](crate::ErrorKind::Io) if the file could not be written, and then the trace is
/// lost.
pub fn stop() -> Result<Trace> {
    // SAFETY: the C function may write to `out` during the call.
    let handle = create(|out| unsafe { sys::atc_trace_stop(out) })?;
    handle
        .map(Trace)
        .ok_or_else(|| Error::new(sys::ATC_ERROR_INTERNAL, "no trace was returned".to_owned()))
}

/// The results of a trace.
pub struct Trace(Owned<sys::atc_trace>);

c_enum! {
    /// The calls that a [`Row`] counts.
    RowKind ("kind of row") {
        /// The calls of one problem with one choice on one device.
        Problem = ATC_TRACE_ROW_PROBLEM => "problem",
        /// The calls of one choice on one device, for all problems.
        Choice = ATC_TRACE_ROW_CHOICE => "choice",
        /// All calls.
        Total = ATC_TRACE_ROW_TOTAL => "total",
    }
}

/// Calls and their times.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Row {
    /// The calls that are counted.
    pub kind: RowKind,
    /// The device on which the calls ran; `None` in the total.
    pub device: Option<Device>,
    /// The problem in one line; empty in rows for more than one problem.
    pub problem: String,
    /// The choice, `engine@version:configuration`, or the text that a front end reported in its
    /// place; empty in the total.
    pub choice: String,
    /// All calls.
    pub calls: u64,
    /// The times of the calls; `None` if no call was timed.
    pub times: Option<Times>,
}

/// Times of a [`Row`], in seconds per call, over the timed calls.
///
/// `median`, `p90` and `p99` are the times of the call with index `floor(q * (n - 1))` among the
/// timed calls in ascending order, within 1 %. All other figures are exact.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
#[allow(missing_docs)]
pub struct Times {
    /// How many calls were timed.
    pub timed: u64,
    /// Estimated time of all calls, also those that were not timed: the sum over problems and
    /// choices of number of calls times mean.
    pub total: f64,
    pub mean: f64,
    pub median: f64,
    pub p90: f64,
    pub p99: f64,
    pub min: f64,
    pub max: f64,
    /// Standard deviation of the timed calls (divided by n - 1).
    pub deviation: f64,
}

impl Trace {
    /// Returns the rows: first those of kind [`RowKind::Problem`], grouped by device and problem,
    /// then [`RowKind::Choice`], then [`RowKind::Total`]. Within a kind, the rows with the most
    /// time come first.
    pub fn rows(&self) -> Result<Vec<Row>> {
        // SAFETY: the handle is live, and the C function may write to `out` during the call.
        let count: usize = query(|out| unsafe { sys::atc_trace_row_count(out, self.0.shared()) })?;
        (0..count).map(|index| self.row(index)).collect()
    }

    fn row(&self, index: usize) -> Result<Row> {
        let struct_size = size_of_u32::<sys::atc_trace_row>();
        let mut raw = sys::atc_trace_row { struct_size, ..Default::default() };
        // SAFETY: the handle is live, and the C function may write to `raw` during the call, up to its struct_size.
        call(|| unsafe { sys::atc_trace_row_get(&mut raw, self.0.shared(), index) })?;
        // SAFETY: the strings are borrowed from the trace, which outlives this function, and copied.
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

    /// Returns the rows as a table for people.
    pub fn table(&self) -> Result<String> {
        self.text(sys::ATC_TRACE_TABLE)
    }

    /// Returns the rows and a timeline of the timed calls as JSON: a Chrome trace for Perfetto, in
    /// the time base of PyTorch's profiler.
    pub fn json(&self) -> Result<String> {
        self.text(sys::ATC_TRACE_JSON)
    }

    fn text(&self, format: i32) -> Result<String> {
        // SAFETY: the handle is live, and the C function may write to `out` during the call.
        string(|out| unsafe { sys::atc_trace_text(out, self.0.shared(), format) })
    }
}

impl std::fmt::Debug for Trace {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Trace").finish_non_exhaustive()
    }
}
