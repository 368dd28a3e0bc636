//! `atc advise`.

use crate::advice::{self, Advice};
use crate::cli::{AdviseArgs, Retune};
use crate::document::Document;
use crate::failure::{Failure, Outcome, Result};
use crate::measuring::{self, How};
use crate::output::{self, Target};
use crate::problems::{Input, Row, Selection};
use crate::{interrupt, plugins, results, tables};

pub fn run(args: &AdviseArgs) -> Result<Outcome> {
    let given = &args.problems;
    let inputs = given.inputs.iter().map(|input| Input::read(input)).collect::<Result<Vec<_>>>()?;
    let known = if args.measure { None } else { known(args, &inputs) };
    let requests = match &known {
        Some(_) => Vec::new(),
        None => given.layers.requests(&rows(&inputs)?)?,
    };
    let json = args.json.as_deref().map(Target::open).transpose()?;
    let document = match known {
        Some(document) => {
            let (date, device) = (&document.date, &document.device.name);
            output::note_unless(args.quiet, &format!("measured before, at {date}, on {device}"));
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
    let screen = results::write_json(json, &advice)?;
    screen.show(args.quiet, &args.tables, |look| {
        advice::screen(&advice, look) + &remarks(&document)
    })?;
    Ok(match &document {
        cancelled if cancelled.cancelled => Outcome::Cancelled,
        partly if partly.undecided() > 0 => Outcome::Partly,
        _ => Outcome::Done,
    })
}

fn rows(inputs: &[Input]) -> Result<Vec<Row>> {
    let rows = inputs.iter().map(Input::rows).collect::<Result<Vec<_>>>()?;
    Ok(rows.concat())
}

/// The measurements of an only input that has them for all its problems. With options that change the problems, they
/// would be those of others.
fn known(args: &AdviseArgs, inputs: &[Input]) -> Option<Document> {
    let [input] = inputs else { return None };
    if args.problems.layers.selection() != Selection::default() {
        return None;
    }
    let document = Document::parse(&input.origin, &input.text).ok()?;
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

/// A line for each remark on the measurements.
fn remarks(document: &Document) -> String {
    // Provisional decisions are counted; their reasons are for atc tune to tell.
    let mut settled = document.clone();
    settled.problems.iter_mut().for_each(|problem| problem.decision.unstable = false);
    let remarks = tables::remarks_of(&settled).into_iter();
    remarks.map(|line| output::printable(&line) + "\n").collect()
}
