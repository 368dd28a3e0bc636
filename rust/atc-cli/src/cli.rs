//! The command line: what can be asked, and what `--help` says.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::failure::EXIT_CODES;
use crate::problems::{ConstantWeights, DType, Layout, Op, Selection};

/// Autotuned convolution: measure once how each convolution of a network runs best here, and remember it.
#[derive(Debug, Parser)]
#[command(name = "atc", version, max_term_width = 110, after_help = EXIT_CODES)]
#[command(subcommand_required = true, arg_required_else_help = true)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    Env(EnvArgs),
    Tune(TuneArgs),
    Compare(CompareArgs),
    #[command(hide = true)]
    CompareSide(CompareSideArgs),
    Report(ReportArgs),
    Store(StoreArgs),
    Completions(CompletionsArgs),
    #[command(hide = true)]
    ManPages(ManPagesArgs),
}

/// How tables are shown.
#[derive(Debug, Args)]
pub struct TableArgs {
    /// Show tables whole, however wide the terminal is
    #[arg(long)]
    pub wide: bool,
}

/// Show what atc has to work with: devices, instruction sets, libraries, engines, settings
///
/// For every library: its version, its file, or what is missing and what that costs.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  atc env\n  atc env --json | jq .libraries")]
pub struct EnvArgs {
    /// Write JSON instead of tables
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub tables: TableArgs,
    #[command(flatten)]
    pub plugins: Plugins,
}

#[derive(Debug, Args)]
pub struct Plugins {
    /// A shared library that brings engines (exports atc1_plugin_init); may be given several times.
    /// Its code runs with your rights: load only what you trust
    #[arg(long = "plugin", value_name = "LIB")]
    pub files: Vec<PathBuf>,
}

const TUNE_HELP: &str = "\
FILE is one of
  - text, a layer per line in 14 columns:
      name N C D H W K T R S pad stride dil groups
    or in 18, with padD padH padW strideD strideH strideW in place of pad and stride. D=T=0: a 2-D layer;
    H=1 and R=1: a 1-D layer along W. `#` starts a comment; `# x3` after a row: the network has three of
    it, `# x3 bias`: with a bias. A name that starts with tconv_ is a transposed convolution, written as
    the forward convolution it is the input gradient of: forward means that row's backward-data.
  - the JSON that --json writes, or that a LibTorch program wrote which ran with ATC_RECORD=FILE
  - standard input, written -
NETWORK is resnet50, mobilenet_v3_large, efficientnet_b0, convnext_tiny or unet, with batch 1 unless --batch
says otherwise (./resnet50 is a file).

Examples:
  atc tune resnet50 --batch 8 --store ~/.cache/atc
  atc tune layers.txt --op forward,backward-data,backward-weight --dtype bf16 --json result.json
  atc tune result.json --retune --technique sustained --problem-budget 10s
  atc tune recorded.json --plugin /usr/lib/libatc_torch.so.1 --store ./tuned
  ATC_STORE=~/.cache/atc atc tune mobilenet_v3_large --layout channels-last --budget 30s

Tuning again with the same store measures nothing: the decisions are read. Ctrl-C stops after the
measurement that is under way, keeps and shows what was decided; a second Ctrl-C stops at once.";

/// Find the fastest way to run each convolution of a network, and remember it
///
/// Decisions are kept in the store that --store names, else in the one that ATC_STORE names; with
/// neither nothing is kept.
#[derive(Debug, Args)]
#[command(after_help = format!("{TUNE_HELP}\n\n{EXIT_CODES}"))]
pub struct TuneArgs {
    /// Files of layers, or names of built-in networks
    #[arg(value_name = "FILE|NETWORK", required = true)]
    pub inputs: Vec<String>,
    #[command(flatten)]
    pub layers: LayerArgs,
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
    /// Write everything that was measured to this file (-: standard output, and the table goes to
    /// standard error)
    #[arg(long, value_name = "OUT")]
    pub json: Option<PathBuf>,
    #[command(flatten)]
    pub tables: TableArgs,
    /// Show neither progress nor the table
    #[arg(long, short)]
    pub quiet: bool,
}

/// Which convolutions of the layers.
#[derive(Debug, Args)]
pub struct LayerArgs {
    /// Batch size, in place of the files'
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(1..))]
    pub batch: Option<i64>,
    /// Type of x, w and y [default: the file's, else f32]
    #[arg(long, value_name = "DTYPE")]
    pub dtype: Option<DType>,
    /// How tensors lie in memory [default: the file's, else channels-first]
    #[arg(long, value_name = "LAYOUT")]
    pub layout: Option<Layout>,
    /// Which convolutions of each layer, separated by commas [default: the file's, else forward]
    #[arg(long, value_name = "OP", value_delimiter = ',')]
    pub op: Vec<Op>,
    /// Rank as if the weights never change, so that packing them once is not counted: all problems, or
    /// with =recorded those whose weights stayed the same while they were recorded
    #[arg(
        long,
        value_name = "WHICH",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "always"
    )]
    pub constant_weights: Option<ConstantWeights>,
}

impl LayerArgs {
    pub fn selection(&self) -> Selection {
        Selection {
            batch: self.batch,
            dtype: self.dtype,
            layout: self.layout,
            ops: self.op.clone(),
            constant_weights: self.constant_weights,
        }
    }
}

/// How to measure.
#[derive(Debug, Args)]
pub struct HowArgs {
    #[command(flatten)]
    pub timing: TimingArgs,
    /// Measure again what is known already: everything, or with =provisional what could not be told with
    /// certainty
    #[arg(
        long,
        value_name = "WHICH",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "all"
    )]
    pub retune: Option<Retune>,
    /// Take no provisional decision from the store, and put none into it
    #[arg(long)]
    pub require_firm: bool,
    /// Refuse what the program runs without atc, too, where it is less precise than is allowed
    #[arg(long)]
    pub strict_precision: bool,
    /// Let every candidate round partial sums to the operands' type, or to TF32's 11 bits
    #[arg(long)]
    pub allow_reduced_precision_reduction: bool,
    /// Only these engines take part, separated by commas (atc env lists them)
    #[arg(long, value_name = "ENGINES", value_delimiter = ',')]
    pub engines: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Retune {
    /// Everything
    All,
    /// What was decided provisionally
    Provisional,
}

/// How, for how long and on what is timed.
#[derive(Debug, Args)]
pub struct TimingArgs {
    /// How candidates are timed
    #[arg(long, value_name = "TECHNIQUE")]
    pub technique: Option<Technique>,
    /// Time for all problems together, such as 30s, 500ms or 2m; what it does not reach is reported
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub budget: Option<Duration>,
    /// Time for each problem: preparing, checking and timing together [default: 2s]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub problem_budget: Option<Duration>,
    /// Seed of the data that is measured on
    #[arg(long, value_name = "SEED", value_parser = clap::value_parser!(u64).range(1..))]
    pub seed: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Technique {
    /// One sample of each
    Once,
    /// The median of three samples
    MedianOfThree,
    /// Until the samples stop changing
    TillStable,
    /// Rounds over all candidates, the slow ones dropping out (the default)
    Interleaved,
    /// Ranked under the clocks that long load leads to
    Sustained,
}

impl From<Technique> for atc::Technique {
    fn from(technique: Technique) -> Self {
        match technique {
            Technique::Once => Self::Once,
            Technique::MedianOfThree => Self::MedianOfThree,
            Technique::TillStable => Self::TillStable,
            Technique::Interleaved => Self::Interleaved,
            Technique::Sustained => Self::Sustained,
        }
    }
}

const COMPARE_HELP: &str = "\
Each cuDNN is measured by a process of its own, one after the other, on the same problems (FILE and NETWORK
as for atc tune) and the same data, without a store. Shown are, for each problem and cuDNN,
  - the configuration that its heuristics would run, and the best one, with their times
  - how far the results of the best ones differ from those of the first cuDNN: the largest difference among
    1024 elements spread over the output, as a part of their root mean square
The folder of the system's cuDNN: ldconfig -p | grep libcudnn.so.9; of the one beside a Python LibTorch:
python3 -c 'import nvidia.cudnn as m; print(list(m.__path__)[0] + \"/lib\")'.

Examples:
  atc compare --cudnn /usr/lib/x86_64-linux-gnu --cudnn ~/venv/lib/python3.12/site-packages/nvidia/cudnn/lib resnet50
  atc compare --cudnn old --cudnn new layers.txt --dtype f16 --layout channels-last --html compared.html";

/// Measure which of several installed cuDNN is faster, and whether they compute the same
#[derive(Debug, Args)]
#[command(after_help = format!("{COMPARE_HELP}\n\n{EXIT_CODES}"))]
pub struct CompareArgs {
    /// A folder that holds libcudnn.so.9 and its parts; given twice or more, the first is what the others
    /// are compared with
    #[arg(long = "cudnn", value_name = "DIR", required = true)]
    pub cudnn: Vec<PathBuf>,
    /// Files of layers, or names of built-in networks
    #[arg(value_name = "FILE|NETWORK", required = true)]
    pub inputs: Vec<String>,
    #[command(flatten)]
    pub layers: LayerArgs,
    /// Where to measure: cuda or cuda:INDEX
    #[arg(long, default_value = "cuda", value_name = "DEVICE", value_parser = device)]
    pub device: atc::Device,
    #[command(flatten)]
    pub timing: TimingArgs,
    /// Write one HTML file with everything that was measured; it opens without a network
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Write everything that was measured to this file (-: standard output, and the table goes to
    /// standard error)
    #[arg(long, value_name = "OUT")]
    pub json: Option<PathBuf>,
    #[command(flatten)]
    pub tables: TableArgs,
    /// Show neither progress nor the table
    #[arg(long, short)]
    pub quiet: bool,
}

/// One side of a comparison: problems from standard input, what was found to standard output
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

/// Write one HTML file with everything that was measured; it opens without a network
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  atc report result.json -o report.html\n  \
                        atc report --store ~/.cache/atc -o report.html")]
pub struct ReportArgs {
    /// What atc tune --json wrote
    #[arg(value_name = "JSON", required_unless_present = "store", conflicts_with = "store")]
    pub json: Option<PathBuf>,
    /// A store, in place of JSON
    #[arg(long, value_name = "DIR")]
    pub store: Option<PathBuf>,
    /// The HTML file (-: standard output)
    #[arg(long, short, value_name = "FILE")]
    pub output: PathBuf,
}

const STORE_HELP: &str = "\
Every command takes --store DIR, else the directory that ATC_STORE names. ATC_MODE holds for both: import and
prune change a store in mode read-write alone, which is the mode without it; with off it is not read either.

Examples:
  atc store ls --store ~/.cache/atc
  atc store show 3f2a91 --store ~/.cache/atc
  atc store export -o decisions.bundle --store ~/.cache/atc
  atc store import decisions.bundle --store /srv/atc
  atc store merge a.bundle b.bundle -o both.bundle
  atc store verify --store ~/.cache/atc
  atc store prune --keep 10000 --store ~/.cache/atc";

/// Look at remembered decisions, carry them elsewhere, and clean up
#[derive(Debug, Args)]
#[command(after_help = format!("{STORE_HELP}\n\n{EXIT_CODES}"))]
#[command(subcommand_required = true, arg_required_else_help = true)]
pub struct StoreArgs {
    /// The store's directory [default: what ATC_STORE names]
    #[arg(long, value_name = "DIR", global = true)]
    pub store: Option<PathBuf>,
    #[command(subcommand)]
    pub command: StoreCommand,
}

#[derive(Debug, Subcommand)]
pub enum StoreCommand {
    /// List the decisions, and the store's digest
    Ls {
        /// Write JSON instead of a table
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        tables: TableArgs,
    },
    /// Show decisions with all their candidates
    Show {
        /// The ID that ls prints or its beginning, else a part of the problem or the choice; none: all
        entry: Option<String>,
        /// Write the entries as JSON
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        tables: TableArgs,
    },
    /// Write all decisions as one bundle
    Export {
        /// The bundle (-: standard output)
        #[arg(long, short, value_name = "FILE")]
        output: PathBuf,
    },
    /// Add the decisions of bundles; decisions that are there already stay
    Import {
        /// The bundles
        #[arg(value_name = "BUNDLE", required = true)]
        bundles: Vec<PathBuf>,
        /// Write JSON instead of text
        #[arg(long)]
        json: bool,
    },
    /// Join bundles; of two decisions about the same problem the first stays
    Merge {
        /// The bundles
        #[arg(value_name = "BUNDLE", required = true)]
        bundles: Vec<PathBuf>,
        /// The joined bundle (-: standard output)
        #[arg(long, short, value_name = "FILE")]
        output: PathBuf,
    },
    /// Read every file and tell which are bad (exit code 3 if any is)
    Verify {
        /// Write JSON instead of text
        #[arg(long)]
        json: bool,
    },
    /// Remove bad files, and all but the newest decisions
    Prune {
        /// How many decisions stay
        #[arg(long, value_name = "N")]
        keep: u64,
        /// Write JSON instead of text
        #[arg(long)]
        json: bool,
    },
}

/// Write what a shell needs to complete the words of atc
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    atc completions bash > ~/.local/share/bash-completion/completions/atc\n  \
    atc completions zsh > ~/.zfunc/_atc        # a folder of $fpath\n  \
    atc completions fish > ~/.config/fish/completions/atc.fish")]
pub struct CompletionsArgs {
    /// The shell
    pub shell: clap_complete::Shell,
}

/// Write a manual page for each command
#[derive(Debug, Args)]
pub struct ManPagesArgs {
    /// The folder, such as ~/.local/share/man/man1; made if it is missing
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
}

fn device(text: &str) -> Result<atc::Device, String> {
    text.parse().map_err(|error: atc::Error| error.to_string())
}

/// A time such as `30s`, `500ms`, `1m 30s`.
fn duration(text: &str) -> Result<Duration, String> {
    let duration = humantime::parse_duration(text)
        .map_err(|error| format!("{error}; write a number and a unit, such as 30s, 500ms or 2m"))?;
    if duration.is_zero() {
        return Err(
            "no time at all; write a number and a unit, such as 30s, 500ms or 2m".to_owned()
        );
    }
    Ok(duration)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn times_have_units() {
        assert_eq!(duration("30s"), Ok(Duration::from_secs(30)));
        assert_eq!(duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(duration("1m 30s"), Ok(Duration::from_secs(90)));
        for wrong in ["", "30", "-1s", "0s", "soon", "99999999999999999999s"] {
            assert!(duration(wrong).is_err(), "{wrong:?} was taken");
        }
    }

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
        assert_eq!(args.layers.op, [Op::Forward, Op::BackwardWeight]);
        assert_eq!(args.how.engines, ["onednn", "mine"]);
        assert_eq!(args.how.timing.seed, None);
        assert_eq!(args.layers.dtype, Some(DType::Bf16));
        assert_eq!(args.layers.constant_weights, None);
    }

    #[test]
    fn constant_weights_are_all_or_those_recorded() {
        let parse = |word: &str| {
            let cli = Cli::try_parse_from(["atc", "tune", word, "resnet50"]).unwrap();
            let Command::Tune(args) = cli.command else { panic!("not tune") };
            assert_eq!(args.inputs, ["resnet50"]);
            args.layers.constant_weights
        };
        assert_eq!(parse("--constant-weights"), Some(ConstantWeights::Always));
        assert_eq!(parse("--constant-weights=always"), Some(ConstantWeights::Always));
        assert_eq!(parse("--constant-weights=recorded"), Some(ConstantWeights::Recorded));
    }

    #[test]
    fn a_comparison_takes_several_folders_and_one_at_least() {
        let parse = |words: &[&str]| Cli::try_parse_from(["atc", "compare"].iter().chain(words));
        let words = ["--cudnn", "a", "--cudnn", "b", "resnet50", "--seed", "3"];
        let Command::Compare(args) = parse(&words).unwrap().command else { panic!("not compare") };
        assert_eq!(args.cudnn, [PathBuf::from("a"), PathBuf::from("b")]);
        assert_eq!((args.device, args.timing.seed), (atc::Device::Cuda(0), Some(3)));
        assert!(parse(&["resnet50"]).is_err() && parse(&["--cudnn", "a"]).is_err());
    }

    #[test]
    fn a_report_needs_exactly_one_source() {
        let parse = |words: &[&str]| Cli::try_parse_from(["atc", "report"].iter().chain(words));
        assert!(parse(&["-o", "x.html"]).is_err());
        assert!(parse(&["a.json", "--store", "dir", "-o", "x.html"]).is_err());
        assert!(parse(&["a.json", "-o", "x.html"]).is_ok());
    }
}
