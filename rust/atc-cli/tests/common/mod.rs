//! Functions and data that several tests of the command use.
#![allow(dead_code, reason = "every test file uses its own part of it")]

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{self, Stdio};

use assert_cmd::Command;
use serde_json::Value;

/// Two layers that are so small that they are tuned within seconds.
pub const LAYERS: &str = "\
# name N C D H W K T R S pad stride dil groups
plain 1 8 0 12 12 8 0 3 3 1 1 1 1  # x3
point 2 8 0 6 6 16 0 1 1 0 1 1 1
";

/// Options for commands that measure: one sample of each candidate, which makes tests fast, and a long time limit, so
/// that every candidate is measured even on a busy machine. With these options decisions are firm.
pub const QUICK: [&str; 4] = ["--technique", "once", "--problem-budget", "60s"];

/// Makes a command that runs `atc` without those environment variables of the caller that affect it.
pub fn atc() -> Command {
    Command::from_std(program())
}

/// Makes the same command as [`atc`] as a `std::process::Command`, for tests that cannot use assert_cmd.
pub fn program() -> process::Command {
    let mut command = process::Command::new(assert_cmd::cargo::cargo_bin!("atc"));
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("ATC_") {
            command.env_remove(name);
        }
    }
    // Makes waiting threads of OpenMP sleep in place of spinning: several tests run at the same time, and spinning
    // threads would slow them down.
    command.env("OMP_WAIT_POLICY", "passive");
    command
}

/// A temporary folder that contains `layers.txt`.
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

    /// Makes a command that runs `atc` in this folder.
    pub fn atc(&self, arguments: &[&str]) -> Command {
        let mut command = atc();
        command.current_dir(self.0.path()).args(arguments);
        command
    }

    /// Runs `atc` in this folder, and sends SIGINT after a line of its standard error contains `words`. Returns the
    /// exit status and the rest of standard error.
    pub fn interrupted_at(&self, words: &str, arguments: &[&str]) -> process::Output {
        self.signalled_at(&[(words, "INT")], arguments)
    }

    /// Runs `atc` in this folder and sends it several signals. `signals` has pairs of words and a signal: each signal
    /// is sent after its words have appeared in standard error.
    pub fn signalled_at(&self, signals: &[(&str, &str)], arguments: &[&str]) -> process::Output {
        let mut child = program()
            .current_dir(self.0.path())
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        for (words, signal) in signals {
            assert!(lines.any(|line| line.unwrap().contains(words)), "{words:?} never came");
            let mut kill = process::Command::new("kill");
            kill.args([&format!("-{signal}"), &child.id().to_string()]);
            assert!(kill.status().unwrap().success());
        }
        let rest: Vec<_> = lines.map(Result::unwrap).collect();
        let ended = child.wait_with_output().unwrap();
        process::Output { stderr: rest.join("\n").into_bytes(), ..ended }
    }

    /// Tunes `layers.txt` into the store `store`, and returns the JSON of the run.
    pub fn tuned(&self) -> Value {
        let arguments = ["tune", "layers.txt", "--store", "store", "--json", "out.json"];
        self.atc(&arguments).args(QUICK).assert().success();
        self.json("out.json")
    }

    /// Compiles `source` to the plug-in `plugin.so`. `source` may include `own_engine.c`, the example of an engine. If
    /// this is impossible here (for example without a compiler), prints the reason and returns false.
    pub fn make_plug_in(&self, source: &str) -> bool {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        if !root.join("examples/c/own_engine.c").exists() {
            eprintln!("skipped: the example of an engine is not here");
            return false;
        }
        let Ok(libatc) = std::env::var("ATC_LIB_DIR") else {
            eprintln!(
                "skipped: ATC_LIB_DIR does not say where the libatc is that the plug-in links"
            );
            return false;
        };
        let source = self.write("plugin.c", source);
        let mut compiler = process::Command::new("cc");
        compiler.args(["-shared", "-fPIC", "-O1", "-o"]).arg(self.path("plugin.so")).arg(source);
        compiler.arg("-I").arg(root.join("include")).arg("-I").arg(root.join("examples/c"));
        compiler.arg("-L").arg(libatc).args(["-latc", "-lm"]);
        match compiler.status() {
            Ok(status) => assert!(status.success(), "the plug-in does not compile"),
            Err(error) => {
                eprintln!("skipped: there is no C compiler cc to make a plug-in: {error}");
                return false;
            }
        }
        true
    }

    pub fn json(&self, name: &str) -> Value {
        read_json(&self.path(name))
    }
}

pub fn read_json(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

/// Runs the command, and returns the text of its standard output.
pub fn output(command: &mut Command) -> String {
    String::from_utf8(command.assert().success().get_output().stdout.clone()).unwrap()
}
