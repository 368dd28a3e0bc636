//! Tests decisions from races (which also time candle's own convolution), from the store and from pins. A process has
//! only one store and one list of pins, so a single test makes all steps one after the other.
#![allow(missing_docs)]

mod support;

use std::error::Error;
use std::path::PathBuf;

use atc_candle::atc::trace;
use atc_candle::atc::{
    Device, Plan, PlanOptions, Problem, Source, Store, StoreMode, Technique, settings,
};
use atc_candle::{Options, conv1d, conv2d, options, set_options};
use candle_core::{DType, Tensor, Var};
use support::{Case, Random, forward, gradients, variables};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn cases() -> [Case; 3] {
    [
        Case::new(2, [4, 6], &[8, 8], &[3, 3]).padding(1).stride(2).groups(2),
        Case::new(2, [4, 6], &[9], &[3]).transposed(1).stride(2).groups(2),
        Case::new(2, [4, 6], &[7, 6], &[3, 2]).transposed(1).stride(2).padding(1),
    ]
}

/// Returns the problem of the first convolution of `cases`: forward, with a bias.
fn problem() -> Problem {
    let problem = Problem::conv2d(2, 4, 8, 8, 6).kernel(3).padding(1).stride(2).groups(2);
    problem.epilogue(atc_candle::atc::Epilogue::Bias)
}

/// A folder that is removed when the value is dropped.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Result<Self> {
        let path = std::env::temp_dir().join(format!("atc-candle-{}", std::process::id()));
        std::fs::create_dir_all(&path)?;
        Ok(Self(path))
    }

    /// Writes a pin file with one rule for every convolution on the CPU, and puts it in force.
    fn pin(&self, rule: &str) -> Result<()> {
        let file = self.0.join("pins.json");
        let text =
            format!(r#"{{"schema": 1, "pins": [{{"match": {{"device": "cpu"}}, {rule}}}]}}"#);
        std::fs::write(&file, text)?;
        Ok(settings::set_pins(Some(&file))?)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Checks that the convolutions of `cases` and both gradients of each give the results of the definition.
fn check() -> Result<()> {
    let mut random = Random::new(31);
    for (case, relu) in cases().into_iter().zip([false, true, false]) {
        let (x, w, grad) = variables(&case, &mut random, DType::F32)?;
        let bias = Var::from_tensor(&random.tensor(&[case.out_channels], DType::F32)?)?;
        let what = format!("{case:?}");
        let y = case.convolution().relu(relu).apply(&x, &w, Some(&bias))?;
        let mut wanted = forward(&case, &x, &w, Some(&bias))?;
        if relu {
            wanted.relu();
        }
        wanted.expect(&y, DType::F32, &what)?;
        let store = (&y * &grad)?.sum_all()?.backward()?;
        let passed = if relu { (&grad * y.gt(0f32)?.to_dtype(DType::F32)?)? } else { grad };
        for (variable, wanted) in [&x, &w].into_iter().zip(gradients(&case, &x, &w, &passed)?) {
            wanted.expect(store.get(variable).expect("a gradient"), DType::F32, &what)?;
        }
    }
    Ok(())
}

fn bits(tensor: &Tensor) -> Result<Vec<u32>> {
    let values: Vec<f32> = tensor.flatten_all()?.to_vec1()?;
    Ok(values.into_iter().map(f32::to_bits).collect())
}

/// Returns the source of the decision for the first convolution of `cases`.
fn source(plan: PlanOptions<'_>) -> Result<Source> {
    Ok(Plan::acquire(Device::Cpu, &problem(), &plan)?.source()?)
}

#[test]
fn races_the_store_and_pins_decide() -> Result<()> {
    let folder = Folder::new()?;
    let plain = PlanOptions::new().allow_reference(false);
    check()?;
    assert_eq!(source(plain)?, Source::Default, "nothing is measured without tune");

    // Each convolution is measured at its first call. candle's own convolution is timed, too.
    let store = Store::open(folder.0.join("store"))?;
    store.activate()?;
    set_options(Options::new().tune(true).technique(Technique::Once));
    check()?;
    let tuned = plain.tune(true).technique(Technique::Once);
    let plan = Plan::acquire(Device::Cpu, &problem(), &tuned)?;
    assert_ne!(plan.source()?, Source::Default);
    let raced = plan.candidates()?;
    assert!(raced.iter().any(|one| one.engine == "candle" && one.timing.is_some()), "{raced:#?}");
    drop(plan);

    // The store has the decisions now, so the convolutions use these decisions and measure nothing.
    assert_eq!(options(), Options::new().tune(true).technique(Technique::Once));
    set_options(Options::new());
    check()?;

    // If the store is replay-only and has no record of a convolution, the convolution returns an error.
    drop(Store::open(folder.0.join("empty"))?);
    let empty = Store::open_with(folder.0.join("empty"), StoreMode::ReplayOnly)?;
    empty.activate()?;
    let refused = check().expect_err("no record").to_string();
    assert!(refused.contains("replay-only"), "{refused}");
    Store::deactivate()?;

    // A pin (a rule of the user) prescribes candle's own convolution for all directions. So the results have the same
    // bits as candle's.
    folder.pin(r#""choice": "candle@0.11:convolution""#)?;
    check()?;
    let mut random = Random::new(77);
    let (x, w) =
        (random.tensor(&[2, 5, 9, 9], DType::F32)?, random.tensor(&[7, 5, 3, 3], DType::F32)?);
    trace::start(&trace::Options::new())?;
    assert_eq!(bits(&conv2d(&x, &w, 1, 1, 1, 1)?)?, bits(&x.conv2d(&w, 1, 1, 1, 1)?)?);
    // The trace also contains convolutions that candle runs, here one of f32 because of the pin and one of f64, which
    // atc does not support.
    let (double, kernel) = (x.to_dtype(DType::F64)?, w.to_dtype(DType::F64)?);
    conv2d(&double, &kernel, 1, 1, 1, 1)?;
    let rows = trace::stop()?.rows()?;
    let of_candle: Vec<_> = rows.iter().filter(|row| row.choice == "candle").collect();
    assert_eq!(of_candle.iter().map(|row| row.calls).max(), Some(2), "{rows:#?}");
    assert!(of_candle.iter().any(|row| row.problem.starts_with("forward x=2x5x9x9")), "{rows:#?}");

    // A pin (a rule of the user) forbids the engine onednn. So only candle's own convolution is left.
    folder.pin(r#""bar": ["onednn"]"#)?;
    assert_eq!(bits(&conv2d(&x, &w, 1, 1, 1, 1)?)?, bits(&x.conv2d(&w, 1, 1, 1, 1)?)?);

    // If a pin (a rule of the user) cannot be obeyed, the convolution returns an error.
    folder.pin(r#""choice": "candle@0.11:another""#)?;
    let (x, w) = (random.tensor(&[1, 2, 9], DType::F32)?, random.tensor(&[3, 2, 3], DType::F32)?);
    let refused = conv1d(&x, &w, 0, 1, 1, 1).expect_err("a pin").to_string();
    assert!(refused.contains("another"), "{refused}");
    Ok(settings::set_pins(None)?)
}
