//! `atc tune`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::TableArgs;
use super::layers::ProblemArgs;
use super::plugins::Plugins;
use super::timing::HowArgs;
use super::values::{device, duration};
use crate::failure::EXIT_CODES;
use crate::shard::{self, Shard};

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
  atc tune recorded.json --devices all --store ./tuned
  atc tune recorded.json --device cuda --shard slurm --store ./tuned
  ATC_STORE=~/.local/share/atc atc tune mobilenet_v3_large --layout channels-last --budget 30s

A process of its own measures on each device. If a candidate crashes or hangs (--patience), only this candidate is \
lost: the process is started again, and the problem goes on without it. If a process ends for another reason, its \
problem is tried once more, on another device if there is one, and then reported as undecided.

Tuning again with the same store measures nothing: the decisions are read. Ctrl-C stops after the \
measurement that is under way, keeps and shows what was decided; a second Ctrl-C stops at once.";

/// Find the fastest way to run each convolution of a network, and keep it in a store
///
/// Decisions are kept in the store that --store names, else in the store that ATC_STORE names. If neither names a
/// store, decisions are not kept.
#[derive(Debug, Args)]
#[command(after_help = format!("{TUNE_HELP}\n\n{EXIT_CODES}"))]
pub struct TuneArgs {
    #[command(flatten)]
    pub problems: ProblemArgs,
    /// Where to measure: cpu, cuda or cuda:INDEX
    #[arg(long, default_value = "cpu", value_name = "DEVICE", value_parser = device)]
    pub device: atc::Device,
    /// Measure on several GPUs at the same time, which must be of the same model: all, or their names, separated by
    /// commas (cuda:0,cuda:1)
    #[arg(long, value_name = "DEVICES", value_parser = devices, conflicts_with = "device")]
    pub devices: Option<Devices>,
    /// Tune only a part of the problems: I/N (part I of N, from 1), or slurm in a job of SLURM. All parts take about
    /// the same time, and every machine divides the problems in the same way
    #[arg(long, value_name = "I/N|slurm", value_parser = shard::parse)]
    pub shard: Option<Shard>,
    /// How long a candidate may run without progress. After this time the candidate is ended, and the other candidates
    /// of the problem are measured without it
    #[arg(long, default_value = "10m", value_name = "TIME", value_parser = duration)]
    pub patience: Duration,
    #[command(flatten)]
    pub how: HowArgs,
    /// The store: the directory that decisions are read from and kept in; made if it is missing
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
    #[command(flatten)]
    pub worker: WorkerArgs,
}

/// The hidden options of a worker (a process that measures). A worker has the command line of its parent and these two
/// options.
#[derive(Debug, Args)]
pub struct WorkerArgs {
    /// The device on which a worker measures
    #[arg(long, hide = true, value_name = "DEVICE", value_parser = device, requires = "slip")]
    pub worker: Option<atc::Device>,
    /// The file in which a worker reports its progress to its parent
    #[arg(long, hide = true, value_name = "FILE")]
    pub slip: Option<PathBuf>,
}

/// The value of the option `--devices`: all GPUs, or a list of devices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Devices {
    All,
    These(Vec<atc::Device>),
}

fn devices(text: &str) -> Result<Devices, String> {
    if text == "all" {
        return Ok(Devices::All);
    }
    let mut found = Vec::new();
    for name in text.split(',') {
        let one = device(name.trim())?;
        if !matches!(one, atc::Device::Cuda(_)) {
            return Err(format!(
                "{one} is no GPU: processes that share the {one} disturb each other"
            ));
        }
        if found.contains(&one) {
            return Err(format!("{one} is named twice"));
        }
        found.push(one);
    }
    Ok(Devices::These(found))
}

#[cfg(test)]
mod tests {
    use super::*;
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

    #[test]
    fn several_devices_are_all_gpus_or_named_ones() {
        let cuda = atc::Device::Cuda;
        assert_eq!(devices("all"), Ok(Devices::All));
        assert_eq!(devices("cuda:1, cuda"), Ok(Devices::These(vec![cuda(1), cuda(0)])));
        for (wrong, why) in [("cpu", "no GPU"), ("cuda:0,cuda", "twice"), ("", ""), ("gpu", "")] {
            assert!(devices(wrong).unwrap_err().contains(why), "{wrong:?}");
        }
        let both = ["atc", "tune", "resnet50", "--devices", "all", "--device", "cuda"];
        assert!(Cli::try_parse_from(both).is_err());
    }
}
