//! The results of `atc explain`: the JSON of `--json`, and the screens.
//!
//! README.md describes the schema. A version of the schema may get further fields; if the meaning
//! of a field changes, the version changes.

mod changes;
mod legend;
mod screen;

use serde::Serialize;

use crate::document::{DeviceInfo, Tuned};

pub use changes::{Measuring, Switches, drift, measure};
pub use screen::{one, several};

pub const SCHEMA: &str = "atc-explain";
pub const VERSION: u32 = 1;

/// A whole run of `atc explain`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Explanations {
    pub schema: &'static str,
    pub version: u32,
    /// libatc's version.
    pub atc: String,
    pub device: DeviceInfo,
    /// The store's directory; none if no store was read.
    pub store: Option<String>,
    pub problems: Vec<Explained>,
}

/// One convolution, the choice that is used without measuring, and the reason for it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Explained {
    /// In its `decision`, `why` says why the decision is provisional, or why nothing can run the
    /// problem.
    #[serde(flatten)]
    pub tuned: Tuned,
    /// The rule of the decision: "faster", "tie-default", …; none if nothing can run the problem.
    pub rule: Option<String>,
    /// The rule with its figures.
    pub rule_text: String,
    /// Why the store has no decision; "" if it has one.
    pub miss: String,
    pub entrants: Vec<Entrant>,
    pub roofline: Roofline,
    /// The measured changes; empty if none was measured.
    pub changes: Vec<Change>,
}

/// A change of the problem that the program would have to allow, with the result of the changed
/// problem.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Change {
    /// The name of the change. It is "as it is" for the unchanged problem, measured in the same
    /// run.
    pub change: String,
    /// The condition that the program has to accept for the change ("results may differ from run to
    /// run"); empty if there is none.
    pub price: String,
    pub choice: String,
    /// Seconds per execution; none if nothing was timed, and then `why` says why.
    pub seconds: Option<f64>,
    /// The gain over the unchanged problem, with its 95 % confidence interval. The ends are none if
    /// there are single samples.
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

/// A switch, and the number of offers that would be made if only this switch were lifted.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Barrier {
    pub switch: String,
    pub offers: u64,
}

/// The time of a choice compared with the least time that the device allows.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Roofline {
    /// Bytes of the tensors, each moved once.
    pub bytes: u64,
    /// Of the direct method.
    pub flops: f64,
    /// The device's ceilings; none if they were not measured.
    pub bytes_per_second: Option<f64>,
    pub flops_per_second: Option<f64>,
    /// None without both ceilings.
    pub least: Option<Least>,
    /// The time of the choice divided by the least time.
    pub of_least: Option<f64>,
}

/// The least time for a problem.
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
    /// `time`: seconds per execution of the choice, if it was measured.
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
    /// `tuned`: the problem, together with the decision of `explanation`.
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
