//! Advises whether tuning pays. The advice follows from three numbers: the time of the races (the measurements of the
//! candidates), the time that the chosen candidates save in each step of the program, and the number of new problems in
//! each step.

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

/// The advice with its figures. `atc advise --json` writes this struct as JSON.
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
    /// The planned number of steps (the option `--steps`), if it is given.
    pub steps: Option<u64>,
    #[serde(flatten)]
    pub load: Load,
    /// The number of problems whose gain is not known. The times of a step do not include these problems, but `tuning`
    /// (the time of all races) does.
    pub unmeasured: u64,
    /// The part (0 to 1) of a step's convolution time, measured without tuning, that is spent in problems whose gain is
    /// known.
    pub judged: f64,
    /// Counts of all problems, also of those without a known gain.
    pub account: Account,
    /// Among the problems with a known gain: the number of problems whose choice is not certain to be the fastest.
    pub provisional: u64,
    /// How many times faster all convolutions together are with the choices than without tuning.
    pub gain: Gain,
    /// Seconds that the choices save in each step.
    pub saved: Interval,
    /// The number of steps after which benchmark mode (the program itself measures each new problem) has saved as much
    /// time as its races took; null: never.
    pub paid_after: Interval<Option<f64>>,
    /// The number of steps, summed over all runs of the program, after which tuning off line (by `atc tune`, before the
    /// program runs) has saved as much time as its races took; null: never.
    pub paid_after_off_line: Interval<Option<f64>>,
    /// Seconds that benchmark mode saves in the planned number of steps, minus the seconds of its races. The difference
    /// is negative if the races take longer than they save. `None` if no number of steps is planned.
    pub won: Option<Interval>,
    pub memory: Vec<Class>,
}

impl Advice {
    /// Computes the advice from the measurements in `document`. Returns `None` if no problem has both times: that of
    /// its choice and that of the candidate that runs without tuning. `recorded_steps` is the number of steps in which
    /// the program made the calls that `document` counts.
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
