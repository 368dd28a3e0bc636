//! The command `atc determinism-side`: one process of `atc determinism`. The process sets the
//! switches of its command line, makes a plan of each problem, executes the plan, and hashes the
//! bits of the output.

use std::ops::ControlFlow;

use atc::settings::DeterministicAlgorithms;
use atc::{Operand, Plan, PlanOptions, Settings, Tuner};

use crate::cli::DeterminismSideArgs;
use crate::determinism::{Found, Process};
use crate::failure::{Failure, Outcome, Result};
use crate::problems::{Op, Request};
use crate::{child, convert, digest, interrupt, json, memory, output, plugins};

/// At most this many elements of an output are hashed. As 64-bit numbers they take 512 MiB. If an
/// output has more elements, the hashed elements are evenly spread over the output.
const ELEMENTS: i64 = 1 << 26;

pub fn run(args: &DeterminismSideArgs) -> Result<Outcome> {
    let requests = child::requests()?;
    plugins::load(&args.plugins)?;
    apply(args)?;
    let device = convert::device(args.device)?;
    let work = interrupt::listen();
    let mut process = Process::default();
    for request in &requests {
        let found = match memory::refusal(request, &device) {
            Some(why) => Err(Failure::new(why)),
            None => find(args, request),
        };
        if interrupt::asked() {
            break;
        }
        process.found.push(
            found
                .unwrap_or_else(|failure| Found { error: failure.to_string(), ..Found::default() }),
        );
    }
    drop(work);
    output::print(&json::compact("the results", &process)?)?;
    Ok(if interrupt::asked() { Outcome::Cancelled } else { Outcome::Done })
}

/// Sets the switches of the command line by calls of libatc, so that the environment's settings of
/// these switches have no effect.
fn apply(args: &DeterminismSideArgs) -> Result<()> {
    let mut settings = Settings::current()?;
    settings.deterministic_cudnn = args.deterministic;
    settings.deterministic_algorithms = DeterministicAlgorithms::Off;
    settings.benchmark_cudnn = args.benchmark;
    settings.allow_tf32_cudnn = !args.no_tf32;
    Ok(settings.apply()?)
}

fn find(args: &DeterminismSideArgs, request: &Request) -> Result<Found> {
    let problem = convert::problem(request);
    let proceed = |_: &atc::Progress<'_>| match interrupt::asked() {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    };
    let mut options = PlanOptions::new()
        .allow_reference(false)
        .constant_weights(request.constant_weights)
        .on_progress(&proceed);
    if args.tune {
        options = options.tune(true);
    }
    if let Some(budget) = args.problem_budget {
        options = options.budget(budget);
    }
    let mut plan = Plan::with_options(args.device, &problem, &options)?;
    let choice = plan.choice()?.to_owned();
    let output = match request.op {
        Op::Forward => Operand::Y,
        Op::BackwardData => Operand::X,
        Op::BackwardWeight => Operand::W,
    };
    let elements = problem.shape(output)?.iter().product::<i64>().min(ELEMENTS);
    let mut bits = || -> Result<String> {
        Ok(digest::of_numbers(&plan.sample(args.seed, elements as usize)?))
    };
    let (first, again) = (bits()?, bits()?);
    drop(plan);
    let seconds = seconds(args, request, &problem, &choice)?;
    Ok(Found { choice, first, again, seconds, error: String::new() })
}

/// Returns the seconds per execution of the choice, measured in a new race. The time in the race
/// that made the choice would be too short: among candidates that are about equally fast, that race
/// chose the one whose samples were short by chance.
fn seconds(
    args: &DeterminismSideArgs,
    request: &Request,
    problem: &atc::Problem,
    choice: &str,
) -> Result<Option<f64>> {
    let mut tuner = Tuner::new(args.device)
        .without_store()
        .retune(true)
        .constant_weights(request.constant_weights)
        .on_progress(|_| match interrupt::asked() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        });
    if let Some(budget) = args.problem_budget {
        tuner = tuner.problem_budget(budget);
    }
    let report = tuner.run(std::slice::from_ref(problem))?;
    let decisions = report.problems.iter().map(convert::decision);
    let mut candidates = decisions.flat_map(|decision| decision.candidates);
    let raced = candidates.find(|candidate| candidate.choice() == choice);
    Ok(raced.and_then(|candidate| candidate.timing).map(|timing| timing.median))
}
