//! `atc pins`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::TableArgs;
use super::layers::LayerArgs;
use super::plugins::Plugins;
use super::values::device;
use crate::failure::EXIT_CODES;

const PINS_HELP: &str = "\
PINS is a pin file: docs/pins.md describes it. With FILE or NETWORK, as for atc tune, check says for each \
convolution which pin decides, and builds and checks the choice as a program would that obeys the file.

Examples:
  atc pins check pins.json
  atc pins check pins.json recorded.json --device cuda
  atc pins check pins.json resnet50 --batch 8 --json";

/// Check pin files
#[derive(Debug, Args)]
#[command(after_help = format!("{PINS_HELP}\n\n{EXIT_CODES}"))]
#[command(subcommand_required = true, arg_required_else_help = true)]
pub struct PinsArgs {
    #[command(subcommand)]
    pub command: PinsCommand,
}

#[derive(Debug, Subcommand)]
pub enum PinsCommand {
    Check(PinsCheckArgs),
}

/// Read a pin file, and try it on convolutions (exit code 3 if a pin cannot be obeyed, if a bar
/// names an engine that does not exist, or if no pin matches any of the convolutions)
#[derive(Debug, Args)]
#[command(after_help = format!("{PINS_HELP}\n\n{EXIT_CODES}"))]
pub struct PinsCheckArgs {
    /// The pin file
    #[arg(value_name = "PINS")]
    pub file: PathBuf,
    /// Files of layers, or names of built-in networks
    #[arg(value_name = "FILE|NETWORK")]
    pub inputs: Vec<String>,
    #[command(flatten)]
    pub layers: LayerArgs,
    /// Where the convolutions run: cpu, cuda or cuda:INDEX
    #[arg(long, default_value = "cpu", value_name = "DEVICE", value_parser = device)]
    pub device: atc::Device,
    #[command(flatten)]
    pub plugins: Plugins,
    /// Write JSON instead of a table
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub tables: TableArgs,
}
