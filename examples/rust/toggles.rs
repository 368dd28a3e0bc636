//! Shows how the switches of a process (such as `benchmark_cudnn`) are set, read, and changed for a scope. The program
//! runs on every machine, with or without CUDA.

use atc::settings::{self, DeterministicAlgorithms};
use atc::{Settings, device};

fn main() -> atc::Result<()> {
    println!(
        "libatc {}: {} CUDA devices, cuDNN {}",
        atc::version()?,
        device::cuda_device_count()?,
        device::cudnn_version()?.map_or("none".to_owned(), |version| version.to_string())
    );

    settings::set_benchmark_cudnn(true)?;
    assert!(settings::benchmark_cudnn()?);

    {
        // Changes two switches until the end of this scope, for every thread of the process.
        let _guard = Settings::scoped(|settings| {
            settings.deterministic_cudnn = true;
            settings.allow_tf32_cudnn = false;
        })?;
        assert!(settings::deterministic_cudnn()?);
    }
    assert!(!settings::deterministic_cudnn()?);

    // Sets all switches at once. If one value is refused, no switch is changed.
    let mut all = Settings::current()?;
    all.deterministic_algorithms = DeterministicAlgorithms::Warn;
    all.workspace_limit = 256 << 20;
    all.apply()?;
    println!("{:#?}", Settings::current()?);

    // If a setter refuses a value, the switch does not change, and the error names the value.
    let refused = settings::set_benchmark_limit_cudnn(-1).unwrap_err();
    println!("refused: {refused} ({:?})", refused.kind());

    let report = settings::set_reproducible(42)?;
    if !report.is_complete() {
        println!("what a repeatable run would still need:\n{}", report.text);
    }
    Ok(())
}
