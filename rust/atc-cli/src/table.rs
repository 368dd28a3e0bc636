//! Tables on the terminal.

use comfy_table::presets::UTF8_FULL_CONDENSED;
use comfy_table::{CellAlignment, ContentArrangement, Table};

use crate::comparison::{self, Comparison, HEADER};
use crate::document::{Decision, Document, Timing};
use crate::output::printable;
use crate::subject::{self, Subject, Totals};
use crate::units;

/// An empty table; columns named in `right` hold numbers.
pub fn new(header: &[&str], right: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_style(UTF8_FULL_CONDENSED).set_content_arrangement(ContentArrangement::Dynamic);
    table.set_header(header);
    for (index, name) in header.iter().enumerate() {
        if let Some(column) = table.column_mut(index).filter(|_| right.contains(name)) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

/// Adds a row of text from files and libraries.
pub fn row(table: &mut Table, cells: &[String]) {
    table.add_row(cells.iter().map(|cell| printable(cell)));
}

/// What was chosen for each layer, the sums, and what has to be said besides.
pub fn choices(document: &Document) -> String {
    let right = ["count", "timed", "time", "default", "gain", "GFLOP/s"];
    let header =
        ["layer", "count", "choice", "timed", "time", "default", "gain", "source", "GFLOP/s"];
    let mut table = new(&header, &right);
    let subjects = subject::of(document);
    for subject in &subjects {
        row(&mut table, &cells(subject));
    }
    let mut text = format!("{table}\n{}", totals(&subjects));
    for remark in remarks(&subjects) {
        text += &printable(&remark);
        text.push('\n');
    }
    text
}

fn cells(subject: &Subject) -> Vec<String> {
    let decision = &subject.decision;
    let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
    vec![
        subject.name.clone(),
        subject.count.to_string(),
        if decision.is_decided() {
            decision.choice.clone()
        } else {
            format!("({})", decision.status)
        },
        decision.timed(),
        or_dash(decision.time().map(units::time)),
        or_dash(decision.default_time().map(units::time)),
        or_dash(decision.gain().map(|gain| gain.range())),
        if decision.source.is_empty() { "-".to_owned() } else { decision.source.clone() },
        or_dash(subject.rate().map(units::rate)),
    ]
}

fn totals(subjects: &[Subject]) -> String {
    let totals = Totals::of(subjects);
    let (Some(gain), Some(rate)) = (totals.gain(), totals.rate()) else { return String::new() };
    let all: u64 = subjects.iter().fold(0, |sum, subject| sum.saturating_add(subject.count));
    let which = match totals.convolutions {
        measured if measured == all => units::count(all, "convolution"),
        measured => format!("{measured} of {}", units::count(all, "convolution")),
    };
    let mut text = format!(
        "{which}, each as often as it occurs: {} tuned, {} by default: {} ({} GFLOP/s)\n{}",
        units::time(totals.time),
        units::time(totals.default_time),
        gain.claim(),
        units::rate(rate),
        totals.certainty()
    );
    if let Some(noise) = totals.noise() {
        text += &format!("; noise: {noise}");
    }
    text + "\n"
}

/// What every cuDNN would run for each layer and what is best with it, the sums, and what has to be said
/// besides.
pub fn comparison(comparison: &Comparison) -> String {
    let header = HEADER.map(|(name, _)| name);
    let numbers: Vec<_> =
        HEADER.iter().filter(|(_, number)| *number).map(|(name, _)| *name).collect();
    let mut table = new(&header, &numbers);
    for line in comparison::rows(comparison) {
        row(&mut table, &line.cells);
    }
    let mut text = format!("{table}\n");
    for (label, sum) in comparison::sums(comparison) {
        text += &printable(&format!("{label}: {sum}\n"));
    }
    for ((label, side), subjects) in
        comparison.labels().iter().zip(&comparison.sides).zip(comparison.subjects())
    {
        for remark in side.remarks.iter().cloned().chain(remarks(&subjects)) {
            text += &printable(&format!("{label}: {remark}\n"));
        }
    }
    text
}

/// Everything that is known about the candidates of one decision.
pub fn candidates(decision: &Decision) -> Table {
    let header = [
        "candidate",
        "outcome",
        "median",
        "min",
        "max",
        "deviation",
        "samples",
        "workspace",
        "why",
    ];
    let mut table = new(&header, &["median", "min", "max", "deviation", "samples", "workspace"]);
    for candidate in &decision.candidates {
        let timed = |part: fn(&Timing) -> String| {
            candidate.timing.as_ref().map_or_else(|| "-".to_owned(), part)
        };
        let cells = [
            candidate.choice(),
            candidate.outcome.clone(),
            timed(|timing| units::time(timing.median)),
            timed(|timing| units::time(timing.min)),
            timed(|timing| units::time(timing.max)),
            timed(|timing| units::time(timing.deviation)),
            timed(|timing| timing.samples.to_string()),
            units::bytes(candidate.workspace),
            candidate.reason.clone(),
        ];
        row(&mut table, &cells);
    }
    table
}

/// A line for each reason why decisions are missing or cannot be trusted fully.
fn remarks(subjects: &[Subject]) -> Vec<String> {
    let mut reasons: Vec<(String, Vec<String>)> = Vec::new();
    for subject in subjects {
        let decision = &subject.decision;
        let flags = [
            (!decision.is_decided(), "no decision"),
            (decision.unstable, "provisional"),
            (decision.incomplete, "incomplete"),
            (decision.cancelled, "cancelled"),
        ];
        let words: Vec<_> = flags.iter().filter(|(on, _)| *on).map(|(_, word)| *word).collect();
        if words.is_empty() {
            continue;
        }
        let reason = format!("{}: {}", words.join(", "), decision.why);
        match reasons.iter_mut().find(|(other, _)| *other == reason) {
            Some((_, names)) => names.push(subject.name.clone()),
            None => reasons.push((reason, vec![subject.name.clone()])),
        }
    }
    reasons.iter().map(|(reason, names)| format!("{}: {reason}", abridged(names))).collect()
}

/// All names where they are few, else how many and where they begin and end.
fn abridged(names: &[String]) -> String {
    match names {
        [first, .., last] if names.len() > 3 => {
            format!("{} ({first} to {last})", units::count(names.len() as u64, "problem"))
        }
        few => few.join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::tests::{document, tuned};
    use crate::problems::Op;

    #[test]
    fn a_table_shows_choice_gain_and_weighted_sums() {
        let text = choices(&document(vec![
            tuned("first", 1, &[0.004, 0.002], 1),
            tuned("second", 3, &[0.001], 0),
        ]));
        let line = text.lines().find(|line| line.contains("first")).unwrap();
        assert!(
            ["2/2", "2.000 ms", "4.000 ms", "1.97–2.03×", "tuned"]
                .iter()
                .all(|word| line.contains(word)),
            "{line}"
        );
        // 2 + 3*1 ms against 4 + 3*1 ms.
        assert!(
            text.contains("4 convolutions, each as often as it occurs: 5.000 ms tuned, 7.000 ms"),
            "{text}"
        );
        assert!(text.contains("at least 1.39× as fast (1.39–1.41×, 95 %)"), "{text}");
        assert!(text.contains("2 decisions, all firm; noise: 0.0 %"), "{text}");
    }

    #[test]
    fn a_comparison_has_rows_sums_and_remarks() {
        let text = comparison(&crate::comparison::tests::comparison());
        let line = text.lines().find(|line| line.contains("layer1") && line.contains("9.19.0"));
        assert!(
            line.is_some_and(|line| line.contains("500.0 µs") && line.contains("3.94–4.06×")),
            "{text}"
        );
        assert!(text.contains("2.000 ms tuned (2.00× as fast)"), "{text}");
        assert!(text.contains("9.14.0: cuDNN 9.14.0 is known for something"), "{text}");
    }

    #[test]
    fn the_operation_is_named_where_there_are_several() {
        let mut other = tuned("a", 1, &[0.001], 0);
        other.op = Op::BackwardData;
        let text = choices(&document(vec![tuned("a", 1, &[0.001], 0), other]));
        assert!(text.contains("a backward-data"), "{text}");
        assert!(!choices(&document(vec![tuned("a", 1, &[0.001], 0)])).contains("forward"));
    }

    #[test]
    fn what_is_undecided_is_told_with_its_reason() {
        let mut lost = tuned("lost", 2, &[0.001], 0);
        lost.decision = Decision {
            status: "unsupported".to_owned(),
            why: "no \u{1b}[31mengine".to_owned(),
            ..Decision::default()
        };
        let text = choices(&document(vec![tuned("a", 1, &[0.001], 0), lost]));
        assert!(text.contains("(unsupported)"), "{text}");
        assert!(text.contains("lost: no decision: no \u{fffd}[31mengine"), "{text}");
        assert!(text.contains("1 of 3 convolutions"), "{text}");
    }

    #[test]
    fn one_reason_of_many_problems_is_one_line() {
        let problems = (0..5).map(|index| {
            let mut problem = tuned(&format!("layer{index}"), 1, &[0.001], 0);
            problem.decision = Decision {
                status: "not_tuned".to_owned(),
                why: if index == 1 { "other" } else { "budget" }.to_owned(),
                ..Decision::default()
            };
            problem
        });
        let lines = remarks(&subject::of(&document(problems.collect())));
        assert_eq!(
            lines,
            ["4 problems (layer0 to layer4): no decision: budget", "layer1: no decision: other",]
        );
    }
}
