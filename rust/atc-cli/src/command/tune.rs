//! `atc tune`.

use std::ops::ControlFlow;
use std::time::{Duration, Instant, SystemTime};

use crate::cli::TuneArgs;
use crate::document::{Document, SCHEMA, Tuned, VERSION};
use crate::failure::{Failure, Outcome, Result};
use crate::output::{self, Target};
use crate::problems::{self, Request};
use crate::progress::Progress;
use crate::stores;
use crate::{convert, interrupt, plugins, table, units};

pub fn run(args: &TuneArgs) -> Result<Outcome> {
    let started = Instant::now();
    let rows = problems::read_all(&args.inputs)?;
    let requests = args.layers.selection().requests(&rows).map_err(Failure::new)?;
    let target = args.json.as_deref().map(Target::open).transpose()?;
    plugins::load(&args.plugins)?;
    check_engines(&args.how.engines)?;
    let device = convert::device(args.device)?;
    let store = stores::for_tuning(args.store.as_deref(), args.quiet)?;
    let technique = match args.how.technique {
        Some(technique) => technique.into(),
        None => atc::settings::benchmark_technique()?,
    };
    interrupt::listen();

    let found = measure(args, &requests, technique)?;
    let document = Document {
        schema: SCHEMA.to_owned(),
        version: VERSION,
        atc: atc::version()?.to_owned(),
        command: command_line(),
        date: humantime::format_rfc3339_seconds(SystemTime::now()).to_string(),
        device,
        technique: technique.to_string(),
        store: store.map(|directory| directory.display().to_string()),
        cancelled: found.cancelled,
        seconds: started.elapsed().as_secs_f64(),
        problems: requests.into_iter().zip(&found.problems).map(tuned).collect(),
    };
    show(args, &document, target)?;
    Ok(match &document {
        cancelled if cancelled.cancelled => Outcome::Cancelled,
        partly if partly.undecided() > 0 => Outcome::Partly,
        _ => Outcome::Done,
    })
}

/// A misspelt engine would leave every problem without candidates.
fn check_engines(wanted: &[String]) -> Result<()> {
    let known: Vec<_> = atc::engine::engines()?.into_iter().map(|engine| engine.name).collect();
    match wanted.iter().find(|name| !known.contains(name)) {
        Some(name) => Err(Failure::Usage(format!(
            "--engines: there is no engine {name:?}; there are {}",
            known.join(", ")
        ))),
        None => Ok(()),
    }
}

struct Found {
    cancelled: bool,
    /// In the order of the requests.
    problems: Vec<atc::TunedProblem>,
}

/// One run of the tuner for the problems whose weights change, and one for those whose weights do not.
fn measure(args: &TuneArgs, requests: &[Request], technique: atc::Technique) -> Result<Found> {
    let started = Instant::now();
    let mut found = Found { cancelled: false, problems: Vec::new() };
    let mut order = Vec::new();
    for constant_weights in [false, true] {
        let part: Vec<_> = (0..requests.len())
            .filter(|index| requests[*index].constant_weights == constant_weights)
            .collect();
        if part.is_empty() {
            continue;
        }
        let budget = args.how.budget.map(|all| left_of(all, started.elapsed()));
        let requests: Vec<_> = part.iter().map(|index| &requests[*index]).collect();
        let report = measure_alike(args, &requests, constant_weights, technique, budget)?;
        found.cancelled |= report.cancelled;
        order.extend(part.into_iter().zip(report.problems));
    }
    order.sort_by_key(|(index, _)| *index);
    found.problems = order.into_iter().map(|(_, problem)| problem).collect();
    Ok(found)
}

/// Never none: that would be no limit.
fn left_of(budget: Duration, spent: Duration) -> Duration {
    budget.saturating_sub(spent).max(Duration::from_millis(1))
}

fn measure_alike(
    args: &TuneArgs,
    requests: &[&Request],
    constant_weights: bool,
    technique: atc::Technique,
    budget: Option<Duration>,
) -> Result<atc::Report> {
    let problems: Vec<_> = requests.iter().map(|request| convert::problem(request)).collect();
    let mut progress = Progress::new(args.quiet, requests.len());
    let how = &args.how;
    let mut tuner = atc::Tuner::new(args.device)
        .technique(technique)
        .retune(how.retune)
        .constant_weights(constant_weights)
        .on_progress(|seen| {
            let name = requests.get(seen.problem).map_or("", |request| &request.layer.name);
            progress.update(seen, name, budget);
            if interrupt::asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
    if let Some(budget) = budget {
        tuner = tuner.total_budget(budget);
    }
    if let Some(budget) = how.problem_budget {
        tuner = tuner.problem_budget(budget);
    }
    if let Some(seed) = how.seed {
        tuner = tuner.seed(seed);
    }
    if !how.engines.is_empty() {
        tuner = tuner.engines_allowed(&how.engines);
    }
    let report = tuner.run(&problems);
    drop(tuner);
    progress.finish();
    Ok(report?)
}

fn tuned((request, found): (Request, &atc::TunedProblem)) -> Tuned {
    Tuned {
        name: request.layer.name,
        count: request.layer.count,
        columns: request.layer.columns,
        bias: request.layer.bias,
        op: request.op,
        dtype: request.dtype,
        layout: request.layout,
        constant_weights: request.constant_weights,
        decision: convert::decision(found),
    }
}

/// Everything that was measured goes to the file first: it is what cannot be had again.
fn show(args: &TuneArgs, document: &Document, target: Option<Target>) -> Result<()> {
    let json_on_output = target.as_ref().is_some_and(Target::is_standard_output);
    if let Some(target) = target {
        target.write(document.to_json()?.as_bytes())?;
    }
    if args.quiet {
        return Ok(());
    }
    let text = format!("{}{}\n", table::choices(document), summary(document));
    if json_on_output {
        output::note(text.trim_end());
        return Ok(());
    }
    output::print(&text)
}

/// One line that shows whether anything had to be measured.
fn summary(document: &Document) -> String {
    let from = |sources: &[&str]| {
        let found = document.problems.iter().filter(|problem| {
            problem.decision.is_decided() && sources.contains(&problem.decision.source.as_str())
        });
        found.count()
    };
    let executions: u64 = document.problems.iter().map(|problem| problem.decision.executions).sum();
    let measured = from(&["tuned"]);
    let recorded = from(&["record", "inherited"]);
    let mut line = format!(
        "{} in {}: {measured} measured ({} executions), {recorded} from the store",
        units::count(document.problems.len() as u64, "problem"),
        units::wall(std::time::Duration::try_from_secs_f64(document.seconds).unwrap_or_default()),
        if measured == 0 { 0 } else { executions },
    );
    let others = document.problems.len() - measured - recorded - document.undecided();
    if others > 0 {
        line += &format!(", {others} known otherwise");
    }
    if document.undecided() > 0 {
        line += &format!(", {} not decided", document.undecided());
    }
    if document.cancelled {
        line += "; cancelled";
    }
    if let Some(store) = &document.store {
        line += &format!("\nstore: {}", output::printable(store));
    }
    line
}

fn command_line() -> String {
    let words: Vec<_> =
        std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
    words.join(" ")
}
