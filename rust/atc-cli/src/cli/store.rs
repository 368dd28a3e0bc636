//! `atc store`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::TableArgs;
use crate::failure::EXIT_CODES;

const STORE_HELP: &str = "\
Every command takes --store DIR, else the directory that ATC_STORE names. ATC_MODE holds for both. Without it the \
mode is read-write; in any other mode import, pull and prune are refused, and in mode off everything that reads a store.

Examples:
  atc store ls --store ~/.local/share/atc
  atc store show 3f2a91 --store ~/.local/share/atc
  atc store export -o decisions.bundle --store ~/.local/share/atc
  atc store import decisions.bundle --store /srv/atc
  atc store import --replace newer.bundle --store /srv/atc
  atc store import --join another.bundle --store /srv/atc
  atc store merge a.bundle b.bundle -o both.bundle
  atc store push s3://bucket/fleet --store ~/.local/share/atc
  atc store pull s3://bucket/fleet --store ~/.local/share/atc
  atc store verify --store ~/.local/share/atc
  atc store prune --keep 10000 --store ~/.local/share/atc";

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
        /// Show only these decisions: an ID that ls prints, the beginning of an ID, or a part of a problem or of a
        /// choice
        entry: Option<String>,
        /// Write the entries as JSON
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        tables: TableArgs,
    },
    /// Write all decisions as one bundle
    Export {
        /// The file for the bundle (-: standard output)
        #[arg(long, short, value_name = "FILE")]
        output: PathBuf,
    },
    /// Import bundles. Existing decisions are kept, except that a firm one replaces a provisional one
    Import {
        /// The bundles
        #[arg(value_name = "BUNDLE", required = true)]
        bundles: Vec<PathBuf>,
        /// Replace decisions that the store has already, but never a firm decision by a provisional one
        #[arg(long)]
        replace: bool,
        /// If the store and a bundle have decided a problem, keep the better decision: a firm one before a provisional
        /// one, then the one that compared more engines, then the one with the smaller risk; else a hash decides. The
        /// order of imports then has no influence
        #[arg(long, conflicts_with = "replace")]
        join: bool,
        /// Take the compiled parts (kernels), too: whoever wrote the bundles then decides which code runs here
        #[arg(long)]
        trust_compiled: bool,
        /// Write JSON instead of text
        #[arg(long)]
        json: bool,
    },
    /// Join bundles, as `import --join` does; their order has no influence
    Merge {
        /// The bundles
        #[arg(value_name = "BUNDLE", required = true)]
        bundles: Vec<PathBuf>,
        /// Keep compiled parts in the merged bundle. `import` needs the same option to take compiled parts
        #[arg(long)]
        trust_compiled: bool,
        /// The file for the joined bundle (-: standard output)
        #[arg(long, short, value_name = "FILE")]
        output: PathBuf,
    },
    /// Write to a shared place the decisions that it lacks, one bundle for each environment (device and versions)
    Push {
        /// s3://BUCKET/FOLDER or file:///FOLDER. Credentials come from the environment (AWS_ACCESS_KEY_ID, …)
        url: String,
        /// Sign the bundles with this secret key of minisign. Bundles that the place has already are ignored if they
        /// have no signature by this key
        #[arg(long, value_name = "FILE")]
        sign: Option<PathBuf>,
        /// Write the compiled parts, too. Only `pull --key` takes compiled parts
        #[arg(long, requires = "sign")]
        compiled: bool,
        /// Write JSON instead of text
        #[arg(long)]
        json: bool,
    },
    /// Join all bundles of a shared place, as `import --join` does (exit code 3 if a bad bundle was left out)
    Pull {
        /// s3://BUCKET/FOLDER, file:///FOLDER or https://HOST/FOLDER; or one bundle, https://HOST/FILE.bundle
        url: String,
        /// Take only bundles with a signature by this public key of minisign, with their compiled parts
        #[arg(long, value_name = "FILE")]
        key: Option<PathBuf>,
        /// Write JSON instead of text
        #[arg(long)]
        json: bool,
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
