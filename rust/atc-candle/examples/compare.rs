//! Times candle's convolutions and atc's in turn, in one process:
//!
//!     OMP_NUM_THREADS=1 RAYON_NUM_THREADS=1 cargo run --release --example compare
//!
//! Arguments: `samples=21`, `batch=1`, `tune` for a third column, atc with each convolution measured before, and `cuda` for the
//! first CUDA device (features `cuda`, or `cudnn` for candle's convolutions by cuDNN). A number is the median of the samples in
//! milliseconds, with the least one and the upper quartile behind it. A sample on CUDA ends when the device is idle.

use std::process::ExitCode;
use std::time::Instant;

use atc_candle::{Convolution, Options};
use candle_core::{DType, Device, Result, Tensor};

#[path = "side_by_side/arguments.rs"]
mod arguments;
use arguments::{Arguments, arguments};

struct Layer {
    name: &'static str,
    channels: [usize; 2],
    size: usize,
    kernel: usize,
    stride: usize,
    groups: usize,
}

const fn layer(
    name: &'static str,
    channels: [usize; 2],
    size: usize,
    kernel: usize,
    stride: usize,
    groups: usize,
) -> Layer {
    Layer { name, channels, size, kernel, stride, groups }
}

const LAYERS: &[Layer] = &[
    layer("3x3, 64 to 64, 56x56", [64, 64], 56, 3, 1, 1),
    layer("1x1, 64 to 256, 56x56", [64, 256], 56, 1, 1, 1),
    layer("7x7 stride 2, 3 to 64, 224x224", [3, 64], 224, 7, 2, 1),
    layer("depthwise 3x3, 144, 56x56", [144, 144], 56, 3, 1, 144),
    layer("3x3, 32 groups of 4, 56x56", [128, 128], 56, 3, 1, 32),
    layer("3x3, 512 to 512, 28x28", [512, 512], 28, 3, 1, 1),
];

/// Runs the functions in turn, and returns the milliseconds of each sample for each function.
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
            // The first round warms up.
            if round > 0 {
                times.push(start.elapsed().as_secs_f64() * 1e3);
            }
        }
    }
    times.iter_mut().for_each(|times| times.sort_by(f64::total_cmp));
    Ok(times)
}

fn run(arguments: &Arguments) -> Result<()> {
    let device = if arguments.cuda { Device::new_cuda(0)? } else { Device::Cpu };
    let mut columns = vec!["candle", "atc"];
    if arguments.tune {
        columns.push("atc, tuned");
    }
    print!("{:32}", format!("batch {}, fp32, ms", arguments.number));
    columns.iter().for_each(|column| print!("{column:>30}"));
    println!("{:>20}", "candle / each");
    let mut logs = vec![0.0; columns.len()];
    for Layer { name, channels: [c, k], size, kernel, stride, groups } in LAYERS {
        let x = Tensor::randn(0f32, 1.0, (arguments.number, *c, *size, *size), &device)?;
        let w = Tensor::randn(0f32, 1.0, (*k, c / groups, *kernel, *kernel), &device)?;
        let (x, w) = (x.to_dtype(DType::F32)?, w.to_dtype(DType::F32)?);
        let padding = kernel / 2;
        let ours = Convolution::new(2)
            .padding(padding as i64)
            .stride(*stride as i64)
            .groups(*groups)
            .options(Options::new());
        let tuned = ours.options(Options::new().tune(true));
        let mut functions: Vec<Box<dyn Fn() -> Result<Tensor> + '_>> = vec![
            Box::new(|| x.conv2d(&w, padding, *stride, 1, *groups)),
            Box::new(|| ours.apply(&x, &w, None)),
        ];
        if arguments.tune {
            functions.push(Box::new(|| tuned.apply(&x, &w, None)));
        }
        let times = interleaved(&device, arguments.samples, &functions)?;
        print!("{name:32}");
        let median = |times: &[f64]| times[times.len() / 2];
        for times in &times {
            let (low, high) = (times[0], times[times.len() * 3 / 4]);
            print!("{:>30}", format!("{:.3} ({low:.3} .. {high:.3})", median(times)));
        }
        let candle = median(&times[0]);
        for (log, times) in logs.iter_mut().zip(&times) {
            *log += (candle / median(times)).ln();
        }
        let ratios = times[1..].iter().map(|times| format!("{:.1}", candle / median(times)));
        println!("{:>20}", ratios.collect::<Vec<_>>().join(", "));
    }
    let means = logs[1..].iter().map(|log| format!("{:.1}", (log / LAYERS.len() as f64).exp()));
    println!("geometric mean: {}", means.collect::<Vec<_>>().join(", "));
    Ok(())
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
