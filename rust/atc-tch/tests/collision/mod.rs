//! Tests a program of tch that also uses atc. Nine C functions of torch-sys have the same names as functions of libatc,
//! such as `atc_manual_seed`. If the program calls a setter or getter of one library, the function of the other library
//! must not run. Before `atc_tch::init` the libraries have separate settings; afterwards they have the same settings.
#![allow(dead_code, missing_docs)]

use atc::{device, settings};
use tch::Cuda;

/// The functions of torch-sys whose names also occur in libatc, with the declarations of the crate torch-sys.
mod theirs {
    // SAFETY: the functions take and return plain values. In case of an error they store the text of the error for this
    // thread.
    unsafe extern "C" {
        pub safe fn atc_cuda_device_count() -> i32;
        pub safe fn atc_cuda_is_available() -> i32;
        pub safe fn atc_cudnn_is_available() -> i32;
        pub safe fn atc_manual_seed(seed: u64);
        pub safe fn atc_manual_seed_all(seed: u64);
        pub safe fn atc_synchronize(device_index: i64);
        pub safe fn atc_user_enabled_cudnn() -> i32;
        pub safe fn atc_set_user_enabled_cudnn(enabled: i32);
        pub safe fn atc_set_benchmark_cudnn(enabled: i32);
    }
}

/// This object file calls all nine functions of torch-sys. So when the linker reaches torch-sys's archive on the link
/// line, it takes the object that defines them out of the archive.
fn call_theirs() {
    let tensor = tch::Tensor::from(0.0);
    assert_eq!(i64::from(theirs::atc_cuda_device_count()), Cuda::device_count());
    assert_eq!(theirs::atc_cuda_is_available() != 0, Cuda::is_available());
    assert_eq!(theirs::atc_cudnn_is_available() != 0, Cuda::cudnn_is_available());
    theirs::atc_manual_seed(3);
    theirs::atc_manual_seed_all(3);
    theirs::atc_synchronize(0);
    // Without a GPU atc_synchronize fails, and LibTorch stores the error until a call reads the error. The further
    // call here reads the error, because otherwise the next call of tch would report the error as its own.
    let _ = tensor.f_neg();
}

/// Calls the functions of libatc that have the same C names as the functions in `theirs`. libatc's functions return a
/// status, and write their results through pointers. If torch-sys's `void` functions ran in their place, the status
/// would be an arbitrary value from a register.
fn call_ours() {
    for _ in 0..3 {
        device::manual_seed(3).unwrap();
        device::manual_seed_all(3).unwrap();
        device::synchronize(None).unwrap();
        assert_eq!(device::cuda_is_available().unwrap(), device::cuda_device_count().unwrap() > 0);
        device::cudnn_is_available().unwrap();
        let refused = settings::set_benchmark_limit_cudnn(-5).unwrap_err();
        assert!(refused.message().contains("-5"), "{refused}");
    }
}

pub fn both_do_their_own_work() {
    call_theirs();
    call_ours();

    // Before init the switches are separate: LibTorch does not see a value that atc has set.
    assert!(Cuda::user_enabled_cudnn());
    settings::set_user_enabled_cudnn(false).unwrap();
    assert!(Cuda::user_enabled_cudnn(), "atc's setter went to torch-sys");
    theirs::atc_set_user_enabled_cudnn(0);
    settings::set_user_enabled_cudnn(true).unwrap();
    assert!(!Cuda::user_enabled_cudnn(), "torch-sys's setter went to atc");
    assert_eq!(settings::user_enabled_cudnn(), Ok(true));
    theirs::atc_set_benchmark_cudnn(1);
    assert_eq!(settings::benchmark_cudnn(), Ok(false), "torch-sys's setter went to atc");

    // After init both libraries use the same values. The switch that was set through atc is written
    // to LibTorch; the other switch keeps LibTorch's value.
    // SAFETY: no other thread uses LibTorch.
    unsafe { atc_tch::init() }.unwrap();
    assert!(Cuda::user_enabled_cudnn());
    assert_eq!(settings::benchmark_cudnn(), Ok(true));
    theirs::atc_set_benchmark_cudnn(0);
    assert_eq!(settings::benchmark_cudnn(), Ok(false));
    settings::set_user_enabled_cudnn(false).unwrap();
    assert_eq!(theirs::atc_user_enabled_cudnn(), 0);
    call_theirs();
    call_ours();
}
