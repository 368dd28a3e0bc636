//! Turns errors of atc into errors of candle.

use candle_core::Error;

/// Returns an error with the same text, and with a backtrace if candle has one.
pub(crate) fn failure(error: atc::Error) -> Error {
    Error::wrap(error)
}

/// Returns an error with a text of this crate's own.
pub(crate) fn refused(message: String) -> Error {
    Error::msg(message)
}
