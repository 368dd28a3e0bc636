//! Decides problems: uses the decisions that the store has, and measures the problems for which it has none.

mod runs;
mod shown;
mod tuner;

use std::time::{Instant, SystemTime};

use atc::{PlanOptions, Store, StoreMode};

use crate::cli::{HowArgs, OptionFlags, Retune, TimingArgs};
use crate::decision::Decision;
use crate::document::{Ceilings, Document, Tuned};
use crate::failure::{Failure, Result};
use crate::problems::{Request, Terms};
use crate::workers::Fleet;
use crate::{convert, json, memory, output};

use runs::Runs;
pub use tuner::tuner;

/// The options of the command line that hold for all problems.
#[derive(Clone, Copy)]
pub struct How<'a> {
    pub device: atc::Device,
    pub timing: &'a TimingArgs,
    pub retune: Option<Retune>,
    pub options: OptionFlags,
    /// The engines that are timed; empty means all engines.
    pub engines: &'a [String],
    /// Whether no store is used: decisions are neither read nor written.
    pub without_store: bool,
    pub quiet: bool,
}

impl<'a> How<'a> {
    /// Makes the options from the options of the command line.
    pub fn new(device: atc::Device, args: &'a HowArgs, quiet: bool) -> Self {
        Self {
            device,
            timing: &args.timing,
            retune: args.retune,
            options: args.options,
            engines: &args.engines,
            without_store: false,
            quiet,
        }
    }
}

/// Decides the requests (the convolutions of the command) in this process: by decisions of the store, or else by races
/// (measurements of the candidates).
pub fn measure(how: &How<'_>, requests: &[Request]) -> Result<Document> {
    decide(how, requests, None)
}

/// Decides the requests (the convolutions of the command) by the workers of a fleet: processes that measure, one for
/// each device. This process itself measures nothing. It only looks up stored decisions for problems whose tensors
/// do not fit into the memory of the device.
pub fn measure_by(how: &How<'_>, requests: &[Request], fleet: &mut Fleet) -> Result<Document> {
    decide(how, requests, Some(fleet))
}

fn decide(how: &How<'_>, requests: &[Request], fleet: Option<&mut Fleet>) -> Result<Document> {
    let started = Instant::now();
    let technique = technique(how)?;
    let device = convert::device(how.device)?;
    validate(requests)?;
    let refusals: Vec<_> =
        requests.iter().map(|request| memory::refusal(request, &device)).collect();
    let replayed = if refusals.iter().any(Option::is_some) { store_to_replay(how)? } else { None };
    let mut runs = Runs::new(how, requests, technique, started, fleet);
    let (large, others): (Vec<_>, Vec<_>) =
        (0..requests.len()).partition(|index| refusals[*index].is_some());
    runs.measure(&others)?;
    if let Some(store) = &replayed {
        runs.replay(&large, store)?;
    }
    let Runs { mut decisions, cancelled, .. } = runs;
    for (decision, refusal) in decisions.iter_mut().zip(refusals) {
        if let Some(why) = refusal
            && !decision.as_ref().is_some_and(Decision::is_decided)
        {
            *decision = Some(convert::refused(atc::ErrorKind::OutOfMemory, why));
        }
    }
    let ceilings = match how.without_store {
        true => vec![None; requests.len()],
        // If the ceilings (highest rates of the device) cannot be read from the store, the command
        // must not fail.
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
        atc: atc::version()?.to_owned(),
        command: command_line(),
        date: humantime::format_rfc3339_seconds(SystemTime::now()).to_string(),
        device,
        technique: technique.to_string(),
        cancelled,
        seconds: started.elapsed().as_secs_f64(),
        ..Document::of(requests.iter().zip(decisions).zip(ceilings).map(decided).collect())
    })
}

pub fn technique(how: &How<'_>) -> Result<atc::Technique> {
    Ok(match how.timing.technique {
        Some(technique) => technique.into(),
        None => atc::settings::benchmark_technique()?,
    })
}

/// Returns an error if libatc does not accept one of the problems. The error names the layer: libatc only numbers the
/// problems, but the user knows them by name.
pub fn validate(requests: &[Request]) -> Result<()> {
    for request in requests {
        convert::problem(request)
            .validate()
            .map_err(|error| Failure::new(format!("{}: {error}", request.layer.name)))?;
    }
    Ok(())
}

/// Opens the active store in mode replay-only, for problems that cannot be measured on this machine: of these, the
/// problems without a record (a stored decision) remain undecided. Returns `None` if no store is in use, or with
/// `--retune=all`, because stored decisions must not be used then.
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

/// Returns the ceilings (the highest rates of the device) that the active store has for each request
/// (each convolution of the command).
fn kept_ceilings(how: &How<'_>, requests: &[Request]) -> Result<Vec<Option<Ceilings>>> {
    let Some(store) = Store::active()? else { return Ok(vec![None; requests.len()]) };
    let options = PlanOptions::new().store(&store);
    let of = |request| {
        let problem = convert::problem(request);
        Ok(Ceilings::of(atc::Explanation::ceilings(how.device, &problem, &options)?))
    };
    requests.iter().map(of).collect()
}

/// Makes the result of a problem for which no decision was made.
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
        terms: request.terms.clone(),
        ceilings: None,
        decision: Decision::default(),
    }
}

/// Returns the requests (the convolutions of the command) as a document without decisions, for another process of this
/// program. Two members of recorded problems are left out, because the other process does not use them: `original`
/// (the engine of the recorded program) and `terms` (the options of its calls).
pub fn questions(requests: &[Request]) -> Document {
    let plain = |request| Tuned { original: None, terms: Terms::default(), ..undecided(request) };
    Document::of(requests.iter().map(plain).collect())
}

/// Returns a request (a convolution) as a document without a decision, as JSON without spaces. The text is sent to
/// a worker as the problem of a job.
fn question(request: &Request) -> Result<String> {
    json::compact("the problem", &Document::of(vec![undecided(request)]))
}

fn command_line() -> String {
    let words: Vec<_> =
        std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
    words.join(" ")
}
