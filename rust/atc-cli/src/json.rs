//! Writes values as JSON, and reads JSON.

use serde::Serialize;

use crate::failure::{Failure, Result};

/// Returns a value as JSON with indentation and a newline at the end. `what` names the value in
/// errors.
pub fn text(what: &str, value: &impl Serialize) -> Result<String> {
    match serde_json::to_string_pretty(value) {
        Ok(text) => Ok(text + "\n"),
        Err(error) => Err(failed(what, &error)),
    }
}

/// Returns a value as JSON without spaces, for another process of this program. `what` names the
/// value in errors.
pub fn compact(what: &str, value: &impl Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(|error| failed(what, &error))
}

/// Parses a JSON text of libatc, so that it can be written with other indentation.
pub fn value(text: &str) -> Result<serde_json::Value> {
    serde_json::from_str(text)
        .map_err(|error| Failure::new(format!("a text of libatc is no JSON: {error}")))
}

fn failed(what: &str, error: &serde_json::Error) -> Failure {
    Failure::new(format!("{what} cannot be written as JSON: {error}"))
}
