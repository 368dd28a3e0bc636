//! `atc advise`.

use std::fs;

use crate::advice::{self, Advice};
use crate::cli::{AdviseArgs, Retune};
use crate::document::Document;
use crate::failure::{Failure, Outcome, Result};
use crate::look::Look;
use crate::measuring::{self, How};
use crate::output::{self, Target};
use crate::problems::{self, Selection};
use crate::{interrupt, plugins, tables};

pub fn run(args: &AdviseArgs) -> Result<Outcome> {
    let known = if args.measure { None } else { known(args) };
    let requests = match &known {
        Some(_) => Vec::new(),
        None => {
            let rows = problems::read_all(&args.inputs)?;
            args.layers.selection().requests(&rows).map_err(Failure::new)?
        }
    };
    let json = args.json.as_deref().map(Target::open).transpose()?;
    let document = match known {
        Some(document) => {
            say(
                args,
                &format!("measured before, at {}, on {}", document.date, document.device.name),
            );
            document
        }
        None => {
            plugins::load(&args.plugins)?;
            args.device.describe()?;
            // Pins in force would decide in place of measurements.
            atc::settings::set_pins(None)?;
            interrupt::listen();
            measuring::measure(&how(args), &requests)?
        }
    };
    let Some(advice) = Advice::new(&document, args.recorded_steps, args.steps) else {
        let remarks = tables::remarks_of(&document).join("\n");
        return match document.cancelled {
            true => Ok(Outcome::Cancelled),
            false => Err(Failure::new(format!("no problem has a gain to judge by\n{remarks}"))),
        };
    };
    show(args, &document, &advice, json)?;
    Ok(match &document {
        cancelled if cancelled.cancelled => Outcome::Cancelled,
        partly if partly.undecided() > 0 => Outcome::Partly,
        _ => Outcome::Done,
    })
}

/// The measurements of an only FILE that has them for all its problems. With options that change the problems, they
/// would be those of others.
fn known(args: &AdviseArgs) -> Option<Document> {
    let [input] = args.inputs.as_slice() else { return None };
    if args.layers.selection() != Selection::default() {
        return None;
    }
    let document = Document::parse(input, &fs::read_to_string(input).ok()?).ok()?;
    let raced = |source: &str| source == "tuned";
    let measured = |document: &Document| {
        let mut problems = document.problems.iter();
        problems.all(|problem| raced(&problem.decision.source) && problem.decision.time().is_some())
    };
    Some(document).filter(|document| !document.problems.is_empty() && measured(document))
}

fn how(args: &AdviseArgs) -> How<'_> {
    How {
        device: args.device,
        timing: &args.timing,
        retune: Some(Retune::All),
        require_firm: false,
        strict_precision: false,
        reduced_reduction: false,
        engines: &[],
        without_store: true,
        quiet: args.quiet,
    }
}

fn say(args: &AdviseArgs, line: &str) {
    if !args.quiet {
        output::note(line);
    }
}

fn show(
    args: &AdviseArgs,
    document: &Document,
    advice: &Advice,
    json: Option<Target>,
) -> Result<()> {
    let json_on_output = json.as_ref().is_some_and(Target::is_standard_output);
    if let Some(target) = json {
        let text = serde_json::to_string_pretty(advice).map_err(|error| {
            Failure::new(format!("the results cannot be written as JSON: {error}"))
        })?;
        target.write((text + "\n").as_bytes())?;
    }
    if args.quiet {
        return Ok(());
    }
    // Provisional decisions are counted; their reasons are for atc tune to tell.
    let mut settled = document.clone();
    settled.problems.iter_mut().for_each(|problem| problem.decision.unstable = false);
    let text = |look| {
        let remarks = tables::remarks_of(&settled).into_iter();
        let remarks: String = remarks.map(|line| output::printable(&line) + "\n").collect();
        advice::screen(advice, look) + &remarks
    };
    if json_on_output {
        output::note_text(&text(Look::of_error(args.tables.wide)));
        return Ok(());
    }
    output::print(&text(Look::of_output(args.tables.wide)))
}
