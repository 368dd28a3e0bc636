//! A slip: a small file in which a worker process writes what it is doing (the running candidate,
//! and its progress). The worker overwrites the file between measurements, and its parent reads the
//! file a few times each second. If the worker crashes, the parent sees in the slip what the worker
//! did last.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use serde::{Deserialize, Serialize};

/// The largest size of a slip in bytes. This size is large enough, because the name of a candidate
/// has at most 2 KiB.
const MOST_BYTES: usize = 32 << 10;
/// The largest number of characters of a description. A longer description is cut.
const MOST_CHARACTERS: usize = 1000;

/// The content of a slip: the present work of a worker.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Slip {
    /// A number that increases each time the worker changes the content.
    pub number: u64,
    /// The finished part of the work on the problem, from 0 to 1.
    pub fraction: f64,
    /// The problem that the worker measures, as libatc describes it.
    pub description: String,
    /// The candidate that is running; empty if none is.
    pub candidate: String,
}

impl Slip {
    /// Reads the slip. Returns `None` if the slip was never written, or if the worker is writing it
    /// at this moment.
    pub fn read(file: &File) -> Option<Self> {
        let mut bytes = vec![0; MOST_BYTES];
        let count = file.read_at(&mut bytes, 0).ok()?;
        serde_json::from_slice(bytes.get(..count)?.trim_ascii_end()).ok()
    }
}

/// The worker's access to its slip (the file in which it reports its progress).
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

    /// Writes into the slip that a job begins and that no candidate is running yet.
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
        // The text overwrites the earlier text. If it is shorter, it is extended by spaces, so that
        // nothing of the earlier text remains.
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
