//! The log sink.
#![allow(missing_docs)]

mod support;

use std::panic::catch_unwind;
use std::sync::{Arc, Mutex};

use atc::log::{self, Level};
use support::alone;

/// Makes libatc say something: that a problem, which must be a new one, is left to the slow reference.
fn provoke(width: i64) {
    atc::Tuner::new(atc::Device::Cpu)
        .engines_allowed(["reference"])
        .run(&[atc::Problem::conv1d(1, 1, width, 1)])
        .unwrap();
}

#[test]
fn lines_go_to_the_closure_until_it_is_cleared() {
    let _alone = alone();
    let before = log::level().unwrap();
    let lines = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&lines);
    log::set_level(Level::Debug).unwrap();
    assert_eq!(log::level(), Ok(Level::Debug));
    log::set_sink(move |level, line| sink.lock().unwrap().push((level, line.to_owned()))).unwrap();
    provoke(91);
    log::clear_sink().unwrap();
    log::set_level(before).unwrap();
    let seen = lines.lock().unwrap().clone();
    assert!(
        seen.iter().any(|(level, line)| *level == Level::Warning && line.contains("reference")),
        "{seen:?}"
    );
    assert!(seen.iter().all(|(_, line)| !line.contains('\n')), "{seen:?}");
    assert_eq!(Arc::strong_count(&lines), 1, "the closure was not dropped");
}

#[test]
fn a_panic_in_the_closure_goes_on_after_the_call() {
    let _alone = alone();
    let before = log::level().unwrap();
    log::set_level(Level::Debug).unwrap();
    log::set_sink(|_, line| panic!("saw {line:?}")).unwrap();
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let payload = catch_unwind(|| provoke(92)).unwrap_err();
    std::panic::set_hook(hook);
    log::clear_sink().unwrap();
    log::set_level(before).unwrap();
    let text = payload.downcast_ref::<String>().expect("the closure's text");
    assert!(text.starts_with("saw "), "{text}");
}
