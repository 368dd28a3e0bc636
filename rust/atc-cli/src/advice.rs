//! Advises whether tuning pays. The advice follows from the time of the races (measurements of the candidates), the
//! time that the choices save, and the rate at which new problems occur.

mod arithmetic;
mod judged;
mod memory;
mod screen;

use serde::Serialize;

pub use arithmetic::{Interval, Load, Verdict};
pub use memory::{Class, classes};
pub use screen::screen;

use crate::account::Account;
use crate::document::{DeviceInfo, Document};
use crate::gain::Gain;
use crate::subject::{self, Totals};

pub const SCHEMA: &str = "atc-advice";
pub const VERSION: u32 = 1;

/// The advice with its figures. This is the JSON that `--json` writes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Advice {
    pub schema: &'static str,
    pub version: u32,
    /// The version of libatc.
    pub atc: String,
    /// The date of the measurements: RFC 3339, UTC.
    pub date: String,
    pub device: DeviceInfo,
    pub advice: Verdict,
    /// The advice in a sentence.
    pub why: String,
    /// The planned number of steps, if it is given.
    pub steps: Option<u64>,
    #[serde(flatten)]
    pub load: Load,
    /// Number of problems whose gain is not known. No time in this struct includes these problems.
    pub unmeasured: u64,
    /// The share (0 to 1) of the problems with a known gain in the time that a step's convolutions take without tuning.
    pub judged: f64,
    /// Counts of all problems, also of those without a known gain.
    pub account: Account,
    /// Number of decisions whose choice is not certain, among the problems with a known gain.
    pub provisional: u64,
    /// How many times faster the choices are than the candidates that run without tuning.
    pub gain: Gain,
    /// Seconds that the choices save in each step.
    pub saved: Interval,
    /// The number of steps after which benchmark mode has saved as much time as its races took; null: never.
    pub paid_after: Interval<Option<f64>>,
    /// The number of steps, summed over all runs of the program, after which tuning off line (by `atc tune`, before the
    /// program runs) has saved as much time as its races took; null: never.
    pub paid_after_off_line: Interval<Option<f64>>,
    /// Seconds that benchmark mode saves in the planned steps, after the time of the races was subtracted. The number
    /// is negative if benchmark mode loses time. `None` if the number of steps is not given.
    pub won: Option<Interval>,
    pub memory: Vec<Class>,
}

impl Advice {
    /// Returns `None` if no problem was measured together with its default. `recorded_steps` is the number of steps
    /// during which the calls of the problems were counted.
    pub fn new(document: &Document, recorded_steps: u64, steps: Option<u64>) -> Option<Self> {
        let judged = judged::of(document);
        let share = judged::share(document, &judged);
        let totals = Totals::of(&subject::of(&judged));
        let gain = totals.gain()?;
        let load = Load::new(document, &totals, recorded_steps);
        let left_out = document.problems.len() - judged.problems.len();
        let saved = load.saved(gain);
        let paid_after = load.paid_after(saved);
        let paid_after_off_line = load.paid_after_off_line(saved);
        let advice = Verdict::of(share, gain, paid_after, steps, load.new_problems);
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
            judged: share,
            account: document.account(),
            provisional: totals.account.provisional,
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
