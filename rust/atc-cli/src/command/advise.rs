//! `atc advise`.

use crate::advice::{self, Advice, Verdict};
use crate::cli::{AdviseArgs, OptionFlags, Retune};
use crate::document::Document;
use crate::failure::{Failure, Outcome, Result};
use crate::measuring::{self, How};
use crate::output::{self, Target};
use crate::problems::{Input, Request, Row, Selection};
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
            check_originals(&requests)?;
            args.device.describe()?;
            // The pin file that ATC_PINS names is turned off here, because a problem whose choice
            // is fixed by a pin would not be measured.
            atc::settings::set_pins(None)?;
            let _work = interrupt::listen();
            measuring::measure(&how(args), &requests)?
        }
    };
    let Some(advice) = Advice::new(&document, args.recorded_steps, args.steps) else {
        let remarks = tables::remarks_of(&document).join("\n");
        output::note(&format!("advice: none: no problem has a gain to judge by\n{remarks}"));
        return Ok(if document.cancelled { Outcome::Cancelled } else { Outcome::Partly });
    };
    let screen = results::write_json(json, &advice)?;
    screen.show(args.quiet, &args.tables, |look| {
        advice::screen(&advice, look) + &remarks(&document)
    })?;
    let declined = advice.advice == Verdict::Declined;
    if args.quiet {
        let why = declined.then(|| format!("advice: {}", advice.why));
        let lines = why.into_iter().chain(tables::errors_of(&document));
        lines.for_each(|line| output::note(&line));
    }
    Ok(match document.account().undecided {
        _ if document.cancelled => Outcome::Cancelled,
        0 if !declined => Outcome::Done,
        _ => Outcome::Partly,
    })
}

/// Returns an error if the engine that the recorded program uses without atc is missing here for
/// some problem. The gain of such a problem is relative to this engine, so without the engine the
/// gain cannot be measured.
fn check_originals(requests: &[Request]) -> Result<()> {
    let engines = atc::engine::engines()?;
    let lacks = |request: &&Request| {
        let original = request.original.as_deref();
        original.is_some_and(|name| engines.iter().all(|engine| engine.name != name))
    };
    let Some(first) = requests.iter().find(lacks) else { return Ok(()) };
    let name = first.original.as_deref().unwrap_or_default();
    Err(Failure::Usage(format!(
        "{}: the recorded program runs engine {name} without atc, which is not here: bring it with --plugin (LibTorch's \
         is libatc_torch.so.1)",
        first.layer.name
    )))
}

fn rows(inputs: &[Input]) -> Result<Vec<Row>> {
    let rows = inputs.iter().map(Input::rows).collect::<Result<Vec<_>>>()?;
    Ok(rows.concat())
}

/// Returns the measurements that the input file of `atc advise` contains. Returns `None` if there
/// are several input files, or if the file lacks the measurement of a problem. Also returns `None`
/// if options (such as `--batch`) change the problems, because the file then has no measurements of
/// the changed problems.
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
        options: OptionFlags::default(),
        engines: &[],
        without_store: true,
        quiet: args.quiet,
    }
}

/// Returns a line for each remark on the measurements (for example why a problem is undecided).
fn remarks(document: &Document) -> String {
    // The reasons why decisions are provisional (uncertain) are left out here: `atc advise` shows
    // only the number of provisional decisions, and `atc tune` shows the reasons.
    let mut settled = document.clone();
    settled.problems.iter_mut().for_each(|problem| problem.decision.unstable = false);
    let remarks = tables::remarks_of(&settled).into_iter();
    remarks.map(|line| output::printable(&line) + "\n").collect()
}
