//! `atc explain`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::TableArgs;
use super::layers::LayerArgs;
use super::plugins::Plugins;
use super::values::{device, duration};
use crate::failure::EXIT_CODES;

const EXPLAIN_HELP: &str = "\
PROBLEM is a FILE or NETWORK as for atc tune, or one row of 14 or 18 columns in quotes. Of several layers a \
table is shown with a line for each; --layer picks one of them and shows all that is known about it.

Shown are the choice, its source and the rule by which it was chosen, the candidates, the answer of each engine \
and rewrite with the switches that leave offers out, and how far the choice is from the least time that the \
device allows: the larger of the time for the bytes of its tensors and of the time for its products (roofline).

With --measure the rates of the device are measured where they are not known, and kept with the store; and for \
one layer, what it would gain from another layout, padded channels, TF32, more workspace, constant weights, or \
kernels that are not deterministic.

Examples:
  atc explain resnet50 --store ~/.local/share/atc
  atc explain resnet50 --layer conv1 --store ~/.local/share/atc
  atc explain 'a 8 64 0 56 56 64 0 3 3 1 1 1 1' --device cuda --dtype f16
  atc explain recorded.json --plugin /usr/lib/libatc_torch.so.1 --store ./tuned --json";

/// Show why a convolution runs as it runs: its choice, the rule behind the choice, and the candidates that each engine
/// offers
///
/// Without --measure nothing is measured. The decisions are those of the store that --store names, else of the store
/// that ATC_STORE names. No decision is changed.
#[derive(Debug, Args)]
#[command(after_help = format!("{EXPLAIN_HELP}\n\n{EXIT_CODES}"))]
pub struct ExplainArgs {
    /// A file of layers, a built-in network, or a layer
    #[arg(value_name = "PROBLEM|RECORDING")]
    pub input: String,
    /// Show only one layer: the layer of this name, or the only layer whose name begins or ends with NAME
    #[arg(long, value_name = "NAME")]
    pub layer: Option<String>,
    #[command(flatten)]
    pub layers: LayerArgs,
    /// Where the convolution would run: cpu, cuda or cuda:INDEX
    #[arg(long, default_value = "cpu", value_name = "DEVICE", value_parser = device)]
    pub device: atc::Device,
    /// Treat TF32 as disallowed
    #[arg(long)]
    pub no_tf32: bool,
    /// Allow only deterministic kernels
    #[arg(long)]
    pub deterministic: bool,
    /// The store: the directory that decisions are read from
    #[arg(long, value_name = "DIR")]
    pub store: Option<PathBuf>,
    #[command(flatten)]
    pub plugins: Plugins,
    /// Measure the highest rates of the device. If one layer is shown, also measure how much faster certain changes
    /// would make it, and name the price of each change
    #[arg(long)]
    pub measure: bool,
    /// Time limit for measuring each change [default: 2s]
    #[arg(long, value_name = "TIME", value_parser = duration, requires = "measure")]
    pub problem_budget: Option<Duration>,
    /// Show all candidates, not only the first ones
    #[arg(long)]
    pub all: bool,
    /// Write only a digest of the choices: programs with equal digests run the same choices
    #[arg(long, conflicts_with_all = ["measure", "json", "all"])]
    pub digest: bool,
    /// Write JSON instead of text
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub tables: TableArgs,
}
