//! Errors of atc as errors of candle.

use candle_core::Error;

/// The same text, with a backtrace where candle has one.
pub(crate) fn failure(error: atc::Error) -> Error {
    Error::wrap(error)
}

/// An error with a text of this crate.
pub(crate) fn refused(message: String) -> Error {
    Error::msg(message)
}
