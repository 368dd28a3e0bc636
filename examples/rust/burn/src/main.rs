//! Trains a small network of burn on LibTorch's CPU backend:
//!
//! ```text
//! burn-on-libtorch                  with LibTorch's own convolutions
//! burn-on-libtorch FOLDER           with atc, by the decisions of the store FOLDER
//! burn-on-libtorch FOLDER tune      the same; each convolution without a decision is measured at its first call
//! ```

mod network;

use std::error::Error;
use std::path::Path;

use atc_tch::atc::Store;
use burn::optim::{GradientsParams, SgdConfig};
use burn::tensor::{Device, Tensor, TensorData};
use network::Network;

const STEPS: usize = 5;
const BATCH: usize = 4;
const SIDE: usize = 24;
const RATE: f64 = 0.1;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let folder = arguments.first();
    if let Some(folder) = folder {
        use_atc(
            Path::new(folder),
            arguments.get(1).is_some_and(|word| word == "tune"),
        )?;
    }
    train();
    if folder.is_some() {
        let counts = atc_tch::statistics()?;
        println!(
            "convolutions run by atc {}, left to LibTorch {}",
            counts.taken,
            counts.passed.total()
        );
    }
    Ok(())
}

/// All the calls that a program needs to use atc.
fn use_atc(folder: &Path, tune: bool) -> atc_tch::Result<()> {
    // SAFETY: no other thread uses LibTorch yet.
    unsafe { atc_tch::init() }?;
    Store::open(folder)?.activate()?;
    atc_tch::install_with(&atc_tch::Options::new().tune(tune))
}

/// Trains the network to give back the images that it gets.
fn train() {
    #[allow(deprecated)] // burn 0.22 is the last version that has this backend
    let device = Device::libtorch().autodiff();
    device.seed(1);
    let mut network = Network::new(&device);
    let mut optimizer = SgdConfig::new().init();
    let images = images(&device);
    for step in 1..=STEPS {
        let error = network.forward(images.clone()) - images.clone();
        let loss = (error.clone() * error).mean();
        let gradients = GradientsParams::from_grads(loss.backward(), &network);
        network = optimizer.step(RATE, network, gradients);
        println!("step {step} loss {:.6}", loss.into_scalar::<f32>());
    }
}

/// Images of waves.
fn images(device: &Device) -> Tensor<4> {
    let shape = [BATCH, 3, SIDE, SIDE];
    let values: Vec<f32> = (0..shape.iter().product())
        .map(|at: usize| (at as f32 * 0.37).sin())
        .collect();
    Tensor::from_data(TensorData::new(values, shape), device)
}
