//! Options that determine the convolutions on which a command works: the files or networks, and
//! properties that replace those in the files (such as the batch size).

use clap::Args;

use crate::failure::{Failure, Result};
use crate::problems::{self, ConstantWeights, DType, Layout, Op, Request, Row, Selection};

/// The inputs of a command that needs at least one convolution.
#[derive(Debug, Args)]
pub struct ProblemArgs {
    /// Files of layers, or names of built-in networks
    #[arg(value_name = "FILE|NETWORK", required = true)]
    pub inputs: Vec<String>,
    #[command(flatten)]
    pub layers: LayerArgs,
}

impl ProblemArgs {
    /// Reads all inputs and returns their convolutions.
    pub fn requests(&self) -> Result<Vec<Request>> {
        self.layers.requests(&problems::read_all(&self.inputs)?)
    }
}

/// Options that determine which convolutions of the layers are used.
#[derive(Debug, Args)]
pub struct LayerArgs {
    /// The batch size, which replaces the batch size in the files
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(1..))]
    pub batch: Option<i64>,
    /// Type of x, w and y [default: the file's, else f32]
    #[arg(long, value_name = "DTYPE")]
    pub dtype: Option<DType>,
    /// The layout of the tensors in memory [default: the file's, else channels-first]
    #[arg(long, value_name = "LAYOUT")]
    pub layout: Option<Layout>,
    /// The directions in which each layer is run, separated by commas [default: the file's, else
    /// forward]
    #[arg(long, value_name = "OP", value_delimiter = ',')]
    pub op: Vec<Op>,
    /// Do not count the time of packing the weights, because the weights never change: in all
    /// problems, or with =recorded only in problems whose weights remained the same during the
    /// recording
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

    /// Returns the convolutions of these rows (layers of a file), with the properties that the
    /// options set.
    pub fn requests(&self, rows: &[Row]) -> Result<Vec<Request>> {
        self.selection().requests(rows).map_err(Failure::new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::{Cli, Command};
    use clap::Parser;

    #[test]
    fn constant_weights_are_all_or_those_recorded() {
        let parse = |word: &str| {
            let cli = Cli::try_parse_from(["atc", "tune", word, "resnet50"]).unwrap();
            let Command::Tune(args) = cli.command else { panic!("not tune") };
            assert_eq!(args.problems.inputs, ["resnet50"]);
            args.problems.layers.constant_weights
        };
        assert_eq!(parse("--constant-weights"), Some(ConstantWeights::Always));
        assert_eq!(parse("--constant-weights=always"), Some(ConstantWeights::Always));
        assert_eq!(parse("--constant-weights=recorded"), Some(ConstantWeights::Recorded));
    }
}
