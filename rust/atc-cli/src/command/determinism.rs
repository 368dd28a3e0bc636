//! `atc determinism`.

use std::path::Path;
use std::time::SystemTime;

use crate::cli::DeterminismArgs;
use crate::determinism::{self, Named, Process, Set, Study};
use crate::failure::{Failure, Outcome, Result};
use crate::output::{self, Target};
use crate::{child, convert, interrupt, measuring, plugins, results};

pub fn run(args: &DeterminismArgs) -> Result<Outcome> {
    let requests = args.problems.requests()?;
    measuring::validate(&requests)?;
    let json = args.json.as_deref().map(Target::open).transpose()?;
    plugins::load(&args.plugins)?;
    let device = convert::device(args.device)?;
    let input = measuring::questions(&requests).to_json()?;
    let sets = determinism::sets(args.device, &requests);
    let work = interrupt::listen();
    let runs = measure(args, &sets, &input)?;
    drop(work);
    let named = requests.iter().map(|request| Named {
        name: format!("{} {}", request.layer.name, request.op),
        count: request.layer.count,
    });
    let mut study = Study::new(device, args.seed, named.collect(), sets, runs);
    study.atc = atc::version()?.to_owned();
    study.date = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
    study.cancelled = interrupt::asked();
    let screen = results::write_json(json, &study)?;
    screen.show(args.quiet, &args.tables, |look| determinism::screen(&study, look))?;
    if args.quiet {
        determinism::errors(&study).iter().for_each(|line| output::note(line));
    }
    Ok(match &study {
        cancelled if cancelled.cancelled => Outcome::Cancelled,
        partly if partly.unknown() > 0 || partly.failures() > 0 => Outcome::Partly,
        _ => Outcome::Done,
    })
}

/// Runs `args.processes` processes with each set of switches. Returns a list of their results for
/// each set, in the order of `sets`. If a process ends without results, the function continues with
/// the next process. The processes run in rounds, and each round has one process of every set. So a
/// machine that becomes slower affects all sets alike.
fn measure(args: &DeterminismArgs, sets: &[Set], input: &str) -> Result<Vec<Vec<Process>>> {
    let mut runs = vec![Vec::new(); sets.len()];
    let store = tempfile::tempdir()
        .map_err(|error| Failure::new(format!("no folder can be made for a store: {error}")))?;
    let run: Vec<_> = sets.iter().enumerate().filter(|(_, set)| set.same_as.is_none()).collect();
    let all = args.processes * run.len();
    // The set `replay` takes its choices from a store. This store is filled by `atc tune` before
    // the rounds begin. If `atc tune` fails, `untuned` is the reason.
    let mut untuned = None;
    for (_, set) in run.iter().filter(|(_, set)| set.switches.replay) {
        output::note_unless(
            args.quiet,
            &format!("{}: tuning once, into a store of its own", set.name),
        );
        untuned = tune(args, set, store.path(), input)?.err();
    }
    for round in 0..args.processes {
        for (index, (place, set)) in run.iter().enumerate() {
            if interrupt::asked() {
                return Ok(runs);
            }
            let number = round * run.len() + index + 1;
            output::note_unless(
                args.quiet,
                &format!("[{number}/{all}] {}: process {}", set.name, round + 1),
            );
            let process = match &untuned {
                Some(why) if set.switches.replay => Process::without_results(why.clone()),
                _ => process(args, set, store.path(), input)?,
            };
            // Ctrl-C ends a process that has just started and does not handle Ctrl-C yet. Such a
            // process has no results, but it must not be reported as a failure.
            if !process.has_results() && interrupt::asked() {
                return Ok(runs);
            }
            runs[*place].push(process);
        }
    }
    Ok(runs)
}

/// Fills `store` with decisions: runs `ATC_DETERMINISTIC=1 atc tune - --store STORE` in a child
/// process. If the child process fails, the inner `Result` has the way in which the child process
/// ended.
fn tune(
    args: &DeterminismArgs,
    set: &Set,
    store: &Path,
    input: &str,
) -> Result<std::result::Result<(), String>> {
    let failed = |why| Failure::new(format!("{}: {why}", set.name));
    let mut command = child::command().map_err(failed)?;
    command.args(["tune", "-", "--quiet", "--constant-weights=recorded", "--device"]);
    command.arg(args.device.to_string()).arg("--store").arg(store);
    if let Some(budget) = args.problem_budget {
        command.arg("--problem-budget").arg(humantime::format_duration(budget).to_string());
    }
    for file in &args.plugins.files {
        command.arg("--plugin").arg(file);
    }
    command.env("ATC_DETERMINISTIC", "1").env("ATC_MODE", "read-write").env_remove("ATC_STORE");
    // A problem that is undecided after the tuning is not an error here: the processes that read
    // the store later report the problem.
    let ended = child::attempt(command, input).map_err(failed)?;
    Ok(ended.map(|_| ()).map_err(|how| format!("tuning for its store: {how}")))
}

fn process(args: &DeterminismArgs, set: &Set, store: &Path, input: &str) -> Result<Process> {
    let failed = |why: String| Failure::new(format!("{}: {why}", set.name));
    let mut command = child::command().map_err(failed)?;
    command.args(options(args, set));
    // The child process does not use the store that the environment names. If the set of switches
    // is `replay`, the child process reads its choices from the store that `atc determinism` has
    // filled before.
    command.env_remove("ATC_STORE").env_remove("ATC_MODE");
    if set.switches.replay {
        command.env("ATC_STORE", store).env("ATC_MODE", "replay-only");
    }
    Ok(match child::attempt(command, input).map_err(failed)? {
        Ok(ended) => serde_json::from_slice(&ended.stdout).unwrap_or_else(|error| {
            Process::without_results(format!("its output cannot be read: {error}"))
        }),
        Err(how) => Process::without_results(how),
    })
}

/// Returns the command line of a process that runs with the switches of `set`.
fn options(args: &DeterminismArgs, set: &Set) -> Vec<String> {
    let switches = set.switches;
    let mut words = vec!["determinism-side".to_owned()];
    let flags = [
        (switches.deterministic, "--deterministic"),
        (switches.benchmark, "--benchmark"),
        (switches.tune, "--tune"),
        (!switches.tf32, "--no-tf32"),
    ];
    words.extend(flags.iter().filter(|(on, _)| *on).map(|(_, word)| (*word).to_owned()));
    let budget = args.problem_budget.map(|time| humantime::format_duration(time).to_string());
    let values = [
        ("--device", Some(args.device.to_string())),
        ("--seed", Some(args.seed.to_string())),
        ("--problem-budget", budget),
    ];
    let values = values.into_iter().filter_map(|(name, value)| Some([name.to_owned(), value?]));
    words.extend(values.flatten());
    for file in &args.plugins.files {
        words.extend(["--plugin".to_owned(), file.display().to_string()]);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::{Cli, Command};
    use crate::determinism::Switches;
    use clap::Parser;

    #[test]
    fn a_process_is_told_its_switches() {
        let parse = |words: &[String]| {
            let words = std::iter::once("atc").chain(words.iter().map(String::as_str));
            Cli::try_parse_from(words).unwrap().command
        };
        let words = ["determinism", "resnet50", "--device", "cuda:1", "--seed", "9"];
        let words: Vec<_> = words.iter().map(|word| (*word).to_owned()).collect();
        let budget = ["--problem-budget".to_owned(), "1500ms".to_owned()];
        let plugin = ["--plugin".to_owned(), "a.so".to_owned()];
        let Command::Determinism(parent) = parse(&[&words[..], &budget, &plugin].concat()) else {
            panic!("not determinism")
        };
        for bits in 0..16 {
            let on = |bit: i32| bits & bit != 0;
            let switches = Switches {
                deterministic: on(1),
                benchmark: on(2),
                tf32: on(4),
                tune: on(8),
                replay: false,
            };
            let set = Set { name: "a".to_owned(), switches, same_as: None };
            let Command::DeterminismSide(side) = parse(&options(&parent, &set)) else {
                panic!("not determinism-side")
            };
            let told = (side.deterministic, side.benchmark, !side.no_tf32, side.tune);
            assert_eq!(told, (on(1), on(2), on(4), on(8)));
            assert_eq!((side.device, side.seed), (atc::Device::Cuda(1), 9));
            assert_eq!(side.problem_budget, parent.problem_budget);
            assert_eq!(side.plugins.files, parent.plugins.files);
        }
    }
}
