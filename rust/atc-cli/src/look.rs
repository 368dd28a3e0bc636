//! The layout of tables: for people on a terminal, for programs in a pipe.

use std::io;
use std::os::fd::AsFd;

use terminal_size::{Width, terminal_size_of};

/// The width assumed for a terminal that does not report it.
const USUAL_WIDTH: usize = 80;

/// How a table is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look {
    /// A line for each row, cells separated by tabs, nothing shortened: for a pipe or a file.
    Lines,
    /// Aligned columns, nothing shortened, however wide: for a terminal.
    Wide,
    /// Aligned columns that fit in this many characters: for a terminal.
    Fitting(usize),
}

impl Look {
    /// The layout for standard output.
    pub fn of_output(wide: bool) -> Self {
        Self::of(&io::stdout(), wide)
    }

    /// The layout for standard error.
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
