//! Writes the results of a command: as JSON if the user has asked for it, and as text for people.

use serde::Serialize;

use crate::cli::TableArgs;
use crate::failure::Result;
use crate::json;
use crate::look::Look;
use crate::output::{self, Target};

/// The stream to which the text of a command is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Screen {
    StandardOutput,
    /// The text goes to standard error, because standard output has the JSON.
    StandardError,
}

/// Writes the JSON, and returns the stream for the text. Call this function before the text is
/// written: then the JSON is complete even if writing the text fails.
pub fn write_json(target: Option<Target>, results: &impl Serialize) -> Result<Screen> {
    let Some(target) = target else { return Ok(Screen::StandardOutput) };
    let screen = match target.is_standard_output() {
        true => Screen::StandardError,
        false => Screen::StandardOutput,
    };
    target.write(json::text("the results", results)?.as_bytes())?;
    Ok(screen)
}

impl Screen {
    /// Writes the text in the layout for this stream. If `quiet`, nothing is written.
    pub fn show(
        self,
        quiet: bool,
        tables: &TableArgs,
        text: impl FnOnce(Look) -> String,
    ) -> Result<()> {
        match self {
            _ if quiet => Ok(()),
            Self::StandardOutput => {
                let look = Look::of_output(tables.wide);
                output::print(&look.wrapped(&text(look)))
            }
            Self::StandardError => {
                let look = Look::of_error(tables.wide);
                output::note_text(&look.wrapped(&text(look)));
                Ok(())
            }
        }
    }
}
