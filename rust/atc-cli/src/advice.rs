//! Whether tuning pays: from what races take, what the choices save, and how often new problems come.

mod arithmetic;
mod memory;
mod screen;

use serde::Serialize;

pub use arithmetic::{Interval, Load, Verdict};
pub use memory::{Class, classes};
pub use screen::screen;

use crate::document::{DeviceInfo, Document, Tuned};
use crate::gain::{Certainty, Gain};
use crate::subject::{self, Totals};

pub const SCHEMA: &str = "atc-advice";
pub const VERSION: u32 = 1;

/// The JSON of `--json`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Advice {
    pub schema: &'static str,
    pub version: u32,
    /// libatc's version.
    pub atc: String,
    /// Of the measurements: RFC 3339, UTC.
    pub date: String,
    pub device: DeviceInfo,
    pub advice: Verdict,
    /// The advice in a sentence.
    pub why: String,
    /// Planned.
    pub steps: Option<u64>,
    #[serde(flatten)]
    pub load: Load,
    /// Problems whose gain is not known, which are left out of all times.
    pub unmeasured: u64,
    /// Decisions whose choice is not certain.
    pub provisional: u64,
    /// How many times faster the choices are.
    pub gain: Gain,
    /// Seconds that the choices save in each step.
    pub saved: Interval,
    /// The step after which benchmark mode has paid for its races; null: never.
    pub paid_after: Interval<Option<f64>>,
    /// As `paid_after`, for races off line: steps of all runs together.
    pub paid_after_off_line: Interval<Option<f64>>,
    /// Seconds that benchmark mode wins in the planned steps; negative: loses.
    pub won: Option<Interval>,
    pub memory: Vec<Class>,
}

impl Advice {
    /// None where no problem was measured with its default. `recorded_steps`: how many steps the counts of the
    /// problems are for.
    pub fn new(document: &Document, recorded_steps: u64, steps: Option<u64>) -> Option<Self> {
        let judged = judged(document);
        let totals = Totals::of(&subject::of(&judged));
        let gain = totals.gain()?;
        let load = Load::new(document, &totals, recorded_steps);
        let left_out = document.problems.len() - judged.problems.len();
        let saved = load.saved(gain);
        let paid_after = load.paid_after(saved);
        let paid_after_off_line = load.paid_after_off_line(saved);
        let advice = Verdict::of(gain, paid_after, steps, load.new_problems);
        let mut all = Self {
            schema: SCHEMA,
            version: VERSION,
            atc: document.atc.clone(),
            date: document.date.clone(),
            device: document.device.clone(),
            advice,
            why: String::new(),
            steps,
            unmeasured: left_out as u64,
            provisional: totals.provisional,
            gain,
            saved,
            paid_after,
            paid_after_off_line,
            won: steps.map(|steps| load.won(saved, steps)),
            load,
            memory: classes(&judged, recorded_steps),
        };
        all.why = screen::why(&all);
        Some(all)
    }
}

/// The problems whose gain has an interval. A single sample has none, so that one of them would leave the network
/// without any; where nothing else is known, single samples are kept.
fn judged(document: &Document) -> Document {
    let certain = |tuned: &&Tuned| {
        let decision = &tuned.decision;
        [decision.winner, decision.default].into_iter().all(|index| {
            decision.timing_of(index).is_some_and(|timing| Certainty::of(timing).is_some())
        })
    };
    let measured = |tuned: &&Tuned| tuned.decision.gain().is_some();
    let mut problems: Vec<_> = document.problems.iter().filter(certain).cloned().collect();
    if problems.is_empty() {
        problems = document.problems.iter().filter(measured).cloned().collect();
    }
    Document { problems, ..document.clone() }
}
