//! The command `atc compare-side`: measures with one of the cuDNN libraries that `atc compare`
//! compares. Each library needs a separate process, because a process can load only one cuDNN.

use atc::{Candidate, Operand, PlanOptions, device, engine};

use crate::cli::{CompareSideArgs, OptionFlags, Retune};
use crate::comparison::{Results, Side};
use crate::document::Tuned;
use crate::failure::{Failure, Outcome, Result};
use crate::measuring::{self, How};
use crate::output;
use crate::problems::{Op, Request};
use crate::{child, convert, interrupt, json};

/// At most this many elements of each problem's output are compared.
const ELEMENTS: i64 = 1024;
/// The seed of the random data in the operands.
const SEED: u64 = 1;

pub fn run(args: &CompareSideArgs) -> Result<Outcome> {
    let requests = child::requests()?;
    let (version, file, remarks) = library(&args.engine)?;
    let work = interrupt::listen();
    let engines = [args.engine.clone()];
    let how = How {
        device: args.device,
        timing: &args.timing,
        retune: Some(Retune::All),
        options: OptionFlags::default(),
        engines: &engines,
        without_store: false,
        quiet: args.quiet,
    };
    let run = measuring::measure(&how, &requests)?;
    // The status "library" means that the library cannot be used. Every problem then fails with the
    // same error, so only the error of the first problem is reported.
    if let Some(first) = run.problems.first()
        && run.problems.iter().all(|problem| problem.decision.status == "library")
    {
        return Err(Failure::new(first.decision.why.clone()));
    }
    let results = requests.iter().zip(&run.problems);
    let results = results.map(|(request, tuned)| results_of(args.device, request, tuned)).collect();
    let outcome = if run.cancelled { Outcome::Cancelled } else { Outcome::Done };
    let side = Side { version, file, remarks, run, results };
    drop(work);
    output::print(&json::compact("the results", &side)?)?;
    Ok(outcome)
}

/// Returns the version and the path of the library that the engine `name` uses, and the remarks
/// about this library (such as its known faults).
fn library(name: &str) -> Result<(String, String, Vec<String>)> {
    let engines = engine::engines()?;
    let Some(engine) = engines.iter().find(|engine| engine.name == name) else {
        return Err(Failure::Usage(format!("--engine: there is no engine {name:?}")));
    };
    let libraries = device::libraries()?;
    let Some(library) = libraries.into_iter().find(|one| one.name.to_lowercase() == name) else {
        return Ok((engine.version.clone(), String::new(), Vec::new()));
    };
    if !library.loaded || !library.note.is_empty() {
        return Err(Failure::new(format!("{} cannot be used: {}", library.name, library.note)));
    }
    let file = library.file.map(|file| file.display().to_string()).unwrap_or_default();
    Ok((library.version, file, library.remarks))
}

/// Runs two candidates of a problem: the default (which runs without tuning) and the choice.
/// Returns elements of the outputs of both candidates. The list of a candidate that is missing or
/// cannot be run is empty.
fn results_of(device: atc::Device, request: &Request, tuned: &Tuned) -> Results {
    let decision = &tuned.decision;
    let result_of = |index: Option<usize>| {
        let candidate = index.and_then(|index| decision.candidates.get(index));
        candidate.and_then(|candidate| elements(device, request, candidate).ok())
    };
    let best = result_of(decision.winner).unwrap_or_default();
    let default = if decision.default == decision.winner {
        best.clone()
    } else {
        result_of(decision.default).unwrap_or_default()
    };
    Results { default, best }
}

fn elements(
    device: atc::Device,
    request: &Request,
    candidate: &Candidate,
) -> Result<Vec<Option<f64>>> {
    let options = PlanOptions::new();
    let problem = convert::problem(request);
    let mut plan = atc::Plan::with_choice(device, &problem, &options, &candidate.choice())?;
    let output = match request.op {
        Op::Forward => Operand::Y,
        Op::BackwardData => Operand::X,
        Op::BackwardWeight => Operand::W,
    };
    let elements = problem.shape(output)?.iter().product::<i64>().min(ELEMENTS);
    let values = plan.sample(SEED, elements as usize)?;
    Ok(values.into_iter().map(|value| Some(value).filter(|value| value.is_finite())).collect())
}
