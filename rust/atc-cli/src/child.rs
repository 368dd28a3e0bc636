//! Starts this program again as a child process, for measurements that need a process of their own.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::thread;

use crate::failure::{CANCELLED, Failure, PARTLY};
use crate::interrupt;
use crate::problems::{self, ConstantWeights, Request, Selection};

/// The last line of a child's standard error is cut to this number of characters.
const LAST_WORDS: usize = 300;

/// Returns a command that runs this program, but without the variable ATC_PINS. Convolutions that a
/// pin file decides would not be measured.
pub fn command() -> Result<Command, String> {
    let program = std::env::current_exe()
        .map_err(|error| format!("this program cannot be found to run it again: {error}"))?;
    let mut command = Command::new(program);
    command.env_remove("ATC_PINS");
    Ok(command)
}

/// Runs the command and waits for its end. The command reads `input` from standard input and writes
/// to the standard error of this process. Returns an error if the command cannot be started, or if
/// its exit code is not that of "done", "done in part" or "cancelled".
pub fn run(command: Command, input: &str) -> Result<Output, String> {
    let ended = finish(start(command)?, input)?;
    if !has_worked(ended.status) {
        return Err(format!("it could not be measured ({}): see above", ended.status));
    }
    Ok(ended)
}

/// Runs the command like [`run`], for a caller that goes on if the new process fails. The inner
/// error means that the process failed: it has the way in which the process ended, and the last
/// line of its standard error. The outer error means that the process could not be started, or that
/// this process could not wait for it.
pub fn attempt(mut command: Command, input: &str) -> Result<Result<Output, String>, String> {
    command.stderr(Stdio::piped());
    let mut child = start(command)?;
    let words = child.stderr.take().map(|pipe| thread::spawn(move || forward(pipe)));
    let ended = finish(child, input)?;
    let last = words.and_then(|thread| thread.join().ok()).unwrap_or_default();
    Ok(match (has_worked(ended.status), last.is_empty()) {
        (true, _) => Ok(ended),
        (false, true) => Err(ended.status.to_string()),
        (false, false) => Err(format!("{}: {last}", ended.status)),
    })
}

/// Reads problems from standard input. The child process calls this function. The parent process
/// writes the problems, and for each problem whether its weights are constant.
pub fn requests() -> Result<Vec<Request>, Failure> {
    let rows = problems::read_all(&["-".to_owned()])?;
    let selection =
        Selection { constant_weights: Some(ConstantWeights::Recorded), ..Selection::default() };
    selection.requests(&rows).map_err(Failure::new)
}

fn start(mut command: Command) -> Result<Child, String> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    command.spawn().map_err(|error| format!("no process could be started for it: {error}"))
}

fn finish(mut child: Child, input: &str) -> Result<Output, String> {
    let _known = interrupt::Child::new(child.id());
    if let Some(mut pipe) = child.stdin.take() {
        // Writing fails if the child has ended before it has read everything. This failure is
        // ignored, because the child's exit code and standard error give the reason.
        let _ = pipe.write_all(input.as_bytes());
    }
    child.wait_with_output().map_err(|error| format!("its process cannot be waited for: {error}"))
}

fn has_worked(status: ExitStatus) -> bool {
    [0, PARTLY, CANCELLED].map(|code| Some(i32::from(code))).contains(&status.code())
}

/// Reads the pipe to its end, and writes each line to this process's standard error. Returns the
/// last line of the pipe that is not empty, cut to `LAST_WORDS` characters.
fn forward(pipe: impl Read) -> String {
    let mut pipe = BufReader::new(pipe);
    let mut last = String::new();
    let mut line = Vec::new();
    while let Ok(1..) = pipe.read_until(b'\n', &mut line) {
        // If standard error cannot be written, the failure is ignored.
        let _ = io::stderr().lock().write_all(&line);
        let text = String::from_utf8_lossy(&line);
        if !text.trim().is_empty() {
            last = text.trim().chars().take(LAST_WORDS).collect();
        }
        line.clear();
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn how_a_process_ended_is_told_with_its_last_words() {
        let attempt = |script: &str| attempt(shell(script), "input\n").unwrap();
        for code in [0, PARTLY, CANCELLED] {
            let done = attempt(&format!("cat; echo word >&2; exit {code}")).unwrap();
            assert_eq!(done.stdout, b"input\n");
        }
        for (script, told) in [
            ("exit 7", "exit status: 7"),
            ("echo first >&2; printf ' last\\n\\n' >&2; exit 1", "exit status: 1: last"),
            ("printf 'no end of line' >&2; kill -9 $$", "signal: 9 (SIGKILL): no end of line"),
        ] {
            assert_eq!(attempt(script).unwrap_err(), told);
        }
        let long = attempt("printf '%0999d' 0 >&2; exit 1").unwrap_err();
        assert_eq!(long.len(), "exit status: 1: ".len() + LAST_WORDS);
        assert!(super::attempt(Command::new("/nowhere/at/all"), "").is_err());
    }
}
