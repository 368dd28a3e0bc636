//! The options of `atc determinism`, and those of the hidden command `atc determinism-side`, which its child processes
//! run.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::TableArgs;
use super::layers::ProblemArgs;
use super::plugins::Plugins;
use super::values::{device, duration, processes};
use crate::failure::EXIT_CODES;

const DETERMINISM_HELP: &str = "\
Each set of switches runs in several processes, which get the same list of problems (FILE and NETWORK as for atc \
tune) and the same operands. A process makes its plans, runs each of them twice, and hashes every element of the \
outputs. Shown are, for each set,
  - whether all results have the same bits, and if not, in how many problems they differ, and why
  - the time of the choices, and how it compares with the fastest set's
The sets are all combinations of deterministic_cudnn, benchmark_cudnn and allow_tf32_cudnn, and
  tune          the plans' option tune: each process measures, on the CPU too
  reproducible  what atc_set_reproducible sets
  replay        deterministic_cudnn, with choices that were tuned once into a store, read in mode replay-only
Sets that mean the same on the device are named and not run twice. The environment's store takes no part.

Examples:
  atc determinism layers.txt
  atc determinism resnet50 --batch 32 --device cuda --processes 3 --problem-budget 500ms --json result.json
  atc determinism recorded.json --device cuda --op forward,backward-data,backward-weight";

/// Find out which switches give equal bits from process to process, and what they cost in time
#[derive(Debug, Args)]
#[command(after_help = format!("{DETERMINISM_HELP}\n\n{EXIT_CODES}"))]
pub struct DeterminismArgs {
    #[command(flatten)]
    pub problems: ProblemArgs,
    /// Where to run: cpu, cuda or cuda:INDEX
    #[arg(long, default_value = "cpu", value_name = "DEVICE", value_parser = device)]
    pub device: atc::Device,
    /// The number of processes for each set of switches
    #[arg(long, default_value = "5", value_name = "N", value_parser = processes)]
    pub processes: usize,
    /// Time limit for the race (the measurement) of each problem: preparing, checking and timing together [default: 2s]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub problem_budget: Option<Duration>,
    /// Seed of the tensors' random data
    #[arg(long, default_value = "1", value_name = "SEED", value_parser = clap::value_parser!(u64).range(1..))]
    pub seed: u64,
    #[command(flatten)]
    pub plugins: Plugins,
    /// Write all results as JSON to this file (-: standard output; the table then goes to standard error)
    #[arg(long, value_name = "OUT")]
    pub json: Option<PathBuf>,
    #[command(flatten)]
    pub tables: TableArgs,
    /// Show neither progress nor the table
    #[arg(long, short)]
    pub quiet: bool,
}

/// Runs the problems under one set of switches, as a child process of atc determinism: reads problems from standard
/// input, writes results to standard output
#[derive(Debug, Args)]
pub struct DeterminismSideArgs {
    /// Where to run
    #[arg(long, value_name = "DEVICE", value_parser = device)]
    pub device: atc::Device,
    /// Set deterministic_cudnn
    #[arg(long)]
    pub deterministic: bool,
    /// Set benchmark_cudnn
    #[arg(long)]
    pub benchmark: bool,
    /// Clear allow_tf32_cudnn
    #[arg(long)]
    pub no_tf32: bool,
    /// Set the option tune of plans to on
    #[arg(long)]
    pub tune: bool,
    /// Time limit for the race (the measurement) of each problem
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub problem_budget: Option<Duration>,
    /// Seed of the tensors' random data
    #[arg(long, value_name = "SEED")]
    pub seed: u64,
    #[command(flatten)]
    pub plugins: Plugins,
}
