//! `atc`, the command: tune the convolutions of a network, and see what was chosen and why.

mod account;
mod advice;
mod child;
mod cli;
mod command;
mod comparison;
mod convert;
mod decision;
mod determinism;
mod digest;
mod document;
mod entries;
mod explained;
mod failure;
mod file_kind;
#[cfg(test)]
mod fuzz;
mod gain;
mod interrupt;
mod json;
mod look;
mod measuring;
mod memory;
mod output;
mod pins;
mod plugins;
mod problems;
mod progress;
#[cfg(feature = "remote")]
mod remote;
mod report;
mod results;
mod shard;
mod stores;
mod subject;
mod table;
mod tables;
mod trace;
mod units;
mod workers;

use std::process::ExitCode;

use clap::Parser;

use cli::{Cli, Command};
use failure::Outcome;

fn main() -> ExitCode {
    let cli = Cli::parse();
    let result = run(&cli.command);
    match result {
        Ok(outcome) => outcome.into(),
        Err(failure) => {
            output::note(&format!("error: {failure}"));
            failure.exit_code()
        }
    }
}

fn run(command: &Command) -> failure::Result<Outcome> {
    // ATC_MODE is checked before any work. So an invalid value is an error even if the command uses
    // no store.
    if !matches!(command, Command::Completions(_) | Command::ManPages(_)) {
        stores::mode()?;
    }
    match command {
        Command::Env(args) => command::env::run(args),
        Command::Tune(args) => command::tune::run(args),
        Command::Explain(args) => command::explain::run(args),
        Command::Compare(args) => command::compare::run(args),
        Command::CompareSide(args) => command::compare_side::run(args),
        Command::Determinism(args) => command::determinism::run(args),
        Command::DeterminismSide(args) => command::determinism_side::run(args),
        Command::Advise(args) => command::advise::run(args),
        Command::Select(args) => command::select::run(args),
        Command::Pins(args) => command::pins::run(args),
        Command::Report(args) => command::report::run(args),
        Command::Trace(args) => command::trace::run(args),
        Command::Store(args) => command::store::run(args),
        Command::Completions(args) => command::completions::run(args),
        Command::ManPages(args) => command::man_pages::run(args),
    }
}
