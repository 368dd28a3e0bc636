//! Shows the results of `atc determinism` as a table and sentences.

use super::study::{Bits, Cost, SetResult, Study};
use crate::gain::Gain;
use crate::look::Look;
use crate::output::printable;
use crate::table::{Column, Table};
use crate::units;

/// Of a fingerprint (a SHA-256), only this many hexadecimal digits are shown.
const SHOWN: usize = 12;

/// For each set of switches, the differences of at most this many problems are shown.
const TOLD: usize = 3;
/// The confidence interval of a cost is shown only if its upper end is at most this many times its
/// lower end. A wider interval says nothing useful, so an approximate number is shown in its place.
const WIDEST: f64 = 10.0;

pub fn screen(study: &Study, look: Look) -> String {
    let mut table = Table::new(&[
        Column::new("switches"),
        Column::new("choices").left_out(2),
        Column::new("bits"),
        Column::number("time").left_out(1),
        Column::number("against the fastest"),
    ]);
    for result in &study.sets {
        table.row(cells(study, result));
    }
    let mut text = table.draw(look);
    for line in conclusions(study).into_iter().chain(failures(study)).chain(differences(study)) {
        text += &printable(&line);
        text.push('\n');
    }
    text
}

/// Returns the reasons why results are missing, one line for each set of switches and reason. The
/// lines are printed even with `--quiet`.
pub fn errors(study: &Study) -> Vec<String> {
    let mut lines = failures(study);
    for result in &study.sets {
        let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
        for (index, problem) in study.problems.iter().enumerate() {
            let Some(why) = error(result, index) else { continue };
            match reasons.iter_mut().find(|(other, _)| *other == why) {
                Some((_, names)) => names.push(&problem.name),
                None => reasons.push((why, vec![&problem.name])),
            }
        }
        for (why, names) in reasons {
            lines.push(format!("{}: {}: no result: {why}", result.set.name, names.join(", ")));
        }
    }
    lines
}

fn cells(study: &Study, result: &SetResult) -> [String; 5] {
    let set = &result.set;
    let run = study.run_of(result);
    let bits = match (&set.same_as, result.failures()) {
        (Some(other), _) => format!("as with {other}"),
        (None, 0) => bits(study, result),
        (None, _) => format!("{} ({})", bits(study, result), without_results(result)),
    };
    let time = run.cost.map_or_else(|| "-".to_owned(), |cost| units::time(cost.seconds));
    let cost = run.cost.map_or_else(|| "-".to_owned(), range);
    [set.name.clone(), choices(run).to_owned(), bits, time, cost]
}

/// Describes how each process of a set of switches makes its choices.
fn choices(result: &SetResult) -> &'static str {
    let switches = result.set.switches;
    if switches.replay {
        "from a store"
    } else if switches.tune || switches.benchmark {
        "measured in each process"
    } else {
        "by default"
    }
}

fn bits(study: &Study, result: &SetResult) -> String {
    if let Some(fingerprint) = &result.fingerprint {
        return format!("equal ({})", &fingerprint[..SHOWN.min(fingerprint.len())]);
    }
    match result.is_equal() {
        Some(false) => {
            let differing =
                result.bits.iter().filter(|bits| !matches!(bits, Bits::Equal | Bits::Unknown));
            format!(
                "differ in {} of {}",
                differing.count(),
                units::count(study.problems.len() as u64, "problem")
            )
        }
        _ => "unknown".to_owned(),
    }
}

/// Returns the cost of a set of switches (its time divided by that of the fastest set) as an
/// interval. If noise has made the interval too wide, returns an approximate number such as
/// "~1.27×".
fn range(cost: Cost) -> String {
    let Cost { ratio, low, high, .. } = cost;
    if high / low > WIDEST {
        format!("~{}", units::times(ratio))
    } else {
        Gain { ratio, low, high }.range()
    }
}

fn conclusions(study: &Study) -> Vec<String> {
    let equal: Vec<_> =
        study.sets.iter().filter(|result| result.is_equal() == Some(true)).collect();
    let names: Vec<_> = equal.iter().map(|result| result.set.name.as_str()).collect();
    let processes = units::process(study.processes);
    let mut lines = Vec::new();
    if equal.is_empty() {
        lines.push(format!("no set of switches gave equal bits in {processes}"));
    } else {
        lines.push(format!("equal bits in {processes}: {}", names.join(", ")));
    }
    let timed = equal.iter().filter_map(|result| Some((result, result.cost?)));
    if let Some((result, cost)) = timed.min_by(|a, b| a.1.ratio.total_cmp(&b.1.ratio)) {
        lines.push(format!(
            "the fastest of them: {}, {} the time of the fastest set",
            result.set.name,
            range(cost)
        ));
    }
    if study.timed < study.problems.len() {
        lines.push(format!(
            "times are those of {} of {}: the others were not measured in every process",
            study.timed,
            units::count(study.problems.len() as u64, "problem")
        ));
    }
    lines
}

/// Returns the number of failed processes as text, for example "1 of 5 processes ended without
/// results".
fn without_results(result: &SetResult) -> String {
    let all = units::process(result.processes.len());
    format!("{} of {all} ended without results", result.failures())
}

/// Returns lines about processes that ended without results. Processes of a set of switches that
/// ended in the same way share a line. Each set has at most `TOLD` lines.
fn failures(study: &Study) -> Vec<String> {
    let mut lines = Vec::new();
    for result in study.sets.iter().filter(|result| result.failures() > 0) {
        let mut ways: Vec<(&str, usize)> = Vec::new();
        for process in result.processes.iter().filter(|process| !process.has_results()) {
            match ways.iter_mut().find(|(way, _)| *way == process.ended) {
                Some((_, count)) => *count += 1,
                None => ways.push((&process.ended, 1)),
            }
        }
        let told = ways.iter().take(TOLD).map(|(way, count)| {
            format!("{}: {} without results: {way}", result.set.name, units::process(*count))
        });
        lines.extend(told);
    }
    lines
}

/// Returns lines about problems whose result bits differ between processes or are unknown. Each set
/// of switches has a line for each such problem, but at most `TOLD` of these lines.
fn differences(study: &Study) -> Vec<String> {
    let mut lines = Vec::new();
    for result in &study.sets {
        let before = lines.len();
        for (index, (problem, bits)) in study.problems.iter().zip(&result.bits).enumerate() {
            let why = match bits {
                Bits::Equal => continue,
                // The bits are unknown because a process ended without results. The lines of
                // [`failures`] have the reason.
                Bits::Unknown if result.failures() > 0 && error(result, index).is_none() => {
                    continue;
                }
                Bits::DifferWithinAProcess => "two executions in one process differ".to_owned(),
                Bits::DifferByProcess => "one choice, other bits in another process".to_owned(),
                Bits::DifferByChoice => format!("other choices: {}", made(result, index)),
                Bits::Unknown => {
                    format!("no result: {}", error(result, index).unwrap_or("cancelled"))
                }
            };
            lines.push(format!("{}: {}: {why}", result.set.name, problem.name));
        }
        let more = lines.len().saturating_sub(before + TOLD);
        if more > 0 {
            lines.truncate(before + TOLD);
            let more = units::count(more as u64, "more problem");
            lines.push(format!("{}: {more} (--json has all)", result.set.name));
        }
    }
    lines
}

/// Returns the choices that the processes made for one problem: for example "onednn@3.2:a (2
/// processes), onednn@3.2:b (1 process)".
fn made(result: &SetResult, problem: usize) -> String {
    let mut choices: Vec<(&str, usize)> = Vec::new();
    for found in result.processes.iter().filter_map(|process| process.found.get(problem)) {
        match choices.iter_mut().find(|(choice, _)| *choice == found.choice) {
            Some((_, count)) => *count += 1,
            None => choices.push((&found.choice, 1)),
        }
    }
    let told =
        choices.iter().map(|(choice, count)| format!("{choice} ({})", units::process(*count)));
    told.collect::<Vec<_>>().join(", ")
}

/// Returns the error of a process that has results for other problems but not for this problem.
fn error(result: &SetResult, problem: usize) -> Option<&str> {
    let found = result.processes.iter().filter_map(|process| process.found.get(problem));
    found.map(|found| found.error.as_str()).find(|error| !error.is_empty())
}

#[cfg(test)]
mod tests {
    use super::super::study::{Found, Process, tests::study};
    use super::*;

    #[test]
    fn a_row_for_each_set_and_a_reason_for_each_difference() {
        let text = screen(&study(), Look::Lines);
        let line = |name: &str| text.lines().find(|line| line.starts_with(name)).unwrap();
        assert!(line("defaults\t").contains("by default\tequal ("), "{text}");
        assert!(line("defaults\t").ends_with("\t1.50×"), "{text}");
        assert!(line("benchmark\t").contains("\tas with defaults\t"), "{text}");
        assert!(line("tune\t").contains("measured in each process\tdiffer in 1 of 2 problems"));
        assert!(line("replay\t").contains("from a store\tequal ("), "{text}");
        assert!(
            text.contains("equal bits in 3 processes: defaults, deterministic, replay\n"),
            "{text}"
        );
        assert!(text.contains("the fastest of them: replay, 1.00× the time"), "{text}");
        assert!(
            text.contains("tune: block: other choices: a (2 processes), b (1 process)\n"),
            "{text}"
        );
    }

    #[test]
    fn a_missing_result_is_told_with_its_error() {
        let mut study = study();
        let escape = "no \u{1b}[31mengine".to_owned();
        study.sets[0].processes[1].found[0] = Found { error: escape, ..Found::default() };
        study.sets[0].bits[0] = Bits::Unknown;
        study.sets[0].fingerprint = None;
        study.timed = 1;
        let text = screen(&study, Look::Lines);
        assert!(text.contains("defaults: stem: no result: no \u{fffd}[31mengine\n"), "{text}");
        assert_eq!(errors(&study), ["defaults: stem: no result: no \u{1b}[31mengine"]);
        assert!(text.contains("defaults\tby default\tunknown"), "{text}");
        assert!(text.contains("times are those of 1 of 2 problems"), "{text}");
    }

    #[test]
    fn processes_without_results_are_counted_with_their_end() {
        let mut study = study();
        for (process, ended) in [(0, "signal: 6: \u{1b}[31mno"), (2, "exit status: 7")] {
            study.sets[0].processes[process] = Process::without_results(ended.to_owned());
        }
        study.sets[0].bits.fill(Bits::Unknown);
        study.sets[0].fingerprint = None;
        let text = screen(&study, Look::Lines);
        let row = "defaults\tby default\tunknown (2 of 3 processes ended without results)\t";
        assert!(text.contains(row), "{text}");
        for line in [
            "defaults: 1 process without results: signal: 6: \u{fffd}[31mno\n",
            "defaults: 1 process without results: exit status: 7\n",
        ] {
            assert!(text.contains(line), "{text}");
        }
        assert!(!text.contains("no result: "), "{text}");
        let ended = study.sets[0].processes[2].clone();
        study.sets[0].processes[0] = ended;
        let text = screen(&study, Look::Lines);
        assert!(text.contains("defaults: 2 processes without results: exit status: 7\n"), "{text}");
    }

    #[test]
    fn many_differences_are_counted() {
        let mut study = study();
        study.problems = vec![study.problems[0].clone(); 9];
        study.sets[0].bits = vec![Bits::DifferByProcess; 9];
        let text = screen(&study, Look::Lines);
        let told = text.lines().filter(|line| line.starts_with("defaults: "));
        assert_eq!(told.count(), 4, "{text}");
        assert!(text.contains("defaults: 6 more problems (--json has all)\n"), "{text}");
    }

    #[test]
    fn it_is_told_if_nothing_is_equal() {
        let mut study = study();
        for set in &mut study.sets {
            set.bits.fill(Bits::DifferByProcess);
            set.fingerprint = None;
        }
        let text = screen(&study, Look::Lines);
        assert!(text.contains("no set of switches gave equal bits in 3 processes"), "{text}");
        assert!(text.contains("tune: stem: one choice, other bits in another process"), "{text}");
        assert!(!text.contains("the fastest of them"), "{text}");
    }
}
