//! The command line. This file has the list of the commands. The modules have the options of each command and the texts
//! of `--help`.

mod advise;
mod compare;
mod completions;
mod determinism;
mod env;
mod explain;
mod layers;
mod option_flags;
mod pins;
mod plugins;
mod report;
mod select;
mod store;
mod timing;
mod trace;
mod tune;
mod values;

use clap::{Args, Parser, Subcommand};

pub use advise::AdviseArgs;
pub use compare::{CompareArgs, CompareSideArgs};
pub use completions::{CompletionsArgs, ManPagesArgs};
pub use determinism::{DeterminismArgs, DeterminismSideArgs};
pub use env::EnvArgs;
pub use explain::ExplainArgs;
pub use option_flags::OptionFlags;
pub use pins::{PinsArgs, PinsCheckArgs, PinsCommand};
pub use plugins::Plugins;
pub use report::ReportArgs;
pub use select::SelectArgs;
pub use store::{StoreArgs, StoreCommand};
pub use timing::{HowArgs, Retune, TimingArgs};
pub use trace::{TraceArgs, TraceRows};
pub use tune::{Devices, TuneArgs, WorkerArgs};

use crate::failure::EXIT_CODES;

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
    ManPages(ManPagesArgs),
}

/// The option that determines the layout of tables.
#[derive(Debug, Args)]
pub struct TableArgs {
    /// Show tables whole, however wide the terminal is
    #[arg(long)]
    pub wide: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    /// When a help text is shown, its lines are broken at the width of the terminal. So in the source each paragraph of
    /// a help text must be one line: a line break in it would be shown as a second break.
    #[test]
    fn texts_of_help_are_wrapped_once() {
        fn check(command: &clap::Command) {
            let text = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            let paragraphs =
                text.split("\n\n").filter(|paragraph| !paragraph.starts_with("Examples:"));
            for (line, next) in
                paragraphs.flat_map(|lines| lines.lines().zip(lines.lines().skip(1)))
            {
                let goes_on = |text: &str| {
                    let text = text.trim_start();
                    text.starts_with(char::is_lowercase) && !text.contains("  ")
                };
                let indent = |text: &str| text.len() - text.trim_start().len();
                let is_broken = line.len() > 70 && goes_on(next) && indent(next) >= indent(line);
                assert!(!is_broken, "{}: {line}\n{next}", command.get_name());
            }
            command.get_subcommands().for_each(check);
        }
        check(&Cli::command());
    }
}
