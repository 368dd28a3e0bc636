//! Tests groups whose ranks share a store of LibTorch's c10d, within one process. The test of the
//! example train-tch runs jobs of several processes.
#![allow(missing_docs)]

mod support;

use std::time::Duration;

use atc::{Device, ErrorKind, Group, Problem, Tuner};
use atc_tch::TorchGroup;
use support::Folder;

const SHORT: Duration = Duration::from_secs(2);

#[test]
fn one_rank_agrees_with_itself() {
    let folder = Folder::new("group");
    let url = format!("file://{}/keys", folder.path().display());
    let mut group = TorchGroup::open(&url, 0, 1, Duration::from_secs(90)).unwrap();
    assert_eq!((group.rank(), group.size()), (0, 1));
    assert_eq!(group.bound(), Duration::from_secs(90));
    let problems = [Problem::conv2d(1, 4, 9, 9, 4).kernel(3)];
    let report = Tuner::new(Device::Cpu).group(&mut group).run(&problems).unwrap();
    assert_eq!(report.agreement.unwrap().classes.len(), 1);
}

#[test]
fn a_key_keeps_its_first_value() {
    let folder = Folder::new("keys");
    let url = format!("file://{}/keys", folder.path().display());
    let mut first = TorchGroup::open(&url, 0, 2, SHORT).unwrap();
    let mut second = TorchGroup::open(&url, 1, 2, SHORT).unwrap();
    assert_eq!(second.get("key", Duration::ZERO).unwrap(), None);
    assert_eq!(first.create("key", b"one").unwrap(), b"one");
    assert_eq!(second.create("key", b"two").unwrap(), b"one");
    assert_eq!(second.get("key", Duration::ZERO).unwrap().unwrap(), b"one");
}

#[test]
fn a_place_that_cannot_be_is_named() {
    let refused = |url: &str| TorchGroup::open(url, 0, 2, SHORT).unwrap_err();
    let error = refused("ftp://host/file");
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    assert!(error.to_string().contains("ftp://host/file"), "{error}");
    let error = refused("file:///no/such/folder");
    assert_eq!(error.kind(), ErrorKind::Io);
    assert!(error.to_string().contains("no folder /no/such"), "{error}");
    assert!(refused("tcp://host\0:1").to_string().contains("NUL"));
}
