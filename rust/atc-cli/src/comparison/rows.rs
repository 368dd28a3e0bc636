//! Formats a comparison as rows of text, for the table on the terminal and for the table of the
//! report.

use atc::Candidate;

use super::Comparison;
use crate::decision::Decision;
use crate::table::Column;
use crate::units;

/// The columns of the table that compares several cuDNN libraries.
pub const COLUMNS: [Column; 8] = [
    Column::new("layer").shortened(10),
    Column::new("cuDNN").shortened(8),
    Column::new("by heuristics").shortened(8).left_out(2),
    Column::number("time"),
    Column::new("best").shortened(8).left_out(1),
    Column::number("best time"),
    Column::number("gain").left_out(3),
    Column::number("results differ by").left_out(4),
];

/// The row of one problem with one cuDNN.
pub struct Row {
    /// Whether the choice with this cuDNN is at least as fast as the choices with all other cuDNN
    /// libraries.
    pub fastest: bool,
    pub cells: Vec<String>,
}

/// Returns a row for each problem and each cuDNN (side), grouped by problem.
pub fn rows(comparison: &Comparison) -> Vec<Row> {
    let (labels, subjects) = (comparison.labels(), comparison.subjects());
    let problems = subjects.iter().map(Vec::len).max().unwrap_or(0);
    let mut rows = Vec::new();
    for problem in 0..problems {
        let decision = |side: usize| subjects[side].get(problem).map(|subject| &subject.decision);
        let times = (0..subjects.len()).filter_map(|side| decision(side)?.time());
        let shortest = times.fold(f64::INFINITY, f64::min);
        for (side, label) in labels.iter().enumerate() {
            let Some(subject) = subjects[side].get(problem) else { continue };
            let decision = &subject.decision;
            let difference = comparison.differences.get(side).and_then(|all| all.get(problem));
            let differs = difference.and_then(|difference| difference.tuned).filter(|_| side > 0);
            let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
            rows.push(Row {
                fastest: decision.time().is_some_and(|time| time <= shortest),
                cells: vec![
                    subject.name.clone(),
                    label.clone(),
                    or_dash(configuration(decision, decision.default)),
                    or_dash(decision.default_time().map(units::time)),
                    match decision.refused() {
                        Some(why) => format!("({why})"),
                        None => or_dash(configuration(decision, decision.winner)),
                    },
                    or_dash(decision.time().map(units::time)),
                    or_dash(decision.gain().map(|gain| gain.range())),
                    or_dash(differs.map(part)),
                ],
            });
        }
    }
    rows
}

/// Returns the lines about all problems, each as label and text: the number of convolutions that
/// were measured with every cuDNN, the total times with each cuDNN, and the largest differences
/// between results.
pub fn sums(comparison: &Comparison) -> Vec<(String, String)> {
    let totals = comparison.totals();
    let mut lines = Vec::new();
    if let Some(first) = totals.first().filter(|first| first.convolutions > 0) {
        let problems = comparison.sides.first().map_or(0, |side| side.run.problems.len());
        lines.push((
            "measured with every cuDNN".to_owned(),
            format!(
                "{} of {}",
                units::count(first.convolutions, "convolution"),
                units::count(problems as u64, "problem")
            ),
        ));
        for (label, total) in comparison.labels().iter().zip(&totals) {
            lines.push((
                format!("cuDNN {label}"),
                format!(
                    "{} by heuristics ({}), {} tuned ({})",
                    units::time(total.default_time),
                    against(first.default_time, total.default_time),
                    units::time(total.time),
                    against(first.time, total.time),
                ),
            ));
        }
    }
    let all = comparison.differences.iter().skip(1).flatten();
    let largest = |part: fn(&super::Difference) -> Option<f64>| {
        all.clone()
            .filter_map(part)
            .fold(None, |most: Option<f64>, one| Some(most.map_or(one, |most| most.max(one))))
    };
    if let (Some(by_default), Some(tuned)) =
        (largest(|one| one.by_default), largest(|one| one.tuned))
    {
        lines.push((
            "results differ at most by".to_owned(),
            format!("{} by heuristics, {} tuned", part(by_default), part(tuned)),
        ));
    }
    lines
}

/// Returns how fast a cuDNN is, relative to the first cuDNN: for example "1.20× as fast". `first`
/// is the time of the first cuDNN in seconds, and `own` is that of the other cuDNN.
fn against(first: f64, own: f64) -> String {
    if own > 0.0 { format!("{} as fast", units::times(first / own)) } else { "-".to_owned() }
}

fn configuration(decision: &Decision, index: Option<usize>) -> Option<String> {
    let candidate: &Candidate = decision.candidates.get(index?)?;
    Some(candidate.configuration.clone())
}

fn part(difference: f64) -> String {
    match difference {
        0.0 => "0".to_owned(),
        f64::MAX => "∞".to_owned(),
        difference => format!("{difference:.1e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::comparison;
    use super::*;

    #[test]
    fn every_problem_has_a_row_for_each_side() {
        let rows = rows(&comparison());
        let cells: Vec<_> = rows.iter().map(|row| row.cells.join("|")).collect();
        assert_eq!(
            cells,
            [
                "layer0|9.14.0|eng0|4.000 ms|eng1|2.000 ms|1.97–2.03×|-",
                "layer0|9.19.0|eng0|1.000 ms|eng0|1.000 ms|1.00×|0",
                "layer1|9.14.0|eng0|1.000 ms|eng0|1.000 ms|1.00×|-",
                "layer1|9.19.0|eng0|2.000 ms|eng1|500.0 µs|3.94–4.06×|5.0e-1",
            ]
        );
        assert_eq!(
            rows.iter().map(|row| row.fastest).collect::<Vec<_>>(),
            [false, true, false, true]
        );
        assert!(rows.iter().all(|row| row.cells.len() == COLUMNS.len()));
    }

    #[test]
    fn what_is_undecided_is_a_row_too() {
        let mut comparison = comparison();
        let decision = &mut comparison.sides[1].run.problems[0].decision;
        *decision = Decision { status: "unsupported".to_owned(), ..Decision::default() };
        let rows = rows(&comparison);
        assert_eq!(rows[1].cells[4], "(unsupported)");
        assert!(rows[0].fastest && !rows[1].fastest);
    }

    #[test]
    fn sums_are_told_for_each_side() {
        let lines: Vec<_> =
            sums(&comparison()).iter().map(|(label, text)| format!("{label}: {text}")).collect();
        assert_eq!(
            lines,
            [
                "measured with every cuDNN: 3 convolutions of 2 problems",
                "cuDNN 9.14.0: 6.000 ms by heuristics (1.00× as fast), 4.000 ms tuned (1.00× as fast)",
                "cuDNN 9.19.0: 5.000 ms by heuristics (1.20× as fast), 2.000 ms tuned (2.00× as fast)",
                "results differ at most by: 5.0e-1 by heuristics, 5.0e-1 tuned",
            ]
        );
    }
}
