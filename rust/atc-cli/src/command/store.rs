//! `atc store`.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use atc::Store;

use crate::cli::{StoreArgs, StoreCommand};
use crate::entries::{self, Entry};
use crate::failure::{Failure, Outcome, Result};
use crate::output::{self, Target};
use crate::{stores, table, units};

/// libatc's own limit for a bundle.
const MOST_BYTES: u64 = 1 << 30;

pub fn run(args: &StoreArgs) -> Result<Outcome> {
    if let StoreCommand::Merge { bundles, output } = &args.command {
        return merge(bundles, output);
    }
    let directory = stores::directory(args.store.as_deref())?;
    match &args.command {
        StoreCommand::Ls => list(&directory),
        StoreCommand::Show { entry, json } => show(&directory, entry.as_deref(), *json),
        StoreCommand::Export { output } => export(&directory, output),
        StoreCommand::Import { bundles } => import(&directory, bundles),
        StoreCommand::Verify => verify(&directory),
        StoreCommand::Prune { keep } => prune(&directory, *keep),
        StoreCommand::Merge { bundles, output } => merge(bundles, output),
    }
}

fn list(directory: &Path) -> Result<Outcome> {
    let store = stores::to_read(directory)?;
    let entries = entries::parse(&store.list()?)?;
    let header = ["id", "problem", "choice", "time", "gain", "certainty", "environment", "date"];
    let mut table = table::new(&header, &["time", "gain"]);
    for entry in &entries {
        let decision = &entry.subject.decision;
        let cells = [
            entry.id.clone(),
            entry.subject.name.clone(),
            decision.choice.clone(),
            decision.time().map_or_else(|| "-".to_owned(), units::time),
            decision.gain().map_or_else(|| "-".to_owned(), |gain| gain.range()),
            if decision.unstable { "provisional" } else { "firm" }.to_owned(),
            entry.environment.clone(),
            entry.date.clone(),
        ];
        table::row(&mut table, &cells);
    }
    let mut count = units::count(entries.len() as u64, "decision");
    let provisional = entries.iter().filter(|entry| entry.subject.decision.unstable).count();
    if provisional > 0 {
        count += &format!(" ({provisional} provisional)");
    }
    let digest = store.digest()?;
    let listed = if entries.is_empty() { String::new() } else { format!("{table}\n") };
    output::print(&format!(
        "{listed}{count} in {}, digest {digest:016x}\n",
        output::printable(&directory.display().to_string())
    ))?;
    Ok(Outcome::Done)
}

fn show(directory: &Path, wanted: Option<&str>, json: bool) -> Result<Outcome> {
    let entries = entries::parse(&stores::to_read(directory)?.list()?)?;
    let found: Vec<_> = entries.iter().filter(|entry| is_meant(entry, wanted)).collect();
    if let Some(wanted) = wanted.filter(|_| found.is_empty()) {
        return Err(Failure::new(format!(
            "no decision has an ID that begins with {wanted:?}, or {wanted:?} in its problem or choice: \
             atc store ls lists them"
        )));
    }
    if json {
        let all: Vec<_> = found.iter().map(|entry| &entry.json).collect();
        let text = serde_json::to_string_pretty(&all).map_err(|error| {
            Failure::new(format!("the entries cannot be written as JSON: {error}"))
        })?;
        output::print(&format!("{text}\n"))?;
        return Ok(Outcome::Done);
    }
    for entry in found {
        output::print(&told(entry))?;
    }
    Ok(Outcome::Done)
}

/// No wish: every entry.
fn is_meant(entry: &Entry, wanted: Option<&str>) -> bool {
    wanted.is_none_or(|wanted| {
        entry.id.starts_with(wanted)
            || entry.subject.name.contains(wanted)
            || entry.subject.decision.choice.contains(wanted)
    })
}

fn told(entry: &Entry) -> String {
    let subject = &entry.subject;
    let mut text = format!("{}  {}\n", entry.id, subject.name);
    for (label, value) in &subject.details {
        text += &format!("  {label}: {value}\n");
    }
    text += &format!("  choice: {}\n", subject.decision.choice);
    if let Some(gain) = subject.decision.gain() {
        text += &format!("  against the default: {}\n", gain.claim());
    }
    if let Some(provisional) = subject.decision.provisional() {
        text += &format!("  provisional: {provisional}\n");
    }
    output::printable(&text) + &format!("{}\n\n", table::candidates(&subject.decision))
}

fn export(directory: &Path, output: &Path) -> Result<Outcome> {
    let store = stores::to_read(directory)?;
    let target = Target::open(output)?;
    target.write(&store.export()?)?;
    Ok(Outcome::Done)
}

/// Every bundle is read before the first one is imported.
fn import(directory: &Path, bundles: &[PathBuf]) -> Result<Outcome> {
    let read = bundles.iter().map(|bundle| bytes_of(bundle)).collect::<Result<Vec<_>>>()?;
    let store = stores::to_write(directory)?;
    for (bundle, bytes) in bundles.iter().zip(read) {
        let imported = store
            .import(&bytes)
            .map_err(|error| Failure::new(format!("{}: {error}", bundle.display())))?;
        output::print(&output::printable(&format!(
            "{}: {} added, {} known already and kept as they were\n",
            bundle.display(),
            imported.added,
            imported.kept
        )))?;
    }
    Ok(Outcome::Done)
}

fn merge(bundles: &[PathBuf], output: &Path) -> Result<Outcome> {
    let read = bundles.iter().map(|bundle| bytes_of(bundle)).collect::<Result<Vec<_>>>()?;
    let target = Target::open(output)?;
    target.write(&Store::merge(&read)?)?;
    Ok(Outcome::Done)
}

fn verify(directory: &Path) -> Result<Outcome> {
    let faults = stores::to_read(directory)?.verify()?;
    if faults.is_empty() {
        output::print("every file is good\n")?;
        return Ok(Outcome::Done);
    }
    for fault in &faults {
        output::print(&format!("{}\n", output::printable(fault)))?;
    }
    output::note(&format!(
        "{}; atc store prune removes them",
        units::count(faults.len() as u64, "bad file")
    ));
    Ok(Outcome::Partly)
}

fn prune(directory: &Path, keep: u64) -> Result<Outcome> {
    // Opening for writing would make a directory that is not there.
    stores::to_read(directory)?;
    let removed = stores::to_write(directory)?.prune(keep)?;
    output::print(&format!("{} removed\n", units::count(removed, "file")))?;
    Ok(Outcome::Done)
}

fn bytes_of(file: &Path) -> Result<Vec<u8>> {
    let failed = |error: std::io::Error| {
        Failure::new(format!("{}: cannot be read: {error}", file.display()))
    };
    let mut bytes = Vec::new();
    let opened = File::open(file).map_err(failed)?;
    opened.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(Failure::new(format!(
            "{}: larger than 1 GiB: this is no bundle",
            file.display()
        )));
    }
    Ok(bytes)
}
