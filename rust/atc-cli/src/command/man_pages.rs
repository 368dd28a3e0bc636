//! `atc man-pages`.

use std::fs;
use std::io;
use std::path::Path;

use clap::builder::Resettable;
use clap::{Command, CommandFactory};
use clap_mangen::Man;

use crate::cli::{Cli, ManPagesArgs};
use crate::failure::{Failure, Outcome, Result};
use crate::{output, units};

pub fn run(args: &ManPagesArgs) -> Result<Outcome> {
    let folder = &args.folder;
    let mut all = Cli::command().disable_help_subcommand(true);
    all.build();
    let written =
        fs::create_dir_all(folder).and_then(|()| write(&all, folder)).map_err(|error| {
            Failure::new(format!("{}: cannot be written: {error}", folder.display()))
        })?;
    let pages = units::count(written, "page");
    output::note(&format!("wrote {pages} to {}", folder.display()));
    Ok(Outcome::Done)
}

/// Writes the manual pages of a command and of its subcommands. Returns the number of pages.
fn write(command: &Command, folder: &Path) -> io::Result<u64> {
    let mut written = 1;
    for one in command.get_subcommands().filter(|one| !one.is_hide_set()) {
        written += write(one, folder)?;
    }
    let after = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    // clap_mangen would write the text that follows the options as one paragraph, in a section
    // EXTRA. So this text is removed from the command here, and is added below as separate
    // sections.
    let man = Man::new(command.clone().after_help(Resettable::Reset));
    let mut page = Vec::new();
    man.render(&mut page)?;
    page.extend(sections(&after).bytes());
    fs::write(folder.join(man.get_filename()), page)?;
    Ok(written)
}

/// Formats the text that follows the options of a help text as sections of a manual page: NOTES,
/// EXAMPLES and EXIT STATUS.
fn sections(text: &str) -> String {
    let mut sections =
        [("NOTES", String::new()), ("EXAMPLES", String::new()), ("EXIT STATUS", String::new())];
    for paragraph in text.split("\n\n") {
        let (place, lines) = match paragraph.split_once('\n') {
            Some(("Examples:", lines)) => (1, lines),
            Some(("Exit codes:", lines)) => (2, lines),
            _ => (0, paragraph),
        };
        let shown = if place == 1 { example } else { roff };
        lines.lines().for_each(|line| sections[place].1 += &shown(line));
    }
    let told = sections.iter().filter(|(_, lines)| !lines.is_empty());
    told.map(|(name, lines)| format!(".SH \"{name}\"\n{lines}")).collect()
}

/// Formats a line of a help text for roff. The line is a paragraph, an item of a list, or a word
/// with its meaning.
fn roff(line: &str) -> String {
    let text = escaped(line);
    if !line.starts_with(' ') {
        return format!(".PP\n\\&{text}\n");
    }
    match (text.strip_prefix("\\- "), text.split_once("  ")) {
        (Some(item), _) => format!(".IP \\(bu 2\n\\&{item}\n"),
        (None, Some((word, meaning))) => {
            format!(".TP 4\n\\&{word}\n\\&{}\n", meaning.trim_start())
        }
        (None, None) => format!(".RS 2\n.PP\n\\&{text}\n.RE\n"),
    }
}

/// Formats a line of an example for a manual page, so that roff prints the line unchanged.
fn example(line: &str) -> String {
    format!(".RS 2\n.nf\n\\&{}\n.fi\n.RE\n", escaped(line))
}

fn escaped(line: &str) -> String {
    line.trim_start().replace('\\', "\\e").replace('-', "\\-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_follows_the_options_has_sections_of_its_own() {
        let text =
            "Notes.\n  - item\n  .dot\n\nMore.\n\nExamples:\n  atc a --b\n\nExit codes:\n  0  done";
        assert_eq!(
            sections(text),
            ".SH \"NOTES\"\n.PP\n\\&Notes.\n.IP \\(bu 2\n\\&item\n.RS 2\n.PP\n\\&.dot\n.RE\n.PP\n\\&More.\n\
             .SH \"EXAMPLES\"\n.RS 2\n.nf\n\\&atc a \\-\\-b\n.fi\n.RE\n\
             .SH \"EXIT STATUS\"\n.TP 4\n\\&0\n\\&done\n"
        );
        assert_eq!(sections(""), "");
    }
}
