//! A slip: a small file in which a worker says what it does at the moment. The worker writes it in
//! place between measurements, and the parent reads it a few times each second. If the worker is
//! gone, the slip says what it did last.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use serde::{Deserialize, Serialize};

/// The size of a slip at most. A choice has at most 2 KiB.
const MOST_BYTES: usize = 32 << 10;
/// Longer descriptions are cut.
const MOST_CHARACTERS: usize = 1000;

/// The present work of a worker, which the worker writes down for the process that started it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Slip {
    /// Grows with each change.
    pub number: u64,
    /// How much of the problem is done, from 0 to 1.
    pub fraction: f64,
    /// The problem in libatc's words.
    pub description: String,
    /// The candidate that works; empty if none does.
    pub candidate: String,
}

impl Slip {
    /// Reads the slip. A slip that was never written, or is being written, is `None`.
    pub fn read(file: &File) -> Option<Self> {
        let mut bytes = vec![0; MOST_BYTES];
        let count = file.read_at(&mut bytes, 0).ok()?;
        serde_json::from_slice(bytes.get(..count)?.trim_ascii_end()).ok()
    }
}

/// The worker's end of its slip.
pub struct Writer {
    file: File,
    last: Slip,
    length: usize,
}

impl Writer {
    pub fn open(path: &Path) -> io::Result<Self> {
        let file = File::options().write(true).open(path)?;
        Ok(Self { file, last: Slip::default(), length: 0 })
    }

    /// Says that a job begins.
    pub fn clear(&mut self) -> io::Result<()> {
        self.write(0.0, "", "")
    }

    pub fn write(&mut self, fraction: f64, description: &str, candidate: &str) -> io::Result<()> {
        self.last = Slip {
            number: self.last.number + 1,
            fraction,
            description: description.chars().take(MOST_CHARACTERS).collect(),
            candidate: candidate.to_owned(),
        };
        let mut text = serde_json::to_vec(&self.last)?;
        let length = text.len();
        // The rest of a longer text is overwritten.
        text.resize(length.max(self.length), b' ');
        self.length = length;
        self.file.write_all_at(&text, 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_words_are_read() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let reader = file.reopen().unwrap();
        assert_eq!(Slip::read(&reader), None);
        let mut writer = Writer::open(file.path()).unwrap();
        for (fraction, candidate) in [(0.25, "a long candidate"), (0.5, "é"), (0.5, "")] {
            writer.write(fraction, "forward", candidate).unwrap();
            let slip = Slip::read(&reader).unwrap();
            assert_eq!((slip.fraction, slip.candidate.as_str()), (fraction, candidate));
        }
        writer.write(1.0, &"d".repeat(9999), &"c".repeat(2048)).unwrap();
        assert_eq!(Slip::read(&reader).unwrap().description.len(), MOST_CHARACTERS);
        writer.clear().unwrap();
        assert_eq!(Slip::read(&reader).unwrap(), Slip { number: 5, ..Slip::default() });
    }
}
