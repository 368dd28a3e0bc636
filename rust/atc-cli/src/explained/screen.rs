//! The text that `atc explain` shows.

use atc::{Candidate, Timing};

use super::{Bound, Change, Entrant, Explained, Explanations, legend};
use crate::decision::Decision;
use crate::gain::Gain;
use crate::look::Look;
use crate::output::printable;
use crate::table::{Column, Table};
use crate::units;

/// The number of candidates that are shown by default.
const SHOWN: usize = 12;
/// If the times of two races of the same problem differ by more than this part (0.03 means 3 %),
/// the text says so.
const TOLERATED_DRIFT: f64 = 0.03;

/// Returns the table of several problems, with a line for each, followed by lines that explain the
/// words in the table.
pub fn several(explanations: &Explanations, look: Look) -> String {
    let mut table = Table::new(&[
        Column::new("layer").shortened(12),
        Column::number("count").left_out(3),
        Column::new("choice").shortened(20),
        Column::new("from").left_out(2),
        Column::new("rule"),
        Column::number("time"),
        Column::number("default").left_out(1),
        Column::number("gain"),
        Column::number("of least"),
    ]);
    for problem in &explanations.problems {
        let decision = &problem.tuned.decision;
        table.row([
            problem.tuned.name.clone(),
            problem.tuned.count.to_string(),
            decision.told(),
            from(decision),
            or_dash(problem.rule.clone()),
            or_dash(decision.time().map(units::time)),
            or_dash(decision.default_time().map(units::time)),
            or_dash(decision.gain().map(|gain| gain.range())),
            or_dash(problem.roofline.of_least.map(units::times)),
        ]);
    }
    let table = table.draw(look);
    let legend = printable(&legend::lines(explanations));
    format!("{table}{legend}--layer NAME shows all that is known about one of them\n")
}

/// Returns the text about one problem. If `all` is true, the text has all candidates, otherwise
/// only the first few.
pub fn one(problem: &Explained, store: Option<&str>, look: Look, all: bool) -> String {
    let decision = &problem.tuned.decision;
    let mut lines = vec![
        ("problem", decision.description.clone()),
        ("choice", choice(decision)),
        ("from", origin(problem, store)),
        ("rule", rule(problem)),
    ];
    if let Some(doubts) = decision.provisional() {
        lines.push(("doubts", doubts));
    }
    lines.push(("default", default(decision)));
    lines.push(("roofline", roofline(problem)));
    let mut text = String::new();
    for (label, line) in lines {
        text += &printable(&format!("{label:<9} {}\n", line.replace('\n', " ")));
    }
    text += &format!("\n{}", candidates(decision, look, all));
    text += &format!("\n{}", entrants(&problem.entrants, look));
    if !problem.changes.is_empty() {
        text += &format!("\n{}", changes(&problem.changes, look));
    }
    text
}

fn or_dash(text: Option<String>) -> String {
    text.unwrap_or_else(|| "-".to_owned())
}

/// Returns the source of the decision: "record", "provisional record", ….
fn from(decision: &Decision) -> String {
    match decision.source.as_str() {
        "" => "-".to_owned(),
        source if decision.unstable => format!("{source}, provisional"),
        source => source.to_owned(),
    }
}

fn choice(decision: &Decision) -> String {
    match decision.time() {
        Some(time) => format!("{}, {}", decision.told(), units::time(time)),
        None => decision.told(),
    }
}

fn origin(problem: &Explained, store: Option<&str>) -> String {
    let decision = &problem.tuned.decision;
    let kind = if decision.unstable { "provisional" } else { "firm" };
    let place = store.map_or_else(String::new, |store| format!(" of the store {store}"));
    let found = match decision.source.as_str() {
        "record" => return format!("a {kind} record{place}"),
        "inherited" => return format!("a {kind} record{place} for the nearest size"),
        "adopted" => return format!("a {kind} record{place} of other versions"),
        "memory" => return format!("a {kind} race of this process"),
        "pinned" => return pinned(decision),
        "reference" => "the slow reference: no other engine can run it",
        "" => "no engine can run it",
        _ => "the default engine's heuristics",
    };
    match store {
        None => format!("{found}; no store was read"),
        Some(store) => format!("{found}; the store {store} has {}", problem.miss),
    }
}

/// Returns which pin gave the choice: "pinned by FILE:LINE: pin NUMBER". libatc has written this
/// text into the field `notes` of the pinned candidate.
fn pinned(decision: &Decision) -> String {
    let winner = decision.winner.and_then(|winner| decision.candidates.get(winner));
    winner.map_or_else(|| decision.source.clone(), |winner| winner.notes.clone())
}

fn rule(problem: &Explained) -> String {
    match &problem.rule {
        Some(rule) => format!("{rule}: {}", problem.rule_text),
        None => problem.rule_text.clone(),
    }
}

fn default(decision: &Decision) -> String {
    let Some(index) = decision.default.filter(|index| *index < decision.candidates.len()) else {
        return "none: no default engine takes part".to_owned();
    };
    if Some(index) == decision.winner {
        return "is the choice".to_owned();
    }
    let default = &decision.candidates[index];
    let mut text = default.choice();
    match (&default.timing, decision.gain()) {
        (Some(timing), gain) => {
            text += &format!(", {}", units::time(timing.median));
            if let Some(gain) = gain {
                text += &format!(": the choice is {}", gain.claim());
            }
        }
        (None, _) => text += &format!(", not timed: {}", default.outcome),
    }
    text
}

fn roofline(problem: &Explained) -> String {
    let roofline = &problem.roofline;
    let work = format!(
        "{} moved once, {} GFLOP: {:.1} operations per byte",
        units::bytes(roofline.bytes),
        significant(roofline.flops / 1e9),
        roofline.flops / (roofline.bytes.max(1) as f64),
    );
    let (Some(least), Some(bytes), Some(flops)) =
        (roofline.least, roofline.bytes_per_second, roofline.flops_per_second)
    else {
        return format!("{work}; no rates of this device are kept: --measure measures them once");
    };
    let by = match least.bound_by {
        Bound::Memory => "memory",
        Bound::Arithmetic => "arithmetic",
    };
    let distance = roofline.of_least.map_or_else(
        || "the choice was not timed".to_owned(),
        |ratio| {
            let doubt =
                if ratio < 1.0 { ": it computes fewer operations (Winograd), or the rates were measured on a busy device" } else { "" };
            format!("the choice takes {} of it{doubt}", units::times(ratio))
        },
    );
    format!(
        "{work}; at {:.1} GB/s and {} GFLOP/s {by} binds: at least {}; {distance}",
        bytes / 1e9,
        units::rate(flops),
        units::time(least.seconds),
    )
}

/// Writes a number with at least three significant digits.
fn significant(value: f64) -> String {
    let decimals =
        if value >= 100.0 { 0 } else { (2.0 - value.max(1e-9).log10().floor()) as usize };
    format!("{value:.decimals$}")
}

/// Returns the choice, then the other timed candidates from the fastest to the slowest, then the
/// candidates without times.
fn in_order(decision: &Decision) -> Vec<(usize, &Candidate)> {
    let mut order: Vec<_> = decision.candidates.iter().enumerate().collect();
    let key = |(index, candidate): &(usize, &Candidate)| {
        let median = candidate.timing.as_ref().map_or(f64::INFINITY, |timing| timing.median);
        (Some(*index) != decision.winner, median)
    };
    order.sort_by(|a, b| key(a).partial_cmp(&key(b)).unwrap_or(std::cmp::Ordering::Equal));
    order
}

fn candidates(decision: &Decision, look: Look, all: bool) -> String {
    let mut table = Table::new(&[
        Column::new("candidate").shortened(28),
        Column::new("outcome"),
        Column::number("device"),
        Column::number("spread").left_out(2),
        Column::number("host").left_out(3),
        Column::number("launches").left_out(5),
        Column::number("workspace").left_out(4),
        Column::new("marks").left_out(1),
        Column::new("why").shortened(16),
    ]);
    let order = in_order(decision);
    let shown = if all { order.len() } else { SHOWN };
    for (index, candidate) in order.iter().take(shown) {
        let timed =
            |part: fn(&Timing) -> Option<String>| or_dash(candidate.timing.as_ref().and_then(part));
        table.row([
            candidate.choice(),
            candidate.outcome.to_string(),
            timed(|timing| Some(units::time(timing.median))),
            timed(|timing| timing.noise().map(|noise| format!("{:.1} %", 100.0 * noise))),
            timed(|timing| timing.host.map(units::time)),
            or_dash(candidate.launches.map(|launches| launches.to_string())),
            units::bytes(candidate.workspace),
            marks(decision, *index, candidate),
            candidate.reason.clone(),
        ]);
    }
    let mut text = table.draw(look);
    if order.len() > shown {
        let rest = units::count((order.len() - shown) as u64, "candidate");
        text += &format!("(--all shows {rest} more)\n");
    }
    text
}

/// Returns the special properties of a candidate as text, for the column "marks": for example
/// "default, host-bound".
fn marks(decision: &Decision, index: usize, candidate: &Candidate) -> String {
    let timing = candidate.timing.as_ref();
    let marks = [
        (decision.default == Some(index), "default"),
        (candidate.captured, "captured calls"),
        (candidate.imprecise, "imprecise"),
        (timing.is_some_and(|timing| timing.in_graph), "in graph"),
        (timing.is_some_and(|timing| timing.host > Some(timing.median)), "host-bound"),
    ];
    let marks: Vec<_> = marks.iter().filter(|(on, _)| *on).map(|(_, mark)| *mark).collect();
    marks.join(", ")
}

fn entrants(entrants: &[Entrant], look: Look) -> String {
    let mut table = Table::new(&[
        Column::new("engine or rewrite"),
        Column::number("offers"),
        Column::new("left out by").shortened(20),
        Column::new("why not").shortened(30),
    ]);
    for entrant in entrants {
        let barriers = entrant
            .barriers
            .iter()
            .map(|barrier| format!("{} ({})", barrier.switch, barrier.offers));
        table.row([
            format!("{}@{}", entrant.name, entrant.version),
            entrant.offers.to_string(),
            barriers.collect::<Vec<_>>().join(", "),
            entrant.why_not.clone(),
        ]);
    }
    table.draw(look)
}

fn changes(changes: &[Change], look: Look) -> String {
    let mut table = Table::new(&[
        Column::new("if you allow"),
        Column::number("time"),
        Column::number("gain"),
        Column::new("price"),
        Column::new("choice").shortened(12).left_out(1),
    ]);
    for change in changes {
        table.row([
            change.change.clone(),
            change.seconds.map_or_else(|| format!("none: {}", change.why), units::time),
            or_dash(change.gain.map(|gain| range(gain, change.gain_low, change.gain_high))),
            change.price.clone(),
            change.choice.clone(),
        ]);
    }
    let mut text = table.draw(look);
    if let Some(drift) = super::drift(changes).filter(|drift| *drift > TOLERATED_DRIFT) {
        text += &format!(
            "The two times of the problem as it is differ by {:.0} %: the device is busy or \
             its clocks change, and smaller gains mean nothing.\n",
            100.0 * drift
        );
    }
    text
}

/// Writes a gain and the ends of its interval as "1.20–1.35×". If the ends are not known, writes
/// "~1.27×".
fn range(gain: f64, low: Option<f64>, high: Option<f64>) -> String {
    let (low, high) = (low.unwrap_or(0.0), high.unwrap_or(f64::INFINITY));
    Gain { ratio: gain, low, high }.range()
}
