//! `atc env`.

use clap::Args;

use super::TableArgs;
use super::plugins::Plugins;

/// Show devices, instruction sets, libraries, engines, settings and the store in use
///
/// For every library: its version and file, or the part that is missing, and the functions that need this part. With
/// --faults: the known faults of oneDNN, cuDNN and cuBLASLt that atc works around.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  atc env\n  atc env --json | jq .libraries\n  atc env --faults"
)]
pub struct EnvArgs {
    /// Write JSON instead of tables
    #[arg(long)]
    pub json: bool,
    /// List only the known faults of the libraries, and which of these faults the libraries of this machine have
    #[arg(long)]
    pub faults: bool,
    #[command(flatten)]
    pub tables: TableArgs,
    #[command(flatten)]
    pub plugins: Plugins,
}
