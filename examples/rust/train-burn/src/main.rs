//! Trains a small network with burn, with LibTorch's own convolutions or with atc's. The program generates the pictures
//! for the training.

mod descent;
mod model;
mod pictures;

use std::error::Error;
use std::path::PathBuf;
use std::time::Duration;

use atc_tch::atc::{Store, StoreMode};
use atc_tch::{Options, Statistics};
use burn::module::Module;
use burn::nn::loss::CrossEntropyLossConfig;
use burn::tensor::Device;
use clap::Parser;
use descent::Descent;
use model::Network;

/// Train a small network of burn, with LibTorch's own convolutions or with atc's.
#[derive(Debug, Parser)]
struct Arguments {
    /// Run every convolution through atc, with the decisions of the store
    #[arg(long)]
    atc: bool,
    /// Measure convolutions that have no decision; implies --atc
    #[arg(long)]
    tune: bool,
    /// Time for measuring one convolution, in milliseconds
    #[arg(long, default_value_t = 500, value_name = "MS")]
    budget: u64,
    /// The directory of the store, in which decisions are kept; implies --atc
    #[arg(long, value_name = "DIR")]
    store: Option<PathBuf>,
    /// Steps of training
    #[arg(long, default_value_t = 40)]
    steps: u32,
    /// Number of pictures in each training step
    #[arg(long, default_value_t = 16)]
    batch: usize,
    /// Learning rate
    #[arg(long, default_value_t = 0.05)]
    rate: f64,
    /// Seed of weights and pictures
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

fn main() {
    if let Err(error) = run(&Arguments::parse()) {
        eprintln!("train-burn: {error}");
        std::process::exit(1);
    }
}

fn run(arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    let with_atc = arguments.atc || arguments.tune || arguments.store.is_some();
    if with_atc {
        use_atc(arguments)?;
    }
    train(arguments)?;
    if with_atc {
        report(&atc_tch::statistics()?);
    }
    Ok(())
}

/// Installs atc in LibTorch. A program on burn has to make no other calls of atc.
fn use_atc(arguments: &Arguments) -> atc_tch::Result<()> {
    // SAFETY: no other thread uses LibTorch yet.
    unsafe { atc_tch::init() }?;
    if let Some(directory) = &arguments.store {
        let mode = if arguments.tune {
            StoreMode::ReadWrite
        } else {
            StoreMode::Read
        };
        Store::open_with(directory, mode)?.activate()?;
    }
    let budget = Duration::from_millis(arguments.budget);
    atc_tch::install_with(&Options::new().budget(budget).tune(arguments.tune))
}

/// Returns burn's LibTorch device. burn 0.22 marks its LibTorch backend as deprecated, because 0.22 is the last version
/// with this backend.
#[allow(deprecated)]
fn device() -> Device {
    Device::libtorch()
}

/// The training loop: plain burn code that does not mention atc.
fn train(arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    let device = device().autodiff();
    device.seed(arguments.seed);
    let mut network = Network::new(pictures::CLASSES, &device);
    let loss_of = CrossEntropyLossConfig::new().init(&device);
    let mut drawn = pictures::Pictures::new(arguments.seed);
    for step in 1..=arguments.steps {
        let (pictures, labels) = drawn.batch(arguments.batch, &device);
        let loss = loss_of.forward(network.forward(pictures), labels);
        println!("step {step:3}  loss {}", loss.clone().into_scalar::<f32>());
        let (gradients, rate) = (loss.backward(), arguments.rate);
        network = network.map(&mut Descent { gradients, rate });
    }
    Ok(())
}

fn report(statistics: &Statistics) {
    let passed = &statistics.passed;
    println!(
        "convolutions run by atc {}, left to LibTorch {}: nothing known {}, LibTorch's is fastest {}, other reasons {}",
        statistics.taken,
        passed.total(),
        passed.nothing_known,
        passed.chosen,
        passed.total() - passed.nothing_known - passed.chosen,
    );
}
