//! `atc trace`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::TableArgs;
use crate::failure::EXIT_CODES;

const TRACE_HELP: &str = "\
A program writes FILE when it runs with ATC_TRACE=FILE; %p in FILE stands for its process id. A name ending in .txt \
gets the table itself. The JSON also opens in Perfetto (ui.perfetto.dev), in the time base of PyTorch's profiler.

Examples:
  ATC_TRACE=trace.%p.json python train.py && atc trace trace.*.json
  ATC_TRACE=trace.json ./program && atc trace --by choice trace.json";

/// Show which choices a running program used, how often, and how long they took
#[derive(Debug, Args)]
#[command(after_help = format!("{TRACE_HELP}\n\n{EXIT_CODES}"))]
pub struct TraceArgs {
    /// JSON written by ATC_TRACE, or by atc_trace_stop; several files are shown one after the other
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// The calls that each row of the table counts
    #[arg(long, value_name = "ROWS", default_value = "problem")]
    pub by: TraceRows,
    #[command(flatten)]
    pub tables: TableArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TraceRows {
    /// One row for the calls of each problem with each choice
    Problem,
    /// One row for the calls of each choice, over all problems
    Choice,
}
