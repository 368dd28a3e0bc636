//! `atc select`.

use std::path::PathBuf;

use clap::Args;

use super::layers::ProblemArgs;
use super::plugins::Plugins;
use super::timing::HowArgs;
use super::values::device;
use crate::failure::EXIT_CODES;

const SELECT_HELP: &str = "\
FILE and NETWORK are as for atc tune. Each convolution is tuned, without regard to pins in force, and its \
winner becomes a pin for exactly that convolution on devices of this name. Edit the file, keep it in your \
repository, and obey it:
  ATC_PINS=pins.json my_program

Examples:
  atc select recorded.json --device cuda -o pins.json
  atc select resnet50 --batch 8 --dtype f16 --layout channels-last --store ./tuned -o pins.json";

/// Tune the convolutions of a network, and write the winners as pins that a program obeys
#[derive(Debug, Args)]
#[command(after_help = format!("{SELECT_HELP}\n\n{EXIT_CODES}"))]
pub struct SelectArgs {
    #[command(flatten)]
    pub problems: ProblemArgs,
    /// Where to measure: cpu, cuda or cuda:INDEX
    #[arg(long, default_value = "cpu", value_name = "DEVICE", value_parser = device)]
    pub device: atc::Device,
    #[command(flatten)]
    pub how: HowArgs,
    /// The store: the directory that decisions are read from and kept in; made if it is missing
    #[arg(long, value_name = "DIR")]
    pub store: Option<PathBuf>,
    #[command(flatten)]
    pub plugins: Plugins,
    /// The pin file (-: standard output)
    #[arg(long, short, value_name = "PINS")]
    pub output: PathBuf,
    /// Show no progress
    #[arg(long, short)]
    pub quiet: bool,
}
