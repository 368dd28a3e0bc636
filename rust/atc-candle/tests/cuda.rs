//! Compares convolutions of candle's CUDA tensors by atc with the definition of a convolution. If there is no CUDA
//! device, every test is skipped and prints the reason. Switches, pins and the store belong to the process, so only one
//! test runs at a time.
#![allow(missing_docs)]

mod support;

use std::error::Error;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use atc_candle::atc::{self, Store, Technique, settings, trace};
use atc_candle::{Convolution, Options, conv1d, conv2d, set_options};
use candle_core::{DType, Device, Result, Tensor, Var};
use support::{Case, Random, Sums, forward, gradients};

type Outcome = std::result::Result<(), Box<dyn Error>>;

static TURN: Mutex<()> = Mutex::new(());

/// Returns the first CUDA device, and a lock that only one test at a time holds. Without a CUDA driver candle would
/// panic, so atc is asked first whether there is a device.
fn device() -> Result<Option<(Device, MutexGuard<'static, ()>)>> {
    let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    if !atc::device::cuda_is_available().map_err(candle_core::Error::wrap)? {
        println!("skipped: no CUDA device");
        return Ok(None);
    }
    // TF32 is off, because the bounds of the tests are those of fp32.
    settings::set_allow_tf32_cudnn(false).map_err(candle_core::Error::wrap)?;
    Ok(Some((Device::new_cuda(0)?, turn)))
}

/// Fails if an element of `found` is outside its bound. The bound is 16 times as wide as for plain sums, because
/// kernels that transform their operands (Winograd) lose up to four bits more.
fn expect(wanted: &Sums, found: &Tensor, what: &str) -> Result<()> {
    wanted.with_slack(16.0).expect(found, DType::F32, what)
}

fn check(case: &Case, seed: u64, dtype: DType, device: &Device) -> Result<()> {
    let mut random = Random::new(seed);
    let var = |tensor: Tensor| Var::from_tensor(&tensor.to_device(device)?);
    let x = var(random.tensor(&case.x(), dtype)?)?;
    let w = var(random.tensor(&case.w(), dtype)?)?;
    let grad = random.tensor(&case.y(), dtype)?.to_device(device)?;
    let what = format!("{case:?} of {dtype:?}");
    let y = case.convolution().apply(&x, &w, None)?;
    assert_eq!(y.dims(), case.y(), "{what}");
    assert!(y.is_contiguous() && y.device().same_device(device), "{what}");
    expect(&forward(case, &x, &w, None)?, &y, &what)?;
    let store = (&y * &grad)?.sum_all()?.backward()?;
    for (variable, wanted) in [&x, &w].into_iter().zip(gradients(case, &x, &w, &grad)?) {
        expect(&wanted, store.get(variable).expect("a gradient"), &format!("gradient, {what}"))?;
    }
    Ok(())
}

#[test]
fn random_problems_and_their_gradients() -> Result<()> {
    let Some((device, _turn)) = device()? else { return Ok(()) };
    for seed in 0..1000 {
        let case = Case::random(&mut Random::new(seed));
        let dtype = match seed % 8 {
            3 => DType::BF16,
            7 => DType::F16,
            _ => DType::F32,
        };
        check(&case, !seed, dtype, &device)?;
    }
    Ok(())
}

#[test]
fn the_bias_and_relu_come_last() -> Result<()> {
    let Some((device, _turn)) = device()? else { return Ok(()) };
    for (seed, dtype) in [(1, DType::F32), (2, DType::BF16), (3, DType::F16), (4, DType::F64)] {
        for case in [
            Case::new(2, [4, 6], &[7, 6], &[3, 3]).padding(1).groups(2),
            Case::new(2, [4, 6], &[7], &[3]).transposed(1).stride(2),
        ] {
            let mut random = Random::new(seed);
            let mut tensor = |shape: &[usize]| random.tensor(shape, dtype)?.to_device(&device);
            let (x, w) = (tensor(&case.x())?, tensor(&case.w())?);
            let bias = tensor(&[case.out_channels])?;
            let what = format!("{case:?} of {dtype:?}");
            let mut wanted = forward(&case, &x, &w, Some(&bias))?;
            expect(&wanted, &case.convolution().apply(&x, &w, Some(&bias))?, &what)?;
            wanted.relu();
            expect(&wanted, &case.convolution().relu(true).apply(&x, &w, Some(&bias))?, &what)?;
        }
    }
    Ok(())
}

#[test]
fn views_are_read_as_their_layouts_say() -> Result<()> {
    let Some((device, _turn)) = device()? else { return Ok(()) };
    let mut random = Random::new(7);
    let mut tensor = |shape: &[usize]| random.tensor(shape, DType::F32)?.to_device(&device);
    let case = Case::new(2, [3, 4], &[6, 5], &[3, 2]).padding(1);
    let x = tensor(&[2, 6, 5, 3])?.permute((0, 3, 1, 2))?;
    let w = tensor(&[4, 5, 3, 2])?.narrow(1, 1, 3)?;
    let y = case.convolution().apply(&x, &w, None)?;
    expect(&forward(&case, &x, &w, None)?, &y, "permuted and narrowed")?;
    // `x` is contiguous, but the address of its first element is not a multiple of 16 bytes.
    let x = tensor(&[5, 3, 6, 5])?.narrow(0, 1, 2)?;
    assert!(x.is_contiguous() && x.layout().start_offset() * 4 % 16 != 0);
    let w = tensor(&[1, 1, 1, 1])?.broadcast_as((4, 3, 3, 2))?;
    let y = case.convolution().apply(&x, &w, None)?;
    expect(&forward(&case, &x, &w, None)?, &y, "an odd offset and strides of 0")
}

#[test]
fn a_convolution_of_nothing_is_zero() -> Result<()> {
    let Some((device, _turn)) = device()? else { return Ok(()) };
    let zeros = |shape: &[usize]| Tensor::zeros(shape, DType::F32, &device);
    let w = Tensor::ones((4, 3, 3, 3), DType::F32, &device)?;
    let y = conv2d(&zeros(&[2, 0, 8, 8])?, &zeros(&[4, 0, 3, 3])?, 1, 1, 1, 1)?;
    assert_eq!((y.dims(), y.sum_all()?.to_scalar::<f32>()?), (&[2, 4, 8, 8][..], 0.0));
    let bias = Tensor::full(2f32, 4, &device)?;
    let padded = Convolution::new(2).padding(2);
    let y = padded.apply(&zeros(&[1, 3, 0, 0])?, &w, Some(&bias))?;
    assert_eq!((y.dims(), y.sum_all()?.to_scalar::<f32>()?), (&[1, 4, 2, 2][..], 32.0));
    Ok(())
}

/// Three difficult conditions at once: tensors are dropped while work on them is still queued, their memory is reused
/// immediately, and several threads use devices with different streams.
#[test]
fn streams_threads_and_dropped_tensors() -> Result<()> {
    let Some((shared, _turn)) = device()? else { return Ok(()) };
    let one = |device: &Device, rounds: u64| -> Result<()> {
        let case = Case::new(2, [8, 8], &[40, 40], &[3, 3]).padding(1);
        let ones = Tensor::ones(case.w(), DType::F32, device)?;
        let mut x = Tensor::ones(case.x(), DType::F32, device)?;
        for round in 0..rounds {
            // All elements of the image and of the kernel are 1. So away from the border each sum has 8 channels × 9
            // taps = 72 products of 1. Each sum is divided by 72, so the elements of the next image are 1 again.
            let y = (conv2d(&x, &ones, 1, 1, 1, 1)? / 72.0)?;
            drop(std::mem::replace(&mut x, y));
            let noise = Tensor::full(round as f32, case.x(), device)?;
            drop(noise);
        }
        let inside = x.narrow(2, 19, 2)?.narrow(3, 19, 2)?;
        let farthest = (inside - 1.0)?.abs()?.max_all()?.to_scalar::<f32>()?;
        assert!(farthest < 1e-5, "{farthest}");
        Ok(())
    };
    // Near the border of the image the results of the convolutions are smaller than 1, because of the zeros of the
    // padding. In each round these smaller values reach one element farther into the image. After 15 rounds they are
    // still more than 3 elements away from the middle, where the test compares the values with 1.
    one(&shared, 15)?;
    let own = [Device::new_cuda_with_stream(0)?, Device::new_cuda_with_stream(0)?];
    std::thread::scope(|scope| {
        let threads: Vec<_> = own
            .iter()
            .chain([&shared])
            .map(|device| scope.spawn(move || (0..20).try_for_each(|_| one(device, 15))))
            .collect();
        threads.into_iter().try_for_each(|thread| thread.join().expect("no panic"))
    })
}

/// A folder that is removed when the value is dropped.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
        set_options(Options::new());
        let _ = settings::set_pins(None);
        let _ = Store::deactivate();
    }
}

fn bits(tensor: &Tensor) -> Result<Vec<u32>> {
    let values: Vec<f32> = tensor.flatten_all()?.to_vec1()?;
    Ok(values.into_iter().map(f32::to_bits).collect())
}

#[test]
fn races_the_store_and_pins_decide() -> Outcome {
    let Some((device, _turn)) = device()? else { return Ok(()) };
    let tiny = atc::Problem::conv2d(1, 1, 4, 4, 1).kernel(1);
    if let Err(error) = atc::Plan::new(atc::Device::Cuda(0), &tiny)?.sample(1, 1) {
        assert_eq!(error.kind(), atc::ErrorKind::Library, "{error}");
        println!("skipped: {error}");
        return Ok(());
    }
    let folder = Folder(std::env::temp_dir().join(format!("atc-candle-{}", std::process::id())));
    std::fs::create_dir_all(&folder.0)?;
    let cases = [
        Case::new(2, [8, 16], &[20, 20], &[3, 3]).padding(1).stride(2).groups(2),
        Case::new(2, [4, 6], &[9], &[3]).transposed(1).stride(2).groups(2),
    ];
    let checks = || cases.iter().try_for_each(|case| check(case, 31, DType::F32, &device));

    // With `tune`, each convolution is measured at its first call. candle's own convolution is timed, too.
    Store::open(folder.0.join("store"))?.activate()?;
    set_options(Options::new().tune(true).technique(Technique::Once));
    checks()?;
    let problem = atc::Problem::conv2d(2, 8, 20, 20, 16).kernel(3).padding(1).stride(2).groups(2);
    let options = atc::PlanOptions::new().allow_reference(false).tune(true);
    let plan = atc::Plan::acquire(atc::Device::Cuda(0), &problem, &options)?;
    let mut of_candle = plan.candidates()?;
    of_candle.retain(|one| one.engine == "candle");
    assert!(of_candle.iter().any(|one| one.timing.is_some()), "{of_candle:#?}");
    drop(plan);
    set_options(Options::new());
    checks()?;

    // A pin (a rule of the user) prescribes candle's own convolution. So the result has the same bits as candle's, and
    // the trace contains the call.
    let pins = folder.0.join("pins.json");
    let rule = r#""choice": "candle@0.11:convolution""#;
    std::fs::write(&pins, format!(r#"{{"schema": 1, "pins": [{{"match": {{}}, {rule}}}]}}"#))?;
    settings::set_pins(Some(&pins))?;
    checks()?;
    let mut random = Random::new(77);
    let mut tensor = |shape: &[usize]| random.tensor(shape, DType::F32)?.to_device(&device);
    let (x, w) = (tensor(&[2, 5, 9, 9])?, tensor(&[7, 5, 3, 3])?);
    trace::start(&trace::Options::new())?;
    assert_eq!(bits(&conv2d(&x, &w, 1, 1, 1, 1)?)?, bits(&x.conv2d(&w, 1, 1, 1, 1)?)?);
    let rows = trace::stop()?.rows()?;
    assert!(rows.iter().any(|row| row.choice == "candle" && row.calls == 1), "{rows:#?}");

    // If a pin (a rule of the user) cannot be obeyed, the convolution returns an error.
    let rule = r#""choice": "candle@0.11:another""#;
    std::fs::write(&pins, format!(r#"{{"schema": 1, "pins": [{{"match": {{}}, {rule}}}]}}"#))?;
    settings::set_pins(Some(&pins))?;
    let (x, w) = (tensor(&[1, 2, 9])?, tensor(&[3, 2, 3])?);
    let refused = conv1d(&x, &w, 0, 1, 1, 1).expect_err("a pin").to_string();
    assert!(refused.contains("another"), "{refused}");
    Ok(())
}
