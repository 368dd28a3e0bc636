//! Tests that `Settings::scoped` sets only the switches that its closure changes. The test uses a source of settings: a
//! framework (here an imitation) that stores switches in place of libatc. When the source is registered, libatc writes
//! to it the switches that were set before. All other switches inherit their values from the source. The test runs in a
//! process of its own, because a switch that was set once counts as set until the process ends.
#![allow(missing_docs)]

use std::ffi::c_void;
use std::sync::Mutex;

use atc::{Settings, sys};

/// The numbers (`ATC_SETTING_…`) of the switches that libatc has written to the source of settings (the imitated
/// framework).
static WRITTEN: Mutex<Vec<i32>> = Mutex::new(Vec::new());

unsafe extern "C" fn get(out: *mut i64, _: *mut c_void, setting: i32) -> i32 {
    // The source returns values that differ from the defaults. Otherwise libatc would not write the switches that were
    // set, because it writes a switch only if the source has another value.
    let value = match setting {
        sys::ATC_SETTING_BENCHMARK_LIMIT_CUDNN => 77,
        sys::ATC_SETTING_DETERMINISTIC_ALGORITHMS => sys::ATC_DETERMINISTIC_ALGORITHMS_WARN.into(),
        sys::ATC_SETTING_USER_ENABLED_CUDNN | sys::ATC_SETTING_ALLOW_TF32_CUDNN => 0,
        _ => 1,
    };
    // SAFETY: by the contract of a source, `out` may be written.
    unsafe { out.write(value) };
    sys::ATC_OK
}

unsafe extern "C" fn set(_: *mut c_void, setting: i32, _: i64) -> i32 {
    WRITTEN.lock().unwrap().push(setting);
    sys::ATC_OK
}

#[test]
fn a_scope_sets_the_switches_that_it_changes_and_no_others() {
    drop(Settings::scoped(|settings| settings.deterministic_cudnn = true).unwrap());
    Settings::scoped(|settings| settings.allow_tf32_cudnn = false).unwrap().restore().unwrap();
    let source = sys::atc_settings_source {
        struct_size: size_of::<sys::atc_settings_source>() as u32,
        get: Some(get),
        set: Some(set),
        ..Default::default()
    };
    // SAFETY: the callbacks live as long as the process.
    atc::call(|| unsafe { sys::atc_settings_source_set(&source) }).unwrap();
    let mut written = WRITTEN.lock().unwrap().clone();
    written.sort_unstable();
    assert_eq!(written, [sys::ATC_SETTING_DETERMINISTIC_CUDNN, sys::ATC_SETTING_ALLOW_TF32_CUDNN]);
}
