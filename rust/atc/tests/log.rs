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
fn a_closure_is_dropped_once_it_is_replaced_and_may_call_libatc_then() {
    struct AsksOnDrop(Arc<Mutex<Vec<i32>>>);
    impl Drop for AsksOnDrop {
        fn drop(&mut self) {
            self.0.lock().unwrap().push(atc::Settings::current().unwrap().benchmark_limit_cudnn);
        }
    }
    let _alone = alone();
    let dropped = Arc::new(Mutex::new(Vec::new()));
    let owned = AsksOnDrop(Arc::clone(&dropped));
    log::set_sink(move |_, _| assert!(Arc::strong_count(&owned.0) > 0)).unwrap();
    assert!(dropped.lock().unwrap().is_empty());
    log::set_sink(|_, _| ()).unwrap();
    assert_eq!(dropped.lock().unwrap().len(), 1);
    log::clear_sink().unwrap();
    assert_eq!(dropped.lock().unwrap().len(), 1);
}

#[test]
fn what_the_closure_calls_is_busy_and_not_stuck() {
    let _alone = alone();
    let before = log::level().unwrap();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&seen);
    log::set_level(Level::Debug).unwrap();
    log::set_sink(move |_, _| {
        assert_eq!(log::level(), Ok(Level::Debug));
        sink.lock().unwrap().push(log::clear_sink().unwrap_err());
    })
    .unwrap();
    provoke(93);
    log::clear_sink().unwrap();
    log::set_level(before).unwrap();
    let seen = seen.lock().unwrap();
    assert!(!seen.is_empty());
    assert!(seen.iter().all(|error| error.kind() == atc::ErrorKind::Busy), "{seen:?}");
    assert!(seen[0].to_string().contains("inside the log sink"), "{}", seen[0]);
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
