//! Tunes two layers, prints the progress, and writes the decisions to a store. Then runs one layer with its stored
//! decision.

use std::ops::ControlFlow;
use std::time::Duration;

use atc::{
    DType, Device, Layout, Operand, Operands, Plan, Problem, Store, Tensor, Tuner,
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::temp_dir().join(format!("atc-example-{}", std::process::id()));
    let store = Store::open(&folder)?;
    store.activate()?;

    let layers = [
        Problem::conv2d(1, 32, 28, 28, 32).kernel(3).padding(1),
        Problem::conv2d(1, 32, 28, 28, 64).layout(Layout::ChannelsLast).dtype(DType::F32),
    ];
    let report = Tuner::new(Device::Cpu)
        .problem_budget(Duration::from_secs(2))
        .on_progress(|progress| {
            let percent = 100.0 * progress.problem_fraction;
            eprint!("\r{}/{} {percent:3.0} %", progress.problem + 1, progress.problems);
            ControlFlow::Continue(()) // `Break` would cancel the tuning; decisions that were already made would be kept
        })
        .run(&layers)?;
    eprintln!();

    for problem in &report.problems {
        println!("{}\n  {} ({})", problem.description, problem.choice, problem.source);
        for candidate in &problem.candidates {
            let time = candidate
                .timing
                .map_or("-".to_owned(), |timing| format!("{:.1} us", timing.median * 1e6));
            println!(
                "  {:>10} {} {} {}",
                time, candidate.engine, candidate.notes, candidate.outcome
            );
        }
        if !problem.why.is_empty() {
            println!("  {}", problem.why);
        }
    }
    println!("{} decisions in {}", store.describe()?.entries, folder.display());

    // From now on plans of this process use the stored decision. A later process that opens the store uses this
    // decision, too.
    let layer = &layers[0];
    let x = Tensor::<f32>::ones(layer, Operand::X)?;
    let w = Tensor::<f32>::ones(layer, Operand::W)?;
    let mut y = Tensor::<f32>::zeros(layer, Operand::Y)?;
    let mut plan = Plan::new(Device::Cpu, layer)?;
    plan.execute(Operands::forward(&x, &w, &mut y))?;
    println!("{} ({})", plan.choice()?, plan.source()?);

    Store::deactivate()?;
    std::fs::remove_dir_all(folder)?;
    Ok(())
}
