//! Tests the switches (settings) of the process: setters and getters, the struct of all switches,
//! and the guard that restores switches.
#![allow(missing_docs)]

mod support;

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use atc::settings::{self, DeterministicAlgorithms};
use atc::{ErrorKind, Settings, Technique};
use support::alone;

#[test]
fn every_setter_has_a_getter() {
    let _alone = alone();
    let before = Settings::current().unwrap();
    for on in [true, false] {
        settings::set_benchmark_cudnn(on).unwrap();
        assert_eq!(settings::benchmark_cudnn(), Ok(on));
        settings::set_user_enabled_cudnn(on).unwrap();
        assert_eq!(settings::user_enabled_cudnn(), Ok(on));
        settings::set_deterministic_cudnn(on).unwrap();
        assert_eq!(settings::deterministic_cudnn(), Ok(on));
        settings::set_allow_tf32_cudnn(on).unwrap();
        assert_eq!(settings::allow_tf32_cudnn(), Ok(on));
    }
    settings::set_benchmark_limit_cudnn(3).unwrap();
    assert_eq!(settings::benchmark_limit_cudnn(), Ok(3));
    for mode in DeterministicAlgorithms::ALL {
        settings::set_deterministic_algorithms(*mode).unwrap();
        assert_eq!(settings::deterministic_algorithms(), Ok(*mode));
    }
    for technique in Technique::ALL {
        settings::set_benchmark_technique(*technique).unwrap();
        assert_eq!(settings::benchmark_technique(), Ok(*technique));
    }
    settings::set_workspace_limit(40 << 20).unwrap();
    assert_eq!(settings::workspace_limit(), Ok(32 << 20));
    settings::set_workspace_limit(u64::MAX).unwrap();
    assert_eq!(settings::workspace_limit(), Ok(4 << 30));
    before.apply().unwrap();
    assert_eq!(Settings::current(), Ok(before));
}

#[test]
fn limits_of_memory_are_set_and_read() {
    let _alone = alone();
    assert_eq!(settings::race_memory_limit(), Ok(None));
    settings::set_race_memory_limit(Some(300 << 20)).unwrap();
    assert_eq!(settings::race_memory_limit(), Ok(Some(300 << 20)));
    settings::set_race_memory_limit(None).unwrap();
    assert_eq!(settings::race_memory_limit(), Ok(None));
    let nothing = settings::set_race_memory_limit(Some(0)).unwrap_err();
    assert_eq!(nothing.kind(), ErrorKind::InvalidArgument);
    assert!(nothing.message().contains("race_memory_limit is 0"), "{nothing}");
    let before = settings::plan_memory_limit().unwrap();
    settings::set_plan_memory_limit(1 << 20).unwrap();
    assert_eq!(settings::plan_memory_limit(), Ok(1 << 20));
    settings::set_plan_memory_limit(before).unwrap();
    assert!(settings::set_plan_memory_limit(0).is_err());
}

#[test]
fn a_refused_value_is_named_and_changes_nothing() {
    let _alone = alone();
    let before = Settings::current().unwrap();
    let mut wrong = before;
    wrong.benchmark_cudnn = !before.benchmark_cudnn;
    wrong.benchmark_technique = Technique::Other(77);
    let error = wrong.apply().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    assert!(error.message().contains("77"), "{error}");
    assert_eq!(Settings::current(), Ok(before));
    let negative = settings::set_benchmark_limit_cudnn(-5).unwrap_err();
    assert!(negative.message().contains("-5"), "{negative}");
}

#[test]
fn a_guard_restores_also_when_the_scope_panics() {
    let _alone = alone();
    let before = Settings::current().unwrap();
    let flip = |settings: &mut Settings| settings.deterministic_cudnn = !before.deterministic_cudnn;
    {
        let guard = Settings::scoped(flip).unwrap();
        assert_eq!(guard.before(), &before);
        assert_eq!(settings::deterministic_cudnn(), Ok(!before.deterministic_cudnn));
        {
            let _inner = Settings::scoped(|settings| settings.benchmark_limit_cudnn = 77).unwrap();
            assert_eq!(settings::benchmark_limit_cudnn(), Ok(77));
        }
        assert_eq!(settings::benchmark_limit_cudnn(), Ok(before.benchmark_limit_cudnn));
        assert_eq!(settings::deterministic_cudnn(), Ok(!before.deterministic_cudnn));
    }
    assert_eq!(Settings::current(), Ok(before));
    let panicked = std::panic::catch_unwind(|| {
        let _guard = Settings::scoped(flip).unwrap();
        std::panic::resume_unwind(Box::new("in the scope"));
    });
    assert!(panicked.is_err());
    assert_eq!(Settings::current(), Ok(before));
    Settings::scoped(flip).unwrap().restore().unwrap();
    assert_eq!(Settings::current(), Ok(before));
}

#[test]
fn a_scope_changes_every_switch_or_none() {
    let _alone = alone();
    let before = Settings::current().unwrap();
    let change = |settings: &mut Settings| {
        settings.benchmark_cudnn = !before.benchmark_cudnn;
        settings.benchmark_limit_cudnn = before.benchmark_limit_cudnn + 1;
        settings.user_enabled_cudnn = !before.user_enabled_cudnn;
        settings.deterministic_cudnn = !before.deterministic_cudnn;
        settings.deterministic_algorithms = DeterministicAlgorithms::Warn;
        settings.allow_tf32_cudnn = !before.allow_tf32_cudnn;
        settings.benchmark_technique = Technique::Once;
        settings.workspace_limit = 32 << 20;
    };
    let mut wanted = before;
    change(&mut wanted);
    let guard = Settings::scoped(change).unwrap();
    assert_eq!(Settings::current(), Ok(wanted));
    drop(guard);
    assert_eq!(Settings::current(), Ok(before));
    let refused = Settings::scoped(|settings| {
        change(settings);
        settings.benchmark_technique = Technique::Other(77);
    });
    assert!(refused.unwrap_err().message().contains("77"));
    assert_eq!(Settings::current(), Ok(before));
}

#[test]
fn a_repeatable_run_sets_what_it_can_and_lists_the_rest() {
    let _alone = alone();
    let before = Settings::current().unwrap();
    let report = settings::set_reproducible(5).unwrap();
    assert_eq!(settings::deterministic_cudnn(), Ok(true));
    assert_eq!(settings::deterministic_algorithms(), Ok(DeterministicAlgorithms::Error));
    assert_eq!(settings::benchmark_cudnn(), Ok(false));
    assert_eq!(report.text.is_empty(), report.is_complete());
    assert_eq!(report.cpu_threads, std::env::var_os("OMP_NUM_THREADS").is_none());
    before.apply().unwrap();
}

#[test]
fn a_pin_file_needs_no_utf_8_in_its_name() {
    let _alone = alone();
    let folder = support::Folder::new("pins-bytes");
    let file = folder.path().join(OsStr::from_bytes(b"pins-\xe9.json"));
    std::fs::write(&file, r#"{"schema": 1, "pins": []}"#).unwrap();
    settings::set_pins(Some(&file)).unwrap();
    let set = settings::pins();
    settings::set_pins(None).unwrap();
    assert_eq!(set, Ok(Some(file)));
    assert_eq!(settings::pins(), Ok(None));
}

#[test]
fn the_queries_answer_on_any_machine() {
    use atc::device;
    let count = device::cuda_device_count().unwrap();
    assert_eq!(device::cuda_is_available().unwrap(), count > 0);
    device::cudnn_is_available().unwrap();
    device::cudnn_version().unwrap();
    device::cudnn_compiled_version().unwrap();
    device::manual_seed(1).unwrap();
    device::manual_seed_all(2).unwrap();
    device::synchronize(None).unwrap();
    assert_eq!(device::synchronize(Some(-2)).unwrap_err().kind(), ErrorKind::InvalidArgument);

    let cpu = atc::Device::Cpu.describe().unwrap();
    assert!(!cpu.name.is_empty() && cpu.compute_units >= 1, "{cpu:?}");
    assert_eq!(cpu.compute_capability, None);
    let libraries = device::libraries().unwrap();
    assert!(!libraries.is_empty());
    for library in libraries {
        assert!(library.loaded || !library.note.is_empty(), "{library:?} says nothing");
    }
    let faults = device::faults_json().unwrap();
    assert!(faults.starts_with('[') && faults.contains("uxlfoundation/oneDNN#6035"), "{faults}");
    let engines = atc::engine::engines().unwrap();
    assert!(engines.iter().any(|engine| engine.name == "reference" && engine.built_in));
    assert!(atc::engine::unregister("reference").is_err());
}

#[test]
fn a_plugin_that_is_not_there_is_an_error() {
    // SAFETY: the file does not exist, so no code is loaded.
    let error = unsafe { atc::engine::load_plugin("/no/such/file.so") }.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Library);
    assert!(error.message().contains("/no/such/file.so"), "{error}");
}
