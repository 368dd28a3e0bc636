//! The sets of switches that `atc determinism` compares (switches for determinism, benchmark mode,
//! TF32, …). If several sets have the same effect on the problems of the command, only one of them
//! is run.

use serde::Serialize;

use crate::problems::{DType, Request};

/// The switches of a process, and the way in which the process makes its choices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Switches {
    /// The value of the switch `deterministic_cudnn`.
    pub deterministic: bool,
    /// The value of the switch `benchmark_cudnn`.
    pub benchmark: bool,
    /// The value of the switch `allow_tf32_cudnn`.
    pub tf32: bool,
    /// The value of the option `tune` of plans. If it is true, each process measures the candidates
    /// itself, even on the CPU.
    pub tune: bool,
    /// Whether choices are read from a store, in mode `replay-only`.
    pub replay: bool,
}

impl Switches {
    const DEFAULTS: Self =
        Self { deterministic: false, benchmark: false, tf32: true, tune: false, replay: false };
}

/// A set of switches with its name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Set {
    pub name: String,
    #[serde(flatten)]
    pub switches: Switches,
    /// The name of an earlier set of switches that has the same effect on the problems of the
    /// command. If there is such a set, this set is not run.
    pub same_as: Option<String>,
}

/// Returns all sets of switches. First come all combinations of the switches `deterministic`,
/// `benchmark` and `tf32`, and on the CPU two sets with `tune`. The last two sets are recommended
/// by docs/determinism.md: `reproducible` and `replay`.
pub fn sets(device: atc::Device, requests: &[Request]) -> Vec<Set> {
    let cuda = matches!(device, atc::Device::Cuda(_));
    let f32s = requests.iter().any(|request| request.dtype == DType::F32);
    let mut sets: Vec<Set> = Vec::new();
    for (name, switches) in candidates(cuda) {
        let meaning = meaning(switches, cuda, f32s);
        let is_same = |other: &&Set| {
            other.same_as.is_none() && self::meaning(other.switches, cuda, f32s) == meaning
        };
        let same_as = sets.iter().find(is_same).map(|other| other.name.clone());
        sets.push(Set { name, switches, same_as });
    }
    sets
}

fn candidates(cuda: bool) -> Vec<(String, Switches)> {
    let mut all = Vec::new();
    for tf32 in [true, false] {
        for benchmark in [false, true] {
            for deterministic in [false, true] {
                let switches = Switches { deterministic, benchmark, tf32, ..Switches::DEFAULTS };
                all.push((name(switches), switches));
            }
        }
    }
    // On CUDA the option `tune` has the same effect as the switch `benchmark_cudnn`, so sets with
    // `tune` are left out.
    if !cuda {
        for deterministic in [false, true] {
            let switches = Switches { deterministic, tune: true, ..Switches::DEFAULTS };
            all.push((name(switches), switches));
        }
    }
    let deterministic = Switches { deterministic: true, ..Switches::DEFAULTS };
    // The set `reproducible` has the effect that atc_set_reproducible has on convolutions: it turns
    // on `deterministic`. The function atc_set_reproducible also sets seeds of random numbers and
    // switches of other operators, which do not affect convolutions.
    all.push(("reproducible".to_owned(), deterministic));
    all.push(("replay".to_owned(), Switches { replay: true, ..deterministic }));
    all
}

/// Returns the name of a set of switches: for example "deterministic benchmark no-tf32".
fn name(switches: Switches) -> String {
    let words = [
        (switches.deterministic, "deterministic"),
        (switches.benchmark, "benchmark"),
        (switches.tune, "tune"),
        (!switches.tf32, "no-tf32"),
    ];
    let words: Vec<_> = words.iter().filter(|(on, _)| *on).map(|(_, word)| *word).collect();
    if words.is_empty() { "defaults".to_owned() } else { words.join(" ") }
}

/// Returns the switches, but sets each switch that has no effect on these problems to a fixed
/// value. So the function returns equal switches for two sets with the same effect. Without CUDA,
/// benchmark mode measures nothing, and no product is rounded to TF32. On CUDA, the switch for TF32
/// affects only f32 tensors.
fn meaning(switches: Switches, cuda: bool, f32s: bool) -> Switches {
    Switches {
        benchmark: switches.benchmark && cuda,
        tf32: switches.tf32 || !(cuda && f32s),
        ..switches
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problems::tests::request;

    fn run(device: atc::Device, dtype: DType) -> Vec<String> {
        let request = Request { dtype, ..request("a 1 4 0 8 8 4 0 3 3 1 1 1 1") };
        let sets = sets(device, &[request]);
        sets.into_iter().filter(|set| set.same_as.is_none()).map(|set| set.name).collect()
    }

    #[test]
    fn only_what_differs_is_run() {
        assert_eq!(
            run(atc::Device::Cpu, DType::F32),
            ["defaults", "deterministic", "tune", "deterministic tune", "replay"]
        );
        let half = ["defaults", "deterministic", "benchmark", "deterministic benchmark", "replay"];
        assert_eq!(run(atc::Device::Cuda(0), DType::F16), half);
        let all = run(atc::Device::Cuda(0), DType::F32);
        assert_eq!(all.len(), 9, "{all:?}");
        assert!(all.contains(&"deterministic benchmark no-tf32".to_owned()), "{all:?}");
    }

    #[test]
    fn what_is_not_run_names_a_set_that_is() {
        for device in [atc::Device::Cpu, atc::Device::Cuda(1)] {
            let sets = sets(device, &[request("a 1 4 0 8 8 4 0 3 3 1 1 1 1")]);
            assert_eq!(sets[0].name, "defaults");
            for set in &sets {
                let Some(same_as) = &set.same_as else { continue };
                let other = sets.iter().find(|other| &other.name == same_as).unwrap();
                assert_eq!(other.same_as, None, "{set:?}");
                assert_eq!(other.switches.deterministic, set.switches.deterministic, "{set:?}");
                assert_eq!(other.switches.replay, set.switches.replay, "{set:?}");
            }
            let reproducible = sets.iter().find(|set| set.name == "reproducible").unwrap();
            assert_eq!(reproducible.same_as.as_deref(), Some("deterministic"));
        }
    }
}
