//! `atc explain`.

use atc::{Explanation, PlanOptions, Store};

use crate::cli::ExplainArgs;
use crate::document::Tuned;
use crate::explained::{self, Explained, Explanations, Measuring, SCHEMA, Switches, VERSION};
use crate::failure::{Failure, Outcome, Result};
use crate::look::Look;
use crate::problems::{self, Request};
use crate::{convert, interrupt, measuring, output, plugins, stores};

pub fn run(args: &ExplainArgs) -> Result<Outcome> {
    let requests = args.layers.requests(&problems::read_or_row(&args.input)?)?;
    let requests = of_layer(args, requests)?;
    plugins::load(&args.plugins)?;
    let device = convert::device(args.device)?;
    let store = stores::if_any(args.store.as_deref(), args.measure)?;
    let directory = store.as_ref().map(Store::describe).transpose()?.map(|info| info.directory);
    if args.digest {
        return output::print(&format!("{}\n", digest(args, &requests, store.as_ref())?))
            .map(|()| Outcome::Done);
    }
    let work = interrupt::listen();
    let mut problems = Vec::new();
    for request in &requests {
        problems.push(explain(args, request, store.as_ref())?);
        if interrupt::asked() {
            break;
        }
    }
    if let ([request], [problem], true) = (&requests[..], &mut problems[..], args.measure) {
        let how = Measuring {
            device: args.device,
            budget: args.problem_budget,
            switches: switches(args)?,
        };
        problem.changes = explained::measure(request, &how)?;
    }
    drop(work);
    let cancelled = interrupt::asked();
    let explanations = Explanations {
        schema: SCHEMA,
        version: VERSION,
        atc: atc::version()?.to_owned(),
        device,
        store: directory.map(|directory| directory.display().to_string()),
        problems,
    };
    show(args, &explanations)?;
    let decided = |problem: &Explained| problem.tuned.decision.is_decided();
    Ok(match explanations.problems.iter().all(decided) {
        _ if cancelled => Outcome::Cancelled,
        true => Outcome::Done,
        false => Outcome::Partly,
    })
}

/// Returns the requests (convolutions) of the layer that `--layer` names. Without `--layer`,
/// returns all requests.
fn of_layer(args: &ExplainArgs, requests: Vec<Request>) -> Result<Vec<Request>> {
    let Some(wanted) = &args.layer else { return Ok(requests) };
    let names: Vec<_> = requests.iter().map(|request| request.layer.name.as_str()).collect();
    let name = problems::meant(wanted, &names).map_err(|near| {
        let told = match near.as_slice() {
            [] => format!("it has {}", names.join(", ")),
            near => format!("did you mean {}?", near.join(", ")),
        };
        Failure::Usage(format!("--layer: {} has no layer {wanted:?}; {told}", args.input))
    })?;
    let name = name.to_owned();
    Ok(requests.into_iter().filter(|request| request.layer.name == name).collect())
}

/// Returns the switches for TF32 and determinism: the settings of this process, changed by the
/// options of the command line.
fn switches(args: &ExplainArgs) -> Result<Switches> {
    let settings = atc::Settings::current()?;
    let off = atc::settings::DeterministicAlgorithms::Off;
    Ok(Switches {
        tf32: settings.allow_tf32_cudnn && !args.no_tf32,
        deterministic: args.deterministic
            || settings.deterministic_cudnn
            || settings.deterministic_algorithms != off,
    })
}

/// Returns the plan options for which libatc explains its choices: constant weights, TF32,
/// determinism and the store.
fn options<'a>(
    args: &ExplainArgs,
    constant_weights: bool,
    store: Option<&'a Store>,
) -> Result<PlanOptions<'a>> {
    let switches = switches(args)?;
    let options = PlanOptions::new()
        .constant_weights(constant_weights)
        .allow_tf32(switches.tf32)
        .deterministic(switches.deterministic);
    Ok(match store {
        Some(store) => options.store(store),
        None => options.without_store(),
    })
}

/// Returns the digest of the choices as 16 hexadecimal digits. One call of libatc computes the
/// digest of problems with the same value of `constant_weights`. If both values occur, the digests
/// of the two groups of problems are combined into one.
fn digest(args: &ExplainArgs, requests: &[Request], store: Option<&Store>) -> Result<String> {
    let mut digests = Vec::new();
    for constant_weights in [false, true] {
        let alike = requests.iter().filter(|one| one.constant_weights == constant_weights);
        let problems: Vec<_> = alike.map(convert::problem).collect();
        if !problems.is_empty() {
            let options = options(args, constant_weights, store)?;
            let digest = Explanation::decisions_digest(args.device, &problems, &options)?;
            digests.push(format!("{digest:016x}"));
        }
    }
    Ok(match digests.as_slice() {
        [one] => one.clone(),
        several => crate::digest::of_text(&several.join("\n"))[..16].to_owned(),
    })
}

fn explain(args: &ExplainArgs, request: &Request, store: Option<&Store>) -> Result<Explained> {
    let options = options(args, request.constant_weights, store)?;
    let problem = convert::problem(request);
    let measured = match args.measure {
        true => Explanation::measure_ceilings(args.device, &problem, &options),
        false => Ok(()),
    };
    let explanation = measured
        .and_then(|()| Explanation::new(args.device, &problem, &options))
        .map_err(|error| Failure::new(format!("{}: {error}", request.layer.name)))?;
    let decision = convert::explained(&explanation);
    let decision = match &request.original {
        Some(original) => decision.against(original),
        None => decision,
    };
    let tuned = Tuned { decision, ..measuring::undecided(request) };
    Ok(Explained::new(tuned, &explanation))
}

fn show(args: &ExplainArgs, explanations: &Explanations) -> Result<()> {
    if args.json {
        return output::print_json(explanations);
    }
    let look = Look::of_output(args.tables.wide);
    output::print(&look.wrapped(&match explanations.problems.as_slice() {
        [problem] => explained::one(problem, explanations.store.as_deref(), look, args.all),
        _ => explained::several(explanations, look),
    }))
}
