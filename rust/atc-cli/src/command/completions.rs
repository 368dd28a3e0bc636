//! `atc completions`.

use clap::{Command, CommandFactory};

use crate::cli::{Cli, CompletionsArgs};
use crate::failure::{Outcome, Result};
use crate::output;

pub fn run(args: &CompletionsArgs) -> Result<Outcome> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut visible(), "atc", &mut script);
    output::print_bytes(&script)?;
    Ok(Outcome::Done)
}

/// Returns the description of the command line without the hidden commands. clap_complete would
/// otherwise offer these commands to the user.
fn visible() -> Command {
    let all = Cli::command();
    let shown = all.get_subcommands().filter(|command| !command.is_hide_set()).cloned();
    Command::new("atc")
        .version(env!("CARGO_PKG_VERSION"))
        .args(all.get_arguments().cloned())
        .subcommands(shown)
}
