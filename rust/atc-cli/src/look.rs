//! How tables are laid out where they are written: for people on a terminal, for programs in a pipe.

use std::io;
use std::os::fd::AsFd;

use terminal_size::{Width, terminal_size_of};

/// The width of a terminal that does not tell it.
const USUAL_WIDTH: usize = 80;

/// How a table is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look {
    /// A line for each row, cells separated by tabs, everything whole: for a pipe or a file.
    Lines,
    /// Columns, everything whole: for a terminal, as wide as it takes.
    Wide,
    /// Columns that fit in so many characters: for a terminal.
    Fitting(usize),
}

impl Look {
    /// For standard output.
    pub fn of_output(wide: bool) -> Self {
        Self::of(&io::stdout(), wide)
    }

    /// For standard error.
    pub fn of_error(wide: bool) -> Self {
        Self::of(&io::stderr(), wide)
    }

    fn of(stream: &(impl AsFd + io::IsTerminal), wide: bool) -> Self {
        if !stream.is_terminal() {
            return Self::Lines;
        }
        if wide {
            return Self::Wide;
        }
        Self::Fitting(
            terminal_size_of(stream).map_or(USUAL_WIDTH, |(Width(width), _)| width.into()),
        )
    }
}
