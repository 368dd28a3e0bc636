//! Tests lists of problems: lists of the problems that calls have noted, lists that are read from
//! JSON, and tuners that decide the problems of a list.

use std::time::Duration;

use atc::{
    Device, ErrorKind, Layout, Plan, PlanOptions, Problem, Problems, Source, Technique, Tune, Tuner,
};

fn problem(width: i64) -> Problem {
    Problem::conv2d(1, 4, 9, width, 6).kernel(3).padding(1)
}

fn later() -> PlanOptions<'static> {
    PlanOptions::new().tune(Tune::Later).without_store()
}

/// All steps (note, list, tune) are in one test, because the notes of problems belong to the
/// process: two tests that ran at the same time would change each other's notes.
#[test]
fn calls_note_what_they_miss_and_a_tuner_decides_it() {
    Problems::forget_noted().unwrap();
    let plan = Plan::with_options(Device::Cpu, &problem(31), &later()).unwrap();
    if plan.source().unwrap() == Source::Reference {
        return; // If this build has only the reference engine, there is nothing to tune.
    }
    assert_eq!(plan.source().unwrap(), Source::Default);
    let noted = Problems::noted().unwrap();
    assert_eq!(noted.len().unwrap(), 1);
    assert_eq!(noted.problems().unwrap()[0].describe().unwrap(), problem(31).describe().unwrap());

    let mut tuner =
        Tuner::new(Device::Cpu).technique(Technique::Once).problem_budget(Duration::from_secs(60));
    let report = tuner.run_list(&noted).unwrap();
    assert_eq!(report.problems.len(), 1);
    assert_eq!(report.problems[0].error, None);
    let plan = Plan::with_options(Device::Cpu, &problem(31), &later()).unwrap();
    assert_eq!(plan.source().unwrap(), Source::Memory);
    assert!(Problems::noted().unwrap().is_empty().unwrap());
    // The tuner does not use the list after `run_list`. So it still works after the list was
    // dropped.
    drop(noted);
    assert_eq!(tuner.run(&[problem(32)]).unwrap().problems.len(), 1);
}

#[test]
fn a_list_goes_through_json() {
    let mut list = Problems::new().unwrap();
    let given = [problem(33), problem(34).layout(Layout::ChannelsLast)];
    for problem in &given {
        list.add(problem, 3).unwrap();
    }
    let text = list.to_json().unwrap();
    let read = Problems::from_json(&text).unwrap();
    assert_eq!(read.problems().unwrap(), given);
    assert_eq!(read.to_json().unwrap(), text);
    list.add_json(&text).unwrap();
    assert_eq!(list.len().unwrap(), 2);
    assert_eq!(format!("{list:?}"), "Problems { len: Ok(2) }");
}

#[test]
fn what_is_no_list_is_refused_by_name() {
    let error = Problems::from_json("{\"schema\": \"other\"}").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    assert!(error.to_string().contains("atc-tune"), "{error}");
    let error = Problems::new().unwrap().add(&problem(-1), 1).unwrap_err();
    assert!(error.to_string().contains("input"), "{error}");
}
