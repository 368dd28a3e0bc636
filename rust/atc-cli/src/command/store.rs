//! `atc store`.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use atc::{ImportOptions, MergeOptions, Store};
use serde::Serialize;

use super::share;
use crate::account::Account;
use crate::cli::{StoreArgs, StoreCommand};
use crate::entries::{self, Entry};
use crate::failure::{Failure, Outcome, Result};
use crate::look::Look;
use crate::output::{self, Target};
use crate::table::{Column, Table};
use crate::{json, stores, tables, units};

/// The size of the largest bundle that libatc reads, in bytes.
const MOST_BYTES: u64 = 1 << 30;

pub fn run(args: &StoreArgs) -> Result<Outcome> {
    if let StoreCommand::Merge { bundles, trust_compiled, output } = &args.command {
        return merge(bundles, *trust_compiled, output);
    }
    let directory = stores::directory(args.store.as_deref())?;
    match &args.command {
        StoreCommand::Ls { json, tables } => list(&directory, *json, tables.wide),
        StoreCommand::Show { entry, json, tables } => {
            show(&directory, entry.as_deref(), *json, tables.wide)
        }
        StoreCommand::Export { output } => export(&directory, output),
        StoreCommand::Import { bundles, replace, join, trust_compiled, json } => {
            let options =
                ImportOptions::new().replace(*replace).join(*join).trust_compiled(*trust_compiled);
            import(&directory, bundles, &options, *json)
        }
        StoreCommand::Push { url, sign, compiled, json } => {
            share::push(&directory, url, sign.as_deref(), *compiled, *json)
        }
        StoreCommand::Pull { url, key, json } => {
            share::pull(&directory, url, key.as_deref(), *json)
        }
        StoreCommand::Verify { json } => verify(&directory, *json),
        StoreCommand::Prune { keep, json } => prune(&directory, *keep, *json),
        StoreCommand::Merge { bundles, trust_compiled, output } => {
            merge(bundles, *trust_compiled, output)
        }
    }
}

/// The decisions of a store, in the short form that `store ls --json` writes.
#[derive(Serialize)]
struct Listing<'a> {
    store: String,
    digest: String,
    entries: Vec<Listed<'a>>,
}

#[derive(Serialize)]
struct Listed<'a> {
    id: &'a str,
    problem: &'a str,
    choice: &'a str,
    /// Seconds per execution of the choice, if it was measured.
    time: Option<f64>,
    default_time: Option<f64>,
    provisional: bool,
    environment: &'a str,
    date: &'a str,
}

impl<'a> Listed<'a> {
    fn of(entry: &'a Entry) -> Self {
        let decision = &entry.subject.decision;
        Self {
            id: &entry.id,
            problem: &entry.subject.name,
            choice: &decision.choice,
            time: decision.time(),
            default_time: decision.default_time(),
            provisional: decision.unstable,
            environment: &entry.environment,
            date: &entry.date,
        }
    }
}

fn list(directory: &Path, json: bool, wide: bool) -> Result<Outcome> {
    let store = stores::to_read(directory)?;
    let entries = entries::of(&store)?;
    let digest = format!("{:016x}", store.digest()?);
    if json {
        output::print_json(&Listing {
            store: directory.display().to_string(),
            digest,
            entries: entries.iter().map(Listed::of).collect(),
        })?;
        return Ok(Outcome::Done);
    }
    let mut table = Table::new(&[
        Column::new("id"),
        Column::new("problem").shortened(28),
        Column::new("choice").shortened(12),
        Column::number("time"),
        Column::number("gain").left_out(2),
        Column::new("certainty").left_out(1),
        Column::new("environment").shortened(16).left_out(4),
        Column::new("date").left_out(3),
    ]);
    for entry in &entries {
        let decision = &entry.subject.decision;
        table.row([
            entry.id.clone(),
            entry.subject.name.clone(),
            decision.choice.clone(),
            decision.time().map_or_else(|| "-".to_owned(), units::time),
            decision.gain().map_or_else(|| "-".to_owned(), |gain| gain.range()),
            if decision.unstable { "provisional" } else { "firm" }.to_owned(),
            entry.environment.clone(),
            entry.date.clone(),
        ]);
    }
    if !entries.is_empty() {
        output::print(&table.draw(Look::of_output(wide)))?;
    }
    // The summary goes to standard error, so that standard output contains only the lines of the
    // table.
    output::note(&format!("{} in {}, digest {digest}", counted(&entries), directory.display()));
    Ok(Outcome::Done)
}

fn show(directory: &Path, wanted: Option<&str>, json: bool, wide: bool) -> Result<Outcome> {
    let entries = entries::of(&stores::to_read(directory)?)?;
    let found = meant(&entries, wanted)?;
    if json {
        output::print_json(
            &found.iter().map(|entry| json::value(&entry.json)).collect::<Result<Vec<_>>>()?,
        )?;
        return Ok(Outcome::Done);
    }
    let look = Look::of_output(wide);
    for entry in found {
        output::print(&look.wrapped(&told(entry, look)))?;
    }
    Ok(Outcome::Done)
}

/// Returns the entries whose ID begins with `wanted`. If there are none, returns the entries whose
/// problem or choice contains `wanted`. If `wanted` is not given, returns all entries.
fn meant<'a>(entries: &'a [Entry], wanted: Option<&str>) -> Result<Vec<&'a Entry>> {
    let Some(wanted) = wanted else { return Ok(entries.iter().collect()) };
    let by_id: Vec<_> = entries.iter().filter(|entry| entry.id.starts_with(wanted)).collect();
    if !by_id.is_empty() {
        return Ok(by_id);
    }
    let says = |entry: &&Entry| {
        entry.subject.name.contains(wanted) || entry.subject.decision.choice.contains(wanted)
    };
    let found: Vec<_> = entries.iter().filter(says).collect();
    if found.is_empty() {
        return Err(Failure::new(format!(
            "no decision has an ID that begins with {wanted:?}, or {wanted:?} in its problem or choice: \
             atc store ls lists them"
        )));
    }
    Ok(found)
}

fn told(entry: &Entry, look: Look) -> String {
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
    output::printable(&text) + &format!("{}\n", tables::candidates(&subject.decision, look))
}

fn export(directory: &Path, output: &Path) -> Result<Outcome> {
    let store = stores::to_read(directory)?;
    let target = Target::open(output)?;
    let is_file = !target.is_standard_output();
    target.write(&store.export()?)?;
    if is_file {
        let entries = entries::of(&store)?;
        output::note(&format!("wrote {} ({})", output.display(), counted(&entries)));
    }
    Ok(Outcome::Done)
}

/// Returns the number of decisions as text, for example "3 decisions (1 provisional)".
fn counted(entries: &[Entry]) -> String {
    let account: Account = entries.iter().map(|entry| &entry.subject.decision).collect();
    let count = units::count(account.problems(), "decision");
    match account.provisional {
        0 => count,
        provisional => format!("{count} ({provisional} provisional)"),
    }
}

/// The result of importing one bundle: the number of its decisions that were added to the store,
/// and the number that were not added because the store had decisions already.
#[derive(Serialize)]
struct Taken {
    bundle: String,
    added: u64,
    kept: u64,
}

/// Imports bundles. All bundles are read before the first one is imported, so that nothing is
/// changed if a bundle is unreadable.
fn import(
    directory: &Path,
    bundles: &[PathBuf],
    options: &ImportOptions,
    json: bool,
) -> Result<Outcome> {
    let read = bundles.iter().map(|bundle| bytes_of(bundle)).collect::<Result<Vec<_>>>()?;
    let store = stores::to_write(directory)?;
    let mut all = Vec::new();
    for (bundle, bytes) in bundles.iter().zip(read) {
        let bundle = bundle.display().to_string();
        let imported = store
            .import_with(&bytes, options)
            .map_err(|error| Failure::new(format!("{bundle}: {error}")))?;
        let taken = Taken { bundle, added: imported.added, kept: imported.kept };
        if !json {
            output::print(&output::printable(&format!(
                "{}: {} added, {} known already and kept as they were\n",
                taken.bundle, taken.added, taken.kept
            )))?;
        }
        all.push(taken);
    }
    if json {
        output::print_json(&all)?;
    }
    Ok(Outcome::Done)
}

fn merge(bundles: &[PathBuf], trust_compiled: bool, output: &Path) -> Result<Outcome> {
    let read = bundles.iter().map(|bundle| bytes_of(bundle)).collect::<Result<Vec<_>>>()?;
    let target = Target::open(output)?;
    let options = MergeOptions::new().trust_compiled(trust_compiled);
    let is_file = !target.is_standard_output();
    let bundle = Store::merge_with(&read, &options)?;
    target.write(&bundle)?;
    if is_file {
        output::note(&format!(
            "wrote {} ({})",
            output.display(),
            units::bytes(bundle.len() as u64)
        ));
    }
    Ok(Outcome::Done)
}

fn verify(directory: &Path, json: bool) -> Result<Outcome> {
    let faults = stores::to_read(directory)?.verify()?;
    let outcome = if faults.is_empty() { Outcome::Done } else { Outcome::Partly };
    if json {
        output::print_json(&serde_json::json!({ "faults": faults }))?;
        return Ok(outcome);
    }
    if faults.is_empty() {
        output::print("every file is good\n")?;
        return Ok(outcome);
    }
    for fault in &faults {
        output::print(&format!("{}\n", output::printable(fault)))?;
    }
    output::note(&format!(
        "{}; atc store prune removes them",
        units::count(faults.len() as u64, "bad file")
    ));
    Ok(outcome)
}

fn prune(directory: &Path, keep: u64, json: bool) -> Result<Outcome> {
    // The store is opened for reading first, so that a missing store is an error. If it were opened
    // for writing at once, a missing store would be created.
    stores::to_read(directory)?;
    let removed = stores::to_write(directory)?.prune(keep)?;
    if json {
        output::print_json(&serde_json::json!({ "removed": removed }))?;
    } else {
        output::print(&format!("{} removed\n", units::count(removed, "file")))?;
    }
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
