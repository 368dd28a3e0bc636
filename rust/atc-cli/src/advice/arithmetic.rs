//! Computes the number of steps after which tuning has saved as much time as its races (the
//! measurements of the candidates) took. A step is the work that a program repeats, such as one
//! batch. Times are in seconds.

use serde::Serialize;

use crate::document::Document;
use crate::gain::Gain;
use crate::subject::Totals;

/// A value and its 95 % interval: `low` <= `value` <= `high`. For a number of steps, `None` stands
/// for "never", which counts as larger than every number.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Interval<T = f64> {
    pub low: T,
    pub value: T,
    pub high: T,
}

impl<T> Interval<T> {
    fn map<U>(self, change: impl Fn(T) -> U) -> Interval<U> {
        Interval { low: change(self.low), value: change(self.value), high: change(self.high) }
    }

    fn reversed(self) -> Self {
        Self { low: self.high, value: self.value, high: self.low }
    }
}

/// The number of a program's convolutions, and their times in a step. `new_problems` times
/// `recorded_steps` is at most `problems`, because it is the number of problems that were called
/// only once.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Load {
    /// The number of distinct convolutions.
    pub problems: u64,
    /// The number of recorded steps, in which the calls of convolutions were counted.
    pub recorded_steps: u64,
    /// The mean number of calls of convolutions in a step.
    pub calls: f64,
    /// The mean number of new problems in each step after the recorded steps. A new problem is one
    /// that no earlier step has called. The number is estimated from the number of problems that
    /// were called only once.
    pub new_problems: f64,
    /// Seconds that the races of all problems took.
    pub tuning: f64,
    /// Seconds that the convolutions of a step take without tuning.
    pub by_default: f64,
    /// Seconds that the convolutions of a step take with the choices.
    pub tuned: f64,
}

impl Load {
    pub fn new(document: &Document, totals: &Totals, recorded_steps: u64) -> Self {
        let problems = &document.problems;
        let steps = recorded_steps.max(1) as f64;
        // The estimate of Good and Turing: the probability that the next call is of a new problem
        // equals the number of problems that were called only once, divided by the number of
        // recorded calls. In a recording of one step, a problem with one call may be a problem that
        // every step calls once. So the estimate is not possible in this case, and 0 is used.
        let once = problems.iter().filter(|problem| problem.count == 1).count() as f64;
        Self {
            problems: problems.len() as u64,
            recorded_steps: recorded_steps.max(1),
            calls: problems.iter().map(|problem| problem.count as f64).sum::<f64>() / steps,
            new_problems: if recorded_steps > 1 { once / steps } else { 0.0 },
            tuning: problems.iter().map(|problem| problem.decision.seconds).sum(),
            by_default: totals.default_time / steps,
            tuned: totals.time / steps,
        }
    }

    /// Seconds that the choices save in a step. If the lower end of the gain is not known (it is
    /// then 0), `low` is minus infinity.
    pub fn saved(&self, gain: Gain) -> Interval {
        let ratios = Interval { low: gain.low, value: gain.ratio, high: gain.high };
        ratios.map(|ratio| self.by_default * (1.0 - 1.0 / ratio))
    }

    /// Seconds that the races of new problems take in each step after the recorded steps.
    pub fn races(&self) -> f64 {
        if self.problems == 0 {
            0.0
        } else {
            self.new_problems * self.tuning / self.problems as f64
        }
    }

    /// Returns the number of steps after which benchmark mode has saved as much time as its races
    /// took; `None`: never.
    pub fn paid_after(&self, saved: Interval) -> Interval<Option<f64>> {
        let recorded = self.recorded_steps as f64;
        let paid = |saved: f64| {
            if saved <= 0.0 {
                return None;
            }
            let within = self.tuning / saved;
            if within <= recorded {
                return Some(within);
            }
            // Each step after the recorded steps saves `saved` seconds, but the races of its new
            // problems take a part of this time.
            let left = saved - self.races();
            (left > 0.0).then(|| (self.tuning - self.races() * recorded) / left)
        };
        saved.reversed().map(paid)
    }

    /// Returns the number of steps after which tuning off line has saved as much time as its races
    /// took; `None`: never. The recorded problems are measured once, off line. New problems run
    /// without tuning.
    pub fn paid_after_off_line(&self, saved: Interval) -> Interval<Option<f64>> {
        let known = self.known();
        saved.reversed().map(|saved| (saved * known > 0.0).then(|| self.tuning / (saved * known)))
    }

    /// Returns the share (0 to 1) of the calls that are calls of recorded problems, in each step
    /// after the recorded steps.
    pub fn known(&self) -> f64 {
        if self.calls > 0.0 { 1.0 - (self.new_problems / self.calls).min(1.0) } else { 0.0 }
    }

    /// Seconds that benchmark mode saves in `steps` steps, minus the seconds of its races.
    pub fn won(&self, saved: Interval, steps: u64) -> Interval {
        let further = steps.saturating_sub(self.recorded_steps) as f64;
        saved.map(|saved| saved * steps as f64 - self.tuning - self.races() * further)
    }
}

/// The advice about tuning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Advice: benchmark mode on, because its races pay within the run.
    On,
    /// Advice: no tuning, because no gain is certain.
    Off,
    /// Advice: tune in a separate run, before the program runs. The gain is certain, but races
    /// during the program's run would take more time than they save.
    OffLine,
    /// No advice, because the problems whose gain is known take too small a part of the time.
    Declined,
}

impl Verdict {
    /// Gives the advice. `judged` is the part (0 to 1) of a step's convolution time, without
    /// tuning, that is spent in problems whose gain is known. A gain counts as certain if the lower
    /// end of its interval is above `LEAST_GAIN`. Benchmark mode is advised if it pays within
    /// `steps` steps. If `steps` is not given, it is advised if it pays after any number of steps
    /// and no new problems occur.
    pub fn of(
        judged: f64,
        gain: Gain,
        paid_after: Interval<Option<f64>>,
        steps: Option<u64>,
        new_problems: f64,
    ) -> Self {
        if judged < LEAST_SHARE {
            return Self::Declined;
        }
        if gain.low <= LEAST_GAIN {
            return Self::Off;
        }
        let pays = match (paid_after.high, steps) {
            (None, _) => false,
            (Some(paid), Some(steps)) => paid <= steps as f64,
            (Some(_), None) => new_problems == 0.0,
        };
        if pays { Self::On } else { Self::OffLine }
    }
}

/// A gain counts only if it is above this number. A smaller gain would be shown as 1.00×.
const LEAST_GAIN: f64 = 1.005;
/// No advice is given if the problems with a known gain take less than this part of a step's
/// convolution time.
pub const LEAST_SHARE: f64 = 0.8;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn load(recorded_steps: u64, new_problems: f64, tuning: f64) -> Load {
        Load {
            problems: 10,
            recorded_steps,
            calls: 20.0,
            new_problems,
            tuning,
            by_default: 0.02,
            tuned: 0.01,
        }
    }

    fn exactly(saved: f64) -> Interval {
        Interval { low: saved, value: saved, high: saved }
    }

    #[test]
    fn what_is_saved_follows_from_the_gain() {
        let saved = load(1, 0.0, 1.0).saved(Gain { ratio: 2.0, low: 1.0, high: 4.0 });
        assert_eq!((saved.low, saved.value, saved.high), (0.0, 0.01, 0.015));
        let unknown = load(1, 0.0, 1.0).saved(Gain { ratio: 2.0, low: 0.0, high: f64::INFINITY });
        assert!(unknown.low == f64::NEG_INFINITY && unknown.high == 0.02, "{unknown:?}");
        assert_eq!(load(1, 0.0, 1.0).paid_after(unknown).high, None);
    }

    #[test]
    fn fixed_shapes_pay_after_cost_over_gain() {
        let fixed = load(1, 0.0, 3.0);
        let saved = Interval { low: 0.005, value: 0.01, high: 0.02 };
        let paid = fixed.paid_after(saved);
        assert_eq!((paid.low, paid.value, paid.high), (Some(150.0), Some(300.0), Some(600.0)));
        assert_eq!(fixed.paid_after(exactly(0.0)).value, None);
        assert_eq!(fixed.won(saved, 600).value, 3.0);
        assert_eq!(fixed.won(saved, 600).low, 0.0);
        assert_eq!(fixed.paid_after_off_line(saved), paid);
    }

    #[test]
    fn new_shapes_put_the_day_off_or_make_it_never_come() {
        // Each of the ten races takes 0.1 s. One new problem in 100 steps means 1 ms of races in
        // each step. The choices save 10 ms in each step.
        let seldom = load(100, 0.01, 1.0);
        assert_eq!(seldom.paid_after(exactly(0.01)).value, Some(100.0));
        let later = load(50, 0.01, 1.0).paid_after(exactly(0.01)).value.unwrap();
        assert!((later - 0.95 / 0.009).abs() < 1e-9, "{later}");
        // Each of the 50 recorded steps, and each step after them, brings two new problems. The
        // races of these problems take 200 ms in each step.
        let always = Load { problems: 100, ..load(50, 2.0, 10.0) };
        assert_eq!(always.paid_after(exactly(0.01)).value, None);
        assert_eq!(always.known(), 0.9);
        let off_line = always.paid_after_off_line(exactly(0.01)).value.unwrap();
        assert!((off_line - 10.0 / 0.009).abs() < 1e-9, "{off_line}");
    }

    #[test]
    fn advice_follows_the_lower_end() {
        let gain = |low: f64| Gain { ratio: 1.5, low, high: 2.0 };
        let paid = |high: Option<f64>| Interval { low: Some(1.0), value: Some(2.0), high };
        let of = |low, high, steps, new| Verdict::of(0.8, gain(low), paid(high), steps, new);
        let by = |share| Verdict::of(share, gain(1.2), paid(Some(3.0)), Some(100), 0.0);
        assert_eq!(
            (by(1.0), by(0.79), by(0.0)),
            (Verdict::On, Verdict::Declined, Verdict::Declined)
        );
        assert_eq!(of(1.0, Some(3.0), Some(100), 0.0), Verdict::Off);
        assert_eq!(of(1.004, Some(3.0), None, 0.0), Verdict::Off);
        assert_eq!(of(1.2, Some(3.0), Some(100), 0.0), Verdict::On);
        assert_eq!(of(1.2, Some(300.0), Some(100), 0.0), Verdict::OffLine);
        assert_eq!(of(1.2, None, Some(100), 0.0), Verdict::OffLine);
        assert_eq!(of(1.2, Some(300.0), None, 0.0), Verdict::On);
        assert_eq!(of(1.2, Some(300.0), None, 0.5), Verdict::OffLine);
        assert_eq!(of(1.2, Some(300.0), Some(1000), 0.5), Verdict::On);
    }

    proptest! {
        /// `paid_after` is the step at which the saved time equals the time of the races. So `won`,
        /// the difference between the two times, must be 0 at this step.
        #[test]
        fn nothing_is_won_or_lost_at_the_step_that_pays(
            recorded in 2..1000_u64,
            once in 0..=10_u64,
            tuning in 0.001..100.0_f64,
            saved in -0.01..0.1_f64,
        ) {
            let load = load(recorded, once as f64 / recorded as f64, tuning);
            match load.paid_after(exactly(saved)).value {
                Some(step) => {
                    let (before, after) = (step.floor() as u64, step.ceil() as u64 + 1);
                    prop_assert!(load.won(exactly(saved), after).value >= -1e-6 * tuning);
                    prop_assert!(load.won(exactly(saved), before).value <= 1e-6 * tuning);
                }
                None => prop_assert!(load.won(exactly(saved), 100_000).value < 0.0 || saved <= load.races()),
            }
        }

        #[test]
        fn more_gain_never_pays_later_and_dearer_races_never_earlier(
            recorded in 2..1000_u64,
            once in 0..=10_u64,
            tuning in 0.001..100.0_f64,
            saved in 0.0001..0.1_f64,
            more in 1.0..3.0_f64,
        ) {
            let late = |step: Option<f64>| step.unwrap_or(f64::INFINITY);
            let paid = |tuning, saved| late(load(recorded, once as f64 / recorded as f64, tuning).paid_after(exactly(saved)).value);
            let here = paid(tuning, saved);
            prop_assert!(paid(tuning, saved * more) <= here * (1.0 + 1e-9));
            prop_assert!(paid(tuning * more, saved) >= here * (1.0 - 1e-9));
            let interval = Interval { low: saved / more, value: saved, high: saved * more };
            let paid = load(recorded, once as f64 / recorded as f64, tuning).paid_after(interval);
            prop_assert!(late(paid.low) <= late(paid.value) && late(paid.value) <= late(paid.high));
        }
    }
}
