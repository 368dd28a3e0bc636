//! Tuning by several ranks (processes) of a torchrun job together. This module has all code that is needed only in a
//! job.

use std::time::Duration;

use atc_tch::atc::{Device, Group, Problems, Tuner};
use atc_tch::{Result, TorchGroup};

/// The longest time that a rank waits for another rank. This time must be longer than the slowest rank needs for its
/// first step, and longer than a race.
const BOUND: Duration = Duration::from_secs(120);

/// Connects this process with the other ranks, by the variables that torchrun sets.
pub fn join() -> Result<TorchGroup> {
    TorchGroup::from_env(BOUND)
}

/// Returns the GPU of this rank, if the program trains on GPUs. The index of the GPU is the number of the rank on its
/// machine, which torchrun passes in LOCAL_RANK.
pub fn own_device(device: Device) -> Device {
    let local = std::env::var("LOCAL_RANK")
        .ok()
        .and_then(|rank| rank.parse().ok());
    match (device, local) {
        (Device::Cuda(_), Some(rank)) => Device::Cuda(rank),
        _ => device,
    }
}

/// Measures the convolutions that the ranks have noted, together with the other ranks. Prints the digest (a hash) of
/// the decisions, and the number of problems that this rank has measured.
pub fn tune(mut group: TorchGroup, device: Device, budget: Duration) -> Result<()> {
    let report = Tuner::new(device)
        .problem_budget(budget)
        .group(&mut group)
        .run_list(&Problems::noted()?)?;
    let measured = report
        .problems
        .iter()
        .filter(|problem| problem.executions > 0)
        .count();
    println!(
        "rank {} of {}: digest {}, {measured} problems measured",
        group.rank(),
        group.size(),
        report
            .agreement
            .map_or_else(String::new, |agreement| agreement.digest),
    );
    Ok(())
}
