//! The log sink.
#![allow(missing_docs)]

mod support;

use std::panic::catch_unwind;
use std::sync::{Arc, Mutex};

use atc::log::{self, Level};
use support::{Folder, alone};

/// Makes libatc say something at level warning: an entry that is no JSON.
fn provoke(folder: &Folder) {
    let store = atc::Store::open(folder.path()).unwrap();
    let problem = atc::Problem::conv1d(1, 1, 9, 1);
    store.activate().unwrap();
    let report = atc::Tuner::new(atc::Device::Cpu).retune(true).run(&[problem]);
    atc::Store::deactivate().unwrap();
    report.unwrap();
}

#[test]
fn lines_go_to_the_closure_until_it_is_cleared() {
    let _alone = alone();
    let folder = Folder::new("log-lines");
    let before = log::level().unwrap();
    let lines = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&lines);
    log::set_level(Level::Debug).unwrap();
    assert_eq!(log::level(), Ok(Level::Debug));
    log::set_sink(move |level, line| sink.lock().unwrap().push((level, line.to_owned()))).unwrap();
    provoke(&folder);
    log::clear_sink().unwrap();
    log::set_level(before).unwrap();
    let seen = lines.lock().unwrap().clone();
    assert!(!seen.is_empty(), "nothing was logged at level debug");
    assert!(seen.iter().all(|(_, line)| !line.contains('\n')), "{seen:?}");
    assert_eq!(Arc::strong_count(&lines), 1, "the closure was not dropped");
}

#[test]
fn a_panic_in_the_closure_goes_on_after_the_call() {
    let _alone = alone();
    let folder = Folder::new("log-panic");
    let before = log::level().unwrap();
    log::set_level(Level::Debug).unwrap();
    log::set_sink(|_, line| panic!("saw {line:?}")).unwrap();
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let payload = catch_unwind(|| provoke(&folder)).unwrap_err();
    std::panic::set_hook(hook);
    log::clear_sink().unwrap();
    atc::Store::deactivate().unwrap();
    log::set_level(before).unwrap();
    let text = payload.downcast_ref::<String>().expect("the closure's text");
    assert!(text.starts_with("saw "), "{text}");
}
