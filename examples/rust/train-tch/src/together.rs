//! The ranks of a job of torchrun, which tune together: all code that differs in a job.

use std::time::Duration;

use atc_tch::atc::{Device, Group, Problems, Tuner};
use atc_tch::{Result, TorchGroup};

/// Longer than the slowest rank needs to its first step, and than a race.
const BOUND: Duration = Duration::from_secs(120);

/// Connects this process with the other ranks, by the variables that torchrun sets.
pub fn join() -> Result<TorchGroup> {
    TorchGroup::from_env(BOUND)
}

/// The GPU of this rank, if the program trains on GPUs. torchrun numbers the ranks of a machine.
pub fn own_device(device: Device) -> Device {
    let local = std::env::var("LOCAL_RANK")
        .ok()
        .and_then(|rank| rank.parse().ok());
    match (device, local) {
        (Device::Cuda(_), Some(rank)) => Device::Cuda(rank),
        _ => device,
    }
}

/// Measures what the ranks have noted, and prints what they have agreed on.
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
