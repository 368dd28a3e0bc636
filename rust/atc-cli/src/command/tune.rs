//! `atc tune`.

use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process;
use std::time::Instant;

use atc::device;

use crate::cli::{Devices, TuneArgs};
use crate::document::Document;
use crate::failure::{Failure, Outcome, Result};
use crate::measuring::{self, How};
use crate::output::{self, Target};
use crate::stores::Unkept;
use crate::workers::Fleet;
use crate::{interrupt, plugins, results, shard, stores, tables, units};

pub fn run(args: &TuneArgs) -> Result<Outcome> {
    if let Some(device) = args.worker.worker {
        return super::tune_worker::run(args, &args.worker, device);
    }
    let started = Instant::now();
    let mut requests = args.problems.requests()?;
    if let Some(shard) = &args.shard {
        requests = shard.part(|name| std::env::var_os(name))?.of(requests, shard::cost);
    }
    let target = args.json.as_deref().map(Target::open).transpose()?;
    plugins::load(&args.plugins)?;
    check_engines(&args.how.engines)?;
    // `devices` is called before a store is made: so if it fails, no new store is left behind.
    let devices = devices(args)?;
    // Reads the pins now, so that a missing file in ATC_PINS is an error before any work.
    atc::settings::pins()?;
    let store = stores::for_tuning(args.store.as_deref(), Unkept::Told)?;
    let how = How::new(devices[0], &args.how, args.quiet);
    let mut fleet = Fleet::new(&devices, args.patience, interrupt::asked, Box::new(worker));
    let work = interrupt::listen();
    let mut document = measuring::measure_by(&how, &requests, &mut fleet)?;
    drop(fleet);
    drop(work);
    if devices.len() > 1 {
        document.devices = devices.iter().map(atc::Device::to_string).collect();
    }
    document.store = store.map(|directory| directory.display().to_string());
    document.seconds = started.elapsed().as_secs_f64();
    let screen = results::write_json(target, &document)?;
    screen.show(args.quiet, &args.tables, |look| {
        format!("{}{}\n", tables::choices(&document, look), summary(&document))
    })?;
    if args.quiet {
        tables::errors_of(&document).iter().for_each(|line| output::note(line));
    }
    Ok(match &document {
        cancelled if cancelled.cancelled => Outcome::Cancelled,
        partly if partly.account().undecided > 0 || partly.unwritten().next().is_some() => {
            Outcome::Partly
        }
        _ => Outcome::Done,
    })
}

/// Returns the devices to measure on, at least one. Several devices must be of the same kind,
/// because a decision that was measured on one device is used on all devices.
fn devices(args: &TuneArgs) -> Result<Vec<atc::Device>> {
    let devices = match &args.devices {
        None => vec![args.device],
        Some(Devices::These(devices)) => devices.clone(),
        Some(Devices::All) => match device::cuda_device_count()? {
            // If there is no CUDA device, `cuda:0` is returned here, so that `describe` fails
            // below. The error of `describe` says why there is no device.
            0 => vec![atc::Device::Cuda(0)],
            count => (0..count).map(atc::Device::Cuda).collect(),
        },
    };
    let mut first: Option<atc::device::DeviceInfo> = None;
    for device in &devices {
        let info = device.describe()?;
        let first = first.get_or_insert_with(|| info.clone());
        if (&info.name, &info.isa, info.compute_units)
            != (&first.name, &first.isa, first.compute_units)
        {
            return Err(Failure::Usage(format!(
                "--devices: {} is {}, {device} is {}: the decisions of one do not serve the other; run atc tune for \
                 each kind",
                devices[0], first.name, info.name
            )));
        }
    }
    Ok(devices)
}

/// Returns the command of a worker: the command line of this process, with the options of a worker
/// inserted after the name `tune`.
fn worker(device: atc::Device, slip: &Path) -> std::result::Result<process::Command, String> {
    let program = std::env::current_exe()
        .map_err(|error| format!("this program cannot be found to run it again: {error}"))?;
    let mut words = std::env::args_os().skip(1);
    let mut command = process::Command::new(program);
    command.args(words.next()).arg("--worker").arg(device.to_string());
    command.arg("--slip").arg(slip).args(words);
    // The worker gets a separate process group. So Ctrl-C on the terminal sends its signal only to
    // this process, which then tells the workers to cancel their jobs.
    command.process_group(0);
    Ok(command)
}

/// Returns an error if an engine in `wanted` does not exist. Without this check, a misspelt name
/// would only have the effect that no problem has a candidate.
pub fn check_engines(wanted: &[String]) -> Result<()> {
    let known: Vec<_> = atc::engine::engines()?.into_iter().map(|engine| engine.name).collect();
    match wanted.iter().find(|name| !known.contains(name)) {
        Some(name) => Err(Failure::Usage(format!(
            "--engines: there is no engine {name:?}; there are {}",
            known.join(", ")
        ))),
        None => Ok(()),
    }
}

/// Returns a line that says how many problems were measured and where the other decisions come
/// from.
fn summary(document: &Document) -> String {
    let from = |sources: &[&str]| {
        let found = document.problems.iter().filter(|problem| {
            problem.decision.is_decided() && sources.contains(&problem.decision.source.as_str())
        });
        found.count()
    };
    let account = document.account();
    let executions: u64 = document.problems.iter().map(|problem| problem.decision.executions).sum();
    let measured = from(&["tuned"]);
    let recorded = from(&["record", "inherited", "adopted"]);
    let mut line = format!(
        "{} in {}: {measured} measured ({} executions), {recorded} from the store",
        units::count(document.problems.len() as u64, "problem"),
        units::wall(std::time::Duration::try_from_secs_f64(document.seconds).unwrap_or_default()),
        if measured == 0 { 0 } else { executions },
    );
    let pinned = from(&["pinned"]);
    if pinned > 0 {
        line += &format!(", {pinned} pinned");
    }
    let decided = account.firm + account.provisional;
    let others = decided - (measured + recorded + pinned) as u64;
    if others > 0 {
        line += &format!(", {others} known otherwise");
    }
    if account.undecided > 0 {
        line += &format!(", {} undecided", account.undecided);
    }
    if document.cancelled {
        line += "; cancelled";
    }
    if let Some(store) = &document.store {
        line += &format!("\nstore: {}", output::printable(store));
    }
    if let Some(lost) = tables::not_stored(document) {
        line += &format!("\n{}", output::printable(&lost));
    }
    line
}
