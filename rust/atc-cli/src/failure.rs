//! How a command ends: exit codes, and errors for the user.

use std::io;
use std::process::ExitCode;

/// The result of a command that ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// All of it was done.
    Done,
    /// Some problems were not decided or their decisions not stored, a process of a study ended without results, or a check found faults.
    Partly,
    /// Ctrl-C; decisions made before it are kept.
    Cancelled,
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> Self {
        ExitCode::from(match outcome {
            Outcome::Done => 0,
            Outcome::Partly => PARTLY,
            Outcome::Cancelled => CANCELLED,
        })
    }
}

/// The exit code where some problems were not decided.
pub const PARTLY: u8 = 3;
/// The exit code after Ctrl-C.
pub const CANCELLED: u8 = 4;

/// Why a command could not do its work.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// Printed for the user; exit code 1.
    #[error("{0}")]
    Failed(String),
    /// Arguments that do not go together; exit code 2, as for arguments that cannot be read.
    #[error("{0}")]
    Usage(String),
    /// The reader closed the pipe: the command ends without a message.
    #[error("nobody reads the output any more")]
    OutputClosed,
}

/// What every command returns.
pub type Result<T> = std::result::Result<T, Failure>;

impl Failure {
    pub fn new(message: impl Into<String>) -> Self {
        Self::Failed(message.into())
    }

    pub fn exit_code(&self) -> ExitCode {
        ExitCode::from(match self {
            Self::Failed(_) => 1,
            Self::Usage(_) => 2,
            Self::OutputClosed => 0,
        })
    }

    /// Converts an error of writing to standard output; a closed pipe is no error to print.
    pub fn from_output(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::OutputClosed,
            _ => Self::new(format!("the output cannot be written: {error}")),
        }
    }
}

impl From<atc::Error> for Failure {
    fn from(error: atc::Error) -> Self {
        Self::new(error.to_string())
    }
}

/// Every exit code, for `--help`.
pub const EXIT_CODES: &str = "\
Exit codes:
  0  done
  1  failed: a file, a store or a library (the text says which)
  2  arguments, or an ATC_MODE, that cannot be read or do not go together
  3  partly done: some problems were not decided or their decisions could not be stored, a process of a study
     failed, or a check found faults
  4  cancelled with Ctrl-C; what was decided until then is kept";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_closed_pipe_is_no_error_and_a_full_disk_is_one() {
        let closed = Failure::from_output(io::ErrorKind::BrokenPipe.into());
        assert!(matches!(closed, Failure::OutputClosed));
        let full = Failure::from_output(io::ErrorKind::StorageFull.into());
        assert!(matches!(full, Failure::Failed(_)));
    }
}
