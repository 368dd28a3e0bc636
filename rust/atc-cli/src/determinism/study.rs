//! A study: the results of the processes of all sets of switches, whether the bits of these results
//! are equal, and how long each set takes.

use serde::{Deserialize, Serialize};

use super::sets::Set;
use crate::document::DeviceInfo;
use crate::gain::{Certainty, Gain};

pub const SCHEMA: &str = "atc-determinism";
pub const VERSION: u32 = 1;

/// The result of one problem in one process.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Found {
    /// The choice (implementation) that ran.
    pub choice: String,
    /// The SHA-256 of the output's elements after the first execution. The next field, `again`, is
    /// the SHA-256 after a second execution on the same operands.
    pub first: String,
    pub again: String,
    /// Seconds per execution of the choice, measured in a separate race after the choice was made.
    pub seconds: Option<f64>,
    /// The reason why there is no result; empty if there is one.
    pub error: String,
}

/// The results of one process, in the order of the problems. If the process was cancelled, some
/// problems have no result. If the process ended without results, the list is empty.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Process {
    pub found: Vec<Found>,
    /// The way in which the process ended without results, and the last line of its standard error.
    /// Empty if the process has results.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub ended: String,
}

impl Process {
    pub fn without_results(ended: String) -> Self {
        Self { found: Vec::new(), ended }
    }

    pub fn has_results(&self) -> bool {
        self.ended.is_empty()
    }
}

/// The name of a problem (a convolution), and how often the network calls it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Named {
    pub name: String,
    pub count: u64,
}

/// Whether the results of a problem have the same bits in each execution of each process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Bits {
    Equal,
    /// Two executions in one process gave different bits.
    DifferWithinAProcess,
    /// The processes made different choices, but each choice gave the same bits everywhere.
    DifferByChoice,
    /// The same choice gave different bits in two processes.
    DifferByProcess,
    /// Some process has no result for this problem, and no two of the other results are known to
    /// differ.
    Unknown,
}

/// The time that the convolutions take with one set of switches, and the ratio of this time to the
/// time with the fastest set.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Cost {
    /// Seconds that all convolutions of the network take, as the mean over the processes of one set
    /// of switches. A problem counts as often as it occurs in the network. Only the problems that
    /// [`Study::timed`] counts are included.
    pub seconds: f64,
    /// The time with this set of switches, divided by the time with the fastest set. The next two
    /// fields are the ends of the ratio's 95 % confidence interval. For the interval, each process
    /// of this set is compared with the process of the fastest set that ran in the same round.
    pub ratio: f64,
    pub low: f64,
    pub high: f64,
}

/// The results of one set of switches.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SetResult {
    #[serde(flatten)]
    pub set: Set,
    /// One entry for each problem; empty if no process ran with this set of switches.
    pub bits: Vec<Bits>,
    /// The SHA-256 over the results of all problems, if the results have equal bits in every
    /// process.
    pub fingerprint: Option<String>,
    pub cost: Option<Cost>,
    pub processes: Vec<Process>,
}

/// The whole result of `atc determinism`. This is the JSON that `--json` writes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Study {
    pub schema: &'static str,
    pub version: u32,
    /// The version of libatc.
    pub atc: String,
    /// The date: RFC 3339, UTC.
    pub date: String,
    pub device: DeviceInfo,
    pub seed: u64,
    /// The number of processes that ran with each set of switches.
    pub processes: usize,
    pub cancelled: bool,
    pub problems: Vec<Named>,
    /// The number of problems that are included in the times of the sets of switches. A set has no
    /// time if one of its processes ended without results. A problem is included if it was measured
    /// by every process of every set that has a time.
    pub timed: usize,
    pub sets: Vec<SetResult>,
}

impl Study {
    /// Makes the study. `runs` has the processes of each set of switches, in the order of `sets`. A
    /// set with the same effect as an earlier set was not run, so its list of processes is empty.
    pub fn new(
        device: DeviceInfo,
        seed: u64,
        problems: Vec<Named>,
        sets: Vec<Set>,
        runs: Vec<Vec<Process>>,
    ) -> Self {
        let processes = runs.iter().map(Vec::len).max().unwrap_or(0);
        let timed: Vec<_> =
            (0..problems.len()).filter(|problem| is_timed(&runs, *problem)).collect();
        let costs = costs(&problems, &timed, &runs);
        let of_set = |((set, processes), cost): ((Set, Vec<Process>), Option<Cost>)| {
            let bits: Vec<_> = match processes.is_empty() {
                true => Vec::new(),
                false => (0..problems.len()).map(|problem| bits(&processes, problem)).collect(),
            };
            let fingerprint = fingerprint(&bits, &processes);
            SetResult { set, bits, fingerprint, cost, processes }
        };
        let sets = sets.into_iter().zip(runs).zip(costs).map(of_set).collect();
        Self {
            schema: SCHEMA,
            version: VERSION,
            atc: String::new(),
            date: String::new(),
            device,
            seed,
            processes,
            cancelled: false,
            timed: timed.len(),
            problems,
            sets,
        }
    }

    /// Returns the set of switches that has the results for `result`. If `result` was not run
    /// because an earlier set (`same_as`) has the same effect, returns the earlier set. Otherwise
    /// returns `result`.
    pub fn run_of<'a>(&'a self, result: &'a SetResult) -> &'a SetResult {
        let Some(same_as) = &result.set.same_as else { return result };
        self.sets.iter().find(|other| &other.set.name == same_as).unwrap_or(result)
    }

    /// Returns the number of problems whose bits are [`Bits::Unknown`] in at least one set of
    /// switches.
    pub fn unknown(&self) -> usize {
        let is_unknown = |problem: usize| {
            self.sets.iter().any(|set| set.bits.get(problem) == Some(&Bits::Unknown))
        };
        (0..self.problems.len()).filter(|problem| is_unknown(*problem)).count()
    }

    /// Returns the number of processes, over all sets of switches, that ended without results.
    pub fn failures(&self) -> usize {
        self.sets.iter().map(SetResult::failures).sum()
    }
}

impl SetResult {
    /// Returns whether the results of all processes of this set of switches have equal bits.
    /// Returns `None` if no results are known to differ, but some are missing.
    pub fn is_equal(&self) -> Option<bool> {
        if self.bits.is_empty() {
            return None;
        }
        let differs = |bits: &Bits| !matches!(bits, Bits::Equal | Bits::Unknown);
        if self.bits.iter().any(differs) {
            return Some(false);
        }
        (!self.bits.contains(&Bits::Unknown)).then_some(true)
    }

    /// Returns the number of processes of this set of switches that ended without results.
    pub fn failures(&self) -> usize {
        self.processes.iter().filter(|process| !process.has_results()).count()
    }
}

fn is_timed(runs: &[Vec<Process>], problem: usize) -> bool {
    let mut processes = runs.iter().filter(|run| is_complete(run)).flatten();
    let seconds =
        |process: &Process| process.found.get(problem).and_then(|found| found.seconds).is_some();
    runs.iter().any(|run| is_complete(run)) && processes.all(seconds)
}

/// Whether a set of switches was run and all its processes (`run`) have results.
fn is_complete(run: &[Process]) -> bool {
    !run.is_empty() && run.iter().all(Process::has_results)
}

fn bits(processes: &[Process], problem: usize) -> Bits {
    let with_results = || processes.iter().filter(|process| process.has_results());
    match compared(with_results().map(|process| process.found.get(problem)).collect()) {
        Bits::Equal if with_results().count() < processes.len() => Bits::Unknown,
        bits => bits,
    }
}

/// Compares the results of one problem. `found` has the result of each process, but leaves out
/// processes that ended without results. `found` is `None` if one of the remaining processes was
/// cancelled before this problem.
fn compared(found: Option<Vec<&Found>>) -> Bits {
    let Some((first, others)) = found.as_deref().and_then(<[_]>::split_first) else {
        return Bits::Unknown;
    };
    let all = || std::iter::once(first).chain(others);
    if all().any(|one| !one.error.is_empty()) {
        Bits::Unknown
    } else if all().any(|one| one.first != one.again) {
        Bits::DifferWithinAProcess
    } else if others.iter().all(|other| other.first == first.first) {
        Bits::Equal
    } else if all().any(|a| all().any(|b| a.choice == b.choice && a.first != b.first)) {
        Bits::DifferByProcess
    } else {
        Bits::DifferByChoice
    }
}

fn fingerprint(bits: &[Bits], processes: &[Process]) -> Option<String> {
    let process = processes.first()?;
    if bits.iter().any(|bits| *bits != Bits::Equal) {
        return None;
    }
    let parts: Vec<_> = process.found.iter().map(|found| found.first.as_str()).collect();
    Some(crate::digest::of_text(&parts.join("\n")))
}

/// Returns the cost of each set of switches (its time, absolute and relative to the fastest set).
/// An entry is `None` if no problem was timed, if the set was not run, or if a process of the set
/// has no results.
fn costs(problems: &[Named], timed: &[usize], runs: &[Vec<Process>]) -> Vec<Option<Cost>> {
    let sum = |process: &Process| -> f64 {
        let one = |problem: &usize| {
            let seconds = process.found.get(*problem).and_then(|found| found.seconds);
            problems[*problem].count as f64 * seconds.unwrap_or(0.0)
        };
        timed.iter().map(one).sum()
    };
    let times = runs.iter().map(|run| match is_complete(run) {
        true => run.iter().map(sum).collect(),
        false => Vec::new(),
    });
    let times: Vec<Vec<f64>> = times.collect();
    let usable = |times: &&Vec<f64>| !times.is_empty() && times.iter().all(|time| *time > 0.0);
    let mean_log =
        |times: &Vec<f64>| times.iter().map(|time| time.ln()).sum::<f64>() / times.len() as f64;
    let fastest =
        times.iter().filter(usable).min_by(|a, b| f64::total_cmp(&mean_log(a), &mean_log(b)));
    let Some(fastest) = fastest else { return vec![None; runs.len()] };
    let cost = |times: &Vec<f64>| {
        let times = Some(times).filter(usable)?;
        let seconds = times.iter().sum::<f64>() / times.len() as f64;
        let against = against(times, fastest);
        Some(Cost { seconds, ratio: against.ratio, low: against.low, high: against.high })
    };
    times.iter().map(cost).collect()
}

/// Returns the geometric mean of the ratios `times[i] / others[i]`, with its 95 % confidence
/// interval. `times[i]` and `others[i]` are the times of two processes, one of each set of
/// switches, that ran one soon after the other (in the same round).
fn against(times: &[f64], others: &[f64]) -> Gain {
    let logs: Vec<_> = times.iter().zip(others).map(|(one, other)| (one / other).ln()).collect();
    let count = logs.len() as f64;
    let mean = logs.iter().sum::<f64>() / count;
    if std::ptr::eq(times, others) {
        return Gain::new(1.0, []);
    }
    let squares: f64 = logs.iter().map(|log| (log - mean).powi(2)).sum();
    let certainty = (logs.len() > 1)
        .then(|| Certainty { variance: squares / (count - 1.0) / count, freedom: count - 1.0 });
    Gain::new(mean.exp(), [(1.0, certainty)])
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::determinism::sets::{Switches, sets};
    use crate::problems::tests::request;
    use proptest::prelude::*;

    pub fn found(choice: &str, bits: &str, seconds: f64) -> Found {
        Found {
            choice: choice.to_owned(),
            first: bits.to_owned(),
            again: bits.to_owned(),
            seconds: Some(seconds),
            error: String::new(),
        }
    }

    /// Makes a study of two problems on the CPU. In the sets `defaults` and `deterministic`, all
    /// processes have results with equal bits. In the sets with `tune` the bits differ.
    pub fn study() -> Study {
        let names = [("stem", 1), ("block", 3)];
        let problems = names.map(|(name, count)| Named { name: name.to_owned(), count }).into();
        let sets = sets(atc::Device::Cpu, &[request("a 1 4 0 8 8 4 0 3 3 1 1 1 1")]);
        let round = |set: &Set, round: usize| {
            let drift = [1.0, 1.1, 1.05][round];
            let slow = if set.switches.tune || set.switches.replay { 1.0 } else { 3.0 };
            let choice = if set.switches.tune && round == 1 { "b" } else { "a" };
            let one = found("a", "11", 0.001 * slow * drift);
            let other = found(choice, &format!("2{choice}"), 0.001 * drift);
            Process { found: vec![one, other], ended: String::new() }
        };
        let runs = sets.iter().map(|set| match set.same_as {
            None => (0..3).map(|index| round(set, index)).collect(),
            Some(_) => Vec::new(),
        });
        let runs = runs.collect();
        Study::new(DeviceInfo::default(), 1, problems, sets, runs)
    }

    fn result<'a>(study: &'a Study, name: &str) -> &'a SetResult {
        study.sets.iter().find(|set| set.set.name == name).unwrap()
    }

    #[test]
    fn equal_bits_have_a_fingerprint_and_others_a_reason() {
        let study = study();
        let defaults = result(&study, "defaults");
        assert_eq!(defaults.is_equal(), Some(true));
        assert_eq!(defaults.fingerprint, result(&study, "deterministic").fingerprint);
        let tuned = result(&study, "tune");
        assert_eq!(tuned.bits, [Bits::Equal, Bits::DifferByChoice]);
        assert_eq!((tuned.is_equal(), &tuned.fingerprint), (Some(false), &None));
        let same = result(&study, "reproducible");
        assert_eq!(study.run_of(same).set.name, "deterministic");
        assert_eq!((study.timed, study.processes, study.unknown()), (2, 3, 0));
    }

    #[test]
    fn costs_are_compared_within_rounds_so_that_a_drift_cancels() {
        let study = study();
        let cost = |name: &str| result(&study, name).cost.unwrap();
        // The set "defaults" takes 3 + 3 ms, and the fastest set ("tune") takes 1 + 3 ms. In each
        // round both times are multiplied by the same factor, as on a machine that becomes slower.
        // So the ratio is 1.5 in each round.
        let defaults = cost("defaults");
        assert!((defaults.ratio - 1.5).abs() < 1e-9, "{defaults:?}");
        assert!(defaults.high / defaults.low < 1.0 + 1e-9, "{defaults:?}");
        assert_eq!(cost("tune").ratio, 1.0);
        assert!((cost("tune").seconds - 0.0042).abs() < 1e-9);
        assert_eq!(result(&study, "reproducible").cost, None);
    }

    #[test]
    fn every_way_to_differ_has_its_name() {
        let process = |found: Found| Process { found: vec![found], ended: String::new() };
        let same = process(found("a", "1", 1.0));
        let within = Found { again: "2".to_owned(), ..found("a", "1", 1.0) };
        let failed = Found { error: "no".to_owned(), ..Found::default() };
        for (other, expected) in [
            (found("a", "1", 1.0), Bits::Equal),
            (found("b", "1", 1.0), Bits::Equal),
            (found("a", "2", 1.0), Bits::DifferByProcess),
            (found("b", "2", 1.0), Bits::DifferByChoice),
            (within, Bits::DifferWithinAProcess),
            (failed, Bits::Unknown),
        ] {
            assert_eq!(bits(&[same.clone(), process(other)], 0), expected);
        }
        let several = [("a", "1"), ("b", "2"), ("b", "3")];
        let several = several.map(|(choice, bits)| process(found(choice, bits, 1.0)));
        assert_eq!(bits(&several, 0), Bits::DifferByProcess);
        assert_eq!(bits(&several[..2], 0), Bits::DifferByChoice);
        assert_eq!(bits(&[same.clone(), Process::default()], 0), Bits::Unknown);
        assert_eq!(bits(&[], 0), Bits::Unknown);
    }

    #[test]
    fn a_process_without_results_leaves_differences_of_the_others_known() {
        let ended = || Process::without_results("signal: 6".to_owned());
        let process =
            |bits: &str| Process { found: vec![found("a", bits, 1.0)], ended: String::new() };
        assert_eq!(bits(&[process("1"), ended(), process("1")], 0), Bits::Unknown);
        assert_eq!(bits(&[process("1"), ended(), process("2")], 0), Bits::DifferByProcess);
        assert_eq!(bits(&[ended(), ended()], 0), Bits::Unknown);
    }

    #[test]
    fn a_set_with_a_process_without_results_has_no_times_and_takes_none_from_others() {
        let study = study();
        assert_eq!(study.failures(), 0);
        let mut runs: Vec<_> = study.sets.iter().map(|set| set.processes.clone()).collect();
        runs[0][1] = Process::without_results("signal: 6".to_owned());
        let sets = study.sets.iter().map(|set| set.set.clone()).collect();
        let again = Study::new(DeviceInfo::default(), 1, study.problems.clone(), sets, runs);
        assert_eq!((again.failures(), again.timed, again.unknown()), (1, 2, 2));
        assert_eq!(again.sets[0].fingerprint, None);
        let cost = |study: &Study, name: &str| result(study, name).cost;
        assert_eq!(cost(&again, "defaults"), None);
        for name in ["deterministic", "tune", "replay"] {
            assert_eq!(cost(&again, name), cost(&study, name), "{name}");
        }
    }

    #[test]
    fn problems_that_some_process_did_not_measure_do_not_count_in_times() {
        let study = study();
        let mut runs: Vec<_> = study.sets.iter().map(|set| set.processes.clone()).collect();
        runs[0][1].found[0].seconds = None;
        let sets = study.sets.iter().map(|set| set.set.clone()).collect();
        let again = Study::new(DeviceInfo::default(), 1, study.problems, sets, runs);
        assert_eq!(again.timed, 1);
        assert_eq!(again.sets[0].cost.unwrap().ratio, 1.0);
    }

    proptest! {
        #[test]
        fn some_set_is_the_fastest_and_intervals_hold_their_ratio(
            times in prop::collection::vec(prop::collection::vec(1e-6..1.0_f64, 3), 1..5),
        ) {
            let problems = vec![Named { name: "a".to_owned(), count: 2 }];
            let set = |index: usize| Set {
                name: index.to_string(),
                switches: Switches { deterministic: false, benchmark: false, tf32: true, tune: false, replay: false },
                same_as: None,
            };
            let sets = (0..times.len()).map(set).collect();
            let runs = times.iter().map(|times| {
                let process = |time: &f64| Process {
                    found: vec![found("a", "1", *time)],
                    ended: String::new(),
                };
                times.iter().map(process).collect()
            });
            let study = Study::new(DeviceInfo::default(), 1, problems, sets, runs.collect());
            let costs: Vec<_> = study.sets.iter().map(|set| set.cost.unwrap()).collect();
            prop_assert!(costs.iter().any(|cost| cost.ratio == 1.0));
            for cost in costs {
                prop_assert!(cost.ratio >= 1.0 - 1e-12);
                prop_assert!(cost.low <= cost.ratio && cost.ratio <= cost.high);
            }
        }
    }
}
