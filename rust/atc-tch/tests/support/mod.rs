//! What several test programs share.
#![allow(dead_code, missing_docs)]

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use atc_tch::{Info, Options};
use tch::{Device, Kind, Tensor};

/// Switches, `install` and recordings belong to the process: tests that touch them run one after
/// the other.
pub fn alone() -> MutexGuard<'static, ()> {
    static LOCK: Mutex<()> = Mutex::new(());
    LOCK.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Connects atc with LibTorch.
pub fn init() -> Info {
    // SAFETY: tests that convolve call this first or run [`alone`].
    unsafe { atc_tch::init() }.unwrap()
}

/// An empty folder that is removed at the end.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new(name: &str) -> Self {
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
            .join(format!("{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).expect("a folder for the test");
        Self(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Whole numbers from -2 to 2, the same for the same seed (Knuth's MMIX generator). Sums of a few
/// thousand of their products are exact in fp32, whatever the order.
pub fn whole_numbers(size: &[i64], seed: u64) -> Tensor {
    let mut state = seed;
    let count = size.iter().product::<i64>();
    let values: Vec<f32> = (0..count)
        .map(|_| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            ((state >> 33) % 5) as f32 - 2.0
        })
        .collect();
    Tensor::from_slice(&values).reshape(size)
}

pub fn random(size: &[i64]) -> Tensor {
    Tensor::randn(size, (Kind::Float, Device::Cpu))
}

/// Returns the bits of an fp32 tensor, in logical order.
pub fn bits(tensor: &Tensor) -> Vec<u32> {
    let flat = tensor.detach().contiguous().flatten(0, -1);
    Vec::<f32>::try_from(flat).expect("an fp32 tensor").into_iter().map(f32::to_bits).collect()
}

/// A copy that autograd begins at.
pub fn leaf(tensor: &Tensor) -> Tensor {
    tensor.detach().copy().set_requires_grad(true)
}

/// Measuring, but not for long: which candidate is the fastest matters to no test.
pub fn tuning() -> Options {
    Options::new().tune(true).budget(Duration::from_millis(50))
}
