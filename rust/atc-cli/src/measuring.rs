//! Measuring problems, and writing down what was decided.

use std::ops::ControlFlow;
use std::time::{Duration, Instant, SystemTime};

use crate::cli::{Retune, TimingArgs};
use crate::document::{Decision, Document, SCHEMA, Tuned, VERSION};
use crate::failure::Result;
use crate::problems::Request;
use crate::progress::Progress;
use crate::{convert, interrupt, memory};

/// What the problems have in common.
pub struct How<'a> {
    pub device: atc::Device,
    pub timing: &'a TimingArgs,
    pub retune: Option<Retune>,
    pub require_firm: bool,
    pub strict_precision: bool,
    pub reduced_reduction: bool,
    /// Those that take part; empty: all.
    pub engines: &'a [String],
    pub quiet: bool,
}

/// One run of the tuner for the problems whose weights change, and one for those whose weights do not.
pub fn measure(how: &How<'_>, requests: &[Request]) -> Result<Document> {
    let started = Instant::now();
    let technique = match how.timing.technique {
        Some(technique) => technique.into(),
        None => atc::settings::benchmark_technique()?,
    };
    let device = convert::device(how.device)?;
    let mut cancelled = false;
    let mut decisions: Vec<Option<Decision>> = Vec::new();
    for request in requests {
        let refusal = memory::refusal(request, &device);
        decisions.push(refusal.map(|why| convert::refused(atc::ErrorKind::OutOfMemory, why)));
    }
    for constant_weights in [false, true] {
        let part: Vec<_> = (0..requests.len())
            .filter(|index| decisions[*index].is_none())
            .filter(|index| requests[*index].constant_weights == constant_weights)
            .collect();
        if part.is_empty() {
            continue;
        }
        let budget = how.timing.budget.map(|all| left_of(all, started.elapsed()));
        let alike: Vec<_> = part.iter().map(|index| &requests[*index]).collect();
        let report = measure_alike(how, &alike, constant_weights, technique, budget)?;
        cancelled |= report.cancelled;
        for (index, found) in part.into_iter().zip(&report.problems) {
            let decision = convert::decision(found);
            decisions[index] = Some(match &requests[index].original {
                Some(original) => decision.against(original),
                None => decision,
            });
        }
    }
    let decided = |(request, decision): (&Request, Option<Decision>)| Tuned {
        decision: decision.unwrap_or_default(),
        ..undecided(request)
    };
    Ok(Document {
        schema: SCHEMA.to_owned(),
        version: VERSION,
        atc: atc::version()?.to_owned(),
        command: command_line(),
        date: humantime::format_rfc3339_seconds(SystemTime::now()).to_string(),
        device,
        technique: technique.to_string(),
        store: None,
        cancelled,
        seconds: started.elapsed().as_secs_f64(),
        problems: requests.iter().zip(decisions).map(decided).collect(),
    })
}

/// A problem of which nothing is known yet.
pub fn undecided(request: &Request) -> Tuned {
    Tuned {
        name: request.layer.name.clone(),
        count: request.layer.count,
        columns: request.layer.columns.clone(),
        bias: request.layer.bias,
        op: request.op,
        dtype: request.dtype,
        layout: request.layout.clone(),
        constant_weights: request.constant_weights,
        original: request.original.clone(),
        decision: Decision::default(),
    }
}

/// Never none: that would be no limit.
fn left_of(budget: Duration, spent: Duration) -> Duration {
    budget.saturating_sub(spent).max(Duration::from_millis(1))
}

fn measure_alike(
    how: &How<'_>,
    requests: &[&Request],
    constant_weights: bool,
    technique: atc::Technique,
    budget: Option<Duration>,
) -> Result<atc::Report> {
    let problems: Vec<_> = requests.iter().map(|request| convert::problem(request)).collect();
    let mut progress = Progress::new(how.quiet, requests.len());
    let mut tuner = atc::Tuner::new(how.device)
        .technique(technique)
        .require_firm(how.require_firm)
        .strict_precision(how.strict_precision)
        .allow_reduced_precision_reduction(how.reduced_reduction)
        .constant_weights(constant_weights)
        .on_progress(|seen| {
            let name = requests.get(seen.problem).map_or("", |request| &request.layer.name);
            progress.update(seen, name, budget);
            if interrupt::asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
    tuner = match how.retune {
        None => tuner,
        Some(Retune::All) => tuner.retune(true),
        Some(Retune::Provisional) => tuner.retune_provisional(),
    };
    if let Some(budget) = budget {
        tuner = tuner.total_budget(budget);
    }
    if let Some(budget) = how.timing.problem_budget {
        tuner = tuner.problem_budget(budget);
    }
    if let Some(seed) = how.timing.seed {
        tuner = tuner.seed(seed);
    }
    if !how.engines.is_empty() {
        tuner = tuner.engines_allowed(how.engines);
    }
    let report = tuner.run(&problems);
    drop(tuner);
    progress.finish();
    Ok(report?)
}

fn command_line() -> String {
    let words: Vec<_> =
        std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
    words.join(" ")
}
