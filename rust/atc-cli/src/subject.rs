//! A subject: a problem with its decision, as reports and tables show it. A subject comes from a run of `atc tune` or
//! from a store.

use atc::Timing;

use crate::account::Account;
use crate::decision::Decision;
use crate::document::{Ceilings, Document, Tuned};
use crate::gain::{Certainty, Gain};

#[derive(Debug, Clone)]
pub struct Subject {
    pub name: String,
    /// The number of convolutions of the network that have this shape.
    pub count: u64,
    /// The number of multiplications and additions in one execution of the convolution.
    pub flops: f64,
    /// The bytes of operands and result, if each is moved once.
    pub bytes: f64,
    /// The date of the measurement, as a text that sorts by time; empty if the date is not known.
    pub date: String,
    /// The reasons, as texts, why the clocks of the device were lower than usual during the race (such as heat); empty
    /// if no reason is known.
    pub limits: Vec<String>,
    /// Further facts about the problem and its decision, each as label and text.
    pub details: Vec<(String, String)>,
    /// In a recording of a program: the name of the engine that the program uses for this convolution without atc.
    pub original: Option<String>,
    /// The ceilings (highest rates) of the device for products of this kind (such as fp32 or TF32), if they are known.
    pub ceilings: Option<Ceilings>,
    pub decision: Decision,
}

impl Subject {
    /// Returns the operations per second of the choice, if it was measured.
    pub fn rate(&self) -> Option<f64> {
        self.decision.time().filter(|time| *time > 0.0).map(|time| self.flops / time)
    }

    /// Returns the known gains, each with a flag. The flag is `false` for the gain over libatc's default, and `true`
    /// for the gain over the program's own convolution.
    pub fn gains(&self) -> Vec<(bool, Gain)> {
        let decision = &self.decision;
        let both = match self.original.is_some() || decision.library_default.is_some() {
            true => [(false, decision.library_default), (true, decision.default)],
            false => [(false, decision.default), (true, None)],
        };
        let known = |(original, index)| Some((original, decision.gain_over(index)?));
        both.into_iter().filter_map(known).collect()
    }

    /// Returns the operations per second of the candidate that runs without tuning, if it was measured.
    pub fn default_rate(&self) -> Option<f64> {
        self.decision.default_time().filter(|time| *time > 0.0).map(|time| self.flops / time)
    }

    /// Returns the operations per byte of the problem, if both numbers are known.
    pub fn intensity(&self) -> Option<f64> {
        (self.flops > 0.0 && self.bytes > 0.0).then(|| self.flops / self.bytes)
    }

    /// Returns the bytes per second of the choice, if it was measured.
    pub fn bandwidth(&self) -> Option<f64> {
        self.decision.time().filter(|time| *time > 0.0).map(|time| self.bytes / time)
    }
}

/// Returns the subjects of a run: its problems, each with its decision. The name of a subject is that of its problem.
/// If the problems differ in operation, dtype or layout, the names also contain the operation, the dtype or the
/// layout.
pub fn of(document: &Document) -> Vec<Subject> {
    let problems = &document.problems;
    let differs = |same: fn(&Tuned, &Tuned) -> bool| {
        problems.first().is_some_and(|first| problems.iter().any(|other| !same(first, other)))
    };
    let (ops, dtypes, layouts) = (
        differs(|a, b| a.op == b.op),
        differs(|a, b| a.dtype == b.dtype),
        differs(|a, b| a.layout == b.layout),
    );
    problems
        .iter()
        .map(|tuned| {
            let parts = [
                (true, tuned.name.clone()),
                (ops, tuned.op.to_string()),
                (dtypes, tuned.dtype.to_string()),
                (layouts, tuned.layout.to_string()),
            ];
            let parts = parts.into_iter().filter(|(shown, _)| *shown).map(|(_, part)| part);
            let ceilings = tuned.ceilings.or(document.ceilings).filter(Ceilings::are_known);
            Subject { ceilings, ..subject(parts.collect::<Vec<_>>().join(" "), tuned) }
        })
        .collect()
}

fn subject(name: String, tuned: &Tuned) -> Subject {
    let details = [
        ("problem", tuned.decision.description.clone()),
        ("operation", tuned.op.to_string()),
        ("dtype", tuned.dtype.to_string()),
        ("layout", tuned.layout.to_string()),
        ("weights", if tuned.constant_weights { "constant" } else { "any" }.to_owned()),
        ("bias", if tuned.bias { "yes" } else { "no" }.to_owned()),
    ];
    Subject {
        name,
        count: tuned.count,
        flops: tuned.columns.flops(),
        bytes: tuned.columns.elements() * tuned.dtype.bytes() as f64,
        date: String::new(),
        limits: Vec::new(),
        details: details.map(|(label, value)| (label.to_owned(), value)).into(),
        original: tuned.original.clone(),
        ceilings: None,
        decision: tuned.decision.clone(),
    }
}

/// Sums over a network. A layer is counted as often as it occurs in the network.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Totals {
    /// The number of convolutions in the sums. A convolution is in the sums if it is decided and both its choice and
    /// its default were measured.
    pub convolutions: u64,
    pub time: f64,
    pub default_time: f64,
    pub flops: f64,
    /// Counts of all problems, also of those that are not in the sums.
    pub account: Account,
    gain: Option<Gain>,
    /// For each choice and each default in the sums: the relative standard deviation of its samples. The numbers are in
    /// ascending order.
    noise: Vec<f64>,
}

impl Totals {
    pub fn of(subjects: &[Subject]) -> Self {
        let decisions = subjects.iter().map(|subject| &subject.decision);
        let mut totals = Self { account: decisions.collect(), ..Self::default() };
        let measured = || {
            subjects.iter().filter(|subject| subject.decision.is_decided()).filter_map(|subject| {
                let decision = &subject.decision;
                let (winner, default) =
                    (decision.timing_of(decision.winner)?, decision.timing_of(decision.default)?);
                Some((subject, winner, default))
            })
        };
        for (subject, winner, default) in measured() {
            let count = subject.count as f64;
            totals.convolutions = totals.convolutions.saturating_add(subject.count);
            totals.time += count * winner.median;
            totals.default_time += count * default.median;
            totals.flops += count * subject.flops;
            totals.noise.extend([winner, default].into_iter().filter_map(Timing::noise));
        }
        totals.noise.sort_by(f64::total_cmp);
        if totals.time > 0.0 {
            let (time, default_time) = (totals.time, totals.default_time);
            let parts = measured().flat_map(|(subject, winner, default)| {
                let share = |timing: &Timing, sum: f64| subject.count as f64 * timing.median / sum;
                let (own, by_default) = (share(winner, time), share(default, default_time));
                // If choice and default are the same candidate, the same measurement is in both sums, so its error
                // largely cancels in their quotient. Only the difference between the candidate's shares in the two sums
                // counts as the weight of this error.
                let same = subject.decision.winner == subject.decision.default;
                let weights = if same { vec![own - by_default] } else { vec![own, by_default] };
                let parts = weights.into_iter().zip([winner, default]);
                parts.map(|(weight, timing)| (weight * weight, Certainty::of(timing)))
            });
            totals.gain = Some(Gain::new(default_time / time, parts));
        }
        totals
    }

    pub fn gain(&self) -> Option<Gain> {
        self.gain
    }

    pub fn rate(&self) -> Option<f64> {
        (self.time > 0.0).then(|| self.flops / self.time)
    }

    /// Describes the noise of the measurements on this machine: "2.1 % from sample to sample, 14.0 % at most". Returns
    /// `None` if no samples are known.
    pub fn noise(&self) -> Option<String> {
        let (middle, most) = (self.noise.get(self.noise.len() / 2)?, self.noise.last()?);
        Some(format!(
            "{:.1} % from sample to sample (median), {:.1} % at most",
            100.0 * middle,
            100.0 * most
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::tests::{document, tuned};

    #[test]
    fn totals_weigh_each_layer_by_its_count_and_leave_out_what_was_not_measured() {
        let mut unmeasured = tuned("c", 7, &[1.0], 0);
        unmeasured.decision.candidates[0].timing = None;
        let problems =
            vec![tuned("a", 1, &[4.0, 2.0], 1), tuned("b", 3, &[1.0, 2.0], 0), unmeasured];
        let totals = Totals::of(&of(&document(problems)));
        assert_eq!(totals.convolutions, 4);
        assert_eq!((totals.time, totals.default_time), (5.0, 7.0));
        assert_eq!(totals.gain().unwrap().ratio, 7.0 / 5.0);
        // The problem has 8 x 8 output pixels of 4 filters. Each output element is a sum of 2 x 3 x 3 products, and
        // each product counts as two operations. There are 4 such convolutions.
        assert_eq!(totals.flops, 4.0 * 2.0 * 64.0 * 4.0 * 18.0);
        assert_eq!(Totals::of(&[]).gain(), None);
    }

    #[test]
    fn the_gain_of_a_network_is_as_certain_as_the_layers_that_make_it() {
        let gain = |noise: f64| {
            let mut fast = tuned("a", 1, &[4.0, 2.0], 1);
            for candidate in &mut fast.decision.candidates {
                let timing = candidate.timing.as_mut().unwrap();
                timing.deviation = noise * timing.mean;
            }
            // The choice of layer `b` is its default, so the same measurement is in both sums, and its error largely
            // cancels in their quotient. Only the difference between the layer's shares in the two sums counts as the
            // weight of this error.
            let same = tuned("b", 3, &[1.0, 2.0], 0);
            Totals::of(&of(&document(vec![fast, same]))).gain().unwrap()
        };
        let (quiet, busy) = (gain(0.01), gain(0.6));
        assert_eq!(quiet.ratio, busy.ratio);
        assert!(quiet.low > 1.3 && quiet.high < 1.5, "{quiet:?}");
        assert!(busy.low < 1.1 && busy.high > 1.7, "{busy:?}");
        let nothing_won = Totals::of(&of(&document(vec![tuned("b", 3, &[1.0, 2.0], 0)])));
        assert_eq!(nothing_won.gain().unwrap(), Gain { ratio: 1.0, low: 1.0, high: 1.0 });
    }

    #[test]
    fn problems_without_a_comparison_count_as_undecided_and_in_no_sum() {
        let mut loose = tuned("b", 3, &[1.0, 2.0], 0);
        loose.decision.unstable = true;
        let mut none = tuned("c", 3, &[1.0, 2.0], 0);
        none.decision.status = "unsupported".to_owned();
        let totals = Totals::of(&of(&document(vec![tuned("a", 1, &[1.0], 0), loose, none])));
        assert_eq!(totals.account.kinds(), "1 firm, 1 provisional, 1 undecided");
        assert_eq!(totals.noise().unwrap(), "0.0 % from sample to sample (median), 0.0 % at most");
        let mut alone = tuned("d", 1, &[9.0], 0);
        alone.decision.incomplete = true;
        let both = Totals::of(&of(&document(vec![tuned("a", 1, &[1.0], 0), alone])));
        assert_eq!((both.account.firm, both.account.undecided), (1, 1));
        assert_eq!((both.convolutions, both.time), (1, 1.0));
    }
}
