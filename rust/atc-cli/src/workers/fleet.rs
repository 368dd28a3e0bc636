//! The fleet: all workers of a command, one for each device. A device that has finished a problem
//! gets the next one.

use std::path::Path;
use std::process::Command;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use atc::{Device, ErrorKind};

use super::answer::{Answer, Job, Refused};
use super::process::{Ended, Process};
use super::queue::{End, Next, Queue, Waiting};
use crate::convert;
use crate::decision::Decision;
use crate::failure::{Failure, Result};
use crate::units;

/// A device gets no further problems after its worker has ended during this many problems in a row
/// without a candidate to blame.
const MOST_LOSSES: usize = 3;

/// A function that returns the command which starts a worker. Its arguments are the device and the
/// path of the worker's slip (a small file that reports progress).
pub type Start = dyn Fn(Device, &Path) -> std::result::Result<Command, String> + Sync;

/// The workers of a command. A device's worker is started when the device gets its first problem.
pub struct Fleet {
    places: Vec<Place>,
    start: Box<Start>,
    patience: Duration,
    asked_to_stop: fn() -> bool,
    /// The sender of the channel `events`. The fleet owns a sender, so that the channel remains
    /// open while workers exist: lines of a worker's standard error may arrive at any time.
    sender: Sender<Event>,
    events: Receiver<Event>,
}

struct Place {
    device: Device,
    process: Option<Process>,
}

/// The time limits of a call of [`Fleet::decide`].
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    pub problem_budget: Option<Duration>,
    pub total_budget: Option<Duration>,
    /// The time from which `total_budget` (the time limit for all problems) is counted.
    pub started: Instant,
}

/// A message from the thread of a device to the thread that called [`Fleet::decide`].
#[derive(Debug)]
enum Event {
    Begins {
        problem: usize,
        device: Device,
    },
    Works {
        problem: usize,
        fraction: f64,
    },
    Refused {
        problem: usize,
        refused: Refused,
    },
    Answered {
        problem: usize,
        decision: Box<Decision>,
        cancelled: bool,
    },
    /// The worker has written this line to its standard error.
    Line(String),
    Failed(String),
    /// The thread of a device has ended, because the device has no further work.
    Leaves,
}

/// Receives the events. Its functions are called on the thread that called [`Fleet::decide`].
pub trait Watching {
    fn begins(&mut self, problem: usize, device: Device);
    fn works(&mut self, problem: usize, fraction: f64);
    fn answered(&mut self, problem: usize);
    fn line(&mut self, text: &str);
    fn refused(&mut self, problem: usize, refused: &Refused);
}

impl Fleet {
    pub fn new(
        devices: &[Device],
        patience: Duration,
        asked_to_stop: fn() -> bool,
        start: Box<Start>,
    ) -> Self {
        let place = |device: &Device| Place { device: *device, process: None };
        let (sender, events) = channel();
        Self {
            sender,
            events,
            places: devices.iter().map(place).collect(),
            start,
            patience,
            asked_to_stop,
        }
    }

    pub fn devices(&self) -> usize {
        self.places.len()
    }

    /// Decides the problems. Each element of `problems` is the JSON of a document with one problem.
    /// Returns the decisions in the order of the problems, and whether Ctrl-C has cancelled the
    /// work.
    pub fn decide(
        &mut self,
        problems: &[String],
        limits: &Limits,
        watching: &mut dyn Watching,
    ) -> Result<(Vec<Decision>, bool)> {
        let shared = Shared {
            queue: Mutex::new(Queue::new(0..problems.len(), self.places.len())),
            changed: Condvar::new(),
            problems,
            limits,
            patience: self.patience,
            asked_to_stop: self.asked_to_stop,
            start: &*self.start,
        };
        let mut decisions = vec![None; problems.len()];
        let (mut any_cancelled, mut failure) = (false, None);
        thread::scope(|scope| {
            let mut working = self.places.len();
            for (index, place) in self.places.iter_mut().enumerate() {
                let (shared, sender) = (&shared, self.sender.clone());
                scope.spawn(move || {
                    let leaving = Leaving(sender);
                    shared.work(index, place, &leaving.0);
                });
            }
            while working > 0 {
                // `recv` would fail only if all senders were gone, but the fleet itself keeps a
                // sender.
                let Ok(event) = self.events.recv() else { break };
                match event {
                    Event::Begins { problem, device } => watching.begins(problem, device),
                    Event::Works { problem, fraction } => watching.works(problem, fraction),
                    Event::Refused { problem, refused } => watching.refused(problem, &refused),
                    Event::Line(text) => watching.line(&text),
                    Event::Answered { problem, decision, cancelled } => {
                        any_cancelled |= cancelled;
                        decisions[problem] = Some(*decision);
                        watching.answered(problem);
                    }
                    Event::Failed(text) => failure = failure.take().or(Some(text)),
                    Event::Leaves => working -= 1,
                }
            }
        });
        if let Some(text) = failure {
            return Err(Failure::new(text));
        }
        let stopped = (self.asked_to_stop)();
        let missing = || match stopped {
            true => {
                convert::refused(ErrorKind::Cancelled, "cancelled before this problem".to_owned())
            }
            false => convert::refused(ErrorKind::Internal, "no device is left for it".to_owned()),
        };
        let decisions = decisions.into_iter().map(|one| one.unwrap_or_else(missing)).collect();
        Ok((decisions, any_cancelled || stopped))
    }
}

/// Sends [`Event::Leaves`] when it is dropped. So the event is sent when the thread of a device
/// ends, even if the thread panics.
struct Leaving(Sender<Event>);

impl Drop for Leaving {
    fn drop(&mut self) {
        drop(self.0.send(Event::Leaves));
    }
}

/// The state that the threads of all devices share.
struct Shared<'a> {
    queue: Mutex<Queue>,
    /// This condition variable is signalled after each change of the queue.
    changed: Condvar,
    problems: &'a [String],
    limits: &'a Limits,
    patience: Duration,
    asked_to_stop: fn() -> bool,
    start: &'a Start,
}

impl Shared<'_> {
    /// The work of the thread of one device: gives problems to the device's worker until no problem
    /// is left for the device.
    fn work(&self, index: usize, place: &mut Place, events: &Sender<Event>) {
        // Sending fails only if the receiving thread has panicked. The error is ignored, because
        // nobody needs the event then.
        let tell = |event| drop(events.send(event));
        let mut losses = 0;
        while let Some(waiting) = self.take(index) {
            let problem = waiting.problem;
            tell(Event::Begins { problem, device: place.device });
            let ended = match self.time_left() {
                Err(decision) => Ended::Answered(Answer::Decided { decision, cancelled: false }),
                Ok(left) => self.ask(place, &waiting, left, events),
            };
            match ended {
                Ended::Answered(Answer::Decided { decision, cancelled }) => {
                    losses = 0;
                    self.change(Queue::answered);
                    tell(Event::Answered { problem, decision, cancelled });
                }
                Ended::Answered(Answer::Failed(text)) => {
                    self.change(Queue::answered);
                    tell(Event::Failed(text));
                    return self.change(|queue| {
                        while queue.take(index).is_some() {
                            queue.answered();
                        }
                    });
                }
                Ended::Lost(end) => {
                    place.process = None;
                    losses = if end.candidate.is_some() { 0 } else { losses + 1 };
                    self.lost(waiting, index, end, events);
                    if losses >= MOST_LOSSES {
                        return self.change(Queue::lose_device);
                    }
                }
            }
        }
    }

    fn lost(&self, waiting: Waiting, index: usize, end: End, events: &Sender<Event>) {
        let tell = |event| drop(events.send(event));
        let problem = waiting.problem;
        if let Some(choice) = end.candidate.clone() {
            let refused = Refused { choice, reason: end.how.clone() };
            tell(Event::Refused { problem, refused });
        }
        let next = self.change(|queue| queue.ended(waiting, index, end));
        if let Next::Reported(why) = next {
            let decision = Box::new(convert::refused(ErrorKind::Internal, why));
            tell(Event::Answered { problem, decision, cancelled: false });
        }
    }

    /// Gives the problem to the worker of the device, and waits for the answer. If the device has
    /// no worker, one is started.
    fn ask(
        &self,
        place: &mut Place,
        waiting: &Waiting,
        left: Option<Duration>,
        events: &Sender<Event>,
    ) -> Ended {
        let process = match &mut place.process {
            Some(process) => process,
            none => {
                let lines = events.clone();
                let started = Process::start(
                    |slip| (self.start)(place.device, slip),
                    move |line| drop(lines.send(Event::Line(line))),
                );
                match started {
                    Ok(process) => none.insert(process),
                    Err(how) => return Ended::Lost(End { how, candidate: None }),
                }
            }
        };
        let job = Job {
            problem: self.problems[waiting.problem].clone(),
            total_budget: left.map(|left| left.as_secs_f64()),
            problem_budget: self.limits.problem_budget.map(|budget| budget.as_secs_f64()),
            refused: waiting.refused.clone(),
        };
        process.ask(&job, self.patience, self.asked_to_stop, |slip| {
            let (problem, fraction) = (waiting.problem, slip.fraction);
            drop(events.send(Event::Works { problem, fraction }));
        })
    }

    /// Waits for the next problem for a device. Returns `None` if no problem is left, or after
    /// Ctrl-C.
    fn take(&self, device: usize) -> Option<Waiting> {
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if (self.asked_to_stop)() || queue.is_empty() {
                return None;
            }
            if let Some(waiting) = queue.take(device) {
                return Some(waiting);
            }
            // Ctrl-C does not wake a thread that waits for the condition variable. So the wait ends
            // after 100 ms, and the loop checks for Ctrl-C again.
            let wait = self.changed.wait_timeout(queue, Duration::from_millis(100));
            queue = wait.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn change<T>(&self, change: impl FnOnce(&mut Queue) -> T) -> T {
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        let result = change(&mut queue);
        self.changed.notify_all();
        result
    }

    /// Returns the time that is left for all problems; `None` if it is not limited. If no time is
    /// left, the error is the decision with which the next problem is answered.
    fn time_left(&self) -> std::result::Result<Option<Duration>, Box<Decision>> {
        let Some(budget) = self.limits.total_budget else { return Ok(None) };
        let left = budget.saturating_sub(self.limits.started.elapsed());
        if left.is_zero() {
            let all = units::time(budget.as_secs_f64());
            let why = format!("the budget of {all} in all was spent before this problem");
            return Err(Box::new(convert::refused(ErrorKind::NotTuned, why)));
        }
        Ok(Some(left))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATIENCE: Duration = Duration::from_secs(60);

    #[derive(Default)]
    struct Seen {
        begun: Vec<(usize, Device)>,
        refused: Vec<(usize, Refused)>,
        lines: Vec<String>,
    }

    impl Watching for Seen {
        fn begins(&mut self, problem: usize, device: Device) {
            self.begun.push((problem, device));
        }
        fn works(&mut self, _: usize, _: f64) {}
        fn answered(&mut self, _: usize) {}
        fn line(&mut self, text: &str) {
            self.lines.push(text.to_owned());
        }
        fn refused(&mut self, problem: usize, refused: &Refused) {
            self.refused.push((problem, refused.clone()));
        }
    }

    /// Returns the command of a shell script that acts as a worker. In the script `$slip` is the
    /// path of the worker's slip and `$device` its device. `answer TEXT` answers a job with a
    /// decision whose choice is TEXT. `job` is run for each job, which is in `$line`.
    fn shell(device: Device, slip: &Path, job: &str) -> Command {
        let script = format!(
            r#"answer() {{ echo '{{"Decided":{{"decision":{{"status":"ok","choice":"'"$1"'"}},"cancelled":false}}}}'; }}
            works() {{ printf '{{"number":%d,"fraction":0.5,"description":"d","candidate":"%s"}}' "$1" "$2" > "$slip"; }}
            while IFS= read -r line; do
              {job}
            done"#
        );
        let mut command = Command::new("sh");
        command.arg("-c").arg(script).env("slip", slip).env("device", device.to_string());
        command
    }

    fn fleet(devices: &[Device], patience: Duration, job: &str) -> Fleet {
        let job = job.to_owned();
        let start = move |device, slip: &Path| Ok(shell(device, slip, &job));
        Fleet::new(devices, patience, || false, Box::new(start))
    }

    fn no_limits() -> Limits {
        Limits { problem_budget: None, total_budget: None, started: Instant::now() }
    }

    fn decide(fleet: &mut Fleet, problems: &[&str]) -> (Vec<Decision>, Seen) {
        let problems: Vec<_> = problems.iter().map(|text| (*text).to_owned()).collect();
        let mut seen = Seen::default();
        let (decisions, cancelled) = fleet.decide(&problems, &no_limits(), &mut seen).unwrap();
        assert!(!cancelled);
        (decisions, seen)
    }

    fn choices(decisions: &[Decision]) -> Vec<&str> {
        decisions.iter().map(|decision| decision.choice.as_str()).collect()
    }

    fn cuda(count: i32) -> Vec<Device> {
        (0..count).map(Device::Cuda).collect()
    }

    #[test]
    fn problems_are_handed_out_to_all_devices_and_answers_keep_their_order() {
        // The worker that gets problem `p0` waits until the file `rest` exists: until the other
        // worker has answered all other problems.
        let folder = tempfile::tempdir().unwrap();
        let job = r#"case "$line" in
            *p0*) until test -e FOLDER/rest; do sleep 0.01; done; answer p0;;
            *p5*) : > FOLDER/rest; answer p5;;
            *) answer "$(printf %s "$line" | grep -o 'p[1-4]')";;
        esac"#;
        let job = job.replace("FOLDER", folder.path().to_str().unwrap());
        let mut fleet = fleet(&cuda(2), PATIENCE, &job);
        let (decisions, seen) = decide(&mut fleet, &["p0", "p1", "p2", "p3", "p4", "p5"]);
        assert_eq!(choices(&decisions), ["p0", "p1", "p2", "p3", "p4", "p5"]);
        assert_eq!(seen.begun.len(), 6);
        let slow = seen.begun.iter().find(|(problem, _)| *problem == 0).unwrap().1;
        assert_eq!(seen.begun.iter().filter(|(_, device)| *device == slow).count(), 1);
        // The workers continue to run after a call of `decide`, so they answer this second call,
        // too.
        let (again, _) = decide(&mut fleet, &["p1"]);
        assert_eq!(choices(&again), ["p1"]);
    }

    #[test]
    fn a_candidate_that_crashes_costs_itself_and_not_the_problem() {
        let job = r#"case "$line" in
            *'"refused":[]'*) works 1 mine; echo last words >&2; kill -SEGV $$;;
            *'"choice":"mine"'*SIGSEGV*) answer other;;
        esac"#;
        let mut fleet = fleet(&cuda(1), PATIENCE, job);
        let (decisions, seen) = decide(&mut fleet, &["a"]);
        assert_eq!(choices(&decisions), ["other"]);
        let [(0, refused)] = seen.refused.as_slice() else { panic!("{:?}", seen.refused) };
        assert_eq!(refused.choice, "mine");
        assert!(refused.reason.contains("SIGSEGV"), "{refused:?}");
        assert_eq!(seen.lines, ["last words"]);
    }

    #[test]
    fn a_candidate_that_hangs_is_ended() {
        let job = r#"case "$line" in
            *'"refused":[]'*) works 1 mine; exec sleep 600;;
            *) answer other;;
        esac"#;
        let mut fleet = fleet(&cuda(1), Duration::from_millis(300), job);
        let (decisions, seen) = decide(&mut fleet, &["a"]);
        assert_eq!(choices(&decisions), ["other"]);
        assert!(seen.refused[0].1.reason.contains("no progress"), "{:?}", seen.refused);
    }

    #[test]
    fn a_device_that_fails_under_a_candidate_is_taken_from_it() {
        let job = r#"case "$line" in
            *'"refused":[]'*) works 1 mine
              echo '{"Decided":{"decision":{"status":"device","why":"illegal address"},"cancelled":false}}';;
            *) answer other;;
        esac"#;
        let mut fleet = fleet(&cuda(1), PATIENCE, job);
        let (decisions, seen) = decide(&mut fleet, &["a"]);
        assert_eq!(choices(&decisions), ["other"]);
        assert!(seen.refused[0].1.reason.contains("illegal address"), "{:?}", seen.refused);
    }

    #[test]
    fn a_worker_that_dies_loses_its_problem_to_another_device() {
        let job = r#"case "$device" in
            cuda:0) kill -KILL $$;;
            *) answer "$device";;
        esac"#;
        let mut fleet = fleet(&cuda(2), PATIENCE, job);
        let (decisions, seen) = decide(&mut fleet, &["a", "b", "c", "d"]);
        assert_eq!(choices(&decisions), ["cuda:1"; 4]);
        assert!(seen.refused.is_empty(), "nobody is to blame: {:?}", seen.refused);
    }

    #[test]
    fn a_problem_that_is_lost_twice_is_reported_and_the_others_go_on() {
        let job = r#"case "$line" in *bad*) kill -KILL $$;; *) answer fine;; esac"#;
        let mut fleet = fleet(&cuda(2), PATIENCE, job);
        let (decisions, seen) = decide(&mut fleet, &["bad", "a", "b"]);
        assert_eq!(choices(&decisions), ["", "fine", "fine"]);
        assert!(decisions[0].why.contains("tried twice") && decisions[0].why.contains("SIGKILL"));
        let on: Vec<_> = seen.begun.iter().filter(|(problem, _)| *problem == 0).collect();
        assert_eq!(on.len(), 2);
        assert_ne!(on[0].1, on[1].1, "it was tried twice on the same device");
    }

    #[test]
    fn where_no_worker_can_live_each_problem_is_reported() {
        let mut fleet = fleet(&cuda(2), PATIENCE, "exit 7");
        let (decisions, _) = decide(&mut fleet, &["a", "b", "c", "d", "e", "f"]);
        assert!(
            decisions.iter().all(|decision| !decision.is_decided() && !decision.why.is_empty())
        );
        let start = |_, _: &Path| Err("no program".to_owned());
        let mut fleet = Fleet::new(&cuda(1), PATIENCE, || false, Box::new(start));
        let (decisions, _) = decide(&mut fleet, &["a"]);
        assert!(decisions[0].why.contains("no program"), "{:?}", decisions[0].why);
    }

    #[test]
    fn a_command_that_cannot_go_on_fails() {
        let mut fleet = fleet(&cuda(2), PATIENCE, r#"echo '{"Failed":"bad option"}'"#);
        let problems = ["a".to_owned(), "b".to_owned(), "c".to_owned()];
        let error = fleet.decide(&problems, &no_limits(), &mut Seen::default()).unwrap_err();
        assert_eq!(error.to_string(), "bad option");
    }

    #[test]
    fn problems_for_which_no_time_is_left_say_so() {
        let mut fleet = fleet(&cuda(1), PATIENCE, "answer late");
        let limits = Limits { total_budget: Some(Duration::ZERO), ..no_limits() };
        let problems = ["a".to_owned()];
        let decided = fleet.decide(&problems, &limits, &mut Seen::default()).unwrap().0;
        assert!(decided[0].why.starts_with("the budget of"), "{:?}", decided[0].why);
    }

    #[test]
    fn after_ctrl_c_no_problem_is_handed_out() {
        let start = |device, slip: &Path| Ok(shell(device, slip, "answer late"));
        let mut fleet = Fleet::new(&cuda(1), PATIENCE, || true, Box::new(start));
        let problems = ["a".to_owned()];
        let (decided, cancelled) =
            fleet.decide(&problems, &no_limits(), &mut Seen::default()).unwrap();
        assert!(cancelled && decided[0].status == "cancelled", "{decided:?}");
    }
}
