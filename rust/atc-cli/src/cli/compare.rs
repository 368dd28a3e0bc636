//! The options of `atc compare`, and those of the hidden command `atc compare-side`, which its child processes run.

use std::path::PathBuf;

use clap::Args;

use super::TableArgs;
use super::layers::ProblemArgs;
use super::timing::TimingArgs;
use super::values::device;
use crate::failure::EXIT_CODES;

const COMPARE_HELP: &str = "\
Each cuDNN is measured by a process of its own, one after the other, on the same problems (FILE and NETWORK \
as for atc tune) and the same data, without a store. Shown are, for each problem and cuDNN,
  - the configuration that its heuristics would run, and the best one, with their times
  - how far the results of the best ones differ from those of the first cuDNN: the largest difference among \
    1024 elements spread over the output, as a part of their root mean square
The folder of the system's cuDNN: ldconfig -p | grep libcudnn.so.9; of the one beside a Python LibTorch: \
python3 -c 'import nvidia.cudnn as m; print(list(m.__path__)[0] + \"/lib\")'.

Examples:
  atc compare --cudnn /usr/lib/x86_64-linux-gnu --cudnn ~/venv/lib/python3.12/site-packages/nvidia/cudnn/lib resnet50
  atc compare --cudnn old --cudnn new layers.txt --dtype f16 --layout channels-last --html compared.html";

/// Measure which of several cuDNN installations is faster, and how much their results differ
#[derive(Debug, Args)]
#[command(after_help = format!("{COMPARE_HELP}\n\n{EXIT_CODES}"))]
pub struct CompareArgs {
    /// A folder that contains libcudnn.so.9 and its parts. Give this option once for each cuDNN, at least twice: every
    /// other cuDNN is compared with the first one
    #[arg(long = "cudnn", value_name = "DIR", required = true)]
    pub cudnn: Vec<PathBuf>,
    #[command(flatten)]
    pub problems: ProblemArgs,
    /// Where to measure: cuda or cuda:INDEX
    #[arg(long, default_value = "cuda", value_name = "DEVICE", value_parser = device)]
    pub device: atc::Device,
    #[command(flatten)]
    pub timing: TimingArgs,
    /// Write one HTML file with all measurements; it can be opened without a network
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
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

/// Measures with one cuDNN, as a child process of atc compare: reads problems from standard input, writes results to
/// standard output
#[derive(Debug, Args)]
pub struct CompareSideArgs {
    /// Where to measure
    #[arg(long, value_name = "DEVICE", value_parser = device)]
    pub device: atc::Device,
    #[command(flatten)]
    pub timing: TimingArgs,
    /// The engine that is measured
    #[arg(long, value_name = "ENGINE")]
    pub engine: String,
    /// Show no progress
    #[arg(long, short)]
    pub quiet: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::{Cli, Command};
    use clap::Parser;

    #[test]
    fn a_comparison_takes_several_folders_and_one_at_least() {
        let parse = |words: &[&str]| Cli::try_parse_from(["atc", "compare"].iter().chain(words));
        let words = ["--cudnn", "a", "--cudnn", "b", "resnet50", "--seed", "3"];
        let Command::Compare(args) = parse(&words).unwrap().command else { panic!("not compare") };
        assert_eq!(args.cudnn, [PathBuf::from("a"), PathBuf::from("b")]);
        assert_eq!((args.device, args.timing.seed), (atc::Device::Cuda(0), Some(3)));
        assert!(parse(&["resnet50"]).is_err() && parse(&["--cudnn", "a"]).is_err());
    }
}
