//! Helper functions for several test programs.
#![allow(dead_code, missing_docs)]

pub mod naive;

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard};

/// Returns a lock, which a test holds while it changes the settings, the active store or the log.
/// These belong to the process, so the lock makes such tests run one after the other.
pub fn alone() -> MutexGuard<'static, ()> {
    static LOCK: Mutex<()> = Mutex::new(());
    LOCK.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
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

    pub fn path(&self) -> &std::path::Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Returns a generator of random whole numbers from -limit to limit. Equal seeds give equal
/// numbers. The generator is the linear congruential generator that Knuth gives for MMIX.
pub fn whole_numbers(seed: u64, limit: i64) -> impl FnMut() -> f32 {
    let mut state = seed;
    move || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let span = 2 * limit as u64 + 1;
        ((state >> 33) % span) as f32 - limit as f32
    }
}
