//! Runs a model in ONNX Runtime, with and without a custom operator that computes the model's convolution by atc. Does
//! so at each of ONNX Runtime's optimization levels.

mod convolution;
mod model;

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use convolution::Convolution;
use model::{INPUT, model};
use ort::environment::Environment;
use ort::operator::OperatorDomain;
use ort::session::Session;
use ort::session::builder::GraphOptimizationLevel;
use ort::value::Tensor;

const RUNS: usize = 21;

fn main() -> Result<(), Box<dyn Error>> {
    let library = std::env::args()
        .nth(1)
        .ok_or("usage: onnxruntime LIBONNXRUNTIME")?;
    let environment = ort::init_from(library)?.build()?;
    let standard = "";
    for domain in [standard, "atc"] {
        for level in 0..=3 {
            let (plain, _) = run(session(&environment, level, standard, None)?)?;
            let calls = Arc::new(AtomicUsize::new(0));
            let operator = Convolution {
                calls: calls.clone(),
            };
            let operators = OperatorDomain::new(domain)?.add(operator)?;
            let (by_atc, least) = run(session(&environment, level, domain, Some(operators))?)?;
            let differences = plain
                .iter()
                .zip(&by_atc)
                .map(|(one, other)| (one - other).abs());
            println!(
                "domain {domain:?}, level {level}: {} calls in {RUNS} runs, largest difference \
                 {:.1e}, least time {least:.2} ms",
                calls.load(Ordering::Relaxed),
                differences.fold(0.0, f32::max),
            );
        }
    }
    Ok(())
}

/// Returns a session with the model. `domain` is the ONNX domain (the namespace of operators) of the model's operator
/// Conv: "" is the standard domain.
fn session(
    environment: &Environment,
    level: u32,
    domain: &str,
    operators: Option<OperatorDomain>,
) -> Result<Session, Box<dyn Error>> {
    let level = match level {
        0 => GraphOptimizationLevel::Disable,
        1 => GraphOptimizationLevel::Level1,
        2 => GraphOptimizationLevel::Level2,
        _ => GraphOptimizationLevel::All,
    };
    // An error of ort's session builder contains the builder, which is not `Send`. So only the text of the error is
    // passed on.
    let text = |error: ort::Error<_>| error.to_string();
    let mut builder = Session::builder(environment)?
        .with_intra_threads(1)
        .map_err(text)?
        .with_optimization_level(level)
        .map_err(text)?;
    if let Some(operators) = operators {
        builder = builder.with_operators(operators).map_err(text)?;
    }
    Ok(builder.commit_from_memory(&model(domain))?)
}

/// Runs the model RUNS times. Returns the output of the last run, and the least time of a run in milliseconds.
fn run(mut session: Session) -> ort::Result<(Vec<f32>, f64)> {
    let (mut y, mut least) = (Vec::new(), f64::INFINITY);
    for _ in 0..RUNS {
        let x = Tensor::<f32>::from_array((INPUT, model::values(INPUT)))?;
        let began = Instant::now();
        let outputs = session.run(ort::inputs![x])?;
        least = least.min(began.elapsed().as_secs_f64() * 1e3);
        y = outputs["y"].try_extract_tensor::<f32>()?.1.to_vec();
    }
    Ok((y, least))
}
