//! A worker of `atc tune`: a process that decides problems, one after the other, for the process that started it (the
//! parent).

use std::io::{self, BufRead};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use signal_hook::low_level;

use crate::cli::{TuneArgs, WorkerArgs};
use crate::failure::{CANCELLED, Failure, Outcome, Result};
use crate::measuring::{self, How};
use crate::output;
use crate::problems::{self, ConstantWeights, Request, Selection};
use crate::stores::Unkept;
use crate::workers::{Answer, CANCEL, Job, Writer};
use crate::{convert, json, plugins, stores};

/// The time that a running job may still take after the parent process has ended.
const PATIENCE: Duration = Duration::from_secs(1);

/// Runs jobs until the parent closes standard input.
pub fn run(args: &TuneArgs, worker: &WorkerArgs, device: atc::Device) -> Result<Outcome> {
    let stop = Arc::new(AtomicBool::new(false));
    let jobs = listen(Arc::clone(&stop));
    let ready = prepare(args, worker);
    let how = How::new(device, &args.how, true);
    let mut ready = ready.and_then(|slip| Ok((slip, measuring::technique(&how)?)));
    for line in jobs {
        let answer = match &mut ready {
            Ok((slip, technique)) => answer(&how, *technique, slip, &line, &stop),
            Err(failure) => Answer::Failed(failure.to_string()),
        };
        output::print(&(json::compact("the answer", &answer)? + "\n"))?;
    }
    Ok(Outcome::Done)
}

fn prepare(args: &TuneArgs, worker: &WorkerArgs) -> Result<Writer> {
    let slip = worker.slip.as_deref().ok_or_else(|| Failure::new("a worker needs a --slip"))?;
    let slip =
        Writer::open(slip).map_err(|error| Failure::new(format!("{}: {error}", slip.display())))?;
    plugins::load(&args.plugins)?;
    stores::for_tuning(args.store.as_deref(), Unkept::Expected)?;
    Ok(slip)
}

/// Reads standard input on a separate thread, so that a job can be cancelled while it runs. The end of standard input
/// means that the parent has ended. The running job is then cancelled, and the process exits after `PATIENCE` at the
/// latest.
fn listen(stop: Arc<AtomicBool>) -> Receiver<String> {
    let (sender, jobs) = channel();
    thread::spawn(move || {
        for line in io::stdin().lock().lines().map_while(io::Result::ok) {
            if line == CANCEL {
                stop.store(true, Ordering::SeqCst);
            } else if sender.send(line).is_err() {
                return;
            }
        }
        stop.store(true, Ordering::SeqCst);
        drop(sender);
        thread::sleep(PATIENCE);
        low_level::exit(i32::from(CANCELLED));
    });
    jobs
}

fn answer(
    how: &How<'_>,
    technique: atc::Technique,
    slip: &mut Writer,
    line: &str,
    stop: &AtomicBool,
) -> Answer {
    // The slip is a small file that tells the parent which candidate runs (slip.rs). The slip is cleared at the
    // beginning of a job, not at the end: if the device has failed, the parent reads in the slip which candidate ran
    // last. If the slip cannot be written (for example because the disk is full), the job goes on, and the parent does
    // not know which candidate runs.
    let _ = slip.clear();
    match decide(how, technique, slip, line, stop) {
        Ok(answer) => answer,
        Err(failure) => Answer::Failed(failure.to_string()),
    }
}

fn decide(
    how: &How<'_>,
    technique: atc::Technique,
    slip: &mut Writer,
    line: &str,
    stop: &AtomicBool,
) -> Result<Answer> {
    let job: Job = serde_json::from_str(line)
        .map_err(|error| Failure::new(format!("a job cannot be read: {error}")))?;
    let request = request(&job)?;
    let problem = convert::problem(&request);
    let mut tuner = measuring::tuner(how, technique, request.constant_weights, &request.terms)
        .on_progress(|seen| {
            if seen.problem_fraction < 1.0 {
                let _ = slip.write(seen.problem_fraction, seen.description, seen.candidate);
            }
            match stop.load(Ordering::SeqCst) {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        });
    if let Some(seconds) = job.total_budget {
        tuner = tuner.total_budget(Duration::try_from_secs_f64(seconds).unwrap_or_default());
    }
    if let Some(seconds) = job.problem_budget {
        tuner = tuner.problem_budget(Duration::try_from_secs_f64(seconds).unwrap_or_default());
    }
    for refused in &job.refused {
        tuner.refuse(&problem, &refused.choice, &refused.reason)?;
    }
    let report = tuner.run(std::slice::from_ref(&problem))?;
    let decision = report.problems.first().map(convert::decision).unwrap_or_default();
    Ok(Answer::Decided { decision: Box::new(decision), cancelled: report.cancelled })
}

/// Reads the problem of a job: the convolution that the parent process wants decided.
fn request(job: &Job) -> Result<Request> {
    let rows = problems::parse("a job", &job.problem)?;
    let selection =
        Selection { constant_weights: Some(ConstantWeights::Recorded), ..Selection::default() };
    let mut requests = selection.requests(&rows).map_err(Failure::new)?;
    requests.pop().ok_or_else(|| Failure::new("a job has no problem"))
}
