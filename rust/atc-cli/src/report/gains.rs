//! A chart with a row for each shape of a convolution: the time without tuning, the tuned time, and
//! the gain with its interval.

use super::axis::{Axis, tenth};
use super::spread::LENGTH;
use crate::gain::Gain;
use crate::subject::Subject;
use crate::units;

/// The chart has at most this many rows, because more rows would be hard to read.
const MOST_ROWS: usize = 40;

/// The row of one shape. Positions and lengths are those of a drawing that is `LENGTH` wide and 20
/// high.
pub struct Row {
    /// The number of the problem, from 1.
    pub problem: usize,
    pub name: String,
    pub default: f64,
    pub tuned: f64,
    pub costs: String,
    /// The horizontal position at which the gain is 1.
    pub even: f64,
    pub intervals: Vec<Interval>,
    pub text: String,
}

pub struct Interval {
    pub low: f64,
    pub high: f64,
    pub at: f64,
    pub y: f64,
    pub class: &'static str,
}

struct Measured<'a> {
    problem: usize,
    subject: &'a Subject,
    /// Seconds of all convolutions of this shape without tuning; the next field has the seconds
    /// with tuning.
    default: f64,
    tuned: f64,
    gains: Vec<(bool, Gain)>,
}

/// Returns the rows of the shapes whose choice and default were measured, in descending order of
/// their times without tuning. If there are more than `MOST_ROWS`, the returned text says how many
/// were left out; otherwise it is empty.
pub fn of(subjects: &[Subject]) -> (Vec<Row>, String) {
    let all = subjects.iter().enumerate();
    let mut shapes: Vec<_> = all.filter_map(|(index, subject)| measured(index, subject)).collect();
    shapes.sort_by(|a, b| b.default.total_cmp(&a.default));
    let note = match shapes.len().saturating_sub(MOST_ROWS) {
        0 => String::new(),
        more => format!("the {MOST_ROWS} that cost most; {more} more are in the tables"),
    };
    shapes.truncate(MOST_ROWS);
    let longest = shapes.iter().map(|shape| shape.default.max(shape.tuned)).fold(0.0, f64::max);
    let ends = shapes.iter().flat_map(|shape| &shape.gains);
    let ends = ends.flat_map(|(_, gain)| [gain.low, gain.high, gain.ratio]).chain([0.9, 1.2]);
    let rows = Axis::logarithmic(ends, 0.0, LENGTH)
        .map(|axis| shapes.iter().map(|shape| row(shape, longest, &axis)).collect());
    (rows.unwrap_or_default(), note)
}

fn measured(index: usize, subject: &Subject) -> Option<Measured<'_>> {
    let decision = &subject.decision;
    let cost = |seconds: f64| seconds * subject.count as f64;
    let (default, tuned) = (cost(decision.default_time()?), cost(decision.time()?));
    let gains = subject.gains();
    let sound = |gain: &(bool, Gain)| gain.1.ratio.is_finite() && gain.1.ratio > 0.0;
    let usable = default.is_finite() && tuned.is_finite() && default > 0.0;
    (usable && !gains.is_empty() && gains.iter().all(sound)).then_some(Measured {
        problem: index + 1,
        subject,
        default,
        tuned,
        gains,
    })
}

fn row(shape: &Measured<'_>, longest: f64, axis: &Axis) -> Row {
    let length = |cost: f64| tenth(LENGTH * cost / longest);
    let several = shape.gains.len() > 1;
    let intervals = shape.gains.iter().enumerate().map(|(index, (original, gain))| Interval {
        low: axis.at(gain.low),
        high: axis.at(gain.high),
        at: axis.at(gain.ratio),
        y: if several { 6.0 + 8.0 * index as f64 } else { 10.0 },
        class: match (original, gain.high.is_infinite()) {
            (true, false) => "original",
            (true, true) => "original unknown",
            (false, false) => "tuned",
            (false, true) => "tuned unknown",
        },
    });
    let told = shape.gains.iter().map(|(original, gain)| match original {
        true => format!("{} (LibTorch)", gain.range()),
        false => gain.range(),
    });
    Row {
        problem: shape.problem,
        name: shape.subject.name.clone(),
        default: length(shape.default),
        tuned: length(shape.tuned),
        costs: format!(
            "{} without tuning, {} tuned",
            units::time(shape.default),
            units::time(shape.tuned)
        ),
        even: axis.at(1.0),
        intervals: intervals.collect(),
        text: told.collect::<Vec<_>>().join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::tests::{document, tuned};
    use crate::subject;

    #[test]
    fn what_costs_most_comes_first_and_what_is_left_out_is_said() {
        let problems = (0..MOST_ROWS + 5).map(|index| {
            let time = 1e-3 * (index + 1) as f64;
            tuned(&format!("n{index}"), 1, &[2.0 * time, time], 1)
        });
        let (rows, note) = of(&subject::of(&document(problems.collect())));
        assert_eq!((rows.len(), rows[0].problem), (MOST_ROWS, MOST_ROWS + 5));
        assert_eq!((rows[0].default, rows[0].tuned), (1000.0, 500.0));
        assert!(note.contains("5 more"), "{note}");
        let one = &rows[0].intervals[0];
        assert!(rows[0].even < one.low && one.low < one.at && one.at < one.high);
        assert_eq!(rows[0].text, "1.97–2.03×");
    }

    #[test]
    fn the_default_and_libtorchs_own_convolution_have_an_interval_each() {
        let mut recorded = tuned("a", 1, &[0.004, 0.001, 0.002], 1);
        recorded.decision.candidates[2].engine = "aten".to_owned();
        recorded.decision = recorded.decision.against("aten");
        recorded.original = Some("aten".to_owned());
        let (rows, _) = of(&subject::of(&document(vec![recorded])));
        let classes: Vec<_> = rows[0].intervals.iter().map(|one| one.class).collect();
        assert_eq!(classes, ["tuned", "original"]);
        assert_eq!(rows[0].text, "3.94–4.06×, 1.97–2.03× (LibTorch)");
    }

    #[test]
    fn nothing_measured_is_no_row() {
        let mut untimed = tuned("a", 1, &[1.0, 2.0], 0);
        untimed.decision.candidates[0].timing = None;
        let endless = tuned("b", 1, &[f64::INFINITY, 1.0], 1);
        assert!(of(&subject::of(&document(vec![untimed, endless]))).0.is_empty());
    }
}
