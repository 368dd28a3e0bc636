//! One worker, as its parent sees it.

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

/// How often the slip is read.
const INTERVAL: Duration = Duration::from_millis(100);
/// The signals by which the code of a candidate ends its process.
const FAULTS: [i32; 7] = [SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP];
/// The line that cancels the job under way.
pub const CANCEL: &str = "cancel";

/// A worker that waits for a job. If its parent ends, it ends by itself.
pub struct Process {
    child: Child,
    input: ChildStdin,
    answers: Receiver<String>,
    /// Forwards the worker's standard error.
    errors: Option<JoinHandle<()>>,
    slip: File,
    /// It exists as long as the worker.
    _place: NamedTempFile,
}

/// How a job has ended.
#[derive(Debug, PartialEq)]
pub enum Ended {
    Answered(Answer),
    /// The worker is gone.
    Lost(End),
}

impl Process {
    /// Starts the worker that `command` makes for the path of a slip. `on_line` gets each line of its
    /// standard error.
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
        // Both threads end when the worker has ended.
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

    /// Gives the worker a job and waits for its answer. `on_change` gets each slip. A worker whose
    /// slip does not change for `patience` counts as hanging and is killed.
    pub fn ask(
        &mut self,
        job: &Job,
        patience: Duration,
        asked_to_stop: impl Fn() -> bool,
        mut on_change: impl FnMut(&Slip),
    ) -> Ended {
        let before = Slip::read(&self.slip).unwrap_or_default().number;
        let text = serde_json::to_string(job).unwrap_or_default();
        // Writing fails if the worker is gone: then there is no answer either.
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
                    // After Ctrl-C the command itself ends in time. A worker that cannot write its
                    // slip, for want of room, cannot be judged.
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

    /// Reads the slip. Returns whether it has changed since `last`, and was written for this job.
    fn look(&self, before: u64, last: &mut Slip, on_change: &mut impl FnMut(&Slip)) -> bool {
        let new = Slip::read(&self.slip).filter(|slip| slip.number > before.max(last.number));
        new.is_some_and(|slip| {
            on_change(&slip);
            *last = slip;
            true
        })
    }

    /// The worker has closed its standard output.
    fn end(&mut self, last: &Slip) -> End {
        let status = self.child.wait();
        // Its last words come before the news of its end.
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
        // It may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Process {
    /// A worker that waits for a job ends when its standard input is closed. None works here.
    fn drop(&mut self) {
        self.kill();
    }
}

/// "signal: 11 (SIGSEGV)".
fn told(status: ExitStatus) -> String {
    status.to_string().replace(" (core dumped)", "")
}

fn blamed(slip: &Slip) -> Option<String> {
    Some(slip.candidate.clone()).filter(|candidate| !candidate.is_empty())
}

/// Lines without their ends. Bytes that are no UTF-8 are replaced.
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
