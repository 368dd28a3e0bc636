//! One worker process, from the side of its parent.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use signal_hook::consts::{SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP};
use tempfile::NamedTempFile;

use super::answer::{Answer, Job};
use super::queue::End;
use super::slip::Slip;
use crate::units;

/// The parent reads the slip (the small file in which a worker reports its progress) after each
/// interval of this length.
const INTERVAL: Duration = Duration::from_millis(100);
/// If a worker ends by one of these signals, the code of the candidate that was running is to blame.
const FAULTS: [i32; 7] = [SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP];
/// The line to a worker's standard input that cancels its job.
pub const CANCEL: &str = "cancel";

/// A worker process, as its parent sees it. The worker waits for jobs. If the parent ends, the worker ends by itself.
pub struct Process {
    child: Child,
    input: ChildStdin,
    answers: Receiver<String>,
    /// The thread that forwards the worker's standard error.
    errors: Option<JoinHandle<()>>,
    slip: File,
    /// The path of the slip (the file in which the worker reports its progress). The file is
    /// removed when this value is dropped.
    _place: NamedTempFile,
}

/// How a job has ended.
#[derive(Debug, PartialEq)]
pub enum Ended {
    Answered(Answer),
    /// The worker has ended, or was killed.
    Lost(End),
}

impl Process {
    /// Starts a worker. `command` is called with the path of the worker's slip, and returns the command to start.
    /// `on_line` is called with each line of the worker's standard error.
    pub fn start(
        command: impl FnOnce(&std::path::Path) -> Result<Command, String>,
        on_line: impl Fn(String) + Send + 'static,
    ) -> Result<Self, String> {
        let cannot = |error: std::io::Error| format!("no process can be started: {error}");
        let place = NamedTempFile::with_prefix("atc-slip-").map_err(cannot)?;
        let slip = place.reopen().map_err(cannot)?;
        let mut command = command(place.path())?;
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(cannot)?;
        let (Some(input), Some(output), Some(errors)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err("a process has no pipes".to_owned());
        };
        let (sender, answers) = channel();
        // The thread that reads standard output, and the thread that reads standard error, end when the worker has
        // ended, because its pipes are then closed.
        thread::spawn(move || {
            for line in lines_of(output) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        let errors = Some(thread::spawn(move || lines_of(errors).for_each(on_line)));
        Ok(Self { child, input, answers, errors, slip, _place: place })
    }

    /// Gives the worker a job and waits for its answer. `on_change` is called with each new content of the slip (the
    /// file in which the worker reports its progress). If the slip does not change for `patience`, the worker counts as
    /// hanging and is killed.
    pub fn ask(
        &mut self,
        job: &Job,
        patience: Duration,
        asked_to_stop: impl Fn() -> bool,
        mut on_change: impl FnMut(&Slip),
    ) -> Ended {
        let before = Slip::read(&self.slip).unwrap_or_default().number;
        let text = serde_json::to_string(job).unwrap_or_default();
        // Writing fails if the worker has ended. The error is ignored, because the loop below then finds that there is
        // no answer.
        let _ = writeln!(self.input, "{text}").and_then(|()| self.input.flush());
        let (mut last, mut changed, mut cancelled) = (Slip::default(), Instant::now(), false);
        loop {
            match self.answers.recv_timeout(INTERVAL) {
                Ok(line) => {
                    self.look(before, &mut last, &mut on_change);
                    return match serde_json::from_str(&line) {
                        Ok(Answer::Decided { decision, .. }) if decision.status == "device" => {
                            let how = format!("the device failed: {}", decision.why);
                            self.kill();
                            Ended::Lost(End { how, candidate: blamed(&last) })
                        }
                        Ok(answer) => Ended::Answered(answer),
                        Err(error) => {
                            self.kill();
                            let how = format!("its process gave an answer that is none: {error}");
                            Ended::Lost(End { how, candidate: None })
                        }
                    };
                }
                Err(RecvTimeoutError::Timeout) => {
                    if self.look(before, &mut last, &mut on_change) {
                        changed = Instant::now();
                    }
                    if asked_to_stop() && !cancelled {
                        cancelled = true;
                        let _ = writeln!(self.input, "{CANCEL}").and_then(|()| self.input.flush());
                    }
                    // A worker without progress is not killed in two cases. The first case is Ctrl-C, because the whole
                    // command then ends within seconds. The second case is a worker that has not written its slip (its
                    // progress file) during this job, for example because the disk is full: its progress is not known.
                    let judged = last.number > 0 && !cancelled;
                    if judged && changed.elapsed() > patience {
                        self.kill();
                        let time = units::wall(patience);
                        let how =
                            format!("it made no progress for {time}, so its process was ended");
                        return Ended::Lost(End { how, candidate: blamed(&last) });
                    }
                }
                Err(RecvTimeoutError::Disconnected) => {
                    self.look(before, &mut last, &mut on_change);
                    return Ended::Lost(self.end(&last));
                }
            }
        }
    }

    /// Reads the slip (the file in which the worker reports its progress). Returns whether the
    /// worker has written the slip in this job and the slip differs from `last`.
    fn look(&self, before: u64, last: &mut Slip, on_change: &mut impl FnMut(&Slip)) -> bool {
        let new = Slip::read(&self.slip).filter(|slip| slip.number > before.max(last.number));
        new.is_some_and(|slip| {
            on_change(&slip);
            *last = slip;
            true
        })
    }

    /// Waits for the end of a worker that has closed its standard output, and describes how it ended.
    fn end(&mut self, last: &Slip) -> End {
        let status = self.child.wait();
        // Waits until all lines of the worker's standard error have been passed on, so that the user sees them before
        // the report of the worker's end.
        let _ = self.errors.take().map(JoinHandle::join);
        match status {
            Ok(status) => End {
                how: format!("it ended its process ({})", told(status)),
                candidate: status
                    .signal()
                    .filter(|signal| FAULTS.contains(signal))
                    .and_then(|_| blamed(last)),
            },
            Err(error) => End { how: format!("its process was lost: {error}"), candidate: None },
        }
    }

    fn kill(&mut self) {
        // The worker may have ended already, so errors of `kill` and `wait` are ignored.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Process {
    /// Ends the worker. The worker has no job when the value is dropped, so no measurement is lost.
    fn drop(&mut self) {
        self.kill();
    }
}

/// Returns the exit status as text: for example "signal: 11 (SIGSEGV)".
fn told(status: ExitStatus) -> String {
    status.to_string().replace(" (core dumped)", "")
}

fn blamed(slip: &Slip) -> Option<String> {
    Some(slip.candidate.clone()).filter(|candidate| !candidate.is_empty())
}

/// Returns the lines of a pipe, without line feeds. Bytes that are not UTF-8 are replaced.
fn lines_of(pipe: impl std::io::Read) -> impl Iterator<Item = String> {
    let mut pipe = BufReader::new(pipe);
    std::iter::from_fn(move || {
        let mut line = Vec::new();
        match pipe.read_until(b'\n', &mut line) {
            Ok(1..) => Some(String::from_utf8_lossy(&line).trim_end_matches('\n').to_owned()),
            _ => None,
        }
    })
}
