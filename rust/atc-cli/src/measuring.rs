//! Measuring problems, and writing down what was decided.

use std::ops::ControlFlow;
use std::time::{Duration, Instant, SystemTime};

use atc::{PlanOptions, Store, StoreMode};

use crate::ceilings::KeptCeilings;
use crate::cli::{HowArgs, Retune, TimingArgs};
use crate::document::{Ceilings, Decision, Document, SCHEMA, Tuned, VERSION};
use crate::failure::{Failure, Result};
use crate::problems::Request;
use crate::progress::Progress;
use crate::{convert, interrupt, memory, output};

/// What the problems have in common.
#[derive(Clone, Copy)]
pub struct How<'a> {
    pub device: atc::Device,
    pub timing: &'a TimingArgs,
    pub retune: Option<Retune>,
    pub require_firm: bool,
    pub strict_precision: bool,
    pub reduced_reduction: bool,
    /// Those that take part; empty: all.
    pub engines: &'a [String],
    /// Decisions are neither read nor kept.
    pub without_store: bool,
    pub quiet: bool,
}

impl<'a> How<'a> {
    /// As the options of the command line say.
    pub fn new(device: atc::Device, args: &'a HowArgs, quiet: bool) -> Self {
        Self {
            device,
            timing: &args.timing,
            retune: args.retune,
            require_firm: args.require_firm,
            strict_precision: args.strict_precision,
            reduced_reduction: args.allow_reduced_precision_reduction,
            engines: &args.engines,
            without_store: false,
            quiet,
        }
    }
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
    validate(requests)?;
    let refusals: Vec<_> =
        requests.iter().map(|request| memory::refusal(request, &device)).collect();
    let replayed = if refusals.iter().any(Option::is_some) { store_to_replay(how)? } else { None };
    let mut decisions: Vec<Option<Decision>> = vec![None; requests.len()];
    for constant_weights in [false, true] {
        let of_this_run = |index: &usize| requests[*index].constant_weights == constant_weights;
        let (large, part): (Vec<_>, Vec<_>) =
            (0..requests.len()).filter(of_this_run).partition(|index| refusals[*index].is_some());
        let mut run = |part: &[usize], how: &How<'_>, store: Option<&Store>| -> Result<()> {
            if part.is_empty() {
                return Ok(());
            }
            let budget = how.timing.budget.map(|all| all.saturating_sub(started.elapsed()));
            let alike: Vec<_> = part.iter().map(|index| &requests[*index]).collect();
            let report = measure_alike(how, &alike, constant_weights, technique, budget, store)?;
            cancelled |= report.cancelled;
            for (index, found) in part.iter().zip(&report.problems) {
                let decision = convert::decision(found);
                decisions[*index] = Some(match &requests[*index].original {
                    Some(original) => decision.against(original),
                    None => decision,
                });
            }
            Ok(())
        };
        run(&part, how, None)?;
        if let Some(store) = &replayed {
            run(&large, &How { quiet: true, ..*how }, Some(store))?;
        }
    }
    for (decision, refusal) in decisions.iter_mut().zip(refusals) {
        if let Some(why) = refusal
            && !decision.as_ref().is_some_and(Decision::is_decided)
        {
            *decision = Some(convert::refused(atc::ErrorKind::OutOfMemory, why));
        }
    }
    let ceilings = match how.without_store {
        true => vec![None; requests.len()],
        // Measurements are not lost for them.
        false => kept_ceilings(how, requests).unwrap_or_else(|error| {
            output::note(&format!("the ceilings of the device are not known: {error}"));
            vec![None; requests.len()]
        }),
    };
    let decided = |((request, decision), ceilings): ((&Request, Option<Decision>), _)| Tuned {
        ceilings,
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
        ceilings: None,
        problems: requests.iter().zip(decisions).zip(ceilings).map(decided).collect(),
    })
}

/// libatc counts the problems of one run; the user knows them by name.
pub fn validate(requests: &[Request]) -> Result<()> {
    for request in requests {
        convert::problem(request)
            .validate()
            .map_err(|error| Failure::new(format!("{}: {error}", request.layer.name)))?;
    }
    Ok(())
}

/// The store in use, for problems that cannot be measured here: open so that what it does not know stays undecided.
/// None where it is not asked.
fn store_to_replay(how: &How<'_>) -> Result<Option<Store>> {
    let Some(store) = Store::active()?.filter(|_| how.retune != Some(Retune::All)) else {
        return Ok(None);
    };
    let info = store.describe()?;
    if info.mode == StoreMode::Off {
        return Ok(None);
    }
    Ok(Some(Store::open_with(info.directory, StoreMode::ReplayOnly)?))
}

/// For each request the ceilings that the store in use keeps of the device. They are found by the environment of a
/// decision in the store: without any decision on these requests there are none.
fn kept_ceilings(how: &How<'_>, requests: &[Request]) -> Result<Vec<Option<Ceilings>>> {
    let none = vec![None; requests.len()];
    let Some(store) = Store::active()? else { return Ok(none) };
    let info = store.describe()?;
    let kept = KeptCeilings::of(&info.directory);
    if info.mode == StoreMode::Off || kept.is_empty() {
        return Ok(none);
    }
    let Some(environment) = environment(how, requests, &store)? else { return Ok(none) };
    let tf32 =
        matches!(how.device, atc::Device::Cuda(_)) && atc::Settings::current()?.allow_tf32_cudnn;
    Ok(requests.iter().map(|one| kept.for_request(&environment, one, tf32)).collect())
}

/// The device with its libraries, as the store's keys have it.
fn environment(
    how: &How<'_>,
    requests: &[Request],
    store: &Store,
) -> Result<Option<serde_json::Value>> {
    for request in requests {
        let options = PlanOptions::new()
            .store(store)
            .constant_weights(request.constant_weights)
            .allow_reduced_precision_reduction(how.reduced_reduction);
        let Some(entry) = store.get(how.device, &convert::problem(request), &options)? else {
            continue;
        };
        let entry: serde_json::Value = serde_json::from_str(&entry)
            .map_err(|error| Failure::new(format!("an entry cannot be read: {error}")))?;
        return Ok(entry.pointer("/key/environment").cloned());
    }
    Ok(None)
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
        ceilings: None,
        decision: Decision::default(),
    }
}

/// The requests in the form that another process of this program reads: a run without decisions. `original` is left
/// out, because its engine does not take part.
pub fn questions(requests: &[Request]) -> Document {
    Document {
        schema: SCHEMA.to_owned(),
        version: VERSION,
        atc: String::new(),
        command: String::new(),
        date: String::new(),
        device: Default::default(),
        technique: String::new(),
        store: None,
        cancelled: false,
        seconds: 0.0,
        ceilings: None,
        problems: requests
            .iter()
            .map(|request| Tuned { original: None, ..undecided(request) })
            .collect(),
    }
}

fn measure_alike(
    how: &How<'_>,
    requests: &[&Request],
    constant_weights: bool,
    technique: atc::Technique,
    budget: Option<Duration>,
    store: Option<&Store>,
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
    if let Some(store) = store {
        tuner = tuner.store(store);
    } else if how.without_store {
        tuner = tuner.without_store();
    }
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
