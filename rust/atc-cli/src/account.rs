//! Counts of problems: how many were decided, and how many of these decisions are firm (certain).
//! Every command shows these counts.

use serde::Serialize;

use crate::decision::Decision;
use crate::units;

/// A sentence that says how provisional choices become firm.
pub const FIRMER: &str =
    "a quieter machine or a longer --problem-budget makes more of the choices firm";

/// Whether a problem has a decision, and how certain the decision is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    Firm,
    /// The problem has a choice, but this choice is not certain to be the fastest.
    Provisional,
    /// The problem has no choice that can be used: for example because nothing could run, only the slow
    /// reference could run, or the race (the measurement of the candidates) compared no two
    /// candidates.
    Undecided,
}

/// Counts of problems. `firm`, `provisional` and `undecided` add up to the number of all problems.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Account {
    pub firm: u64,
    pub provisional: u64,
    pub undecided: u64,
    /// The number of problems whose decision is in the store.
    pub kept: u64,
}

impl<'a> FromIterator<&'a Decision> for Account {
    fn from_iter<I: IntoIterator<Item = &'a Decision>>(decisions: I) -> Self {
        let mut account = Self::default();
        for decision in decisions {
            let count = match decision.standing() {
                Standing::Firm => &mut account.firm,
                Standing::Provisional => &mut account.provisional,
                Standing::Undecided => &mut account.undecided,
            };
            *count += 1;
            account.kept += u64::from(decision.stored);
        }
        account
    }
}

impl Account {
    pub fn problems(&self) -> u64 {
        self.firm + self.provisional + self.undecided
    }

    /// Returns the counts of `firm`, `provisional` and `undecided` as text: for example "3 firm, 1
    /// provisional, 19 undecided". Counts of 0 are left out.
    pub fn kinds(&self) -> String {
        let kinds =
            [(self.firm, "firm"), (self.provisional, "provisional"), (self.undecided, "undecided")];
        let told = kinds.iter().filter(|(count, _)| *count > 0);
        let told: Vec<_> = told.map(|(count, kind)| format!("{count} {kind}")).collect();
        if told.is_empty() { "none".to_owned() } else { told.join(", ") }
    }

    /// Returns the number of all problems and all counts as text: for example "23 problems: 3 firm,
    /// 20 undecided; 3 kept".
    pub fn told(&self) -> String {
        let kept = match self.kept {
            0 => "none".to_owned(),
            kept if kept == self.problems() => "all".to_owned(),
            kept => kept.to_string(),
        };
        format!("{}: {}; {kept} kept", units::count(self.problems(), "problem"), self.kinds())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::tests::tuned;

    fn decision(change: impl FnOnce(&mut Decision)) -> Decision {
        let mut decision = Decision { stored: true, ..tuned("a", 1, &[2.0, 1.0], 1).decision };
        change(&mut decision);
        decision
    }

    #[test]
    fn every_problem_counts_once_and_one_without_a_comparison_is_undecided() {
        let unkept = |change: fn(&mut Decision)| {
            decision(|one| {
                one.stored = false;
                change(one);
            })
        };
        let all = [
            decision(|_| {}),
            decision(|one| one.unstable = true),
            unkept(|_| {}),
            unkept(|one| one.incomplete = true),
            unkept(|one| (one.incomplete, one.unstable) = (true, true)),
            unkept(|one| (one.incomplete, one.cancelled) = (true, true)),
            unkept(|one| one.status = "not_tuned".to_owned()),
            unkept(|one| one.source = "reference".to_owned()),
            unkept(|one| one.choice.clear()),
            Decision::default(),
        ];
        let account: Account = all.iter().collect();
        assert_eq!(account, Account { firm: 2, provisional: 1, undecided: 7, kept: 2 });
        assert_eq!(account.told(), "10 problems: 2 firm, 1 provisional, 7 undecided; 2 kept");
    }

    #[test]
    fn the_words_leave_out_what_there_is_none_of() {
        let told = |firm, provisional, undecided, kept| {
            Account { firm, provisional, undecided, kept }.told()
        };
        assert_eq!(told(1, 0, 0, 1), "1 problem: 1 firm; all kept");
        assert_eq!(told(0, 0, 2, 0), "2 problems: 2 undecided; none kept");
        assert_eq!(told(2, 1, 0, 2), "3 problems: 2 firm, 1 provisional; 2 kept");
        assert_eq!(told(0, 0, 0, 0), "0 problems: none; none kept");
    }
}
