//! Tunes a convolution, runs it and prints the choice.

use atc::{Device, Operand, Operands, Plan, PlanOptions, Problem, Tensor};

fn main() -> atc::Result<()> {
    // [readme]
    let problem = Problem::conv2d(8, 64, 56, 56, 64).kernel(3);
    let x = Tensor::<f32>::ones(&problem, Operand::X)?;
    let w = Tensor::<f32>::ones(&problem, Operand::W)?;
    let mut y = Tensor::<f32>::zeros(&problem, Operand::Y)?;
    let options = PlanOptions::new().tune(true);
    let mut plan = Plan::with_options(Device::Cpu, &problem, &options)?;
    plan.execute(Operands::forward(&x, &w, &mut y))?;
    println!("{}", plan.choice()?); // the fastest candidate: engine, version, configuration
    // [/readme]

    // Each output is the sum of 64 * 3 * 3 ones, so it is 576. The fastest candidate may use Winograd's method, which
    // has rounding errors.
    assert!(y.as_slice().iter().all(|value| (value - 576.0).abs() < 0.1));
    Ok(())
}
