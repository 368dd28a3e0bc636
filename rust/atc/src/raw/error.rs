//! Errors: their kinds, statuses and texts.

use std::ffi::{CStr, NulError};
use std::sync::Arc;

use crate::sys;

/// The result of every call that can fail.
pub type Result<T> = std::result::Result<T, Error>;

/// The kind of an error, one for each status of libatc.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum ErrorKind {
    /// An argument or option has a value that is invalid on every machine. The error text names the
    /// value.
    InvalidArgument,
    /// The request is valid, but no engine of this machine can run it.
    Unsupported,
    /// The store's mode is replay-only, and the store has no record (a stored decision) that the
    /// problem can use.
    NotTuned,
    /// There was not enough host or device memory.
    OutOfMemory,
    /// CUDA or its driver failed.
    Device,
    /// A library is missing or too old, or its parts are from two different versions.
    Library,
    /// A file or directory could not be read or written.
    Io,
    /// Bytes are not valid: a file in the store is no valid entry (a stored decision), or a call
    /// was given bytes that are no valid entry or bundle (an exported store).
    BadRecord,
    /// The call would have measured implementations, but its stream is being captured into a CUDA
    /// graph.
    Capturing,
    /// The object is still in use. Or a callback made the call, and the call would have to wait
    /// until this callback returns.
    Busy,
    /// A callback cancelled the call.
    Cancelled,
    /// atc itself has a bug.
    Internal,
    /// The ranks (the processes of a job) could not make their decisions together, for example
    /// because a rank is missing or has failed. The text names the rank that is the cause, and the
    /// reason.
    NotAgreed,
    /// The status is from a newer libatc, and this crate does not know its meaning.
    /// [`Error::status`] returns the status.
    Unknown,
}

impl ErrorKind {
    fn of(status: i32) -> Self {
        match status {
            sys::ATC_ERROR_INVALID_ARGUMENT => Self::InvalidArgument,
            sys::ATC_ERROR_UNSUPPORTED => Self::Unsupported,
            sys::ATC_ERROR_NOT_TUNED => Self::NotTuned,
            sys::ATC_ERROR_OUT_OF_MEMORY => Self::OutOfMemory,
            sys::ATC_ERROR_DEVICE => Self::Device,
            sys::ATC_ERROR_LIBRARY => Self::Library,
            sys::ATC_ERROR_IO => Self::Io,
            sys::ATC_ERROR_BAD_RECORD => Self::BadRecord,
            sys::ATC_ERROR_CAPTURING => Self::Capturing,
            sys::ATC_ERROR_BUSY => Self::Busy,
            sys::ATC_ERROR_CANCELLED => Self::Cancelled,
            sys::ATC_ERROR_INTERNAL => Self::Internal,
            sys::ATC_ERROR_NOT_AGREED => Self::NotAgreed,
            _ => Self::Unknown,
        }
    }
}

/// A failed call: the kind of the error, libatc's status, and a sentence for people.
///
/// A program should decide by [`kind`](Self::kind) what to do, and show the text only to people.
///
/// ```
/// use atc::{Device, ErrorKind, Plan, Problem};
///
/// let refused = Plan::new(Device::Cpu, &Problem::conv2d(1, 3, 8, 8, 4).stride(0)).unwrap_err();
/// assert_eq!(refused.kind(), ErrorKind::InvalidArgument);
/// assert!(refused.to_string().contains("stride"));
/// ```
#[derive(Debug, Clone, thiserror::Error)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[error("{message}")]
pub struct Error {
    kind: ErrorKind,
    status: i32,
    message: String,
    #[source]
    #[cfg_attr(feature = "serde", serde(skip))]
    cause: Option<Arc<dyn std::error::Error + Send + Sync>>,
}

impl Error {
    /// Returns the kind of the error.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Returns libatc's status (`ATC_ERROR_*`).
    #[must_use]
    pub fn status(&self) -> i32 {
        self.status
    }

    /// Returns a sentence that names the wrong value and a remedy.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Makes an error from a status of libatc (`ATC_ERROR_*`) and a sentence, which should name the
    /// wrong value and a remedy. This function is for other crates that extend this crate and
    /// return its errors.
    pub fn new(status: i32, message: impl Into<String>) -> Self {
        Self { kind: ErrorKind::of(status), status, message: message.into(), cause: None }
    }

    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self::new(sys::ATC_ERROR_INVALID_ARGUMENT, message)
    }

    /// Returns the error for a text that contains a NUL byte. (C strings cannot contain NUL bytes,
    /// because NUL ends them.) The error message uses `what` as the name of the text.
    pub(crate) fn nul_byte(what: &str, cause: NulError) -> Self {
        let message = format!("{what} has a NUL byte at {}: leave it out", cause.nul_position());
        Self { cause: Some(Arc::new(cause)), ..Self::invalid(message) }
    }
}

impl PartialEq for Error {
    /// Two errors are equal if their statuses and their texts are equal.
    fn eq(&self, other: &Self) -> bool {
        self.status == other.status && self.message == other.message
    }
}

/// Turns a status of libatc into a `Result`. The error has a copy of the error text that libatc has
/// stored for this thread.
pub(crate) fn check(status: i32) -> Result<()> {
    if status == sys::ATC_OK {
        return Ok(());
    }
    // SAFETY: the C function takes no arguments. Its contract says that it never returns NULL, but
    // the code below handles NULL, too.
    let text = unsafe { sys::atc_last_error() };
    let message = if text.is_null() {
        String::new()
    } else {
        // SAFETY: `text` is not NULL, ends with NUL, and is valid until this thread's next call
        // that fails.
        unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
    };
    Err(Error::new(status, if message.is_empty() { status_name(status) } else { message }))
}

fn status_name(status: i32) -> String {
    // SAFETY: the function accepts any number and returns a static string.
    let name = unsafe { sys::atc_status_name(status) };
    if name.is_null() {
        return format!("status {status}");
    }
    // SAFETY: the C function returns a static string that ends with NUL.
    format!("{} ({status})", unsafe { CStr::from_ptr(name) }.to_string_lossy())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_status_has_a_kind_of_its_own() {
        let kinds: Vec<_> = (1..=13).map(ErrorKind::of).collect();
        for (index, kind) in kinds.iter().enumerate() {
            assert_ne!(*kind, ErrorKind::Unknown, "status {}", index + 1);
            assert!(!kinds[..index].contains(kind), "status {} repeats {kind:?}", index + 1);
        }
    }

    #[test]
    fn a_status_of_a_newer_library_is_unknown_and_keeps_its_number() {
        let error = Error::new(4711, "text");
        assert_eq!((error.kind(), error.status()), (ErrorKind::Unknown, 4711));
    }

    #[test]
    fn a_nul_byte_is_told_with_its_cause() {
        let error = Error::nul_byte("choice", std::ffi::CString::new("a\0b").unwrap_err());
        assert_eq!(error.kind(), ErrorKind::InvalidArgument);
        assert!(error.message().contains("at 1"), "{error}");
        assert!(std::error::Error::source(&error).is_some());
    }
}
