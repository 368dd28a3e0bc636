//! What the tests of the command share.
#![allow(dead_code, reason = "every test file uses its own part of it")]

use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use serde_json::Value;

/// Two layers that are decided in a moment.
pub const LAYERS: &str = "\
# name N C D H W K T R S pad stride dil groups
plain 1 8 0 12 12 8 0 3 3 1 1 1 1  # x3
point 2 8 0 6 6 16 0 1 1 0 1 1 1
";

/// One sample of each candidate, and time enough for it: decided in a moment, and kept however busy the machine is.
pub const QUICK: [&str; 4] = ["--technique", "once", "--problem-budget", "60s"];

/// `atc` with nothing of the caller's environment that it would obey.
pub fn atc() -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("atc"));
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("ATC_") {
            command.env_remove(name);
        }
    }
    // Threads that wait shall not spin: tests run side by side.
    command.env("OMP_WAIT_POLICY", "passive");
    command
}

/// A folder with `layers.txt` in it.
pub struct Folder(tempfile::TempDir);

impl Folder {
    pub fn new() -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        folder.write("layers.txt", LAYERS);
        folder
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, text).unwrap();
        path
    }

    /// `atc` in this folder.
    pub fn atc(&self, arguments: &[&str]) -> Command {
        let mut command = atc();
        command.current_dir(self.0.path()).args(arguments);
        command
    }

    /// Tunes `layers.txt` into the store `store`, and gives back what was written down.
    pub fn tuned(&self) -> Value {
        let arguments = ["tune", "layers.txt", "--store", "store", "--json", "out.json"];
        self.atc(&arguments).args(QUICK).assert().success();
        self.json("out.json")
    }

    pub fn json(&self, name: &str) -> Value {
        read_json(&self.path(name))
    }
}

pub fn read_json(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

/// The text of a finished command's standard output.
pub fn output(command: &mut Command) -> String {
    String::from_utf8(command.assert().success().get_output().stdout.clone()).unwrap()
}
