//! The results of a command: as JSON if the user asked for it, and as text for people.

use serde::Serialize;

use crate::cli::TableArgs;
use crate::failure::Result;
use crate::json;
use crate::look::Look;
use crate::output::{self, Target};

/// The stream to which the text for people is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Screen {
    StandardOutput,
    /// Standard output has the JSON.
    StandardError,
}

/// Writes the JSON. Call this before the text is written, because an error in writing the text must
/// not lose the results.
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
    /// Writes the text, laid out for this stream. Writes nothing if `quiet`.
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
