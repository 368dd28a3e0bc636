//! Reads the rows that an argument of the command line names: those of a built-in network, of a
//! file, or of standard input.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use super::text::{self, Wrong};
use super::{Row, json, networks};
use crate::failure::{Failure, Result};

/// The largest size of a file in bytes. A list of layers is never so large, so a larger file is
/// refused.
const MOST_BYTES: u64 = 64 << 20;

/// The text of the file or network that an argument names. The text is read once and kept here,
/// because a pipe cannot be read a second time.
pub struct Input {
    /// The name that errors use for the input.
    pub origin: String,
    pub text: String,
}

impl Input {
    /// Reads an argument: a FILE (`-` means standard input) or a NETWORK.
    pub fn read(argument: &str) -> Result<Self> {
        if let Some(network) = networks::find(argument) {
            return Ok(Self { origin: network.name.to_owned(), text: network.text.to_owned() });
        }
        if argument == "-" {
            let origin = "standard input".to_owned();
            return Ok(Self { text: text_of(&origin, io::stdin().lock())?, origin });
        }
        let file = File::open(argument).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => Failure::new(unknown(argument)),
            _ => Failure::new(format!("{argument}: cannot be opened: {error}")),
        })?;
        Ok(Self { origin: argument.to_owned(), text: text_of(argument, file)? })
    }

    pub fn rows(&self) -> Result<Vec<Row>> {
        parse(&self.origin, &self.text)
    }
}

/// Returns the rows of all arguments, in the order of the arguments.
pub fn read_all(arguments: &[String]) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for argument in arguments {
        rows.extend(read(argument)?);
    }
    Ok(rows)
}

/// Returns the rows of an argument: a FILE (`-` means standard input), a NETWORK, or a row of the
/// text format.
pub fn read_or_row(argument: &str) -> Result<Vec<Row>> {
    let is_row = argument.trim().contains(char::is_whitespace) && !Path::new(argument).exists();
    if is_row { parse("the layer", argument) } else { read(argument) }
}

/// Returns the rows of an argument: a FILE (`-` means standard input) or a NETWORK.
pub fn read(argument: &str) -> Result<Vec<Row>> {
    Input::read(argument)?.rows()
}

fn text_of(origin: &str, from: impl Read) -> Result<String> {
    let mut bytes = Vec::new();
    let read = from.take(MOST_BYTES + 1).read_to_end(&mut bytes);
    read.map_err(|error| Failure::new(format!("{origin}: cannot be read: {error}")))?;
    if bytes.len() as u64 > MOST_BYTES {
        let limit = MOST_BYTES >> 20;
        return Err(Failure::new(format!(
            "{origin}: larger than {limit} MiB: this is no list of layers"
        )));
    }
    String::from_utf8(bytes).map_err(|error| {
        let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = 1 + valid.iter().filter(|byte| **byte == b'\n').count();
        Failure::new(format!("{origin}:{line}: bytes that are no UTF-8 text"))
    })
}

pub fn parse(origin: &str, text: &str) -> Result<Vec<Row>> {
    let rows = if text.trim_start().starts_with('{') {
        json::parse(text)
    } else {
        text::parse(text).map(|layers| layers.into_iter().map(Row::from).collect())
    };
    rows.map_err(|Wrong { line, message }| Failure::new(format!("{origin}:{line}: {message}")))
}

/// Returns the error for an argument that is neither a file nor a network.
fn unknown(argument: &str) -> String {
    let known: Vec<_> = networks::known().collect();
    let mut text = format!(
        "{argument}: there is no such file, and no such network (built in: {})",
        known.join(", ")
    );
    let close = networks::close_matches(argument);
    if !close.is_empty() && !Path::new(argument).has_root() {
        text += &format!("; did you mean {}?", close.join(" or "));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn written(bytes: &[u8]) -> tempfile::NamedTempFile {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(bytes).unwrap();
        file
    }

    fn error_of(argument: &str) -> String {
        read(argument).unwrap_err().to_string()
    }

    #[test]
    fn errors_begin_with_file_and_line() {
        for (bytes, line, word) in [
            (&b"a 1 2 0 8 8 2 0 3 3 1 1 1 1\nb 1\n"[..], 2, "columns"),
            (b"", 1, "no layer"),
            (b"# a\n\xff\n", 2, "UTF-8"),
            (b"{\n\"problems\": [,]}", 2, "JSON"),
        ] {
            let file = written(bytes);
            let path = file.path().to_str().unwrap();
            let error = error_of(path);
            assert!(error.starts_with(&format!("{path}:{line}: ")), "{error}");
            assert!(error.contains(word), "{error}");
        }
    }

    #[test]
    fn what_is_neither_file_nor_network_is_told_the_networks() {
        let error = error_of("resnet-50");
        assert!(
            error.contains("mobilenet_v3_large") && error.contains("did you mean resnet50?"),
            "{error}"
        );
        assert!(!error_of("/nowhere/layers.txt").contains("did you mean"), "no network was meant");
    }

    #[test]
    fn a_row_is_read_from_the_argument() {
        let rows = read_or_row("a 1 2 0 8 8 2 0 3 3 1 1 1 1 # x2 bias").unwrap();
        assert_eq!((rows.len(), rows[0].layer.count, rows[0].layer.bias), (1, 2, true));
        assert!(
            read_or_row("a 1 2").unwrap_err().to_string().starts_with("the layer:1: 3 columns")
        );
        assert_eq!(read_or_row("resnet50").unwrap().len(), 23);
    }

    #[test]
    fn a_directory_is_no_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().to_str().unwrap();
        assert!(
            error_of(path).starts_with(&format!("{path}: cannot be read")),
            "{}",
            error_of(path)
        );
    }

    #[test]
    fn several_arguments_are_read_in_their_order() {
        let file = written(b"mine 1 2 0 8 8 2 0 3 3 1 1 1 1\n");
        let arguments = [file.path().to_str().unwrap().to_owned(), "resnet50".to_owned()];
        let rows = read_all(&arguments).unwrap();
        assert_eq!(rows.len(), 24);
        assert_eq!(rows[0].layer.name, "mine");
    }
}
