//! The tables of choices, comparisons and candidates.

use atc::Timing;

use crate::account;
use crate::comparison::{self, Comparison};
use crate::decision::Decision;
use crate::document::Document;
use crate::look::Look;
use crate::output::printable;
use crate::subject::{self, Subject, Totals};
use crate::table::{Column, Table};
use crate::units;

/// Returns the table of the choices for all layers, the sums, and remarks.
pub fn choices(document: &Document, look: Look) -> String {
    let mut table = Table::new(&[
        Column::new("layer").shortened(12),
        Column::number("count").left_out(1),
        Column::new("choice").shortened(20),
        Column::number("timed").left_out(4),
        Column::number("time"),
        Column::number("default"),
        Column::number("gain"),
        Column::new("source").left_out(3),
        Column::number("GFLOP/s").left_out(2),
    ]);
    let subjects = subject::of(document);
    for subject in &subjects {
        table.row(cells(subject));
    }
    let mut text = format!("{}{}", table.draw(look), totals(&subjects));
    text += &format!("{}\n", document.account().told());
    for remark in remarks(&subjects) {
        text += &printable(&remark);
        text.push('\n');
    }
    if document.account().provisional > 0 {
        if document.store.is_some() {
            text += "--retune=provisional measures the provisional choices again; ";
        }
        text += &format!("{}\n", account::FIRMER);
    }
    text
}

fn cells(subject: &Subject) -> Vec<String> {
    let decision = &subject.decision;
    let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
    vec![
        subject.name.clone(),
        subject.count.to_string(),
        decision.told(),
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
        "{which}, each as often as it occurs: {} tuned, {} by default: {} ({} GFLOP/s)\n",
        units::time(totals.time),
        units::time(totals.default_time),
        gain.claim(),
        units::rate(rate),
    );
    if let Some(noise) = totals.noise() {
        text += &format!("noise: {noise}\n");
    }
    text
}

/// Returns the table of a comparison: for each layer the default and the choice with each cuDNN.
/// The sums and remarks follow.
pub fn comparison(comparison: &Comparison, look: Look) -> String {
    let mut table = Table::new(&comparison::COLUMNS);
    for line in comparison::rows(comparison) {
        table.row(line.cells);
    }
    let mut text = table.draw(look);
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

/// Returns the table of the candidates of one decision, with everything that is known about them.
pub fn candidates(decision: &Decision, look: Look) -> String {
    let mut table = Table::new(&[
        Column::new("candidate").shortened(28),
        Column::new("outcome"),
        Column::number("median"),
        Column::number("min").left_out(4),
        Column::number("max").left_out(5),
        Column::number("deviation").left_out(2),
        Column::number("samples").left_out(3),
        Column::number("workspace").left_out(1),
        Column::new("why").shortened(16),
    ]);
    for candidate in &decision.candidates {
        let timed = |part: fn(&Timing) -> String| {
            candidate.timing.as_ref().map_or_else(|| "-".to_owned(), part)
        };
        table.row([
            candidate.choice(),
            candidate.outcome.to_string(),
            timed(|timing| units::time(timing.median)),
            timed(|timing| units::time(timing.min)),
            timed(|timing| units::time(timing.max)),
            timed(|timing| units::time(timing.deviation)),
            timed(|timing| timing.samples.to_string()),
            units::bytes(candidate.workspace),
            candidate.reason.clone(),
        ]);
    }
    table.draw(look)
}

/// Returns the remarks that are shown below the table of a run of `atc tune`.
pub fn remarks_of(document: &Document) -> Vec<String> {
    remarks(&subject::of(document))
}

/// Returns a line for each reason why problems are undecided or why their decisions could not be
/// stored. The lines are printed even with `--quiet`.
pub fn errors_of(document: &Document) -> Vec<String> {
    let mut subjects = subject::of(document);
    subjects.retain(|subject| !subject.decision.is_decided());
    remarks(&subjects).into_iter().chain(not_stored(document)).collect()
}

/// Says how many decisions could not be written to the store, and why. Returns `None` if all were
/// written.
pub fn not_stored(document: &Document) -> Option<String> {
    let mut unwritten = document.unwritten();
    let first = unwritten.next()?;
    let lost = units::count(1 + unwritten.count() as u64, "decision");
    Some(format!("NOT STORED: {lost}: {}", first.why))
}

/// Returns lines that say why problems are undecided, provisional (not certain) or cancelled, or
/// why recorded problems have no gain over the program's own convolution. Problems with the same
/// reason share a line.
fn remarks(subjects: &[Subject]) -> Vec<String> {
    let mut reasons: Vec<(String, Vec<String>)> = Vec::new();
    for subject in subjects {
        for reason in [doubts(subject), missing_original(subject)].into_iter().flatten() {
            match reasons.iter_mut().find(|(other, _)| *other == reason) {
                Some((_, names)) => names.push(subject.name.clone()),
                None => reasons.push((reason, vec![subject.name.clone()])),
            }
        }
    }
    reasons.iter().map(|(reason, names)| format!("{}: {reason}", abridged(names))).collect()
}

fn doubts(subject: &Subject) -> Option<String> {
    let decision = &subject.decision;
    let flags = [
        (!decision.is_decided(), if decision.incomplete { "undecided" } else { "no decision" }),
        (decision.unstable && decision.is_decided(), "provisional"),
        (decision.cancelled, "cancelled"),
    ];
    let words: Vec<_> = flags.iter().filter(|(on, _)| *on).map(|(_, word)| *word).collect();
    (!words.is_empty()).then(|| format!("{}: {}", words.join(", "), decision.why))
}

/// Returns the reason why a recorded problem has no gain over the program's own convolution.
fn missing_original(subject: &Subject) -> Option<String> {
    let original = subject.original.as_ref()?;
    let decision = &subject.decision;
    if !decision.is_decided() || decision.default_time().is_some() {
        return None;
    }
    let why = match decision.default.and_then(|index| decision.candidates.get(index)) {
        None => "took no part: bring it with --plugin".to_owned(),
        Some(candidate) if candidate.reason.is_empty() => {
            format!("has no time: {}", candidate.outcome)
        }
        Some(candidate) => format!("has no time: {}: {}", candidate.outcome, candidate.reason),
    };
    Some(format!("no gain: engine {original}, which the recorded program runs without atc, {why}"))
}

/// Returns the names in a short form: all names if they are few; otherwise their number, and the
/// first and the last name.
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
    use crate::document::Tuned;
    use crate::document::tests::{document, tuned};
    use crate::problems::Op;

    fn shown(document: &Document) -> String {
        choices(document, Look::Lines)
    }

    #[test]
    fn a_table_shows_choice_gain_and_weighted_sums() {
        let text = shown(&document(vec![
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
        // The layer "first" occurs once, and "second" three times. So the network takes 2 + 3*1 ms
        // tuned, and 4 + 3*1 ms without tuning.
        assert!(
            text.contains("4 convolutions, each as often as it occurs: 5.000 ms tuned, 7.000 ms"),
            "{text}"
        );
        assert!(text.contains("at least 1.39× as fast (1.39–1.41×, 95 %)"), "{text}");
        assert!(text.contains("noise: 0.0 %"), "{text}");
        assert!(text.contains("2 problems: 2 firm; none kept\n"), "{text}");
    }

    #[test]
    fn a_comparison_has_rows_sums_and_remarks() {
        let text = comparison(&crate::comparison::tests::comparison(), Look::Lines);
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
        let text = shown(&document(vec![tuned("a", 1, &[0.001], 0), other]));
        assert!(text.contains("a backward-data"), "{text}");
        assert!(!shown(&document(vec![tuned("a", 1, &[0.001], 0)])).contains("forward"));
    }

    #[test]
    fn what_is_undecided_is_told_with_its_reason() {
        let mut lost = tuned("lost", 2, &[0.001], 0);
        lost.decision = Decision {
            status: "unsupported".to_owned(),
            why: "no \u{1b}[31mengine".to_owned(),
            ..Decision::default()
        };
        let text = shown(&document(vec![tuned("a", 1, &[0.001], 0), lost]));
        assert!(text.contains("(unsupported)"), "{text}");
        assert!(text.contains("lost: no decision: no \u{fffd}[31mengine"), "{text}");
        assert!(text.contains("1 of 3 convolutions"), "{text}");
    }

    #[test]
    fn a_recorded_problem_without_a_gain_says_why() {
        let mut problem = tuned("a", 1, &[0.004, 0.002], 1);
        problem.original = Some("aten".to_owned());
        let said = |problem: &Tuned| remarks(&subject::of(&document(vec![problem.clone()])));
        assert!(said(&problem).is_empty());
        let original = &mut problem.decision.candidates[0];
        original.timing = None;
        original.outcome = atc::Outcome::OutOfMemory;
        let runs = "a: no gain: engine aten, which the recorded program runs without atc,";
        assert_eq!(said(&problem), [format!("{runs} has no time: out-of-memory")]);
        problem.decision.candidates[0].reason = "needs 9 GiB".to_owned();
        assert_eq!(said(&problem), [format!("{runs} has no time: out-of-memory: needs 9 GiB")]);
        problem.decision.default = None;
        assert_eq!(said(&problem), [format!("{runs} took no part: bring it with --plugin")]);
    }

    #[test]
    fn the_way_to_firm_choices_is_told_once_if_some_are_provisional() {
        let again = "--retune=provisional";
        let mut document = document(vec![tuned("a", 1, &[0.001], 0), tuned("b", 1, &[0.001], 0)]);
        document.store = Some("store".to_owned());
        assert!(!shown(&document).contains(account::FIRMER));
        document.problems.iter_mut().for_each(|problem| problem.decision.unstable = true);
        let text = shown(&document);
        assert_eq!(
            (text.matches(again).count(), text.matches(account::FIRMER).count()),
            (1, 1),
            "{text}"
        );
        // Without a store there are no stored decisions that `--retune=provisional` could measure
        // again, so the text does not propose this option.
        document.store = None;
        let text = shown(&document);
        assert_eq!(
            (text.matches(again).count(), text.matches(account::FIRMER).count()),
            (0, 1),
            "{text}"
        );
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
