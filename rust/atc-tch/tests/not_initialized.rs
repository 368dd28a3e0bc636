//! Tests a process that never calls `init`.
#![allow(missing_docs)]

mod support;

use std::process::Command;

use atc_tch::ErrorKind;
use support::{Folder, random};

/// This variable is set in the process that
/// [`a_convolution_that_would_start_a_recording_asks_for_init`] starts.
const CHILD: &str = "NOT_INITIALIZED_TEST_CHILD";

fn expect_refused<T: std::fmt::Debug>(result: atc_tch::Result<T>) {
    let error = result.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    assert!(error.message().contains("atc_tch::init()"), "{error}");
}

#[test]
fn hooks_are_put_into_libtorch_by_init_alone() {
    let folder = Folder::new("not-initialized");
    expect_refused(atc_tch::install());
    expect_refused(atc_tch::install_with(&atc_tch::Options::new()));
    expect_refused(atc_tch::record(folder.path().join("convolutions.json")));
}

#[test]
fn a_convolution_that_would_start_a_recording_asks_for_init() {
    let convolve =
        || atc_tch::conv2d(&random(&[1, 1, 4, 4]), &random(&[1, 1, 3, 3]), None, 1, 1, 1, 1);
    if std::env::var_os(CHILD).is_some() {
        return expect_refused(convolve());
    }
    assert_eq!(convolve().unwrap().size(), [1, 1, 4, 4]);
    let folder = Folder::new("not-initialized-record");
    let status = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "a_convolution_that_would_start_a_recording_asks_for_init"])
        .env(CHILD, "1")
        .env("ATC_RECORD", folder.path().join("convolutions.json"))
        .status()
        .unwrap();
    assert!(status.success(), "{status}");
}
