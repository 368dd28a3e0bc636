//! `atc tune`.

use std::path::PathBuf;

use clap::Args;

use super::TableArgs;
use super::layers::ProblemArgs;
use super::plugins::Plugins;
use super::timing::HowArgs;
use super::values::device;
use crate::failure::EXIT_CODES;

const TUNE_HELP: &str = "\
FILE is one of
  - text, a layer per line in 14 columns:
      name N C D H W K T R S pad stride dil groups
    or in 18, with padD padH padW strideD strideH strideW in place of pad and stride. D=T=0: a 2-D layer; \
    H=1 and R=1: a 1-D layer along W. `#` starts a comment; `# x3` after a row: the network has three of \
    it, `# x3 bias`: with a bias. A name that starts with tconv_ is a transposed convolution, written as \
    the forward convolution it is the input gradient of: forward means that row's backward-data.
  - the JSON that --json writes, that a LibTorch program wrote which ran with ATC_RECORD=FILE, or that a program wrote of \
    the problems that its calls have noted
  - standard input, written -
NETWORK is resnet50, mobilenet_v3_large, efficientnet_b0, convnext_tiny or unet, with batch 1 unless --batch \
says otherwise (./resnet50 is a file).

Examples:
  atc tune resnet50 --batch 8 --store ~/.local/share/atc
  atc tune layers.txt --op forward,backward-data,backward-weight --dtype bf16 --json result.json
  atc tune result.json --retune --technique sustained --problem-budget 10s
  atc tune recorded.json --plugin /usr/lib/libatc_torch.so.1 --store ./tuned
  ATC_STORE=~/.local/share/atc atc tune mobilenet_v3_large --layout channels-last --budget 30s

Tuning again with the same store measures nothing: the decisions are read. Ctrl-C stops after the \
measurement that is under way, keeps and shows what was decided; a second Ctrl-C stops at once.";

/// Find the fastest way to run each convolution of a network, and keep it in a store
///
/// Decisions are kept in the store that --store names, else in the store that ATC_STORE names; without
/// either they are not kept.
#[derive(Debug, Args)]
#[command(after_help = format!("{TUNE_HELP}\n\n{EXIT_CODES}"))]
pub struct TuneArgs {
    #[command(flatten)]
    pub problems: ProblemArgs,
    /// Where to measure: cpu, cuda or cuda:INDEX
    #[arg(long, default_value = "cpu", value_name = "DEVICE", value_parser = device)]
    pub device: atc::Device,
    #[command(flatten)]
    pub how: HowArgs,
    /// The directory that decisions are read from and kept in; made if it is missing
    #[arg(long, value_name = "DIR")]
    pub store: Option<PathBuf>,
    #[command(flatten)]
    pub plugins: Plugins,
    /// Write all measurements as JSON to this file (-: standard output; the table then goes to
    /// standard error)
    #[arg(long, value_name = "OUT")]
    pub json: Option<PathBuf>,
    #[command(flatten)]
    pub tables: TableArgs,
    /// Show neither progress nor the table
    #[arg(long, short)]
    pub quiet: bool,
}

#[cfg(test)]
mod tests {
    use crate::cli::{Cli, Command};
    use crate::problems::{DType, Op};
    use clap::Parser;

    #[test]
    fn tune_takes_lists_and_their_parts() {
        let cli = Cli::try_parse_from([
            "atc",
            "tune",
            "resnet50",
            "--op",
            "forward,backward-weight",
            "--engines",
            "onednn,mine",
            "--dtype",
            "bf16",
            "--batch",
            "8",
        ])
        .unwrap();
        let Command::Tune(args) = cli.command else { panic!("not tune") };
        assert_eq!(args.problems.layers.op, [Op::Forward, Op::BackwardWeight]);
        assert_eq!(args.how.engines, ["onednn", "mine"]);
        assert_eq!(args.how.timing.seed, None);
        assert_eq!(args.problems.layers.dtype, Some(DType::Bf16));
        assert_eq!(args.problems.layers.constant_weights, None);
    }
}
