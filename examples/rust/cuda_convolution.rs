//! Runs a tuned convolution on CUDA, with memory and a stream of the crate cudarc. The convolution runs twice: by an
//! eager call and by a plan. Both results are compared with a loop on the host. Without a CUDA device the program exits
//! with 77.

use std::error::Error;
use std::process::ExitCode;

use atc::cudarc::{CudaOperands, CudaPlan};
use atc::{Device, Plan, PlanOptions, Problem};
use cudarc::driver::CudaContext;

const BATCH: usize = 4;
const IN: usize = 32;
const OUT: usize = 64;
const SIDE: usize = 28;
const KERNEL: usize = 3;
const PADDING: usize = 1;

fn main() -> Result<ExitCode, Box<dyn Error>> {
    // atc is asked whether there is CUDA, because cudarc would panic without a CUDA driver.
    if !atc::device::cuda_is_available()? {
        println!("skipped: no CUDA device{}", why()?);
        return Ok(ExitCode::from(77));
    }

    let [batch, inner, outer, side] = [BATCH, IN, OUT, SIDE].map(|extent| extent as i64);
    let problem = Problem::conv2d(batch, inner, side, side, outer)
        .kernel(KERNEL as i64)
        .padding(PADDING as i64);
    let x = whole_numbers(BATCH * IN * SIDE * SIDE, 1);
    let w = whole_numbers(OUT * IN * KERNEL * KERNEL, 2);
    let expected = convolve(&x, &w);

    let stream = CudaContext::new(0)?.new_stream()?;
    // The output is filled with NaN. If a call does not write an element, the comparison finds the NaN.
    let unwritten = vec![f32::NAN; expected.len()];
    let (x, w) = (stream.clone_htod(&x)?, stream.clone_htod(&w)?);
    let mut y = stream.clone_htod(&unwritten)?;

    // The first call measures the candidates. Later calls use the decision, which the process remembers.
    atc::settings::set_benchmark_cudnn(true)?;
    CudaOperands::forward(&stream, &problem, &x, &w, &mut y)?.convolve()?;
    let eager = check("eager call", &stream.clone_dtoh(&y)?, &expected);

    let options = PlanOptions::new().tune(true);
    let plan = Plan::with_options(Device::Cuda(0), &problem, &options)?;
    println!("choice: {} ({})", plan.choice()?, plan.source()?);
    let mut plan = CudaPlan::new(plan, &stream)?;
    stream.memcpy_htod(&unwritten, &mut y)?;
    plan.execute(CudaOperands::forward(&stream, &problem, &x, &w, &mut y)?)?;
    let planned = check("plan", &stream.clone_dtoh(&y)?, &expected);

    Ok(if eager && planned { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Returns atc's explanation why the CUDA driver is missing, or "".
fn why() -> atc::Result<String> {
    let libraries = atc::device::libraries()?;
    let driver = libraries.into_iter().find(|library| library.name == "CUDA driver");
    Ok(driver.map_or(String::new(), |driver| format!(": {}", driver.note)))
}

/// Returns `count` random numbers, each -1, 0 or 1. So all products and sums are small integers, which fp32 and TF32
/// represent exactly.
fn whole_numbers(count: usize, mut seed: u32) -> Vec<f32> {
    let mut next = || {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        ((seed >> 16) % 3) as f32 - 1.0
    };
    (0..count).map(|_| next()).collect()
}

fn convolve(x: &[f32], w: &[f32]) -> Vec<f32> {
    let mut y = Vec::with_capacity(BATCH * OUT * SIDE * SIDE);
    for n in 0..BATCH {
        for k in 0..OUT {
            for row in 0..SIDE {
                for column in 0..SIDE {
                    y.push(sum_at(x, w, [n, k, row, column]));
                }
            }
        }
    }
    y
}

fn sum_at(x: &[f32], w: &[f32], [n, k, row, column]: [usize; 4]) -> f32 {
    let inside = |place: usize, step: usize| {
        (place + step).checked_sub(PADDING).filter(|place| *place < SIDE)
    };
    let mut sum = 0.0;
    for c in 0..IN {
        for i in 0..KERNEL {
            for j in 0..KERNEL {
                if let (Some(r), Some(s)) = (inside(row, i), inside(column, j)) {
                    sum += x[((n * IN + c) * SIDE + r) * SIDE + s]
                        * w[((k * IN + c) * KERNEL + i) * KERNEL + j];
                }
            }
        }
    }
    sum
}

/// Returns whether all elements are right. An element may differ by less than 0.5 from the expected integer, because
/// kernels that transform their operands (Winograd, FFT) round intermediate values. A sum has at most 288 products of
/// magnitude 1, so this rounding error is below 0.5, even in TF32. One missing or additional product changes the sum by
/// 1.
fn check(what: &str, y: &[f32], expected: &[f32]) -> bool {
    let right = |(y, expected): (&f32, &f32)| (y - expected).abs() < 0.5;
    let wrong = y.iter().zip(expected).filter(|pair| !right(*pair)).count();
    println!("{what}: {} elements, {wrong} wrong", y.len());
    wrong == 0
}
