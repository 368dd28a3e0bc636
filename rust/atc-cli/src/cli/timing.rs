//! Options that determine how a command measures: the technique, the limits, and the engines that are timed.

use std::time::Duration;

use clap::{Args, ValueEnum};

use super::option_flags::OptionFlags;
use super::values::duration;

/// How to measure.
#[derive(Debug, Args)]
pub struct HowArgs {
    #[command(flatten)]
    pub timing: TimingArgs,
    /// Measure again the problems that have a decision: all of these problems, or with =provisional only those whose
    /// decision is provisional (not certain)
    #[arg(
        long,
        value_name = "WHICH",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "all"
    )]
    pub retune: Option<Retune>,
    #[command(flatten)]
    pub options: OptionFlags,
    /// Time only the candidates of these engines, separated by commas (atc env lists the engines)
    #[arg(long, value_name = "ENGINES", value_delimiter = ',')]
    pub engines: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Retune {
    /// Measure again all problems that have a decision
    All,
    /// Measure again the problems whose decision is provisional (not certain)
    Provisional,
}

/// The technique, time limits and data of the measurements.
#[derive(Debug, Args)]
pub struct TimingArgs {
    /// The technique by which candidates are timed
    #[arg(long, value_name = "TECHNIQUE")]
    pub technique: Option<Technique>,
    /// Time limit for measuring all problems together, such as 30s, 500ms or 2m; problems left out for lack of time are
    /// reported
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub budget: Option<Duration>,
    /// Time limit for each problem: preparing, checking and timing together; a problem gets more if this time is too
    /// short to compare two candidates and time of --budget is left [default: 2s]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub problem_budget: Option<Duration>,
    /// Seed of the tensors' random data
    #[arg(long, value_name = "SEED", value_parser = clap::value_parser!(u64).range(1..))]
    pub seed: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Technique {
    /// Take one sample of each candidate
    Once,
    /// Compare the medians of three samples of each candidate
    MedianOfThree,
    /// Take samples of each candidate until its times stop changing
    TillStable,
    /// Time all candidates in rounds, and drop the slow candidates (the default)
    Interleaved,
    /// Compare candidates at the clock rates that the device reaches under long load
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
