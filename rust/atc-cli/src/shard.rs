//! Shards: each of several machines tunes one part (shard) of the same list of problems.

use std::ffi::OsString;

use crate::failure::{Failure, Result};
use crate::problems::Request;

/// The value of the option `--shard`, which names the part of the problems that this process tunes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shard {
    Of(Part),
    /// SLURM tells this process which part it tunes, by variables for the tasks of a job array or for the processes of
    /// a job step.
    Slurm,
}

/// A part of the list of problems. The list has `count` parts, which are numbered from 1. `index` is the number of this
/// part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    pub index: usize,
    pub count: usize,
}

impl Part {
    /// Makes part number `index` of `count` parts. Returns `None` unless `index` is from 1 to
    /// `count`.
    fn new(index: u64, count: u64) -> Option<Self> {
        let fits = (1..=count).contains(&index);
        Some(Self { index: usize::try_from(index).ok()?, count: usize::try_from(count).ok()? })
            .filter(|_| fits)
    }

    /// Returns the problems of this part, in the order of `all`. `cost` estimates the time of a problem. All parts take
    /// about the same time.
    pub fn of<T>(&self, all: Vec<T>, cost: impl Fn(&T) -> u64) -> Vec<T> {
        let costs: Vec<_> = all.iter().map(cost).collect();
        let parts = cut(&costs, self.count);
        let mine = |(_, part): &(T, usize)| part + 1 == self.index;
        all.into_iter().zip(parts).filter(mine).map(|(one, _)| one).collect()
    }
}

/// Reads the value of `--shard`: `3/8` or `slurm`.
pub fn parse(text: &str) -> std::result::Result<Shard, String> {
    if text == "slurm" {
        return Ok(Shard::Slurm);
    }
    let numbers = text.split_once('/').and_then(|(index, count)| {
        Part::new(index.trim().parse().ok()?, count.trim().parse().ok()?)
    });
    numbers.map(Shard::Of).ok_or_else(|| {
        "must be I/N with I from 1 to N, as 3/8, or slurm in a job of SLURM".to_owned()
    })
}

impl Shard {
    /// Returns the part that this process tunes. `variable` returns the value of an environment
    /// variable.
    pub fn part(&self, variable: impl Fn(&str) -> Option<OsString>) -> Result<Part> {
        match self {
            Self::Of(part) => Ok(*part),
            Self::Slurm => slurm(|name| variable(name)?.to_str()?.trim().parse().ok()),
        }
    }
}

/// Returns the part that SLURM assigns to this process. In a job array (`sbatch --array`) each task has a part.
/// Otherwise each process of a job step (`srun --ntasks`) has a part.
fn slurm(number: impl Fn(&str) -> Option<u64>) -> Result<Part> {
    let array = || {
        let id = number("SLURM_ARRAY_TASK_ID")?;
        let least = number("SLURM_ARRAY_TASK_MIN")?;
        let count = number("SLURM_ARRAY_TASK_COUNT")?;
        let step = number("SLURM_ARRAY_TASK_STEP").unwrap_or(1).max(1);
        Part::new(id.checked_sub(least)? / step + 1, count)
    };
    let process = || Part::new(number("SLURM_PROCID")? + 1, number("SLURM_NTASKS")?);
    array().or_else(process).ok_or_else(|| {
        Failure::Usage(
            "--shard slurm: this is no task of a SLURM array and no process of a job step: the variables \
             SLURM_ARRAY_TASK_ID, _MIN and _COUNT, or SLURM_PROCID and SLURM_NTASKS, are not set; start it with sbatch \
             --array or srun, or write --shard I/N"
                .to_owned(),
        )
    })
}

/// Estimates the time to tune a problem. The estimate is a whole number, so that it is the same on
/// every machine. Each race has about the same number of candidates, so most of its time does not
/// depend on the size of the problem. Large problems take longer in the gate (the check of a
/// candidate against the reference) and in each execution.
pub fn cost(request: &Request) -> u64 {
    let columns = &request.layer.columns;
    let flops = columns.flops() / f64::from(1_u32 << 30);
    let bytes = columns.elements() * request.dtype.bytes() as f64 / f64::from(1_u32 << 24);
    // `as u64` saturates, so the cost of a very large problem does not wrap around. 64 is the part of the cost that
    // does not depend on the size of the problem.
    64 + flops as u64 + bytes as u64
}

/// Assigns each problem to a part, numbered from 0. The problems are taken in descending order of
/// their costs. Each problem goes to the part whose sum of costs is the smallest so far.
fn cut(costs: &[u64], parts: usize) -> Vec<usize> {
    let mut order: Vec<_> = (0..costs.len()).collect();
    order.sort_by_key(|index| (std::cmp::Reverse(costs[*index]), *index));
    let mut sums = vec![0_u64; parts];
    let mut found = vec![0; costs.len()];
    for index in order {
        let least = (0..parts).min_by_key(|part| (sums[*part], *part)).unwrap_or(0);
        found[index] = least;
        sums[least] = sums[least].saturating_add(costs[index]);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problems::tests::request;
    use proptest::prelude::*;

    fn of(text: &str) -> Part {
        let Ok(Shard::Of(part)) = parse(text) else { panic!("{text}") };
        part
    }

    #[test]
    fn a_shard_is_one_of_several() {
        assert_eq!(of("3/8"), Part { index: 3, count: 8 });
        assert_eq!(parse("slurm"), Ok(Shard::Slurm));
        for wrong in ["", "0/2", "3/2", "1", "1/0", "-1/2", "a/b", "1/2/3", "Slurm"] {
            assert!(parse(wrong).is_err(), "{wrong:?} was taken");
        }
    }

    #[test]
    fn a_task_of_slurm_knows_its_part() {
        let part = |set: &[(&str, &str)]| {
            let variable = |name: &str| {
                set.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).into())
            };
            Shard::Slurm.part(variable)
        };
        let array = [
            ("SLURM_ARRAY_TASK_ID", "7"),
            ("SLURM_ARRAY_TASK_MIN", "3"),
            ("SLURM_ARRAY_TASK_COUNT", "5"),
            ("SLURM_ARRAY_TASK_STEP", "2"),
            ("SLURM_PROCID", "0"),
            ("SLURM_NTASKS", "1"),
        ];
        assert_eq!(part(&array).unwrap(), Part { index: 3, count: 5 });
        assert_eq!(part(&array[4..]).unwrap(), Part { index: 1, count: 1 });
        let error = part(&array[..1]).unwrap_err().to_string();
        assert!(error.contains("SLURM_ARRAY_TASK_ID") && error.contains("--shard I/N"), "{error}");
    }

    #[test]
    fn dear_problems_are_spread_over_the_parts() {
        // Computed by hand: the cost 9 goes to part 0, 8 to part 1, 5 to part 1, 4 to part 0 and 1 to part 0.
        assert_eq!(cut(&[1, 9, 4, 8, 5], 2), [0, 0, 0, 1, 1]);
        let small = request("a 1 4 0 8 8 4 0 3 3 1 1 1 1");
        let large = request("b 64 256 0 56 56 256 0 3 3 1 1 1 1");
        assert!(cost(&small) < cost(&large), "{} {}", cost(&small), cost(&large));
    }

    proptest! {
        #[test]
        fn each_problem_is_in_one_part(costs in prop::collection::vec(0_u64..1000, 0..40), count in 1_u64..9) {
            let all: Vec<_> = costs.iter().enumerate().map(|(index, cost)| (index, *cost)).collect();
            let parts = (1..=count).map(|index| Part::new(index, count).unwrap());
            let parts: Vec<_> = parts.map(|part| part.of(all.clone(), |one| one.1)).collect();
            prop_assert!(parts.iter().all(|part| part.is_sorted()));
            let sums: Vec<u64> = parts.iter().map(|part| part.iter().map(|one| one.1).sum()).collect();
            let most = costs.iter().max().copied().unwrap_or(0);
            prop_assert!(sums.iter().max().unwrap() - sums.iter().min().unwrap() <= most);
            let mut again: Vec<_> = parts.concat();
            again.sort();
            prop_assert_eq!(again, all);
        }
    }
}
