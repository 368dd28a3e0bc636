//! The results of `atc explain`, in the form that `--json` writes. The modules `screen` and
//! `legend` make the text for the terminal. The module `changes` measures changes.
//!
//! README.md describes the schema. Further fields may be added to a version of the schema. If the
//! meaning of a field changes, the version of the schema changes.

mod changes;
mod legend;
mod screen;

use serde::Serialize;

use crate::document::{DeviceInfo, Tuned};

pub use changes::{Measuring, Switches, drift, measure};
pub use screen::{one, several};

pub const SCHEMA: &str = "atc-explain";
pub const VERSION: u32 = 1;

/// The results of a run of `atc explain`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Explanations {
    pub schema: &'static str,
    pub version: u32,
    /// The version of libatc.
    pub atc: String,
    pub device: DeviceInfo,
    /// The directory of the store; none if no store was read.
    pub store: Option<String>,
    pub problems: Vec<Explained>,
}

/// A convolution, the choice that a program gets for it without measuring, and the reason for this
/// choice.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Explained {
    /// The problem and its decision. The field `why` of the decision says why the decision is
    /// provisional, or why no engine can run the problem.
    #[serde(flatten)]
    pub tuned: Tuned,
    /// The rule by which the choice was made: "faster", "tie-default", …; none if no engine can run
    /// the problem.
    pub rule: Option<String>,
    /// The rule by which the choice was made, as a text that includes the measured figures.
    pub rule_text: String,
    /// If the store has no decision for this problem: the nearest entry that the store has, or the
    /// reason why there is no decision. "" if the store has a decision, or if there is no store.
    pub miss: String,
    pub entrants: Vec<Entrant>,
    pub roofline: Roofline,
    /// The changes of the problem (such as another layout) whose effect was measured; empty if no
    /// change was measured.
    pub changes: Vec<Change>,
}

/// A change that may make a problem faster but that the program would have to allow (such as
/// another layout), and the measurement of the changed problem.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Change {
    /// The name of the change. "as it is" is the unchanged problem, which is measured in the same
    /// run.
    pub change: String,
    /// The condition that the program has to accept for this change, such as "results may differ
    /// from run to run"; empty if there is none.
    pub price: String,
    pub choice: String,
    /// Seconds per execution; none if nothing was timed (`why` has the reason).
    pub seconds: Option<f64>,
    /// The gain over the unchanged problem. The next two fields are the ends of its 95 % confidence
    /// interval; they are none if a time has a single sample.
    pub gain: Option<f64>,
    pub gain_low: Option<f64>,
    pub gain_high: Option<f64>,
    pub why: String,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Entrant {
    pub name: String,
    pub version: String,
    pub rewrite: bool,
    pub offers: u64,
    pub why_not: String,
    pub barriers: Vec<Barrier>,
}

/// A switch that excludes offers (implementations of an engine). `offers` is the number of offers
/// that this switch alone excludes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Barrier {
    pub switch: String,
    pub offers: u64,
}

/// Compares the time of a choice with the least time that the highest rates of the device allow.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Roofline {
    /// The number of bytes that are moved if each of the three tensors is read or written once.
    pub bytes: u64,
    /// The number of multiplications and additions if the convolution is computed directly.
    pub flops: f64,
    /// The highest rate of the device's memory in bytes per second; none if it was not measured.
    /// The next field is the highest rate of its arithmetic in operations per second.
    pub bytes_per_second: Option<f64>,
    pub flops_per_second: Option<f64>,
    /// The least time that the highest rates of memory and of arithmetic allow; none if one of the
    /// rates is not known.
    pub least: Option<Least>,
    /// The time of the choice divided by the least time.
    pub of_least: Option<f64>,
}

/// The least time in which this device can run a problem, and whether the rate of memory or that of
/// arithmetic determines this time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Least {
    pub seconds: f64,
    pub bound_by: Bound,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Bound {
    Memory,
    Arithmetic,
}

impl Roofline {
    /// Computes the roofline. `time` is the time of the choice in seconds per execution, if it was
    /// measured.
    pub fn of(explanation: &atc::Explanation, time: Option<f64>) -> Self {
        let (bytes, flops) = (explanation.bytes, explanation.flops);
        let ceilings = explanation.bytes_per_second.zip(explanation.flops_per_second);
        let least = ceilings.map(|(bytes_per_second, flops_per_second)| {
            let (memory, arithmetic) = (bytes as f64 / bytes_per_second, flops / flops_per_second);
            let bound_by = if memory >= arithmetic { Bound::Memory } else { Bound::Arithmetic };
            Least { seconds: memory.max(arithmetic), bound_by }
        });
        Self {
            bytes,
            flops,
            bytes_per_second: explanation.bytes_per_second,
            flops_per_second: explanation.flops_per_second,
            least,
            of_least: least
                .filter(|least| least.seconds > 0.0)
                .and_then(|least| time.map(|time| time / least.seconds)),
        }
    }
}

impl Explained {
    /// Makes the result for a problem. `tuned` must have the problem and the decision that
    /// `explanation` is about.
    pub fn new(tuned: Tuned, explanation: &atc::Explanation) -> Self {
        let entrants = explanation.entrants.iter().map(|entrant| Entrant {
            name: entrant.name.clone(),
            version: entrant.version.clone(),
            rewrite: entrant.is_rewrite,
            offers: entrant.offers,
            why_not: entrant.why_not.clone(),
            barriers: entrant
                .barriers
                .iter()
                .map(|barrier| Barrier { switch: barrier.switch.clone(), offers: barrier.offers })
                .collect(),
        });
        Self {
            rule: explanation.rule.map(|rule| rule.to_string()),
            rule_text: explanation.why.clone(),
            miss: explanation.miss.clone(),
            entrants: entrants.collect(),
            roofline: Roofline::of(explanation, tuned.decision.time()),
            changes: Vec::new(),
            tuned,
        }
    }
}
