//! A problem with its decision, wherever it comes from: a run of `atc tune`, or a store.

use crate::document::{Decision, Document, Tuned};

#[derive(Debug, Clone)]
pub struct Subject {
    pub name: String,
    /// How many convolutions of the network have this shape.
    pub count: u64,
    /// Multiplications and additions of one run.
    pub flops: f64,
    /// What else is known, by label.
    pub details: Vec<(String, String)>,
    pub decision: Decision,
}

impl Subject {
    /// Operations per second of the choice, where it was measured.
    pub fn rate(&self) -> Option<f64> {
        self.decision.time().filter(|time| *time > 0.0).map(|time| self.flops / time)
    }
}

/// The subjects of a run. Operation, dtype and layout are part of a name where they differ between problems.
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
            subject(parts.collect::<Vec<_>>().join(" "), tuned)
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
        details: details.map(|(label, value)| (label.to_owned(), value)).into(),
        decision: tuned.decision.clone(),
    }
}

/// Sums over a network: every layer as often as it occurs.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Totals {
    /// Convolutions that count: those whose choice and default were both measured.
    pub convolutions: u64,
    pub time: f64,
    pub default_time: f64,
    pub flops: f64,
}

impl Totals {
    pub fn of(subjects: &[Subject]) -> Self {
        let mut totals = Self::default();
        for subject in subjects {
            let decision = &subject.decision;
            let (Some(time), Some(default)) = (decision.time(), decision.default_time()) else {
                continue;
            };
            let count = subject.count as f64;
            totals.convolutions = totals.convolutions.saturating_add(subject.count);
            totals.time += count * time;
            totals.default_time += count * default;
            totals.flops += count * subject.flops;
        }
        totals
    }

    pub fn gain(&self) -> Option<f64> {
        (self.time > 0.0).then(|| self.default_time / self.time)
    }

    pub fn rate(&self) -> Option<f64> {
        (self.time > 0.0).then(|| self.flops / self.time)
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
        assert_eq!(totals.gain(), Some(7.0 / 5.0));
        // 8 x 8 outputs, 4 filters of 2 x 3 x 3, two operations each, 4 convolutions.
        assert_eq!(totals.flops, 4.0 * 2.0 * 64.0 * 4.0 * 18.0);
        assert_eq!(Totals::of(&[]).gain(), None);
    }
}
