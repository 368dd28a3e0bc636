//! `atc compare`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use atc::device;

use crate::cli::{CompareArgs, TimingArgs};
use crate::comparison::{Comparison, Side};
use crate::failure::{Failure, Outcome, Result};
use crate::output::{self, Target};
use crate::problems::spelling;
use crate::report::{self, Page};
use crate::{child, interrupt, measuring, results, tables};

const LIBRARY: &str = "libcudnn.so.9";

pub fn run(args: &CompareArgs) -> Result<Outcome> {
    let folders = folders(&args.cudnn)?;
    let atc::Device::Cuda(_) = args.device else {
        return Err(Failure::Usage(format!(
            "--device {}: cuDNN runs on CUDA devices: use cuda or cuda:INDEX",
            args.device
        )));
    };
    let requests = args.problems.requests()?;
    let json = args.json.as_deref().map(Target::open).transpose()?;
    let html = args.html.as_deref().map(Target::open).transpose()?;
    check_device(args.device)?;
    let problems = measuring::questions(&requests).to_json()?;
    let work = interrupt::listen();
    let (sides, cancelled) = until_asked(&folders, interrupt::asked, |folder| {
        output::note_unless(args.quiet, &format!("cuDNN in {}", folder.display()));
        side(args, folder, &problems)
    })?;
    drop(work);
    if sides.is_empty() {
        return Ok(Outcome::Cancelled);
    }
    let comparison = Comparison::new(sides);
    let screen = results::write_json(json, &comparison)?;
    if let Some(target) = html {
        target.write(report::render(Page::of_comparison(&comparison))?.as_bytes())?;
    }
    screen.show(args.quiet, &args.tables, |look| tables::comparison(&comparison, look))?;
    if args.quiet {
        for (label, side) in comparison.labels().iter().zip(&comparison.sides) {
            let errors = tables::errors_of(&side.run).into_iter();
            errors.for_each(|line| output::note(&format!("{label}: {line}")));
        }
    }
    Ok(match &comparison {
        _ if cancelled => Outcome::Cancelled,
        ended if ended.cancelled() => Outcome::Cancelled,
        partly if partly.undecided() > 0 => Outcome::Partly,
        _ => Outcome::Done,
    })
}

/// Measures the sides (one for each cuDNN) one after the other. Returns the sides that were
/// measured, and whether sides are missing because of Ctrl-C. If Ctrl-C ends a child process that
/// has just started and does not handle Ctrl-C yet, the side of this process is missing, too.
fn until_asked<T>(
    folders: &[PathBuf],
    asked: impl Fn() -> bool,
    mut measure: impl FnMut(&Path) -> Result<T>,
) -> Result<(Vec<T>, bool)> {
    let mut sides = Vec::new();
    for folder in folders {
        if asked() {
            return Ok((sides, true));
        }
        match measure(folder) {
            Err(_) if asked() => return Ok((sides, true)),
            side => sides.push(side?),
        }
    }
    Ok((sides, false))
}

/// Returns the folders as absolute paths. Returns an error if two folders contain the same cuDNN,
/// or if there is only one folder.
fn folders(given: &[PathBuf]) -> Result<Vec<PathBuf>> {
    if given.len() < 2 {
        let names: Vec<_> = given.iter().map(|folder| folder.display().to_string()).collect();
        return Err(Failure::Usage(format!(
            "--cudnn {}: one cuDNN is compared with nothing: name the folder of another one with a second \
             --cudnn DIR",
            names.join(" ")
        )));
    }
    let mut files: Vec<PathBuf> = Vec::new();
    let mut folders = Vec::new();
    for folder in given {
        let file = folder.join(LIBRARY).canonicalize().map_err(|error| {
            Failure::new(format!(
                "--cudnn {}: there is no {LIBRARY} ({error}): name the folder that holds it (ldconfig -p shows \
                 the system's)",
                folder.display()
            ))
        })?;
        if files.contains(&file) {
            return Err(Failure::Usage(format!(
                "--cudnn {}: that is {} again: each --cudnn names another one",
                folder.display(),
                file.display()
            )));
        }
        files.push(file);
        // The path is made absolute because it becomes part of the child's ATC_LIBRARY_PATH, and
        // the child may have another working directory.
        let full = folder.canonicalize().map_err(|error| {
            Failure::new(format!("--cudnn {}: cannot be read: {error}", folder.display()))
        })?;
        if full.as_os_str().as_encoded_bytes().contains(&b':') {
            return Err(Failure::new(format!(
                "--cudnn {}: a ':' separates folders in ATC_LIBRARY_PATH: name it by a link without one",
                full.display()
            )));
        }
        folders.push(full);
    }
    Ok(folders)
}

fn check_device(device: atc::Device) -> Result<()> {
    if device::cuda_device_count()? > 0 {
        device.describe()?;
        return Ok(());
    }
    let libraries = device::libraries()?;
    let driver = libraries.into_iter().find(|library| library.name == "CUDA driver");
    Err(Failure::new(format!(
        "--device {device}: {}; run this on a machine with an NVIDIA GPU",
        driver.map_or_else(|| "there is no CUDA device".to_owned(), |driver| driver.note)
    )))
}

/// Measures one side: starts a child process that loads the cuDNN in `folder`, and reads its
/// results.
fn side(args: &CompareArgs, folder: &Path, problems: &str) -> Result<Side> {
    let failed = |why: String| Failure::new(format!("--cudnn {}: {why}", folder.display()));
    let mut command = child::command().map_err(failed)?;
    command.arg("compare-side").arg("--device").arg(args.device.to_string());
    command.args(["--engine", "cudnn"]).args(timing(&args.timing));
    if args.quiet {
        command.arg("--quiet");
    }
    // The child must not use the store that the environment names: it must measure everything
    // itself, and its decisions are not kept.
    command.env_remove("ATC_STORE").env_remove("ATC_MODE");
    command.env("ATC_LIBRARY_PATH", library_path(folder));
    let ended = child::run(command, problems).map_err(failed)?;
    let side: Side = serde_json::from_slice(&ended.stdout)
        .map_err(|error| failed(format!("the output of its process cannot be read: {error}")))?;
    let same = |a: &Path, b: &Path| a.canonicalize().ok() == b.canonicalize().ok();
    if !same(Path::new(&side.file), &folder.join(LIBRARY)) {
        return Err(failed(format!("another cuDNN was loaded in its place: {}", side.file)));
    }
    Ok(side)
}

/// Returns the value of ATC_LIBRARY_PATH for a child: `folder`, followed by the folders in this
/// process's ATC_LIBRARY_PATH.
fn library_path(folder: &Path) -> OsString {
    let mut path = folder.as_os_str().to_owned();
    if let Some(rest) = std::env::var_os("ATC_LIBRARY_PATH").filter(|rest| !rest.is_empty()) {
        path.push(":");
        path.push(rest);
    }
    path
}

/// Returns the options in `timing` (such as budgets) as words for the command line of a child
/// process.
fn timing(timing: &TimingArgs) -> Vec<String> {
    let time = |time: std::time::Duration| humantime::format_duration(time).to_string();
    let options = [
        ("--technique", timing.technique.as_ref().map(spelling)),
        ("--budget", timing.budget.map(time)),
        ("--problem-budget", timing.problem_budget.map(time)),
        ("--seed", timing.seed.map(|seed| seed.to_string())),
    ];
    let given = options.into_iter().filter_map(|(name, value)| Some([name.to_owned(), value?]));
    given.flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::{Cli, Command};
    use clap::Parser;

    #[test]
    fn an_interrupt_keeps_the_sides_that_were_measured() {
        let folders = ["a", "b", "c"].map(PathBuf::from);
        let asked = std::cell::Cell::new(false);
        let all = until_asked(&folders, || asked.get(), |folder| Ok(folder.to_owned()));
        assert_eq!(all.unwrap(), (folders.to_vec(), false));
        // Ctrl-C arrives during the second measurement. If `works` is true, this measurement still
        // has results; otherwise it fails.
        for (works, kept) in [(true, 2), (false, 1)] {
            asked.set(false);
            let side = |folder: &Path| {
                asked.set(folder == Path::new("b"));
                match works || !asked.get() {
                    true => Ok(folder.to_owned()),
                    false => Err(Failure::new("signal: 2")),
                }
            };
            let measured = until_asked(&folders, || asked.get(), side).unwrap();
            assert_eq!(measured, (folders[..kept].to_vec(), true));
        }
        asked.set(false);
        let failed = |_: &Path| Err::<PathBuf, _>(Failure::new("no memory"));
        assert!(until_asked(&folders, || asked.get(), failed).is_err());
    }

    #[test]
    fn a_child_is_told_what_its_parent_was() {
        let options =
            ["--technique", "once", "--budget", "90s", "--problem-budget", "500ms", "--seed", "7"];
        let parse = |words: Vec<&str>| Cli::try_parse_from(words).unwrap().command;
        let parent = [&["atc", "compare", "--cudnn", "a", "resnet50"], &options[..]].concat();
        let Command::Compare(parent) = parse(parent) else { panic!("not compare") };
        let told = timing(&parent.timing);
        let told: Vec<_> = told.iter().map(String::as_str).collect();
        let fixed = ["atc", "compare-side", "--device", "cuda:0", "--engine", "cudnn"];
        let Command::CompareSide(child) = parse([&fixed[..], &told].concat()) else {
            panic!("not compare-side")
        };
        assert_eq!(child.timing.technique, parent.timing.technique);
        assert_eq!(child.timing.budget, parent.timing.budget);
        assert_eq!(child.timing.problem_budget, parent.timing.problem_budget);
        assert_eq!(child.timing.seed, Some(7));
    }
}
