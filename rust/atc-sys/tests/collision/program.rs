//! A program that calls libatc through its bindings. It also links theirs.rs, a library with nine functions that have
//! the same names as functions of the bindings (`atc_…`). The program checks that each call reaches the right library.
//! The test in main.rs copies this file and the bindings into one folder, and compiles and runs the program there.

#[allow(dead_code, non_camel_case_types, unused_imports)]
mod bindings;

use bindings as ours;

mod theirs {
    unsafe extern "C" {
        pub fn theirs_calls() -> i32;
        pub fn atc_cuda_device_count() -> i32;
        pub fn atc_cuda_is_available() -> i32;
        pub fn atc_cudnn_is_available() -> i32;
        pub fn atc_user_enabled_cudnn() -> i32;
        pub fn atc_manual_seed(seed: i64);
        pub fn atc_manual_seed_all(seed: i64);
        pub fn atc_synchronize(index: i64);
        pub fn atc_set_user_enabled_cudnn(enabled: i32);
        pub fn atc_set_benchmark_cudnn(enabled: i32);
    }
}

fn query(function: unsafe extern "C" fn(*mut i32) -> ours::atc_status) -> i32 {
    let mut value = -1;
    assert_eq!(unsafe { function(&mut value) }, ours::ATC_OK);
    value
}

fn main() {
    unsafe {
        assert_eq!(ours::atc_set_benchmark_cudnn(1), ours::ATC_OK);
        assert_eq!(ours::atc_set_benchmark_cudnn(7), ours::ATC_ERROR_INVALID_ARGUMENT);
        assert_eq!(query(ours::atc_get_benchmark_cudnn), 1);
        assert_eq!(ours::atc_set_user_enabled_cudnn(0), ours::ATC_OK);
        assert_eq!(query(ours::atc_get_user_enabled_cudnn), 0);
        assert_eq!(ours::atc_manual_seed(3), ours::ATC_OK);
        assert_eq!(ours::atc_manual_seed_all(3), ours::ATC_OK);
        assert_eq!(ours::atc_synchronize(-1), ours::ATC_OK);
        assert!((0..64).contains(&query(ours::atc_cuda_device_count)));
        assert!((0..2).contains(&query(ours::atc_cuda_is_available)));
        assert!((0..2).contains(&query(ours::atc_cudnn_is_available)));
        assert_eq!(theirs::theirs_calls(), 0, "a call of ours went to theirs");

        theirs::atc_manual_seed(1);
        theirs::atc_manual_seed_all(2);
        theirs::atc_synchronize(-1);
        theirs::atc_set_user_enabled_cudnn(1);
        theirs::atc_set_benchmark_cudnn(0);
        assert_eq!(theirs::atc_cuda_device_count(), 4242);
        assert_eq!(theirs::atc_cuda_is_available(), 4242);
        assert_eq!(theirs::atc_cudnn_is_available(), 4242);
        assert_eq!(theirs::atc_user_enabled_cudnn(), 4242);
        assert_eq!(theirs::theirs_calls(), 9, "a call of theirs went to ours");
    }
    assert_eq!(query(ours::atc_get_benchmark_cudnn), 1);
    assert_eq!(query(ours::atc_get_user_enabled_cudnn), 0);
}
