//! Tests the sink of the log: the closure of the program that gets the lines of the log.
#![allow(missing_docs)]

mod support;

use std::panic::catch_unwind;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};

use atc::log::{self, Level};
use support::alone;

/// Makes libatc log a warning: that a problem runs on the slow reference engine. libatc logs this
/// warning only once for each problem, so each call of this function uses a new problem.
fn provoke() {
    static NEW_WIDTH: AtomicI64 = AtomicI64::new(91);
    let width = NEW_WIDTH.fetch_add(1, Ordering::Relaxed);
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
    provoke();
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
fn a_closure_may_ask_for_json() {
    let _alone = alone();
    let before = log::level().unwrap();
    let lines = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&lines);
    log::set_level(Level::Info).unwrap();
    log::set_json_sink(move |_, line| sink.lock().unwrap().push(line.to_owned())).unwrap();
    provoke();
    log::write(Level::Error, "mine: \"é\"").unwrap();
    log::clear_sink().unwrap();
    log::set_level(before).unwrap();
    let seen = lines.lock().unwrap();
    let objects: Vec<serde_json::Value> =
        seen.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
    let decisions: Vec<_> = objects.iter().filter(|one| one["event"] == "decision").collect();
    assert_eq!(decisions.len(), 1, "{seen:?}");
    assert_eq!(decisions[0]["source"], "reference");
    assert!(decisions[0]["choice"].as_str().unwrap().starts_with("reference@"), "{seen:?}");
    assert!(objects.iter().any(|one| one["event"] == "message" && one["level"] == "warning"));
    // The last log line was written by this program, and an earlier line was written by libatc. The
    // JSON objects of both lines must have the same members in the same order.
    let mine = objects.last().unwrap();
    assert_eq!((&mine["message"], &mine["level"]), (&"mine: \"é\"".into(), &"error".into()));
    let message = objects.iter().position(|one| one["event"] == "message").unwrap();
    let form = |line: &str| {
        let end = line.find(r#","message":"#).unwrap();
        (line[..9].to_owned(), line[37..end].replace("error", "warning"), line.is_ascii())
    };
    assert_eq!(form(seen.last().unwrap()), form(&seen[message]), "{seen:?}");
}

/// Runs one test of this program in a new process, with `value` as the environment variable
/// ATC_LOG. Returns the text that the new process writes to standard error.
fn said_with(value: &str) -> String {
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "own_lines_on_standard_error_are_json_where_the_environment_says_so"])
        .arg("--nocapture")
        .env("ATC_LOG", value)
        .env(CHILD, "1")
        .output()
        .unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{text}");
    text
}

/// The name of an environment variable. It is set in the new processes that `said_with` starts.
const CHILD: &str = "LOG_TEST_CHILD";

#[test]
fn own_lines_on_standard_error_are_json_where_the_environment_says_so() {
    if std::env::var_os(CHILD).is_some() {
        provoke();
        log::write(Level::Warning, "mine").unwrap();
        log::write(Level::Info, "too much").unwrap();
        log::set_json_sink(|_, _| log::write(Level::Error, "inside").unwrap()).unwrap();
        log::write(Level::Error, "last").unwrap();
        return log::clear_sink().unwrap();
    }
    let _alone = alone();
    let text = said_with("warning");
    assert!(text.contains("\natc: mine\n") && text.contains("\natc: inside\n"), "{text}");
    let text = said_with("warning,json");
    let objects: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(objects.iter().all(|one| one["event"] == "message"), "{text}");
    let messages: Vec<_> = objects.iter().map(|one| one["message"].as_str().unwrap()).collect();
    assert_eq!(messages[1..], ["mine", "inside"], "{text}");
    assert!(messages[0].contains("reference"), "{text}");
}

#[test]
fn own_lines_are_lost_where_standard_error_is_full() {
    if std::env::var_os(CHILD).is_some() {
        log::write(Level::Error, "text").unwrap();
        return;
    }
    let status = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "own_lines_are_lost_where_standard_error_is_full", "--nocapture"])
        .stderr(std::fs::File::options().write(true).open("/dev/full").unwrap())
        .env(CHILD, "1")
        .status()
        .unwrap();
    assert!(status.success(), "{status}");
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
    provoke();
    log::clear_sink().unwrap();
    log::set_level(before).unwrap();
    let seen = seen.lock().unwrap();
    assert!(!seen.is_empty());
    assert!(seen.iter().all(|error| error.kind() == atc::ErrorKind::Busy), "{seen:?}");
    assert!(seen[0].to_string().contains("inside the log sink"), "{}", seen[0]);
}

#[test]
fn what_the_closure_says_itself_does_not_come_back_to_it() {
    let _alone = alone();
    let before = log::level().unwrap();
    let lines = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&lines);
    log::set_level(Level::Debug).unwrap();
    log::set_sink(move |_, line| {
        let count = {
            let mut lines = sink.lock().unwrap();
            lines.push(line.to_owned());
            lines.len()
        };
        assert!(count < 100, "without end");
        log::write(Level::Error, "said inside").unwrap();
    })
    .unwrap();
    log::write(Level::Info, "first").unwrap();
    provoke();
    log::write(Level::Info, "last").unwrap();
    log::clear_sink().unwrap();
    log::set_level(before).unwrap();
    let lines = lines.lock().unwrap();
    assert!(!lines.contains(&"said inside".to_owned()), "{lines:?}");
    assert_eq!((lines[0].as_str(), lines.last().unwrap().as_str()), ("first", "last"));
    assert!(lines.len() > 2, "libatc said nothing: {lines:?}");
}

#[test]
fn a_panic_in_the_closure_goes_on_after_the_call() {
    let _alone = alone();
    let before = log::level().unwrap();
    log::set_level(Level::Debug).unwrap();
    log::set_sink(|_, line| panic!("saw {line:?}")).unwrap();
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let payload = catch_unwind(provoke).unwrap_err();
    std::panic::set_hook(hook);
    log::clear_sink().unwrap();
    log::set_level(before).unwrap();
    let text = payload.downcast_ref::<String>().expect("the closure's text");
    assert!(text.starts_with("saw "), "{text}");
    // After the panic, this thread must not count as running inside the log's closure. So the next
    // line of this thread must be passed to the new closure, and not to standard error.
    let seen = Arc::new(Mutex::new(0));
    let sink = Arc::clone(&seen);
    log::set_sink(move |_, _| *sink.lock().unwrap() += 1).unwrap();
    log::write(Level::Error, "after the panic").unwrap();
    log::clear_sink().unwrap();
    assert_eq!(*seen.lock().unwrap(), 1);
}
