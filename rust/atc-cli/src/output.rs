//! Writes to standard output, to standard error, and to files. A file is replaced as a whole.

use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use serde::Serialize;
use tempfile::NamedTempFile;

use crate::failure::{Failure, Result};
use crate::json;
use crate::look::Look;

/// Writes text to standard output.
pub fn print(text: &str) -> Result<()> {
    print_bytes(text.as_bytes())
}

pub fn print_bytes(bytes: &[u8]) -> Result<()> {
    let mut output = io::stdout().lock();
    unless_closed(output.write_all(bytes).and_then(|()| output.flush()))
}

/// Ignores the error of a pipe that its reader has closed, because a reader may stop reading at any
/// time.
fn unless_closed(written: io::Result<()>) -> Result<()> {
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::new(format!("the output cannot be written: {error}")))
        }
        _ => Ok(()),
    }
}

/// Writes a value to standard output as JSON.
pub fn print_json(value: &impl Serialize) -> Result<()> {
    print(&json::text("the output", value)?)
}

/// Writes a line to standard error. A failure is ignored.
pub fn note(line: &str) {
    let line = Look::of_error(false).wrapped(&printable(line));
    let _ = writeln!(io::stderr().lock(), "{line}");
}

/// Writes a line to standard error, unless `quiet` is true.
pub fn note_unless(quiet: bool, line: &str) {
    if !quiet {
        note(line);
    }
}

/// Writes text to standard error unchanged, including tabs. The caller must have replaced control
/// characters ([`printable`]).
pub fn note_text(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

/// Makes text from files and libraries safe for a terminal: control characters except line feeds
/// become U+FFFD, so that escape sequences have no effect.
pub fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() && c != '\n' { '\u{fffd}' } else { c }).collect()
}

/// The place to which a command writes its result. The command opens the place before its work
/// begins, so that an error is found early.
pub enum Target {
    StandardOutput,
    /// The target is a pipe or a device. The result is written directly into the target.
    Special(PathBuf, File),
    /// The target is a regular file. The result is written into a new file in the same folder. The
    /// new file then replaces the target by a rename.
    Whole {
        given: PathBuf,
        place: PathBuf,
    },
}

impl Target {
    /// Opens the target at `path` (`-` means standard output). Returns an error if the place cannot
    /// be written.
    pub fn open(path: &Path) -> Result<Self> {
        if path.as_os_str() == "-" {
            return Ok(Self::StandardOutput);
        }
        let cannot = |error: io::Error| {
            Failure::new(format!("{}: cannot be written: {error}", path.display()))
        };
        match fs::metadata(path) {
            Ok(found) if found.is_dir() => {
                return Err(Failure::new(format!("{}: is a directory", path.display())));
            }
            Ok(found) if !found.is_file() => {
                let file = File::options().write(true).open(path).map_err(cannot)?;
                return Ok(Self::Special(path.to_owned(), file));
            }
            _ => {}
        }
        // If the path is a symbolic link, the file to which it points is replaced. The link itself
        // remains.
        let place = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        // Creates a temporary file, to test whether the folder can be written, and removes it at
        // once. The file is not kept for the result, because it would be left behind if the process
        // were killed.
        drop(beside(&place).map_err(cannot)?);
        Ok(Self::Whole { given: path.to_owned(), place })
    }

    pub fn is_standard_output(&self) -> bool {
        matches!(self, Self::StandardOutput)
    }

    pub fn write(self, bytes: &[u8]) -> Result<()> {
        let failed = |path: &Path, error: io::Error| {
            Failure::new(format!("{}: cannot be written: {error}", path.display()))
        };
        match self {
            Self::StandardOutput => print_bytes(bytes),
            Self::Special(path, mut file) => {
                file.write_all(bytes).map_err(|error| failed(&path, error))
            }
            Self::Whole { given, place } => {
                let mut file = beside(&place).map_err(|error| failed(&given, error))?;
                file.as_file_mut().write_all(bytes).map_err(|error| failed(&given, error))?;
                file.persist(&place).map_err(|error| failed(&given, error.error))?;
                Ok(())
            }
        }
    }
}

/// Makes a temporary file in the folder of `place`.
fn beside(place: &Path) -> io::Result<NamedTempFile> {
    let folder = match place.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    // 0o666 is the usual mode of a new file. The umask then removes permissions.
    let mut options = File::options();
    options.write(true).create_new(true).mode(0o666);
    // tempfile_in is not used, because its errors name the temporary file.
    tempfile::Builder::new().prefix(".atc-").make_in(folder, |file| options.open(file))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_do_not_reach_the_terminal() {
        assert_eq!(printable("a\u{1b}[31mb\nc\u{9b}"), "a\u{fffd}[31mb\nc\u{fffd}");
    }

    #[test]
    fn a_closed_pipe_is_no_error_and_a_full_disk_is_one() {
        assert!(unless_closed(Err(io::ErrorKind::BrokenPipe.into())).is_ok());
        assert!(unless_closed(Err(io::ErrorKind::StorageFull.into())).is_err());
    }

    #[test]
    fn a_file_appears_whole_and_a_link_stays_a_link() {
        let folder = tempfile::tempdir().unwrap();
        let (real, link) = (folder.path().join("real"), folder.path().join("link"));
        fs::write(&real, "old").unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        let target = Target::open(&link).unwrap();
        assert_eq!(
            fs::read_to_string(&real).unwrap(),
            "old",
            "untouched until the result is there"
        );
        target.write(b"new").unwrap();
        assert_eq!(fs::read_to_string(&real).unwrap(), "new");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "a temporary file was left");
    }

    #[test]
    fn a_process_that_is_killed_at_its_work_leaves_no_file() {
        let folder = tempfile::tempdir().unwrap();
        let target = Target::open(&folder.path().join("result.json")).unwrap();
        let left: Vec<_> = fs::read_dir(folder.path()).unwrap().collect();
        assert!(left.is_empty(), "{left:?} would stay there");
        target.write(b"done").unwrap();
        assert_eq!(fs::read(folder.path().join("result.json")).unwrap(), b"done");
    }

    #[test]
    fn a_place_that_cannot_be_written_is_refused_before_the_work() {
        let folder = tempfile::tempdir().unwrap();
        assert!(Target::open(folder.path()).is_err());
        assert!(Target::open(&folder.path().join("missing/result.json")).is_err());
    }

    #[test]
    fn a_device_is_written_and_not_replaced() {
        let target = Target::open(Path::new("/dev/null")).unwrap();
        assert!(matches!(target, Target::Special(..)));
        target.write(b"gone").unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
    }
}
