//! Tests the tuner: its progress closure, cancellation, panics in the closure, and the report.
#![allow(missing_docs)]

mod support;

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use atc::{
    Device, ErrorKind, Outcome, Plan, PlanOptions, Problem, Progress, Report, Source, Technique,
    TunedProblem, Tuner,
};
use support::alone;

/// Returns three problems, whose sizes depend on `salt`. Each test uses another `salt`, so that no two tests tune the
/// same problems: the process keeps decisions.
fn problems(salt: i64) -> [Problem; 3] {
    [5, 6, 7].map(|width| Problem::conv2d(1, 4, 11, width + 10 * salt, 4).kernel(3).padding(1))
}

// The time limit for the measurement of one problem. Tuners and plans have the same limit: if the plan had a larger
// limit, its creation might repeat a measurement that has ended early.
const BUDGET: Duration = Duration::from_millis(300);

// Returns a tuner with the technique `Once`, which takes one sample (the time of one batch) of each candidate. With
// this technique no decision is provisional (uncertain).
fn tuner<'a>() -> Tuner<'a> {
    Tuner::new(Device::Cpu).problem_budget(BUDGET).technique(Technique::Once)
}

fn tuned_plan(problem: &Problem) -> Plan {
    let options = PlanOptions::new().tune(true).budget(BUDGET);
    Plan::with_options(Device::Cpu, problem, &options).unwrap()
}

#[test]
fn a_run_decides_reports_and_remembers() {
    let _alone = alone();
    let problems = problems(1);
    let mut seen = Vec::new();
    let report = tuner()
        .on_progress(|progress| {
            assert!(!progress.description.is_empty());
            assert_eq!(progress.problems, 3);
            assert!((0.0..=1.0).contains(&progress.problem_fraction), "{progress:?}");
            seen.push(progress.problem);
            ControlFlow::Continue(())
        })
        .run(&problems)
        .unwrap();
    assert!(seen.is_sorted() && seen.first() == Some(&0) && seen.last() == Some(&2), "{seen:?}");
    assert!(!report.cancelled);
    assert_eq!(report.problems.len(), 3);
    let provisional = |tuned: &&TunedProblem| tuned.unstable && !tuned.is_undecided();
    assert_eq!(report.provisional, report.problems.iter().filter(provisional).count());
    for (tuned, problem) in report.problems.iter().zip(&problems) {
        assert_eq!(tuned.error, None);
        assert_eq!(&tuned.problem, problem);
        assert_eq!(tuned.source, Source::Tuned);
        let winner = tuned.winning().expect("a winner");
        assert_eq!(winner.outcome, Outcome::Won);
        assert!(winner.timing.expect("was timed").median > 0.0);
        let named = format!("{}@{}:{}", winner.engine, winner.version, winner.configuration);
        assert_eq!(tuned.choice, named);
    }
    let again = tuner().run(&problems).unwrap();
    for (first, second) in report.problems.iter().zip(&again.problems) {
        assert_eq!(second.source, Source::Memory, "{second:?}");
        assert_eq!(second.choice, first.choice);
    }
}

#[test]
fn a_tuned_problem_is_what_plans_then_use() {
    let _alone = alone();
    let problem = Problem::conv2d(1, 4, 12, 13, 4).kernel(3);
    let report = tuner().run(&[problem]).unwrap();
    let plan = tuned_plan(&problem);
    assert_eq!(plan.source(), Ok(Source::Memory));
    assert_eq!(plan.choice().unwrap(), report.problems[0].choice);
    assert!(plan.candidates().unwrap().iter().any(|candidate| candidate.timing.is_some()));
}

#[test]
fn cancelling_keeps_what_was_decided() {
    let _alone = alone();
    let problems = problems(2);
    let report = tuner()
        .on_progress(|progress| match progress.problem {
            0 => ControlFlow::Continue(()),
            _ => ControlFlow::Break(()),
        })
        .run(&problems)
        .unwrap();
    assert!(report.cancelled);
    assert_eq!(report.problems[0].error, None);
    assert!(!report.problems[0].choice.is_empty());
    assert_eq!(report.problems[0].description, problems[0].describe().unwrap());
    assert_eq!(tuned_plan(&problems[0]).source(), Ok(Source::Memory));
}

#[test]
fn a_plan_tells_its_race_alone() {
    let _alone = alone();
    let problem = problems(11)[0];
    let seen = Mutex::new(Vec::new());
    let closure = |progress: &Progress<'_>| {
        assert_eq!((progress.problem, progress.problems), (0, 1));
        assert_eq!(progress.description, problem.describe().unwrap());
        seen.lock().unwrap().push(progress.problem_fraction);
        ControlFlow::Continue(())
    };
    let options = PlanOptions::new()
        .tune(true)
        .budget(BUDGET)
        .technique(Technique::Once)
        .on_progress(&closure);
    assert!(format!("{options:?}").ends_with("on_progress: a closure }"), "{options:?}");
    let plan = Plan::with_options(Device::Cpu, &problem, &options).unwrap();
    assert_eq!(plan.source(), Ok(Source::Tuned));
    let fractions = std::mem::take(&mut *seen.lock().unwrap());
    assert!(fractions.is_sorted() && fractions.len() > 2, "{fractions:?}");
    assert_eq!((fractions[0], fractions[fractions.len() - 1]), (0.0, 1.0));

    let again = Plan::with_options(Device::Cpu, &problem, &options).unwrap();
    assert_eq!(again.source(), Ok(Source::Memory));
    assert!(seen.lock().unwrap().is_empty(), "called though nothing was measured");
}

#[test]
fn a_plan_is_cancelled_before_and_after_its_race() {
    let _alone = alone();
    let problem = problems(12)[0];
    let options = PlanOptions::new().tune(true).budget(BUDGET).technique(Technique::Once);
    for at in [0.0, 1e-9, 1.0] {
        let calls = AtomicUsize::new(0);
        let closure = |progress: &Progress<'_>| {
            if progress.problem_fraction < at {
                return ControlFlow::Continue(());
            }
            calls.fetch_add(1, Ordering::Relaxed);
            ControlFlow::Break(())
        };
        let cancelled =
            Plan::with_options(Device::Cpu, &problem, &options.on_progress(&closure)).unwrap_err();
        assert_eq!(cancelled.kind(), ErrorKind::Cancelled);
        assert_eq!(calls.into_inner(), 1, "the race went on");
    }
    assert_eq!(tuned_plan(&problem).source(), Ok(Source::Tuned));
}

#[test]
fn a_panic_in_the_closure_of_a_plan_goes_on_after_the_call() {
    let _alone = alone();
    let problem = problems(13)[0];
    let closure =
        |_: &Progress<'_>| -> ControlFlow<()> { resume_unwind(Box::new("from the closure")) };
    let options = PlanOptions::new().tune(true).budget(BUDGET).on_progress(&closure);
    let made = catch_unwind(AssertUnwindSafe(|| {
        Plan::with_options(Device::Cpu, &problem, &options).map(drop)
    }));
    assert_eq!(made.unwrap_err().downcast_ref::<&str>(), Some(&"from the closure"));
    assert_eq!(tuned_plan(&problem).source(), Ok(Source::Tuned));
}

#[test]
fn a_panic_in_the_closure_cancels_and_goes_on_after_the_call() {
    let _alone = alone();
    let mut calls = 0;
    let mut tuner = tuner().on_progress(|_| {
        calls += 1;
        resume_unwind(Box::new("from the closure"));
    });
    let payload = catch_unwind(AssertUnwindSafe(|| tuner.run(&problems(3)))).unwrap_err();
    assert_eq!(payload.downcast_ref::<&str>(), Some(&"from the closure"));
    drop(tuner);
    assert_eq!(calls, 1, "the run went on after the panic");
    // The panic of the progress closure was resumed by the call of `run` above. So this later call
    // of the crate must not resume the panic once more.
    atc::Settings::current().unwrap();
}

#[test]
fn a_problem_that_fails_does_not_stop_the_others() {
    let _alone = alone();
    let report = tuner().engines_allowed(["nobody"]).run(&problems(4)).unwrap();
    assert_eq!(report.problems.len(), 3);
    for tuned in &report.problems {
        let error = tuned.error.as_ref().unwrap_or_else(|| panic!("{tuned:?}"));
        assert_eq!(error.kind(), ErrorKind::Unsupported, "{error}");
        assert_eq!(tuned.winner, None);
    }
}

#[test]
fn no_engine_at_all_is_refused() {
    for names in [&[][..], &[""], &["reference", ""]] {
        let error = tuner().engines_allowed(names).run(&problems(4)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument);
        assert!(error.message().contains("engines_allowed"), "{error}");
    }
    let report = tuner().engines_barred([""; 0]).run(&problems(4)).unwrap();
    assert_eq!(report.problems[0].error, None);
}

#[test]
fn an_invalid_problem_is_named_before_anything_is_measured() {
    let _alone = alone();
    let mut problems = problems(6);
    problems[1] = problems[1].stride(0);
    let mut calls = 0;
    let refused = tuner()
        .on_progress(|_| {
            calls += 1;
            ControlFlow::Continue(())
        })
        .run(&problems)
        .unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::InvalidArgument);
    assert!(refused.message().contains("problems[1]"), "{refused}");
    assert_eq!(calls, 0);
}

#[test]
fn options_reach_the_race() {
    let _alone = alone();
    let problems = [Problem::conv2d(1, 2, 9, 9, 2).kernel(3)];
    let report = tuner().engines_allowed(["reference"]).run(&problems).unwrap();
    assert!(report.problems[0].choice.starts_with("reference@"), "{:?}", report.problems[0]);
    let barred = tuner().engines_barred(["no such engine,", "\0"]).run(&problems).unwrap_err();
    assert!(barred.message().contains("NUL"), "{barred}");
    let wrong = tuner().tie_margin(-1.0).retune(true).run(&problems);
    assert_eq!(wrong.unwrap_err().kind(), ErrorKind::InvalidArgument);
    for calls in [0.0, -1.0, f64::NAN] {
        let wrong = tuner().expected_calls(calls).run(&problems).unwrap_err();
        assert!(wrong.message().contains("expected_calls is "), "{wrong}");
    }
    assert!(format!("{:?}", tuner().expected_calls(1000.0)).contains("expected_calls: 1000.0"));
}

#[test]
fn no_problems_are_no_mistake() {
    let report = tuner().run(&[]).unwrap();
    assert!(report.problems.is_empty());
}

#[cfg(feature = "serde")]
#[test]
fn a_report_is_read_as_it_was_written() {
    let _alone = alone();
    let report = tuner().run(&problems(5)).unwrap();
    let text = serde_json::to_string_pretty(&report).unwrap();
    let back: Report = serde_json::from_str(&text).unwrap();
    assert_eq!(back, report);
    let wrong = text.replacen("\"stride\": [\n          1", "\"stride\": [\n          0", 1);
    assert_ne!(wrong, text);
    let error = serde_json::from_str::<Report>(&wrong).unwrap_err();
    assert!(error.to_string().contains("stride"), "{error}");
}

#[cfg(not(feature = "serde"))]
#[test]
fn a_report_can_be_cloned_and_compared() {
    let _alone = alone();
    let report: Report = tuner().run(&problems(5)).unwrap();
    assert_eq!(report.clone(), report);
}

#[test]
fn no_time_at_all_is_not_the_default_budget() {
    let _alone = alone();
    let problems = [Problem::conv2d(1, 8, 33, 35, 8).kernel(3), Problem::conv1d(1, 2, 93, 2)];
    let report =
        Tuner::new(Device::Cpu).problem_budget(Duration::ZERO).run(&problems[..1]).unwrap();
    // With a time limit of zero no two candidates were compared. So the problem counts as undecided, and its decision
    // does not count as provisional.
    assert_eq!((report.undecided(), report.provisional), (1, 0));
    let tuned = &report.problems[0];
    assert!(tuned.is_undecided() && !tuned.stored, "{tuned:?}");
    assert_eq!(tuned.error, None);
    assert_eq!(tuned.winner, tuned.default_candidate, "{tuned:?}");
    let timed = tuned.candidates.iter().filter(|candidate| candidate.timing.is_some());
    assert_eq!(timed.count(), 1, "{tuned:?}");

    // On a processor with 1 TFLOP/s one execution of this problem takes about 15 ms. So the time limit of 5 ms for the
    // run is reached during the first execution.
    let large = [Problem::conv2d(4, 256, 56, 56, 256).kernel(3).padding(1)];
    let budget = Duration::from_millis(5);
    let report = Tuner::new(Device::Cpu).total_budget(budget).run(&large).unwrap();
    assert_eq!((report.undecided(), report.provisional), (1, 0), "{report:?}");

    let report = Tuner::new(Device::Cpu).total_budget(Duration::ZERO).run(&problems[1..]);
    let error = report.unwrap().problems[0].error.clone().expect("no time was left");
    assert_eq!(error.kind(), ErrorKind::NotTuned, "{error}");
}

#[test]
fn a_tuner_prints_what_was_said() {
    let tuner = Tuner::new(Device::Cpu)
        .retune_provisional()
        .max_candidates(3)
        .engines_barred(["reference"])
        .on_progress(|_| ControlFlow::Continue(()));
    assert_eq!(
        format!("{tuner:?}"),
        "Tuner { device: Cpu, retune_provisional: true, max_candidates: AtMost(3), \
         engines_barred: Some(\"reference\"), on_progress: a closure }"
    );
}
