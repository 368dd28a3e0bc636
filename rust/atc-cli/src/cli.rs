//! The command line: commands, options, and the texts of `--help`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::document::Ceilings;
use crate::failure::EXIT_CODES;
use crate::problems::{ConstantWeights, DType, Layout, Op, Selection};

/// Autotuned convolution: find the fastest way to run each convolution of a network here, and keep it.
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
    Select(SelectArgs),
    Pins(PinsArgs),
    Explain(ExplainArgs),
    Compare(CompareArgs),
    #[command(hide = true)]
    CompareSide(CompareSideArgs),
    Advise(AdviseArgs),
    Determinism(DeterminismArgs),
    #[command(hide = true)]
    DeterminismSide(DeterminismSideArgs),
    Report(ReportArgs),
    Trace(TraceArgs),
    Store(StoreArgs),
    Completions(CompletionsArgs),
    #[command(hide = true)]
    ManPages(ManPagesArgs),
}

/// The layout of tables.
#[derive(Debug, Args)]
pub struct TableArgs {
    /// Show tables whole, however wide the terminal is
    #[arg(long)]
    pub wide: bool,
}

/// Show devices, instruction sets, libraries, engines, settings and the store in use
///
/// For every library: its version and file, or what is missing and what does not work without it.
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
    /// A shared library with engines (it exports atc1_plugin_init); may be given several times.
    /// Its code runs with your rights: load only libraries that you trust
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

/// Find the fastest way to run each convolution of a network, and keep it in a store
///
/// Decisions are kept in the store that --store names, else in the store that ATC_STORE names; without
/// either they are not kept.
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

const SELECT_HELP: &str = "\
FILE and NETWORK are as for atc tune. Each convolution is tuned, without regard to pins in force, and its
winner becomes a pin for exactly that convolution on devices of this name. Edit the file, keep it in your
repository, and obey it:
  ATC_PINS=pins.json my_program

Examples:
  atc select recorded.json --device cuda -o pins.json
  atc select resnet50 --batch 8 --dtype f16 --layout channels-last --store ./tuned -o pins.json";

/// Tune the convolutions of a network, and write the winners as pins that a program obeys
#[derive(Debug, Args)]
#[command(after_help = format!("{SELECT_HELP}\n\n{EXIT_CODES}"))]
pub struct SelectArgs {
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
    /// The pin file (-: standard output)
    #[arg(long, short, value_name = "PINS")]
    pub output: PathBuf,
    /// Show no progress
    #[arg(long, short)]
    pub quiet: bool,
}

const PINS_HELP: &str = "\
PINS is a pin file: docs/pins.md describes it. With FILE or NETWORK, as for atc tune, check says for each
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

/// Read a pin file, and try it on convolutions (exit code 3 if a pin cannot be obeyed)
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
    /// Do not count the packing of weights, as for weights that never change: in all problems, or
    /// with =recorded in those whose weights stayed the same during the recording
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
    /// Measure problems again that have a decision: all of them, or with =provisional those whose
    /// decision is provisional (not certain)
    #[arg(
        long,
        value_name = "WHICH",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "all"
    )]
    pub retune: Option<Retune>,
    /// Neither use provisional decisions of the store nor put any into it
    #[arg(long)]
    pub require_firm: bool,
    /// Refuse a recorded program's own convolution, too, if it is less precise than the options allow
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
    /// Problems with a provisional decision
    Provisional,
}

/// The technique, time limits and data of the measurements.
#[derive(Debug, Args)]
pub struct TimingArgs {
    /// How candidates are timed
    #[arg(long, value_name = "TECHNIQUE")]
    pub technique: Option<Technique>,
    /// Time for all problems together, such as 30s, 500ms or 2m; problems left out for lack of time are reported
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub budget: Option<Duration>,
    /// Time for each problem: preparing, checking and timing together [default: 2s]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub problem_budget: Option<Duration>,
    /// Seed of the tensors' random data
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
    /// Ranked at the clocks that the device reaches under long load
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

const EXPLAIN_HELP: &str = "\
PROBLEM is a FILE or NETWORK as for atc tune, or one row of 14 or 18 columns in quotes. Of several layers a
table is shown with a line for each; --layer picks one of them and shows all that is known about it.

Shown are the choice, its source and the rule by which it was chosen, the candidates, the answer of each engine
and rewrite with the switches that leave offers out, and how far the choice is from the least time that the
device allows: the larger of the time for the bytes of its tensors and of the time for its products (roofline).

With --measure the rates of the device are measured where they are not known, and kept with the store; and for
one layer, what it would gain from another layout, padded channels, TF32, more workspace, constant weights, or
kernels that are not deterministic.

Examples:
  atc explain resnet50 --store ~/.cache/atc
  atc explain resnet50 --layer conv1 --store ~/.cache/atc
  atc explain 'a 8 64 0 56 56 64 0 3 3 1 1 1 1' --device cuda --dtype f16
  atc explain recorded.json --plugin /usr/lib/libatc_torch.so.1 --store ./tuned --json";

/// Show why a convolution runs as it runs: its choice, the rule behind it, and who offers what
///
/// Without --measure nothing is measured. The decisions are those of the store that --store names, else of the
/// store that ATC_STORE names; they stay as they are.
#[derive(Debug, Args)]
#[command(after_help = format!("{EXPLAIN_HELP}\n\n{EXIT_CODES}"))]
pub struct ExplainArgs {
    /// A file of layers, a built-in network, or a layer
    #[arg(value_name = "PROBLEM|RECORDING")]
    pub input: String,
    /// Only the layer of this name
    #[arg(long, value_name = "NAME")]
    pub layer: Option<String>,
    #[command(flatten)]
    pub layers: LayerArgs,
    /// Where it would run: cpu, cuda or cuda:INDEX
    #[arg(long, default_value = "cpu", value_name = "DEVICE", value_parser = device)]
    pub device: atc::Device,
    /// As in a program that allows no TF32
    #[arg(long)]
    pub no_tf32: bool,
    /// As in a program that allows deterministic kernels alone
    #[arg(long)]
    pub deterministic: bool,
    /// The directory that decisions are read from
    #[arg(long, value_name = "DIR")]
    pub store: Option<PathBuf>,
    #[command(flatten)]
    pub plugins: Plugins,
    /// Measure the rates of the device, and what the layer would gain from changes, with their price
    #[arg(long)]
    pub measure: bool,
    /// Time for each change that is measured [default: 2s]
    #[arg(long, value_name = "TIME", value_parser = duration, requires = "measure")]
    pub problem_budget: Option<Duration>,
    /// Show all candidates, not only the first ones
    #[arg(long)]
    pub all: bool,
    /// Write JSON instead of text
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub tables: TableArgs,
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

/// Measure which of several cuDNN installations is faster, and how much their results differ
#[derive(Debug, Args)]
#[command(after_help = format!("{COMPARE_HELP}\n\n{EXIT_CODES}"))]
pub struct CompareArgs {
    /// A folder that holds libcudnn.so.9 and its parts; given twice or more, the others are compared with
    /// the first
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

/// One side of a comparison: reads problems from standard input, writes results to standard output
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

const ADVISE_HELP: &str = "\
Every problem is raced once, without a store (FILE and NETWORK as for atc tune; a FILE that atc tune --json wrote
is taken as measured, unless options change its problems). From what the races took, what the choices save in a
step, and how often new problems come follow
  - the advice: benchmark mode on, off, or tuning off line into a store
  - after how many steps the races have paid for themselves, with the 95 % interval of the gain
  - the time of a step if workspaces are limited to each class of atc_set_workspace_limit up to 1 GiB
A recording counts calls. Say over how many steps with --recorded-steps: then problems that were called once tell how
often shapes change. A step is what a program does again and again, such as one batch.

Examples:
  atc advise resnet50 --batch 32 --device cuda --steps 10000
  atc advise recorded.json --recorded-steps 200 --plugin /usr/lib/libatc_torch.so.1 --json advice.json
  atc advise result.json --steps 500";

/// Find out whether tuning pays for a program: benchmark mode on, off, or tuning off line
#[derive(Debug, Args)]
#[command(after_help = format!("{ADVISE_HELP}\n\n{EXIT_CODES}"))]
pub struct AdviseArgs {
    /// Files of layers, or names of built-in networks
    #[arg(value_name = "FILE|NETWORK", required = true)]
    pub inputs: Vec<String>,
    /// The number of steps that the program is going to run
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub steps: Option<u64>,
    /// The number of steps that the counts of the problems are for
    #[arg(long, default_value = "1", value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub recorded_steps: u64,
    #[command(flatten)]
    pub layers: LayerArgs,
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

const DETERMINISM_HELP: &str = "\
Each set of switches runs in several processes, which get the same list of problems (FILE and NETWORK as for atc
tune) and the same operands. A process makes its plans, runs each of them twice, and hashes every element of the
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
    /// Files of layers, or names of built-in networks
    #[arg(value_name = "FILE|NETWORK", required = true)]
    pub inputs: Vec<String>,
    #[command(flatten)]
    pub layers: LayerArgs,
    /// Where to run: cpu, cuda or cuda:INDEX
    #[arg(long, default_value = "cpu", value_name = "DEVICE", value_parser = device)]
    pub device: atc::Device,
    /// Processes for each set of switches
    #[arg(long, default_value = "5", value_name = "N", value_parser = processes)]
    pub processes: usize,
    /// Time for each race: preparing, checking and timing together [default: 2s]
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

/// One process of atc determinism: reads problems from standard input, writes results to standard output
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
    /// Set the plans' option tune
    #[arg(long)]
    pub tune: bool,
    /// Time for each race
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub problem_budget: Option<Duration>,
    /// Seed of the tensors' random data
    #[arg(long, value_name = "SEED")]
    pub seed: u64,
    #[command(flatten)]
    pub plugins: Plugins,
}

/// Write one HTML file with all measurements; it can be opened without a network
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  atc report result.json -o report.html\n  \
                        atc report --store ~/.cache/atc -o report.html")]
pub struct ReportArgs {
    /// A file written by atc tune --json
    #[arg(value_name = "JSON", required_unless_present = "store", conflicts_with = "store")]
    pub json: Option<PathBuf>,
    /// A store, in place of JSON
    #[arg(long, value_name = "DIR")]
    pub store: Option<PathBuf>,
    /// What the device does at most, for the roofline: bandwidth in GB/s and rate in GFLOP/s, as 4260,400000
    #[arg(long, value_name = "GB/S,GFLOP/S", value_parser = ceilings)]
    pub ceilings: Option<Ceilings>,
    /// The HTML file (-: standard output)
    #[arg(long, short, value_name = "FILE")]
    pub output: PathBuf,
}

const TRACE_HELP: &str = "\
A program writes FILE when it runs with ATC_TRACE=FILE; %p in FILE stands for its process id. A name ending in .txt
gets the table itself. The JSON also opens in Perfetto (ui.perfetto.dev), in the time base of PyTorch's profiler.

Examples:
  ATC_TRACE=trace.%p.json python train.py && atc trace trace.*.json
  ATC_TRACE=trace.json ./program && atc trace --by choice trace.json";

/// Show which choices a running program used, how often, and how long they took
#[derive(Debug, Args)]
#[command(after_help = format!("{TRACE_HELP}\n\n{EXIT_CODES}"))]
pub struct TraceArgs {
    /// JSON written by ATC_TRACE, or by atc_trace_stop; of several files, each is shown by itself
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// What a row counts
    #[arg(long, value_name = "ROWS", default_value = "problem")]
    pub by: TraceRows,
    #[command(flatten)]
    pub tables: TableArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TraceRows {
    /// The calls of a problem with a choice
    Problem,
    /// The calls of a choice, for all problems
    Choice,
}

const STORE_HELP: &str = "\
Every command takes --store DIR, else the directory that ATC_STORE names. ATC_MODE holds for both. Without it the
mode is read-write; in any other mode import and prune are refused, and in mode off everything that reads a store.

Examples:
  atc store ls --store ~/.cache/atc
  atc store show 3f2a91 --store ~/.cache/atc
  atc store export -o decisions.bundle --store ~/.cache/atc
  atc store import decisions.bundle --store /srv/atc
  atc store import --replace newer.bundle --store /srv/atc
  atc store merge a.bundle b.bundle -o both.bundle
  atc store verify --store ~/.cache/atc
  atc store prune --keep 10000 --store ~/.cache/atc";

/// Show the decisions of a store, export and import them, and clean up
#[derive(Debug, Args)]
#[command(after_help = format!("{STORE_HELP}\n\n{EXIT_CODES}"))]
#[command(subcommand_required = true, arg_required_else_help = true)]
pub struct StoreArgs {
    /// The store's directory [default: the one that ATC_STORE names]
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
        /// An ID that ls prints or its beginning, or a part of the problem or the choice; without it all
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
    /// Add the decisions of bundles; the store's own stay, but for provisional ones that a firm one replaces
    Import {
        /// The bundles
        #[arg(value_name = "BUNDLE", required = true)]
        bundles: Vec<PathBuf>,
        /// Replace the decisions that are there already, but no firm one by a provisional one
        #[arg(long)]
        replace: bool,
        /// Write JSON instead of text
        #[arg(long)]
        json: bool,
    },
    /// Join bundles; of several decisions about a problem the first firm one stays, else the first one
    Merge {
        /// The bundles
        #[arg(value_name = "BUNDLE", required = true)]
        bundles: Vec<PathBuf>,
        /// The joined bundle (-: standard output)
        #[arg(long, short, value_name = "FILE")]
        output: PathBuf,
    },
    /// Read every file and list the bad ones (exit code 3 if there are any)
    Verify {
        /// Write JSON instead of text
        #[arg(long)]
        json: bool,
    },
    /// Remove bad files, and all but the newest decisions
    Prune {
        /// The number of decisions to keep
        #[arg(long, value_name = "N")]
        keep: u64,
        /// Write JSON instead of text
        #[arg(long)]
        json: bool,
    },
}

/// Write a shell's completion script for atc
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

/// Fewer than two processes have nothing to be compared with.
fn processes(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(number) if (2..=1000).contains(&number) => Ok(number),
        _ => Err("must be a number from 2 to 1000".to_owned()),
    }
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

/// "4260,400000": GB/s and GFLOP/s.
fn ceilings(text: &str) -> Result<Ceilings, String> {
    let numbers = text.split_once(',').and_then(|(bytes, flops)| {
        Some((bytes.trim().parse::<f64>().ok()?, flops.trim().parse::<f64>().ok()?))
    });
    numbers
        .map(|(gigabytes, gigaflops)| Ceilings {
            bytes_per_second: gigabytes * 1e9,
            flops_per_second: gigaflops * 1e9,
        })
        .filter(Ceilings::are_known)
        .ok_or_else(|| "must be two numbers above 0, as 4260,400000".to_owned())
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

    #[test]
    fn ceilings_are_two_numbers() {
        let known = Ceilings { bytes_per_second: 4.26e12, flops_per_second: 4e14 };
        assert_eq!(ceilings("4260,400000"), Ok(known));
        for wrong in ["", "4260", "1,x", "0,1", "1,-1", "inf,1", "1,2,3"] {
            assert!(ceilings(wrong).is_err(), "{wrong}");
        }
    }
}
