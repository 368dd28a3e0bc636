//! The ways in which a command ends: its exit code, and the error that the user sees.

use std::process::ExitCode;

/// The result of a command that was able to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The command has done all of its work.
    Done,
    /// The command has run, but a part of its work was not done or a check found faults. Examples:
    /// a problem is undecided, or its decision could not be stored; a process of `atc determinism`
    /// ended without results; a pin cannot be obeyed.
    Partly,
    /// Ctrl-C cancelled the command. Decisions that it made before are kept.
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

/// The exit code if a part of the work was not done.
pub const PARTLY: u8 = 3;
/// The exit code after Ctrl-C.
pub const CANCELLED: u8 = 4;

/// The reason why a command could not run.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The text is shown to the user. The exit code is 1.
    #[error("{0}")]
    Failed(String),
    /// The arguments contradict each other. The exit code is 2, as for arguments that cannot be
    /// parsed.
    #[error("{0}")]
    Usage(String),
}

/// The type of the result of every command.
pub type Result<T> = std::result::Result<T, Failure>;

impl Failure {
    pub fn new(message: impl Into<String>) -> Self {
        Self::Failed(message.into())
    }

    pub fn exit_code(&self) -> ExitCode {
        ExitCode::from(match self {
            Self::Failed(_) => 1,
            Self::Usage(_) => 2,
        })
    }
}

impl From<atc::Error> for Failure {
    fn from(error: atc::Error) -> Self {
        Self::new(error.to_string())
    }
}

/// All exit codes with their meaning, for `--help`.
pub const EXIT_CODES: &str = "\
Exit codes:
  0  done
  1  failed: a file, a store or a library (the text says which)
  2  arguments, or an ATC_MODE, that cannot be read or do not go together
  3  partly done: some problems are undecided or their decisions could not be stored, a process of a study \
     failed, or a check found faults
  4  cancelled with Ctrl-C; what was decided until then is kept";
