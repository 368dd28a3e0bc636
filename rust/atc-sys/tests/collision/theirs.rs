//! A substitute for torch-sys, a library that every program with the crate `tch` contains. Nine functions of torch-sys
//! have names that begin with `atc_`. The bindings of libatc have functions with the same names, but with other
//! signatures. The test in main.rs compiles this file as a library.

use std::sync::atomic::{AtomicI32, Ordering};

static CALLS: AtomicI32 = AtomicI32::new(0);

/// Counts the call, and returns 4242. No function of libatc returns this number, so the number shows that this file was
/// called.
fn answer() -> i32 {
    CALLS.fetch_add(1, Ordering::SeqCst);
    4242
}

/// Returns the total number of calls of the nine functions of this file whose names begin with `atc_`.
#[unsafe(no_mangle)]
pub extern "C" fn theirs_calls() -> i32 {
    CALLS.load(Ordering::SeqCst)
}

#[unsafe(no_mangle)]
pub extern "C" fn atc_cuda_device_count() -> i32 {
    answer()
}

#[unsafe(no_mangle)]
pub extern "C" fn atc_cuda_is_available() -> i32 {
    answer()
}

#[unsafe(no_mangle)]
pub extern "C" fn atc_cudnn_is_available() -> i32 {
    answer()
}

#[unsafe(no_mangle)]
pub extern "C" fn atc_user_enabled_cudnn() -> i32 {
    answer()
}

#[unsafe(no_mangle)]
pub extern "C" fn atc_manual_seed(_seed: i64) {
    answer();
}

#[unsafe(no_mangle)]
pub extern "C" fn atc_manual_seed_all(_seed: i64) {
    answer();
}

#[unsafe(no_mangle)]
pub extern "C" fn atc_synchronize(_index: i64) {
    answer();
}

#[unsafe(no_mangle)]
pub extern "C" fn atc_set_user_enabled_cudnn(_enabled: i32) {
    answer();
}

#[unsafe(no_mangle)]
pub extern "C" fn atc_set_benchmark_cudnn(_enabled: i32) {
    answer();
}
