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

impl From<&Tuned> for Subject {
    fn from(tuned: &Tuned) -> Self {
        let mut details = vec![
            ("problem".to_owned(), tuned.decision.description.clone()),
            ("count".to_owned(), tuned.count.to_string()),
        ];
        if tuned.bias {
            details.push(("bias".to_owned(), "yes".to_owned()));
        }
        Self {
            name: format!("{} {} {} {}", tuned.name, tuned.op, tuned.dtype, tuned.layout),
            count: tuned.count,
            flops: tuned.columns.flops(),
            details,
            decision: tuned.decision.clone(),
        }
    }
}

/// The subjects of a run.
pub fn of(document: &Document) -> Vec<Subject> {
    document.problems.iter().map(Subject::from).collect()
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
