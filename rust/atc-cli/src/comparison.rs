//! Compares several cuDNN libraries on the same problems: the times of the default and of the
//! fastest candidate of each library, and the differences between the libraries' results.

mod rows;

use serde::{Deserialize, Serialize};

use crate::decision::Decision;
use crate::document::Document;
use crate::subject::{self, Subject, Totals};

pub use rows::{COLUMNS, Row, rows, sums};

const SCHEMA: &str = "atc-compare";
const VERSION: u32 = 1;

/// The measurements of one process, which used one version of cuDNN.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Side {
    /// The version that the loaded library reports.
    pub version: String,
    /// The file from which the library was loaded.
    pub file: String,
    /// Warnings about this version of cuDNN, and its known faults.
    pub remarks: Vec<String>,
    pub run: Document,
    /// Elements of the problems' outputs, in the order of the problems in `run`. `--json` does not
    /// write these elements.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub results: Vec<Results>,
}

/// Elements of one problem's output. The elements were computed from the same data on every side
/// (with every cuDNN). An element that is not finite is `None`. An empty list means that there is
/// no result.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Results {
    /// The output of the candidate that runs without tuning.
    pub default: Vec<Option<f64>>,
    /// The output of the choice (the fastest candidate).
    pub best: Vec<Option<f64>>,
}

/// How much the results of one cuDNN (one side) differ from those of the first cuDNN, for one
/// problem.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Difference {
    /// For the candidates that run without tuning: the largest difference between elements at the
    /// same position, divided by the root mean square of the elements of the first cuDNN. `None` if
    /// a result is missing. The next field has the same number for the choices.
    pub by_default: Option<f64>,
    pub tuned: Option<f64>,
}

/// All measurements of `atc compare`. This is the JSON that `--json` writes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    pub schema: String,
    pub version: u32,
    pub sides: Vec<Side>,
    /// The differences from the results of the first cuDNN: a list for each cuDNN (side), with an
    /// entry for each problem.
    pub differences: Vec<Vec<Difference>>,
}

impl Comparison {
    pub fn new(mut sides: Vec<Side>) -> Self {
        let results: Vec<_> =
            sides.iter_mut().map(|side| std::mem::take(&mut side.results)).collect();
        let first = results.first().map(Vec::as_slice).unwrap_or_default();
        let differences = results.iter().map(|other| differences(first, other)).collect();
        Self { schema: SCHEMA.to_owned(), version: VERSION, sides, differences }
    }

    /// Returns a name for each side (each cuDNN of the comparison): the version of cuDNN. If
    /// another side has the same version, the path of the library is added.
    pub fn labels(&self) -> Vec<String> {
        let alike =
            |version: &str| self.sides.iter().filter(|side| side.version == version).count() > 1;
        self.sides
            .iter()
            .map(|side| match alike(&side.version) {
                true => format!("{} ({})", side.version, side.file),
                false => side.version.clone(),
            })
            .collect()
    }

    pub fn cancelled(&self) -> bool {
        self.sides.iter().any(|side| side.run.cancelled)
    }

    pub fn undecided(&self) -> u64 {
        self.sides.iter().map(|side| side.run.account().undecided).sum()
    }

    /// Returns the problems of each side (each cuDNN of the comparison) with their decisions.
    pub fn subjects(&self) -> Vec<Vec<Subject>> {
        self.sides.iter().map(|side| subject::of(&side.run)).collect()
    }

    /// Returns the totals (sums of times and counts) of each side (each cuDNN of the comparison).
    /// The totals include only problems that were measured with every cuDNN.
    pub fn totals(&self) -> Vec<Totals> {
        let subjects = self.subjects();
        let measured = |decision: &Decision| decision.gain().is_some();
        let everywhere = |index: usize| {
            subjects.iter().all(|side| side.get(index).is_some_and(|one| measured(&one.decision)))
        };
        let kept = |side: &Vec<Subject>| {
            let kept = side.iter().enumerate().filter(|(index, _)| everywhere(*index));
            Totals::of(&kept.map(|(_, subject)| subject.clone()).collect::<Vec<_>>())
        };
        subjects.iter().map(kept).collect()
    }
}

fn differences(first: &[Results], other: &[Results]) -> Vec<Difference> {
    let pairs = first.iter().zip(other);
    pairs
        .map(|(a, b)| Difference {
            by_default: difference(&a.default, &b.default),
            tuned: difference(&a.best, &b.best),
        })
        .collect()
}

/// Returns the largest difference between elements at the same position, divided by the root mean
/// square of `first`. JSON has no infinity, so the difference is `f64::MAX` in two cases: only one
/// of the two elements is finite; or all elements of `first` are 0 and those of `other` are not.
fn difference(first: &[Option<f64>], other: &[Option<f64>]) -> Option<f64> {
    if first.is_empty() || first.len() != other.len() {
        return None;
    }
    let finite: Vec<f64> = first.iter().flatten().copied().collect();
    let square = finite.iter().map(|value| value * value).sum::<f64>() / finite.len().max(1) as f64;
    let apart = |(a, b): (&Option<f64>, &Option<f64>)| match (a, b) {
        (Some(a), Some(b)) => (a - b).abs(),
        (None, None) => 0.0,
        _ => f64::INFINITY,
    };
    let largest = first.iter().zip(other).map(apart).fold(0.0, f64::max);
    Some(if largest == 0.0 { 0.0 } else { (largest / square.sqrt()).min(f64::MAX) })
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::document::tests::{document, tuned};
    use crate::json;

    pub fn side(version: &str, times: &[&[f64]], results: &[&[f64]]) -> Side {
        let mut problems = Vec::new();
        for (index, times) in times.iter().enumerate() {
            let winner = (0..times.len()).min_by(|a, b| times[*a].total_cmp(&times[*b])).unwrap();
            let mut problem = tuned(&format!("layer{index}"), 1 + index as u64, times, winner);
            for (candidate, place) in problem.decision.candidates.iter_mut().zip(0..) {
                candidate.engine = "cudnn".to_owned();
                candidate.version = version.to_owned();
                candidate.configuration = format!("eng{place}");
            }
            problem.decision.choice = format!("cudnn@{version}:eng{winner}");
            problems.push(problem);
        }
        let known = |values: &&[f64]| {
            let values: Vec<_> = values.iter().map(|value| Some(*value)).collect();
            Results { default: values.clone(), best: values }
        };
        Side {
            version: version.to_owned(),
            file: format!("/{version}/libcudnn.so.9"),
            remarks: vec![format!("cuDNN {version} is known for something")],
            run: document(problems),
            results: results.iter().map(known).collect(),
        }
    }

    pub fn comparison() -> Comparison {
        Comparison::new(vec![
            side("9.14.0", &[&[0.004, 0.002], &[0.001]], &[&[3.0, -4.0], &[1.0, 1.0]]),
            side("9.19.0", &[&[0.001, 0.003], &[0.002, 0.0005]], &[&[3.0, -4.0], &[1.0, 1.5]]),
        ])
    }

    #[test]
    fn differences_are_parts_of_the_root_mean_square_of_the_first() {
        let some = |values: &[f64]| values.iter().map(|value| Some(*value)).collect::<Vec<_>>();
        // The root mean square of 1 and 7 is 5, and the largest difference is 2.5. So the result is
        // 2.5 / 5.
        assert_eq!(difference(&some(&[1.0, 7.0]), &some(&[2.0, 4.5])), Some(0.5));
        assert_eq!(difference(&some(&[1.0, 7.0]), &some(&[1.0, 7.0])), Some(0.0));
        assert_eq!(difference(&some(&[0.0]), &some(&[0.0])), Some(0.0));
        assert_eq!(difference(&some(&[0.0]), &some(&[1e-9])), Some(f64::MAX));
        assert_eq!(difference(&[None, Some(1.0)], &[None, Some(1.0)]), Some(0.0));
        assert_eq!(difference(&[None, Some(1.0)], &[Some(1.0), Some(1.0)]), Some(f64::MAX));
        for (a, b) in [(vec![], vec![]), (some(&[1.0]), vec![]), (some(&[1.0]), some(&[1.0, 2.0]))]
        {
            assert_eq!(difference(&a, &b), None);
        }
    }

    #[test]
    fn every_side_is_held_against_the_first() {
        let comparison = comparison();
        let tuned = |side: usize, problem: usize| comparison.differences[side][problem].tuned;
        assert_eq!((tuned(0, 0), tuned(0, 1)), (Some(0.0), Some(0.0)));
        assert_eq!((tuned(1, 0), tuned(1, 1)), (Some(0.0), Some(0.5)));
        assert!(
            comparison.sides.iter().all(|side| side.results.is_empty()),
            "JSON would hold them"
        );
    }

    #[test]
    fn sums_are_over_what_all_sides_measured() {
        let mut comparison = comparison();
        let totals = comparison.totals();
        assert_eq!(
            (totals[0].default_time, totals[0].time),
            (0.004 + 2.0 * 0.001, 0.002 + 2.0 * 0.001)
        );
        assert_eq!(
            (totals[1].default_time, totals[1].time),
            (0.001 + 2.0 * 0.002, 0.001 + 2.0 * 0.0005)
        );
        comparison.sides[1].run.problems[0].decision.candidates[0].timing = None;
        assert_eq!(comparison.totals()[0].time, 2.0 * 0.001);
    }

    #[test]
    fn equal_versions_are_told_apart_by_their_files() {
        let mut comparison = comparison();
        assert_eq!(comparison.labels(), ["9.14.0", "9.19.0"]);
        comparison.sides[1].version = "9.14.0".to_owned();
        assert_eq!(comparison.labels()[1], "9.14.0 (/9.19.0/libcudnn.so.9)");
    }

    #[test]
    fn what_is_written_is_read_again() {
        let before = comparison();
        let after: Comparison =
            serde_json::from_str(&json::text("the comparison", &before).unwrap()).unwrap();
        assert_eq!(after, before);
    }
}
