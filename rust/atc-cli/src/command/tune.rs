//! `atc tune`.

use std::time::Instant;

use crate::cli::TuneArgs;
use crate::document::Document;
use crate::failure::{Failure, Outcome, Result};
use crate::measuring::{self, How};
use crate::output::{self, Target};
use crate::stores::Unkept;
use crate::{interrupt, plugins, results, stores, tables, units};

pub fn run(args: &TuneArgs) -> Result<Outcome> {
    let started = Instant::now();
    let requests = args.problems.requests()?;
    let target = args.json.as_deref().map(Target::open).transpose()?;
    plugins::load(&args.plugins)?;
    check_engines(&args.how.engines)?;
    args.device.describe()?; // before a store is made
    // Reads the pins now, so that a missing file in ATC_PINS is an error before any work.
    atc::settings::pins()?;
    let store = stores::for_tuning(args.store.as_deref(), Unkept::Told)?;
    let how = How::new(args.device, &args.how, args.quiet);
    let work = interrupt::listen();
    let mut document = measuring::measure(&how, &requests)?;
    drop(work);
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

/// Returns an error for names of engines that do not exist. A misspelt name would leave every
/// problem without candidates.
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

/// Returns one line, which shows whether anything had to be measured.
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
    let recorded = from(&["record", "inherited"]);
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
