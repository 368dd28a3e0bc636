//! `atc`, the command: tune the convolutions of a network, and see what was chosen and why.

mod cli;
mod command;
mod comparison;
mod convert;
mod document;
mod entries;
mod failure;
mod gain;
mod interrupt;
mod measuring;
mod output;
mod plugins;
mod problems;
mod progress;
mod report;
mod stores;
mod subject;
mod table;
mod units;

use std::process::ExitCode;

use clap::Parser;

use cli::{Cli, Command};
use failure::Failure;

fn main() -> ExitCode {
    let cli = Cli::parse();
    let result = match &cli.command {
        Command::Env(args) => command::env::run(args),
        Command::Tune(args) => command::tune::run(args),
        Command::Compare(args) => command::compare::run(args),
        Command::CompareSide(args) => command::compare_side::run(args),
        Command::Report(args) => command::report::run(args),
        Command::Store(args) => command::store::run(args),
    };
    match result {
        Ok(outcome) => outcome.into(),
        Err(failure) => {
            if !matches!(failure, Failure::OutputClosed) {
                output::note(&format!("error: {failure}"));
            }
            failure.exit_code()
        }
    }
}
