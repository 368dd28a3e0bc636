//! Runs a network with candle's layers and with atc's layers, on the same weights and the same input. Compares the
//! outputs and shows both times.

use std::process::ExitCode;
use std::time::Instant;

use atc_candle::{Options, atc, set_options};
use candle_core::{DType, Device, Result, Tensor};
use candle_nn::{Func, VarBuilder, VarMap};

mod arguments;
use arguments::{Arguments, arguments};

type Network = fn(VarBuilder) -> Result<Func<'static>>;

/// Runs both networks (one with candle's layers, one with atc's layers) on the same random input. `shape` gives the
/// shape of the input for the argument `size`. The exit code is a failure if the outputs of the two networks differ by
/// more than rounding.
pub fn run(size: usize, shape: fn(usize) -> Vec<usize>, networks: [Network; 2]) -> ExitCode {
    let compared = arguments(5, "size", size).and_then(|arguments| {
        compare(&arguments, shape, networks).map_err(|error| error.to_string())
    });
    match compared {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

fn compare(
    arguments: &Arguments,
    shape: fn(usize) -> Vec<usize>,
    networks: [Network; 2],
) -> Result<bool> {
    if let Some(list) = &arguments.list {
        candle_core::bail!("list={list}: only the example compare takes a list, leave it out");
    }
    if let Some(budget) = arguments.budget {
        candle_core::bail!(
            "budget={budget}: only the example compare takes a budget, leave it out"
        );
    }
    let device = if arguments.cuda { Device::new_cuda(0)? } else { Device::Cpu };
    // TF32 is off for atc. candle's cuDNN may use TF32 nevertheless.
    atc::settings::set_allow_tf32_cudnn(false).map_err(candle_core::Error::wrap)?;
    set_options(Options::new().tune(arguments.tune));
    let weights = VarMap::new();
    let builder = || VarBuilder::from_varmap(&weights, DType::F32, &device);
    // This first network creates the weights, and the networks below find these weights by name. The weights are
    // halved, because with candle's random weights the values grow from layer to layer. The codec computes sines of
    // these values, and the sine of a large value has few correct digits.
    drop(networks[0](builder())?);
    for weight in weights.all_vars() {
        weight.set(&(weight.as_tensor() * 0.5)?)?;
    }
    let [candle, atc] = networks.map(|network| network(builder()));
    let (candle, atc) = (candle?, atc?);
    let x = Tensor::randn(0f32, 1.0, shape(arguments.number), &device)?;

    let (wanted, found) = (x.apply(&candle)?, x.apply(&atc)?);
    let largest = |tensor: &Tensor| tensor.abs()?.max_all()?.to_scalar::<f32>();
    let difference = largest(&(&wanted - &found)?)? / largest(&wanted)?;
    // A network has about 50 layers. A layer computes sums of n < 5000 products, which have relative errors of about
    // sqrt(n) 2^-24, below 5e-6. Later layers enlarge these errors a few times. So the bound is about four times the
    // sum of 50 such errors. On CUDA candle may compute in TF32, which rounds each factor by up to 2^-11. A sum of such
    // products has a relative error of about 2^-11, and 50 layers have about sqrt(50) 2^-11, which is 3.5e-3.
    let bound = if device.is_cpu() { 1e-3 } else { 5e-3 };
    println!(
        "output {:?}, largest difference / largest value: {difference:.1e} (bound {bound:.0e})",
        found.dims()
    );

    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..arguments.samples {
        for (times, network) in times.iter_mut().zip([&candle, &atc]) {
            device.synchronize()?;
            let start = Instant::now();
            drop(x.apply(network)?);
            device.synchronize()?;
            times.push(start.elapsed().as_secs_f64() * 1e3);
        }
    }
    times.iter_mut().for_each(|times| times.sort_by(f64::total_cmp));
    let [candle, atc] = times.map(|times| times[times.len() / 2]);
    let how = if arguments.tune { "atc, tuned" } else { "atc, untuned" };
    println!(
        "median of {} in ms: candle {candle:.2}, {how} {atc:.2}, ratio {:.2}",
        arguments.samples,
        candle / atc
    );
    Ok(difference < bound)
}
