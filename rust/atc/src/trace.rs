//! A trace of a live program: how often each convolution runs, by which choice, and how long it takes.
//!
//! Of the calls of each problem and choice the first and then each n-th is timed: on the CPU by the time of the call,
//! on CUDA by events. Calls in stream captures are counted once, when they are captured, and not timed; races are not
//! in the trace. The process has at most one trace. `ATC_TRACE=FILE` in the environment starts one without a change of
//! the program, and writes it when the process exits.
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

    /// Of the calls of a problem and choice, the first and then each `n`-th is timed; 0: each one on the CPU, each 8th
    /// on CUDA, which is the default.
    pub fn sample_every(mut self, n: u32) -> Self {
        self.sample_every = n;
        self
    }

    /// The most pairs of a problem and a choice. The calls of further pairs are counted together, as problem `other`.
    /// 0: 1024, the default.
    pub fn max_rows(mut self, rows: u32) -> Self {
        self.max_rows = rows;
        self
    }

    /// The most timed calls, the last ones, in the timeline of [`Trace::json`]. 0: 65,536, the default.
    pub fn max_events(mut self, events: u32) -> Self {
        self.max_events = events;
        self
    }

    /// Written by [`stop`], or else when the process exits, without the calls that CUDA devices still run then: the
    /// table if the name ends in `.txt`, else JSON. `%p` stands for the process id, `%%` for a `%`. The folder must
    /// exist; a regular file of this name is replaced, anything else is refused.
    pub fn file(mut self, file: impl AsRef<Path>) -> Self {
        self.file = Some(file.as_ref().to_owned());
        self
    }
}

/// Starts the trace of the process. [`ErrorKind::Busy`](crate::ErrorKind::Busy) while one runs;
/// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument): the file's name has another `%`;
/// [`ErrorKind::Io`](crate::ErrorKind::Io): the file cannot be written.
pub fn start(options: &Options) -> Result<()> {
    let file = options.file.as_deref().map(|file| c_path("file", file)).transpose()?;
    let raw = sys::atc_trace_options {
        struct_size: size_of_u32::<sys::atc_trace_options>(),
        sample_every: options.sample_every,
        max_rows: options.max_rows,
        max_events: options.max_events,
        file: file.as_ref().map_or(std::ptr::null(), |file| file.as_ptr()),
    };
    // SAFETY: the struct and the path live for the call, which copies them.
    call(|| unsafe { sys::atc_trace_start(&raw) })
}

/// Ends the trace, also the one of `ATC_TRACE`, and writes its file if it has one. Waits for the timed calls that CUDA
/// devices still run; calls that other threads are in may be missing.
///
/// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) where no trace runs;
/// [`ErrorKind::Io`](crate::ErrorKind::Io): the file could not be written, and the trace is lost.
pub fn stop() -> Result<Trace> {
    // SAFETY: `out` may be written for the call.
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
        /// Those of one choice on one device, for all problems.
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
    /// Where the calls ran; `None` in the total.
    pub device: Option<Device>,
    /// The problem in one line; empty in sums over problems.
    pub problem: String,
    /// `engine@version:configuration`, or what a front end reported; empty in the total.
    pub choice: String,
    /// All calls.
    pub calls: u64,
    /// Their times, if any was timed.
    pub times: Option<Times>,
}

/// Times of a [`Row`], in seconds per call, over the timed calls.
///
/// Median, p90 and p99 are the timed calls of index `floor(q * (n - 1))` in ascending order, within 1 %; the other
/// figures are exact.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
#[allow(missing_docs)]
pub struct Times {
    /// How many calls were timed.
    pub timed: u64,
    /// Estimate for all calls: for each problem and choice, calls times mean.
    pub total: f64,
    pub mean: f64,
    pub median: f64,
    pub p90: f64,
    pub p99: f64,
    pub min: f64,
    pub max: f64,
    /// Standard deviation of a sample (n - 1).
    pub deviation: f64,
}

impl Trace {
    /// Rows of kind [`RowKind::Problem`], grouped by device and problem, then [`RowKind::Choice`], then
    /// [`RowKind::Total`]; in each kind what took most time comes first.
    pub fn rows(&self) -> Result<Vec<Row>> {
        // SAFETY: a live handle, `out` may be written for the call.
        let count: usize = query(|out| unsafe { sys::atc_trace_row_count(out, self.0.shared()) })?;
        (0..count).map(|index| self.row(index)).collect()
    }

    fn row(&self, index: usize) -> Result<Row> {
        let struct_size = size_of_u32::<sys::atc_trace_row>();
        let mut raw = sys::atc_trace_row { struct_size, ..Default::default() };
        // SAFETY: a live handle, `raw` may be written for the call, up to its struct_size.
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

    /// The rows as a table for people.
    pub fn table(&self) -> Result<String> {
        self.text(sys::ATC_TRACE_TABLE)
    }

    /// The rows and a timeline of the timed calls as JSON: a Chrome trace for Perfetto, in the time base of PyTorch's
    /// profiler.
    pub fn json(&self) -> Result<String> {
        self.text(sys::ATC_TRACE_JSON)
    }

    fn text(&self, format: i32) -> Result<String> {
        // SAFETY: a live handle, `out` may be written for the call.
        string(|out| unsafe { sys::atc_trace_text(out, self.0.shared(), format) })
    }
}

impl std::fmt::Debug for Trace {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Trace").finish_non_exhaustive()
    }
}
