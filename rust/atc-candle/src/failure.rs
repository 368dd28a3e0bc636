//! Makes errors of candle, from errors of atc or from texts.

use candle_core::Error;

/// Returns candle's error for an error of atc, with the same text. The error has a backtrace if
/// candle's errors have one.
pub(crate) fn failure(error: atc::Error) -> Error {
    Error::wrap(error)
}

/// Returns candle's error with the given text.
pub(crate) fn refused(message: String) -> Error {
    Error::msg(message)
}
