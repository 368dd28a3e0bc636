//! `atc advise`.

use std::path::PathBuf;

use clap::Args;

use super::TableArgs;
use super::layers::ProblemArgs;
use super::plugins::Plugins;
use super::timing::TimingArgs;
use super::values::device;
use crate::failure::EXIT_CODES;

const ADVISE_HELP: &str = "\
Every problem is raced once, without a store (FILE and NETWORK as for atc tune; a FILE that atc tune --json wrote \
is taken as measured, unless options change its problems). From what the races took, what the choices save in a \
step, and how often new problems come follow
  - the advice: benchmark mode on, off, or tuning off line into a store
  - after how many steps the races have paid for themselves, with the 95 % interval of the gain
  - the time of a step if workspaces are limited to each class of atc_set_workspace_limit up to 1 GiB
A recording counts calls. Say over how many steps with --recorded-steps: then problems that were called once tell how \
often shapes change. A step is what a program does again and again, such as one batch.

Examples:
  atc advise resnet50 --batch 32 --device cuda --steps 10000
  atc advise recorded.json --recorded-steps 200 --plugin /usr/lib/libatc_torch.so.1 --json advice.json
  atc advise result.json --steps 500";

/// Find out whether tuning pays for a program: benchmark mode on, no tuning, or tuning off line (by atc tune, before
/// the program runs)
#[derive(Debug, Args)]
#[command(after_help = format!("{ADVISE_HELP}\n\n{EXIT_CODES}"))]
pub struct AdviseArgs {
    /// The number of steps that the program is going to run
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub steps: Option<u64>,
    /// The number of steps in which the program made the calls that FILE counts
    #[arg(long, default_value = "1", value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub recorded_steps: u64,
    #[command(flatten)]
    pub problems: ProblemArgs,
    /// Where to measure: cpu, cuda or cuda:INDEX
    #[arg(long, default_value = "cpu", value_name = "DEVICE", value_parser = device)]
    pub device: atc::Device,
    #[command(flatten)]
    pub timing: TimingArgs,
    /// Measure, even if a FILE has measurements
    #[arg(long)]
    pub measure: bool,
    #[command(flatten)]
    pub plugins: Plugins,
    /// Write the advice as JSON to this file (-: standard output; the tables then go to standard error)
    #[arg(long, value_name = "OUT")]
    pub json: Option<PathBuf>,
    #[command(flatten)]
    pub tables: TableArgs,
    /// Show neither progress nor tables
    #[arg(long, short)]
    pub quiet: bool,
}
