//! The layout of tables. On a terminal columns are aligned. In a pipe or a file cells are separated
//! by tabs, for other programs.

use std::io;
use std::os::fd::AsFd;

use terminal_size::{Width, terminal_size_of};
use unicode_width::UnicodeWidthStr;

/// The width that is assumed if a terminal does not report its width.
const USUAL_WIDTH: usize = 80;
/// If a line is broken because it is too long, its further lines are indented by this many spaces.
const INDENT: usize = 2;

/// How a table is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look {
    /// For a pipe or a file: a line for each row, cells separated by tabs, nothing shortened.
    Lines,
    /// For a terminal, with `--wide`: aligned columns, nothing shortened, at any width.
    Wide,
    /// For a terminal: aligned columns that fit into this many characters.
    Fitting(usize),
}

impl Look {
    /// Returns the layout for standard output.
    pub fn of_output(wide: bool) -> Self {
        Self::of(&io::stdout(), wide)
    }

    /// Returns the layout for standard error.
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

    /// For a terminal, returns the text with long lines broken: a line that is wider than the
    /// terminal is broken between words, and its further lines are indented.
    pub fn wrapped(self, text: &str) -> String {
        match self {
            Self::Lines | Self::Wide => text.to_owned(),
            Self::Fitting(width) => {
                text.split('\n').map(|line| broken(line, width)).collect::<Vec<_>>().join("\n")
            }
        }
    }
}

/// Breaks a line between words. A word that is wider than the line is not broken.
fn broken(line: &str, width: usize) -> String {
    let words = line.trim_start();
    let indent = line.len() - words.len();
    if line.width() <= width || indent + INDENT >= width {
        return line.to_owned();
    }
    let mut text = line[..indent].to_owned();
    let mut taken = indent;
    for (index, word) in words.split(' ').enumerate() {
        if index > 0 && taken + 1 + word.width() > width {
            text += &format!("\n{}", " ".repeat(indent + INDENT));
            taken = indent + INDENT;
        } else if index > 0 {
            text.push(' ');
            taken += 1;
        }
        text += word;
        taken += word.width();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_are_broken_at_words_and_go_on_indented() {
        let look = Look::Fitting(20);
        assert_eq!(look.wrapped("short\n\nalso short\n"), "short\n\nalso short\n");
        assert_eq!(
            look.wrapped("the budget of 100 ms was spent"),
            "the budget of 100 ms\n  was spent"
        );
        assert_eq!(look.wrapped("  an indented sentence too"), "  an indented\n    sentence too");
        assert_eq!(
            look.wrapped("see /a/path/that/is/very/long here"),
            "see\n  /a/path/that/is/very/long\n  here"
        );
        let text = "the budget of 100 ms was spent";
        assert_eq!(
            (Look::Lines.wrapped(text), Look::Wide.wrapped(text)),
            (text.into(), text.into())
        );
    }
}
