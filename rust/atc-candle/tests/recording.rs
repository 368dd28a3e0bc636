//! Tests recordings, and measurements between two steps. A process has only one recording, one store and one list of
//! noted convolutions, so only one test runs at a time.
#![allow(missing_docs)]

mod support;

use std::error::Error;
use std::path::PathBuf;
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use atc_candle::atc::{self, Device, Plan, PlanOptions, Problem, Problems, Source, Tune, Tuner};
use atc_candle::{Options, conv2d, record, set_options};
use candle_core::{DType, Result, Var};
use support::{Case, Random, forward, variables};

type Outcome = std::result::Result<(), Box<dyn Error>>;

static TURN: Mutex<()> = Mutex::new(());

struct File(PathBuf);

impl File {
    fn new(name: &str) -> Self {
        Self(std::env::temp_dir().join(format!("atc-candle-{name}-{}.json", std::process::id())))
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Runs one convolution twice, and both of its gradients once.
fn step() -> Result<()> {
    let case = Case::new(1, [3, 4], &[9, 8], &[3, 3]).padding(1);
    let (x, w, grad) = variables(&case, &mut Random::new(5), DType::F32)?;
    conv2d(&x, &w, 1, 1, 1, 1)?;
    let y = conv2d(&x, &w, 1, 1, 1, 1)?;
    (&y * &grad)?.sum_all()?.backward()?;
    Ok(())
}

fn problem() -> Problem {
    Problem::conv2d(1, 3, 9, 8, 4).kernel(3).padding(1)
}

#[test]
fn each_distinct_convolution_is_written_with_its_count() -> Outcome {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let file = File::new("counts");
    let mut recording = record(&file.0)?;
    let refused = record(&file.0).expect_err("one is running").to_string();
    assert!(refused.contains("stop that recording first"), "{refused}");
    step()?;
    let convolution = atc_candle::Convolution::new(2).padding(1).relu(true);
    let (x, w, _) =
        variables(&Case::new(1, [3, 4], &[9, 8], &[3, 3]), &mut Random::new(5), DType::F32)?;
    let bias = Var::from_tensor(&Random::new(6).tensor(&[4], DType::F32)?)?;
    convolution.apply(&x, &w, Some(&bias))?;
    assert_eq!(recording.stop()?, 4);
    assert!(recording.stop().expect_err("it has ended").to_string().contains("has ended"));
    step()?; // these convolutions run after the end of the recording, so the file lacks them

    let text = std::fs::read_to_string(&file.0)?;
    let read = Problems::from_json(&text)?;
    assert_eq!(read.len()?, 4);
    let has = |wanted: Problem| -> atc::Result<bool> {
        let wanted = wanted.spec()?;
        let same = |found: &Problem| {
            found.spec().is_ok_and(|found| {
                (found.direction, found.epilogue, found.input.clone())
                    == (wanted.direction, wanted.epilogue, wanted.input.clone())
            })
        };
        Ok(read.problems()?.iter().any(same))
    };
    assert!(has(problem())?);
    assert!(has(problem().direction(atc::Direction::BackwardData))?);
    assert!(has(problem().direction(atc::Direction::BackwardWeight))?);
    assert!(has(problem().epilogue(atc::Epilogue::BiasRelu))?);
    // The file has one line for each problem. The count of the convolution that was called twice is 2.
    assert_eq!(text.matches(r#""count":2"#).count(), 1, "{text}");
    Ok(())
}

#[test]
fn a_file_that_cannot_be_written_is_refused_at_once() -> Outcome {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = std::env::temp_dir();
    for file in [folder.join("no-such-folder/recorded.json"), folder] {
        let refused = record(&file).expect_err("unwritable").to_string();
        assert!(refused.contains("cannot be written"), "{refused}");
    }
    // A recording that is dropped also writes its file.
    let file = File::new("dropped");
    let recording = record(&file.0)?;
    assert_eq!(recording.file(), file.0);
    step()?;
    drop(recording);
    assert_eq!(Problems::from_json(&std::fs::read_to_string(&file.0)?)?.len()?, 3);
    Ok(())
}

#[test]
fn the_environment_starts_a_recording() -> Outcome {
    const CHILD: &str = "ATC_TEST_RECORDED_STEP";
    if std::env::var_os(CHILD).is_some() {
        return Ok(step()?);
    }
    let run = |file: &std::path::Path| {
        Command::new(std::env::current_exe()?)
            .args(["--exact", "the_environment_starts_a_recording", "--nocapture"])
            .env(CHILD, "1")
            .env("ATC_RECORD", file)
            .output()
    };
    let file = File::new("environment");
    let child = run(&file.0)?;
    assert!(child.status.success(), "{child:?}");
    assert_eq!(Problems::from_json(&std::fs::read_to_string(&file.0)?)?.len()?, 3);
    // If the recording cannot be written, the program runs nevertheless.
    let child = run(&std::env::temp_dir())?;
    assert!(child.status.success(), "{child:?}");
    assert!(String::from_utf8_lossy(&child.stderr).contains("ATC_RECORD is ignored"), "{child:?}");
    Ok(())
}

#[test]
fn noted_convolutions_are_measured_between_two_steps() -> Outcome {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    set_options(Options::new().tune(Tune::Later));
    step()?;
    let options = PlanOptions::new().allow_reference(false).tune(Tune::Later);
    let source =
        || -> atc::Result<Source> { Plan::acquire(Device::Cpu, &problem(), &options)?.source() };
    assert_eq!(source()?, Source::Default, "nothing is measured during a step");
    let noted = Problems::noted()?;
    assert_eq!(noted.len()?, 3, "forward and two gradients");
    let report = Tuner::new(Device::Cpu).run_list(&noted)?;
    assert_eq!(report.problems.len(), 3);
    assert_ne!(source()?, Source::Default);
    // candle's own convolution was among the timed candidates.
    let raced = Plan::acquire(Device::Cpu, &problem(), &options)?.candidates()?;
    assert!(raced.iter().any(|one| one.engine == "candle" && one.timing.is_some()), "{raced:#?}");
    // The convolution now uses the decision that was measured, and its result is correct.
    let case = Case::new(1, [3, 4], &[9, 8], &[3, 3]).padding(1);
    let (x, w, _) = variables(&case, &mut Random::new(5), DType::F32)?;
    forward(&case, &x, &w, None)?.expect(&conv2d(&x, &w, 1, 1, 1, 1)?, DType::F32, "tuned")?;
    assert!(Problems::noted()?.is_empty()?);
    set_options(Options::new());
    Ok(())
}
