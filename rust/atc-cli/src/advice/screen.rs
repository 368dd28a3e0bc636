//! Shows the advice as sentences and tables.

use super::Advice;
use super::arithmetic::{Interval, LEAST_SHARE, Verdict};
use crate::account;
use crate::look::Look;
use crate::table::{Column, Table};
use crate::units;

/// Returns the advice as a sentence.
pub fn why(advice: &Advice) -> String {
    let load = &advice.load;
    let gain = advice.gain.range();
    let tuning = units::time(load.tuning);
    let races = format!(
        "the races take {tuning} and save {} of the {} that a step's convolutions take",
        seconds(advice.saved),
        units::time(load.by_default)
    );
    // On the CPU benchmark mode (the switch benchmark_cudnn) has no effect. Programs tune there by
    // the option `tune` of plans, so the text names this option.
    let mode =
        if advice.device.device == "cpu" { "the plans' option tune" } else { "benchmark mode" };
    let planned = advice.steps.map(|steps| format!(" of {steps} planned")).unwrap_or_default();
    match advice.advice {
        Verdict::Declined => declined(advice),
        Verdict::Off => format!(
            "{mode} off: the choices save nothing beyond the noise ({gain}, 95 %), and the races take {tuning}"
        ),
        Verdict::On => {
            format!("{mode} on: {races}: paid after {}{planned}", steps(advice.paid_after))
        }
        Verdict::OffLine if load.new_problems > 0.0 => format!(
            "tune off line: {races}, but {:.2} new problems come with each step, with a race each ({} a step): in \
             the run they are paid {}",
            load.new_problems,
            units::time(load.races()),
            after(advice.paid_after)
        ),
        Verdict::OffLine => format!(
            "tune off line: {races}: within the run they are paid after {}{planned}; kept in a store they are paid \
             once for all runs",
            steps(advice.paid_after)
        ),
    }
}

fn declined(advice: &Advice) -> String {
    let (judged, all) = match advice.judged {
        share if share > 0.0 => (advice.load.by_default, advice.load.by_default / share),
        _ => (0.0, advice.load.by_default),
    };
    format!(
        "none: the gain is certain for {} of the {} that a step's convolutions take ({:.0} %), and advice needs {:.0} %: \
         measure with a longer --problem-budget, or with less beside it",
        units::time(judged),
        units::time(all),
        (100.0 * advice.judged).floor(),
        100.0 * LEAST_SHARE
    )
}

pub fn screen(advice: &Advice, look: Look) -> String {
    let mut text = ways(advice, look);
    text += &format!("advice: {}\n", advice.why);
    text += &facts(advice);
    text.push('\n');
    text + &memory(advice, look)
}

/// Returns a table with three rows (no tuning, tuning in each run, tuning once off line) and their times.
fn ways(advice: &Advice, look: Look) -> String {
    let load = &advice.load;
    let mut table = Table::new(&[
        Column::new("tuning"),
        Column::number("races"),
        Column::number("a step, with new races"),
        Column::number("paid after"),
        Column::number("won in the planned steps").left_out(1),
    ]);
    let dash = || "-".to_owned();
    let saved = advice.saved.value;
    let off_line = load.by_default - saved * load.known();
    let on = load.by_default - saved + load.races();
    let won = advice.won.map_or_else(dash, seconds);
    let rows = [
        ["none".to_owned(), dash(), units::time(load.by_default), dash(), dash()],
        [
            "in each run".to_owned(),
            units::time(load.tuning),
            units::time(on),
            steps(advice.paid_after),
            won,
        ],
        [
            "once, off line".to_owned(),
            units::time(load.tuning),
            units::time(off_line),
            format!("{} of all runs", steps(advice.paid_after_off_line)),
            dash(),
        ],
    ];
    rows.into_iter().for_each(|row| table.row(row));
    table.draw(look)
}

fn facts(advice: &Advice) -> String {
    let load = &advice.load;
    let declined = advice.advice == Verdict::Declined;
    let what = if declined { "gain of what was judged" } else { "gain" };
    let mut text = format!("{what}: {}\n", advice.gain.claim());
    let recorded = match load.recorded_steps {
        1 => "counted over one step, so shapes are taken as fixed".to_owned(),
        steps if load.new_problems == 0.0 => format!("each called more than once in {steps} steps"),
        steps => format!(
            "counted over {steps} steps: about {:.2} new ones come with each further step",
            load.new_problems
        ),
    };
    text += &format!(
        "shapes: {}, {:.1} calls a step, {recorded}\n",
        units::count(load.problems, "problem"),
        load.calls
    );
    text += &format!("choices: {}\n", advice.account.kinds());
    if advice.provisional > 0 {
        text += &format!("{}\n", account::FIRMER);
    }
    if advice.unmeasured > 0 {
        text += &format!(
            "left out of all times: {} whose gain is not known\n",
            units::count(advice.unmeasured, "problem")
        );
    }
    text
}

fn memory(advice: &Advice, look: Look) -> String {
    let mut table = Table::new(&[
        Column::number("workspace"),
        Column::number("a step"),
        Column::number("against no tuning"),
        Column::number("problems that it limits").left_out(1),
        Column::number("makes impossible").left_out(2),
    ]);
    for class in &advice.memory {
        let gain = class.seconds.filter(|seconds| *seconds > 0.0);
        let gain = gain.map(|seconds| units::times(advice.load.by_default / seconds));
        table.row([
            units::bytes(class.workspace),
            class.seconds.map_or_else(|| "-".to_owned(), units::time),
            gain.unwrap_or_else(|| "-".to_owned()),
            class.limited.to_string(),
            class.impossible.to_string(),
        ]);
    }
    table.draw(look)
}

fn seconds(interval: Interval) -> String {
    if !interval.low.is_finite() || !interval.high.is_finite() {
        return format!("about {}", units::time(interval.value));
    }
    let (low, high) = (units::time(interval.low), units::time(interval.high));
    if low == high { high } else { format!("{low} to {high}") }
}

/// Returns the number of steps as text: for example "229 to 267 steps", "at least 229 steps" or "no
/// number of steps".
fn steps(interval: Interval<Option<f64>>) -> String {
    let whole = |step: f64| step.ceil();
    match (interval.low.map(whole), interval.high.map(whole)) {
        (None, _) => "no number of steps".to_owned(),
        (Some(low), None) => format!("at least {low} steps"),
        (Some(low), Some(high)) if low == high => {
            format!("{high} step{}", if high == 1.0 { "" } else { "s" })
        }
        (Some(low), Some(high)) => format!("{low} to {high} steps"),
    }
}

fn after(interval: Interval<Option<f64>>) -> String {
    match interval.low {
        None => "never".to_owned(),
        Some(_) => format!("after {}", steps(interval)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::tests::{document, tuned};

    /// Makes the advice for two layers, each of which was called `count` times in `recorded_steps`
    /// steps. One call of both layers takes 10 ms by default and 5 ms tuned. The race of each layer
    /// took 1 s.
    fn advice(count: u64, recorded_steps: u64, steps: Option<u64>) -> Advice {
        let problems =
            [tuned("a", count, &[0.008, 0.004], 1), tuned("b", count, &[0.002, 0.001], 1)];
        let mut document = document(problems.into());
        for problem in &mut document.problems {
            problem.decision.seconds = 1.0;
        }
        Advice::new(&document, recorded_steps, steps).unwrap()
    }

    #[test]
    fn fixed_shapes_pay_and_it_is_told_when() {
        let found = advice(1, 1, Some(1000));
        assert_eq!(found.advice, Verdict::On);
        let text = screen(&found, Look::Lines);
        assert!(text.contains("none\t-\t10.00 ms\t-\t-\n"), "{text}");
        assert!(text.contains("in each run\t2.000 s\t5.000 ms\t"), "{text}");
        assert!(
            text.contains("advice: benchmark mode on: the races take 2.000 s and save 4."),
            "{text}"
        );
        assert!(text.contains("steps of 1000 planned\n"), "{text}");
        assert!(
            text.contains("shapes: 2 problems, 2.0 calls a step, counted over one step"),
            "{text}"
        );
        assert!(text.contains("0 B\t5.000 ms\t2.00×\t0\t0\n"), "{text}");
        let mut on_cpu = found.clone();
        on_cpu.device.device = "cpu".to_owned();
        assert!(why(&on_cpu).starts_with("the plans' option tune on: "), "{}", why(&on_cpu));
        assert!(text.contains("choices: 2 firm\n") && !text.contains("quieter"), "{text}");
        on_cpu.provisional = 1;
        assert!(screen(&on_cpu, Look::Lines).contains("a quieter machine or a longer"));
        let paid = found.paid_after;
        assert!(paid.low.unwrap() < 400.0 && paid.high.unwrap() > 400.0, "{paid:?}");
    }

    #[test]
    fn too_few_steps_are_for_tuning_off_line() {
        let found = advice(1, 1, Some(100));
        assert_eq!(found.advice, Verdict::OffLine);
        assert!(found.why.contains("of 100 planned; kept in a store"), "{}", found.why);
        assert!(found.won.unwrap().value < -1.4, "{:?}", found.won);
    }

    #[test]
    fn shapes_that_change_are_for_tuning_off_line() {
        // A recording of 50 steps. Each step calls one problem, and no other step calls this
        // problem.
        let problems = (0..50).map(|index| tuned(&index.to_string(), 1, &[0.010, 0.005], 1));
        let mut document = document(problems.collect());
        for problem in &mut document.problems {
            problem.decision.seconds = 1.0;
        }
        let found = Advice::new(&document, 50, Some(1_000_000)).unwrap();
        assert_eq!(found.advice, Verdict::OffLine);
        assert!(found.why.contains("1.00 new problems come with each step"), "{}", found.why);
        assert!(found.why.ends_with("in the run they are paid never"), "{}", found.why);
        assert!(screen(&found, Look::Lines).contains("about 1.00 new ones come with each"));
        // If all 50 calls count as calls of one step, the advice assumes that later steps bring no
        // new problems.
        assert_eq!(Advice::new(&document, 1, Some(1_000_000)).unwrap().advice, Verdict::On);
    }

    #[test]
    fn no_gain_is_no_reason_to_tune() {
        let mut document = document(vec![tuned("a", 1, &[0.001, 0.002], 0)]);
        document.problems[0].decision.seconds = 1.0;
        let found = Advice::new(&document, 1, Some(1000)).unwrap();
        assert_eq!(found.advice, Verdict::Off);
        assert!(found.why.contains("nothing beyond the noise (1.00×"), "{}", found.why);
        assert!(screen(&found, Look::Lines).contains("no number of steps"));
        document.problems[0].decision.default = None;
        assert!(Advice::new(&document, 1, None).is_none());
    }

    #[test]
    fn a_single_sample_proves_nothing() {
        let mut document = document(vec![tuned("a", 1, &[0.004, 0.002], 1)]);
        for candidate in &mut document.problems[0].decision.candidates {
            candidate.timing.as_mut().unwrap().samples = 1;
        }
        let found = Advice::new(&document, 1, Some(1000)).unwrap();
        assert_eq!(found.advice, Verdict::Declined);
        let why = "none: the gain is certain for 0 s of the 4.000 ms that a step's convolutions take (0 %)";
        assert!(found.why.starts_with(why), "{}", found.why);
        let text = serde_json::to_string(&found).unwrap();
        let mut more = document.clone();
        more.problems.push(tuned("b", 1, &[0.002, 0.001], 1));
        let found = Advice::new(&more, 1, Some(100_000)).unwrap();
        assert_eq!((found.unmeasured, found.load.problems, found.load.by_default), (1, 2, 0.002));
        assert!(found.gain.high < 2.1, "{:?}", found.gain);
        let why = "for 2.000 ms of the 6.000 ms that a step's convolutions take (33 %), and advice needs 80 %";
        assert!(found.advice == Verdict::Declined && found.why.contains(why), "{}", found.why);
        assert!(text.contains(r#""saved":{"low":null,"value":0.002,"high":0.004}"#), "{text}");
    }
}
