//! Times candle's convolutions and atc's alternately, in one process:
//!
//!     OMP_NUM_THREADS=1 RAYON_NUM_THREADS=1 cargo run --release --example compare
//!
//! Arguments: `samples=21`, `batch=1`, `tune`, `budget=30`, `cuda` and `list=FILE`. `tune` adds a third column: the
//! times of atc after atc has measured each convolution. `budget` limits the time of each measurement, in seconds.
//! `cuda` uses the first CUDA device, and needs the feature `cuda` or `cudnn` (with the feature `cudnn` candle convolves
//! by cuDNN). `list=FILE` times the layers of a file such as `bench/shapes/public.txt` in place of six built-in layers,
//! with the batch size of the argument `batch`. The program fails if the outputs differ by more than rounding. A cell of
//! the table is the median of the samples in milliseconds, followed by the shortest sample and the upper quartile. On
//! CUDA a sample ends when the device is idle. The last column is the time of atc's first call without tuning. If the
//! variable `ATC_STORE` names a store, atc reads the decision for this call from the store.

use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use atc_candle::Options;
use candle_core::{Device, Error, Result, Tensor};

#[path = "side_by_side/arguments.rs"]
mod arguments;
#[path = "side_by_side/layers.rs"]
mod layers;
use arguments::{Arguments, arguments};

/// Runs the functions alternately and times each run. Returns a list of times in milliseconds, in ascending order, for
/// each function.
fn interleaved(
    device: &Device,
    samples: usize,
    functions: &[Box<dyn Fn() -> Result<Tensor> + '_>],
) -> Result<Vec<Vec<f64>>> {
    let mut times = vec![Vec::with_capacity(samples); functions.len()];
    for round in 0..=samples {
        for (times, function) in times.iter_mut().zip(functions) {
            let start = Instant::now();
            drop(function()?);
            device.synchronize()?;
            // The times of the first round are not counted, because the first run of a function is slower.
            if round > 0 {
                times.push(start.elapsed().as_secs_f64() * 1e3);
            }
        }
    }
    times.iter_mut().for_each(|times| times.sort_by(f64::total_cmp));
    Ok(times)
}

/// Fails if the functions' outputs differ by more than rounding. Returns the time of the first call of the second
/// function in milliseconds.
fn check(device: &Device, functions: &[Box<dyn Fn() -> Result<Tensor> + '_>]) -> Result<f64> {
    // The bound limits the largest difference, divided by the largest value of the output. Sums of fewer than 10,000
    // random products have relative errors of about 2^-24 in fp32. On CUDA candle and atc may round the factors to
    // TF32, which has errors of 2^-11. Convolutions by a transform (Winograd, FFT) have larger errors than sums, so the
    // bounds are wider.
    let bound = if device.is_cpu() { 1e-4 } else { 1e-2 };
    let largest = |tensor: &Tensor| tensor.abs()?.max_all()?.to_scalar::<f32>();
    let wanted = functions[0]()?;
    device.synchronize()?;
    let mut first_call = None;
    for function in &functions[1..] {
        let start = Instant::now();
        let found = function()?;
        device.synchronize()?;
        first_call.get_or_insert(start.elapsed());
        let difference = largest(&(&wanted - &found)?)? / largest(&wanted)?;
        if difference.is_nan() || difference > bound {
            candle_core::bail!("the outputs differ by {difference:.1e} of the largest value");
        }
    }
    Ok(first_call.unwrap_or_default().as_secs_f64() * 1e3)
}

fn run(arguments: &Arguments) -> Result<()> {
    let (layers, left_out) = match &arguments.list {
        Some(file) => layers::read(Path::new(file)).map_err(Error::msg)?,
        None => (layers::built_in(), Vec::new()),
    };
    if layers.is_empty() {
        return Err(Error::msg("the list has no layer that candle has: give another list"));
    }
    let device = if arguments.cuda { Device::new_cuda(0)? } else { Device::Cpu };
    let mut columns = vec!["candle", "atc"];
    if arguments.tune {
        columns.push("atc, tuned");
    }
    print!("{:32}", format!("batch {}, fp32, ms", arguments.number));
    columns.iter().for_each(|column| print!("{column:>30}"));
    println!("{:>20}{:>14}", "candle / each", "first call");
    // One list for each column of atc ("atc", and "atc, tuned"), with one ratio for each layer: candle's median time
    // divided by the median time in this column.
    let mut all = vec![Vec::new(); columns.len() - 1];
    let mut longest_first_call = 0f64;
    for layer in &layers {
        let (x, w) = layer.operands(arguments.number, &device)?;
        let ours = layer.of_atc().options(Options::new());
        // The budget limits the time of a race (the measurement of the candidates). By default it is long, because a
        // race also times candle's own convolution, and one call of that may take seconds.
        let budget = Duration::from_secs(arguments.budget.unwrap_or(30));
        let tuned = ours.options(Options::new().tune(true).budget(budget));
        let mut functions: Vec<Box<dyn Fn() -> Result<Tensor> + '_>> =
            vec![Box::new(|| layer.by_candle(&x, &w)), Box::new(|| ours.apply(&x, &w, None))];
        if arguments.tune {
            functions.push(Box::new(|| tuned.apply(&x, &w, None)));
        }
        let first_call = check(&device, &functions);
        let first_call = first_call.map_err(|error| error.context(layer.name.clone()))?;
        longest_first_call = longest_first_call.max(first_call);
        let times = interleaved(&device, arguments.samples, &functions)?;
        print!("{:32}", layer.name);
        let median = |times: &[f64]| times[times.len() / 2];
        for times in &times {
            let (low, high) = (times[0], times[times.len() * 3 / 4]);
            print!("{:>30}", format!("{:.3} ({low:.3} .. {high:.3})", median(times)));
        }
        let candle = median(&times[0]);
        let ratios: Vec<f64> = times[1..].iter().map(|times| candle / median(times)).collect();
        println!("{:>20}{first_call:>14.3}", joined(ratios.iter().copied()));
        all.iter_mut().zip(ratios).for_each(|(all, ratio)| all.push(ratio));
    }
    left_out.iter().for_each(|why| println!("left out: {why}"));
    let mean = |ratios: &Vec<f64>| {
        (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len() as f64).exp()
    };
    println!("geometric mean of {} layers: {}", layers.len(), joined(all.iter().map(mean)));
    println!("longest first call of atc: {longest_first_call:.3}");
    for (column, ratios) in columns[1..].iter().zip(&all) {
        let slower = layers.iter().zip(ratios).filter(|(_, ratio)| **ratio < 1.0);
        let slower: Vec<_> = slower.map(|(layer, _)| layer.name.as_str()).collect();
        println!("{column}: slower than candle in {} layers: {}", slower.len(), slower.join(", "));
    }
    Ok(())
}

fn joined(ratios: impl Iterator<Item = f64>) -> String {
    ratios.map(|ratio| format!("{ratio:.2}")).collect::<Vec<_>>().join(", ")
}

fn main() -> ExitCode {
    let result = arguments(21, "batch", 1)
        .and_then(|arguments| run(&arguments).map_err(|error| error.to_string()));
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("compare: {message}");
            ExitCode::FAILURE
        }
    }
}
