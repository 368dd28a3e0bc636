//! Tests that LibTorch sees the switches that atc sets, and that atc sees the switches that
//! LibTorch sets.
#![allow(missing_docs)]

mod support;

use std::path::Path;

use atc::settings::{self, DeterministicAlgorithms};
use atc_tch::{
    CudaState, ErrorKind, MatmulPrecision, Settings, fill_uninitialized_memory,
    float32_matmul_precision, set_fill_uninitialized_memory, set_float32_matmul_precision,
};
use support::{alone, init, random};
use tch::Cuda;

#[test]
fn what_atc_sets_tch_sees() {
    let _alone = alone();
    init();
    for on in [false, true] {
        settings::set_user_enabled_cudnn(on).unwrap();
        assert_eq!(Cuda::user_enabled_cudnn(), on);
    }
}

#[test]
fn what_tch_sets_atc_sees() {
    let _alone = alone();
    init();
    for on in [false, true] {
        Cuda::set_user_enabled_cudnn(on);
        assert_eq!(settings::user_enabled_cudnn(), Ok(on));
    }
    for on in [true, false] {
        Cuda::cudnn_set_benchmark(on);
        assert_eq!(settings::benchmark_cudnn(), Ok(on));
    }
}

#[test]
fn the_switches_that_tch_lacks_have_setters_and_getters() {
    let _alone = alone();
    init();
    assert_eq!(fill_uninitialized_memory(), Ok(true), "LibTorch's default");
    assert_eq!(float32_matmul_precision(), Ok(MatmulPrecision::Highest), "LibTorch's default");
    for on in [false, true] {
        set_fill_uninitialized_memory(on).unwrap();
        assert_eq!(fill_uninitialized_memory(), Ok(on));
    }
    for precision in [MatmulPrecision::Medium, MatmulPrecision::High, MatmulPrecision::Highest] {
        set_float32_matmul_precision(precision).unwrap();
        assert_eq!(float32_matmul_precision(), Ok(precision));
    }
    let refused = set_float32_matmul_precision(MatmulPrecision::Other(9)).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::InvalidArgument);
    assert!(refused.message().contains('9'), "{refused}");
    assert_eq!(float32_matmul_precision(), Ok(MatmulPrecision::Highest));
}

/// Changes every switch.
fn other_settings(settings: &mut Settings) {
    settings.shared.benchmark_cudnn = true;
    settings.shared.benchmark_limit_cudnn = 7;
    settings.shared.user_enabled_cudnn = false;
    settings.shared.deterministic_cudnn = true;
    settings.shared.deterministic_algorithms = DeterministicAlgorithms::Warn;
    settings.shared.allow_tf32_cudnn = false;
    settings.fill_uninitialized_memory = false;
    settings.float32_matmul_precision = Some(MatmulPrecision::High);
}

#[test]
fn a_guard_changes_libtorch_and_brings_it_back() {
    let _alone = alone();
    init();
    let before = Settings::current().unwrap();
    assert!(Cuda::user_enabled_cudnn());
    {
        let guard = Settings::scoped(other_settings).unwrap();
        assert_eq!(guard.before(), &before);
        assert!(!Cuda::user_enabled_cudnn());
        let mut expected = before;
        other_settings(&mut expected);
        assert_eq!(Settings::current(), Ok(expected));
        // This line changes a switch through LibTorch, not through atc. The guard must restore this
        // switch, too.
        Cuda::cudnn_set_benchmark(false);
    }
    assert!(Cuda::user_enabled_cudnn());
    assert_eq!(Settings::current(), Ok(before));

    let panicked = std::panic::catch_unwind(|| {
        let _guard = Settings::scoped(other_settings).unwrap();
        std::panic::resume_unwind(Box::new("in the scope"));
    });
    assert!(panicked.is_err());
    assert_eq!(Settings::current(), Ok(before));

    Settings::scoped(other_settings).unwrap().restore().unwrap();
    assert_eq!(Settings::current(), Ok(before));
}

#[test]
fn a_guard_of_atc_alone_reaches_libtorch_as_well() {
    let _alone = alone();
    init();
    let guard = atc::Settings::scoped(|settings| settings.user_enabled_cudnn = false).unwrap();
    assert!(!Cuda::user_enabled_cudnn());
    drop(guard);
    assert!(Cuda::user_enabled_cudnn());
}

#[test]
fn settings_are_applied_all_or_not_at_all() {
    let _alone = alone();
    init();
    let before = Settings::current().unwrap();
    let refused = Settings::scoped(|settings| {
        other_settings(settings);
        settings.float32_matmul_precision = Some(MatmulPrecision::Other(9));
    });
    assert_eq!(refused.unwrap_err().kind(), ErrorKind::InvalidArgument);
    assert_eq!(Settings::current(), Ok(before));
}

#[test]
fn initializing_again_changes_nothing() {
    let _alone = alone();
    let first = init();
    settings::set_user_enabled_cudnn(false).unwrap();
    assert_eq!(init(), first);
    assert!(!Cuda::user_enabled_cudnn());
    settings::set_user_enabled_cudnn(true).unwrap();
}

/// Returns LibTorch's version according to the header that belongs to the library.
fn version_in_the_headers(library: &Path) -> String {
    // LibTorch 2.9 defines its version in api/include/torch/version.h, and newer versions of
    // LibTorch define it in headeronly/version.h.
    let headers = ["torch/headeronly/version.h", "torch/csrc/api/include/torch/version.h"]
        .map(|header| library.with_file_name("../include").join(header));
    let header = headers.iter().find(|header| header.is_file()).expect("LibTorch's headers");
    let text = std::fs::read_to_string(header).unwrap();
    let part = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(&format!("#define {name} ")));
        line.unwrap_or_else(|| panic!("{} has no {name}", header.display())).trim().to_owned()
    };
    ["TORCH_VERSION_MAJOR", "TORCH_VERSION_MINOR", "TORCH_VERSION_PATCH"].map(part).join(".")
}

fn minor(version: &str) -> Vec<&str> {
    version.split('.').take(2).collect()
}

#[test]
fn the_libtorch_in_the_process_is_described() {
    let _alone = alone();
    let info = init();
    assert!(info.initialized && !info.installed, "{info:?}");
    assert!(info.file.is_file(), "{info:?}");
    let version = version_in_the_headers(&info.file);
    assert_eq!(info.version.split('+').next(), Some(version.as_str()));
    // One build of libatc_torch supports all patch releases of a minor version, so only the minor
    // versions are compared.
    assert_eq!(minor(&info.built_for), minor(&version));
    assert_eq!(info, atc_tch::describe().unwrap());
    assert_eq!(info.cuda_available, Cuda::is_available());
    if info.cuda == CudaState::Absent {
        assert_eq!((info.cudnn_version, info.advice()), (None, None));
        // SAFETY: this LibTorch has no libtorch_cuda, so nothing is loaded.
        let missing = unsafe { atc_tch::load_cuda() }.unwrap_err();
        assert_eq!(missing.kind(), ErrorKind::Library);
        assert!(missing.message().contains("libtorch_cuda"), "{missing}");
    }
}

#[test]
fn threads_may_set_and_convolve_at_once() {
    let _alone = alone();
    init();
    let before = Settings::current().unwrap();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            scope.spawn(move || {
                let (x, w) = (random(&[1, 4, 8, 8]), random(&[4, 4, 3, 3]));
                for round in 0..200 {
                    match (round + thread) % 4 {
                        0 => settings::set_deterministic_cudnn(round % 8 == 0).unwrap(),
                        1 => Cuda::set_user_enabled_cudnn(round % 8 == 1),
                        2 => drop(init()),
                        _ => drop(Settings::current().unwrap()),
                    }
                    let y = atc_tch::conv2d(&x, &w, None, 1, 1, 1, 1).unwrap();
                    assert_eq!(y.size(), [1, 4, 8, 8]);
                }
            });
        }
    });
    before.apply().unwrap();
    assert_eq!(Settings::current(), Ok(before));
}
