//! Functions that several test programs use.
#![allow(dead_code, missing_docs)]

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use atc_tch::{Info, Options};
use tch::{Device, Kind, Tensor};

/// Returns a lock. Switches, `install` and recordings belong to the process, so a test that changes
/// one of them holds this lock.
pub fn alone() -> MutexGuard<'static, ()> {
    static LOCK: Mutex<()> = Mutex::new(());
    LOCK.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Connects atc with LibTorch.
pub fn init() -> Info {
    // SAFETY: no other thread runs a convolution during the first call, because every test that
    // runs convolutions calls this function first, or holds the lock of [`alone`].
    unsafe { atc_tch::init() }.unwrap()
}

/// An empty folder for a test. The folder is removed on drop.
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

/// Returns a tensor of whole numbers from -2 to 2. The same seed gives the same numbers (Knuth's
/// generator MMIX). Sums of a few thousand products of such numbers are exact in fp32 for every
/// order of summation.
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

/// Returns the bits of the elements of an fp32 tensor, in logical order.
pub fn bits(tensor: &Tensor) -> Vec<u32> {
    let flat = tensor.detach().contiguous().flatten(0, -1);
    Vec::<f32>::try_from(flat).expect("an fp32 tensor").into_iter().map(f32::to_bits).collect()
}

/// Returns a copy of the tensor that is a leaf of autograd and requires a gradient.
pub fn leaf(tensor: &Tensor) -> Tensor {
    tensor.detach().copy().set_requires_grad(true)
}

/// Options for tuning with a short budget. No test depends on which candidate is the fastest.
pub fn tuning() -> Options {
    Options::new().tune(true).budget(Duration::from_millis(50))
}
