//! Trains a small residual network, with LibTorch's own convolutions or with atc's. The program generates the pictures
//! for the training.

mod device;
mod model;
mod shapes;
mod together;

use std::error::Error;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use atc_tch::atc::{self, Store, StoreMode, Tune, settings};
use atc_tch::{Options, Statistics, TorchGroup};
use clap::Parser;
use tch::nn::{self, ModuleT, OptimizerConfig};
use tch::{Device, Kind, Tensor};

/// The number of batches of new pictures on which the network is tested after training.
const TEST_BATCHES: u32 = 8;

/// Train a small residual network, with LibTorch's own convolutions or with atc's.
#[derive(Debug, Parser)]
#[command(args_override_self = true)]
struct Arguments {
    /// Device to train on: cpu or cuda:INDEX
    #[arg(long, default_value = "cpu")]
    device: atc::Device,
    /// Run every convolution through atc, with the decisions of the store
    #[arg(long)]
    atc: bool,
    /// Measure convolutions that have no decision; implies --atc
    #[arg(long)]
    tune: bool,
    /// Train as a rank of torchrun's job: after the first step all ranks measure together, and then
    /// run the same implementations; implies --atc
    #[arg(long, conflicts_with = "tune")]
    together: bool,
    /// Time for measuring one convolution, in milliseconds
    #[arg(long, default_value_t = 500, value_name = "MS")]
    budget: u64,
    /// The directory of the store, in which decisions are kept; implies --atc
    #[arg(long, value_name = "DIR")]
    store: Option<PathBuf>,
    /// Deterministic kernels and fixed seeds. With --tune each run may choose other kernels: tune
    /// once with --store, then every run with the store and without --tune gives the same bits
    #[arg(long)]
    reproducible: bool,
    /// Benchmark mode: LibTorch, or atc in its place, measures the convolutions on CUDA
    #[arg(long)]
    benchmark: bool,
    /// Keep fp32 convolutions on CUDA from computing in TF32, which LibTorch allows
    #[arg(long)]
    no_tf32: bool,
    /// Compute in fp64, which atc leaves to LibTorch; a reference for the rounding errors of fp32
    #[arg(long)]
    double: bool,
    /// Steps of training
    #[arg(long, default_value_t = 60)]
    steps: u32,
    /// Number of pictures in each training step
    #[arg(long, default_value_t = 32)]
    batch: i64,
    /// Height and width of a picture
    #[arg(long, default_value_t = 32)]
    side: i64,
    /// Learning rate
    #[arg(long, default_value_t = 0.05)]
    rate: f64,
    /// Seed of weights and pictures
    #[arg(long, default_value_t = 1)]
    seed: u32,
}

fn main() {
    if let Err(error) = run(Arguments::parse()) {
        eprintln!("train-tch: {error}");
        std::process::exit(1);
    }
}

fn run(mut arguments: Arguments) -> Result<(), Box<dyn Error>> {
    if arguments.together {
        arguments.device = together::own_device(arguments.device);
    }
    let arguments = &arguments;
    let device = device::prepare(arguments.device)?;
    set_switches(arguments)?;
    let with_atc =
        arguments.atc || arguments.tune || arguments.together || arguments.store.is_some();
    if with_atc {
        use_atc(arguments)?;
    }
    let job = arguments.together.then(together::join).transpose()?;
    println!(
        "LibTorch {} on {}, {}",
        atc_tch::describe()?.version,
        arguments.device,
        match (with_atc, arguments.tune, arguments.together) {
            (_, true, _) => "atc: the first step measures each convolution without a decision",
            (_, _, true) => "atc: the ranks measure together after the first step",
            (true, ..) => "atc",
            _ => "plain",
        }
    );

    tch::manual_seed(arguments.seed.into());
    train(arguments, device, job)?;
    if with_atc {
        report(&atc_tch::statistics()?);
    }
    Ok(())
}

fn set_switches(arguments: &Arguments) -> atc_tch::Result<()> {
    if arguments.reproducible || arguments.benchmark || arguments.no_tf32 {
        // From this call on, atc's setters of switches set LibTorch's switches, even if convolutions do not go through
        // atc (no `--atc`). SAFETY: no other thread uses LibTorch yet.
        unsafe { atc_tch::init() }?;
    }
    if arguments.reproducible {
        let report = settings::set_reproducible(arguments.seed.into())?;
        println!("repeatable as far as {}", describe(&report.text));
    }
    if arguments.benchmark {
        settings::set_benchmark_cudnn(true)?;
    }
    if arguments.no_tf32 {
        settings::set_allow_tf32_cudnn(false)?;
    }
    Ok(())
}

fn describe(missing: &str) -> String {
    if missing.is_empty() {
        return "atc can make it".to_owned();
    }
    format!("the following allows:\n{missing}")
}

/// Installs atc in LibTorch: a program needs no other calls, so that its convolutions go through atc.
fn use_atc(arguments: &Arguments) -> atc_tch::Result<()> {
    // SAFETY: no other thread uses LibTorch yet.
    unsafe { atc_tch::init() }?;
    if let Some(directory) = &arguments.store {
        let mode = if arguments.tune || arguments.together {
            StoreMode::ReadWrite
        } else {
            StoreMode::Read
        };
        Store::open_with(directory, mode)?.activate()?;
    }
    let options = Options::new().budget(Duration::from_millis(arguments.budget));
    let tune = if arguments.together {
        Tune::Later
    } else {
        arguments.tune.into()
    };
    atc_tch::install_with(&options.tune(tune))
}

/// Trains the network. If `job` is given, the ranks of the job tune together after the first step.
fn train(
    arguments: &Arguments,
    device: Device,
    mut job: Option<TorchGroup>,
) -> Result<(), Box<dyn Error>> {
    let kind = if arguments.double {
        Kind::Double
    } else {
        Kind::Float
    };
    let mut weights = nn::VarStore::new(Device::Cpu);
    let network = model::network(&weights.root(), shapes::CLASSES);
    weights.set_kind(kind);
    // The weights were initialised on the CPU, so that training begins with the same weights on every device.
    weights.set_device(device);
    let mut optimizer = nn::Sgd {
        momentum: 0.9,
        ..Default::default()
    }
    .build(&weights, arguments.rate)?;

    let mut times = Vec::new();
    for step in 1..=arguments.steps {
        let (pictures, labels) = draw(arguments, device, kind);
        let started = Instant::now();
        let loss = network
            .forward_t(&pictures, true)
            .cross_entropy_for_logits(&labels);
        optimizer.backward_step(&loss);
        device::finish(device)?;
        times.push(started.elapsed().as_secs_f64() * 1e3);
        println!(
            "step {step:3}  loss {:<11}  {:7.2} ms",
            f64::try_from(&loss)? as f32,
            times[times.len() - 1]
        );
        if let Some(group) = job.take() {
            let budget = Duration::from_millis(arguments.budget);
            together::tune(group, arguments.device, budget)?;
        }
    }
    times.sort_by(f64::total_cmp);
    if let Some(median) = times.get(times.len() / 2) {
        println!("median step {median:.2} ms");
    }

    println!(
        "right on new pictures {:.1} %",
        100.0 * accuracy(arguments, &network, device, kind)?
    );
    println!("weights {:016x}", digest(&weights)?);
    Ok(())
}

/// Returns the pictures of one step, and for each picture the label of its shape.
fn draw(arguments: &Arguments, device: Device, kind: Kind) -> (Tensor, Tensor) {
    let (pictures, labels) = shapes::batch(arguments.batch, arguments.side);
    (
        pictures.to_kind(kind).to_device(device),
        labels.to_device(device),
    )
}

/// Returns the fraction of new pictures whose shape the network recognizes.
fn accuracy(
    arguments: &Arguments,
    network: &impl ModuleT,
    device: Device,
    kind: Kind,
) -> Result<f64, Box<dyn Error>> {
    let mut right = 0.0;
    for _ in 0..TEST_BATCHES {
        let (pictures, labels) = draw(arguments, device, kind);
        let scores = tch::no_grad(|| network.forward_t(&pictures, false));
        right += f64::try_from(scores.accuracy_for_logits(&labels))?;
    }
    Ok(right / f64::from(TEST_BATCHES))
}

/// Returns a 64-bit hash of the bits of all weights.
fn digest(weights: &nn::VarStore) -> Result<u64, Box<dyn Error>> {
    let mut variables: Vec<_> = weights.variables().into_iter().collect();
    variables.sort_by(|one, other| one.0.cmp(&other.0));
    let mut hasher = DefaultHasher::new();
    for (name, tensor) in variables {
        name.hash(&mut hasher);
        let values = Vec::<f64>::try_from(tensor.detach().to_kind(Kind::Double).flatten(0, -1))?;
        values
            .iter()
            .for_each(|value| value.to_bits().hash(&mut hasher));
    }
    Ok(hasher.finish())
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
