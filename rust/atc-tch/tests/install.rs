//! Tests that all convolutions of a program that calls only tch can run through atc. Also tests
//! recordings.
#![allow(missing_docs)]

mod support;

use std::process::Command;

use atc_tch::{ErrorKind, Options, Passed};
use support::{Folder, alone, bits, init, leaf, random, tuning, whole_numbers};
use tch::nn::{self, Module};
use tch::{Kind, Tensor};

/// Calls `uninstall` when it is dropped, also if the test fails.
struct Installed;

impl Installed {
    fn with(options: &Options) -> Self {
        init();
        atc_tch::install_with(options).unwrap();
        atc_tch::reset_statistics().unwrap();
        Self
    }
}

impl Drop for Installed {
    fn drop(&mut self) {
        atc_tch::uninstall().unwrap();
    }
}

/// Runs a training step of two layers of tch. Returns the bits of the loss and of the gradients.
fn train_step(x: &Tensor, weights: &[Tensor; 2]) -> Vec<Vec<u32>> {
    let (first, second) = (leaf(&weights[0]), leaf(&weights[1]));
    let y = x.conv2d(&first, None::<Tensor>, 1, 1, 1, 1);
    let y = y.conv2d(&second, None::<Tensor>, 2, 0, 1, 1);
    let loss = (&y * whole_numbers(&y.size(), 9)).sum(Kind::Float);
    loss.backward();
    vec![bits(&y), bits(&first.grad()), bits(&second.grad())]
}

fn operands() -> (Tensor, [Tensor; 2]) {
    let weights = [whole_numbers(&[4, 3, 3, 3], 2), whole_numbers(&[5, 4, 3, 3], 3)];
    (whole_numbers(&[2, 3, 9, 9], 1), weights)
}

#[test]
fn at_defaults_nothing_changes_and_each_convolution_is_counted_once() {
    let _alone = alone();
    let layer_input = random(&[2, 3, 9, 9]);
    let weights = [random(&[4, 3, 3, 3]), random(&[5, 4, 3, 3])];
    let plain = train_step(&layer_input, &weights);
    let _installed = Installed::with(&Options::new());
    assert!(atc_tch::describe().unwrap().installed);
    assert!(train_step(&layer_input, &weights) == plain, "results differ");
    // There are five convolutions: two layers forward, two gradients of weights, and the gradient
    // of the second layer's input.
    let statistics = atc_tch::statistics().unwrap();
    assert_eq!(statistics.taken, 0);
    let expected = statistics.passed.nothing_known;
    assert_eq!((statistics.passed.total(), expected), (5, 5), "{statistics:?}");
    atc_tch::reset_statistics().unwrap();
    assert_eq!(atc_tch::statistics().unwrap().passed, Passed::default());
}

#[test]
fn a_tuned_training_step_is_exact_where_sums_are() {
    let _alone = alone();
    let (x, weights) = operands();
    let plain = train_step(&x, &weights);
    let _installed = Installed::with(&tuning());
    assert!(train_step(&x, &weights) == plain, "results differ");
    let statistics = atc_tch::statistics().unwrap();
    assert_eq!(statistics.taken + statistics.passed.chosen, 5, "{statistics:?}");
}

#[test]
fn uninstalled_nothing_is_counted() {
    let _alone = alone();
    let (x, weights) = operands();
    drop(Installed::with(&Options::new()));
    train_step(&x, &weights);
    assert_eq!(atc_tch::statistics().unwrap().passed.total(), 0);
    assert!(!atc_tch::describe().unwrap().installed);
}

#[test]
fn layers_of_nn_go_through_it() {
    let _alone = alone();
    let store = nn::VarStore::new(tch::Device::Cpu);
    let layer = nn::conv2d(store.root(), 3, 8, 3, nn::ConvConfig::default());
    let _installed = Installed::with(&Options::new());
    let y = layer.forward(&random(&[1, 3, 8, 8]));
    assert_eq!(y.size(), [1, 8, 6, 6]);
    assert_eq!(atc_tch::statistics().unwrap().passed.nothing_known, 1);
}

#[test]
fn what_libtorch_refuses_it_still_refuses() {
    let _alone = alone();
    let (x, w) = (random(&[1, 4, 8, 8]), random(&[6, 5, 3, 3]));
    let refused = |x: &Tensor| {
        let error = x.f_conv2d(&w, None::<Tensor>, 1, 1, 1, 1).unwrap_err().to_string();
        error.lines().next().unwrap_or_default().to_owned()
    };
    let plain = refused(&x);
    let _installed = Installed::with(&tuning());
    assert_eq!(refused(&x), plain);
}

#[test]
fn replaying_only_a_missing_record_is_libtorchs_error_with_atcs_text() {
    let _alone = alone();
    let folder = Folder::new("install-replay");
    let store = atc::Store::open_with(folder.path(), atc::StoreMode::ReplayOnly).unwrap();
    let _installed = Installed::with(&Options::new());
    store.activate().unwrap();
    let (x, w) = (random(&[1, 4, 8, 8]), random(&[6, 4, 3, 3]));
    let missing = x.f_conv2d(&w, None::<Tensor>, 1, 1, 1, 1);
    let single = atc_tch::conv2d(&x, &w, None, 1, 1, 1, 1);
    atc::Store::deactivate().unwrap();
    let single = single.unwrap_err();
    assert_eq!(single.kind(), ErrorKind::NotTuned);
    let missing = missing.unwrap_err().to_string();
    assert!(missing.contains(single.message()), "{missing}\n{single}");
}

#[test]
fn packed_weights_follow_what_autograd_sees_and_are_forgotten_on_demand() {
    let _alone = alone();
    let (x, w) = (whole_numbers(&[1, 16, 14, 14], 1), whole_numbers(&[16, 16, 3, 3], 2));
    let convolve = |w: &Tensor| x.conv2d(w, None::<Tensor>, 1, 1, 1, 1);
    let (once, twice) = (convolve(&w), convolve(&(&w * 2)));
    // Without strict precision Winograd's method may run. It computes with fractions, so its results for whole numbers
    // are not exact.
    let _installed = Installed::with(&tuning().constant_weights(true).strict_precision(true));
    assert_eq!(bits(&convolve(&w)), bits(&once));
    let mut w = w;
    let _ = w.g_mul_scalar_(2);
    assert_eq!(bits(&convolve(&w)), bits(&twice), "a write that autograd counts was not seen");
    let _ = w.data().g_mul_scalar_(0.5);
    atc_tch::forget_weights().unwrap();
    assert_eq!(bits(&convolve(&w)), bits(&once));
}

#[test]
fn threads_may_convolve_while_it_is_installed_and_not() {
    let _alone = alone();
    let (x, weights) = operands();
    let plain = train_step(&x, &weights);
    let shared = (&x.shallow_clone(), &weights, &plain);
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..3)
            .map(|_| {
                // Tensors can be sent to other threads but cannot be shared, so each thread has
                // handles of its own.
                let x = shared.0.shallow_clone();
                let weights = [shared.1[0].shallow_clone(), shared.1[1].shallow_clone()];
                let plain = shared.2.clone();
                scope.spawn(move || {
                    for _ in 0..50 {
                        assert!(train_step(&x, &weights) == plain, "results differ");
                    }
                })
            })
            .collect();
        while workers.iter().any(|worker| !worker.is_finished()) {
            drop(Installed::with(&tuning()));
        }
    });
}

#[test]
fn a_recording_is_what_the_command_line_reads() {
    let _alone = alone();
    init();
    let folder = Folder::new("recording");
    let file = folder.path().join("convolutions.json");
    let mut recording = atc_tch::record(&file).unwrap();
    assert_eq!(recording.file(), file);
    let busy = atc_tch::record(folder.path().join("second.json")).unwrap_err();
    assert_eq!(busy.kind(), ErrorKind::Busy);
    let (x, weights) = operands();
    for _ in 0..3 {
        train_step(&x, &weights);
    }
    assert_eq!(recording.stop(), Ok(5));
    let ended = recording.stop().unwrap_err();
    assert_eq!(ended.kind(), ErrorKind::InvalidArgument);
    assert!(ended.message().contains("has ended"), "{ended}");

    let text = std::fs::read_to_string(&file).unwrap();
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    let problems = json["problems"].as_array().unwrap();
    assert_eq!(problems.len(), 5);
    for problem in problems {
        assert_eq!(problem["count"], 3, "{problem}");
    }

    let tuned = folder.path().join("tuned.json");
    let run = Command::new(env!("CARGO"))
        .args(["run", "--quiet", "--locked", "-p", "atc-cli"])
        .args(["--manifest-path", concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.toml")])
        .args(["--", "tune", "--quiet"])
        .args(["--problem-budget", "200ms", "--json"])
        .args([&tuned, &file])
        .output()
        .unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let json: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(&tuned).unwrap()).unwrap();
    assert_eq!(json["problems"].as_array().map(Vec::len), Some(5));
}

#[test]
fn a_recording_that_is_dropped_is_written_too() {
    let _alone = alone();
    init();
    let folder = Folder::new("recording-dropped");
    let file = folder.path().join("convolutions.json");
    let recording = atc_tch::record(&file).unwrap();
    let (x, weights) = operands();
    train_step(&x, &weights);
    drop(recording);
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(serde_json::from_str::<serde_json::Value>(&text).is_ok());
}

#[test]
fn a_recording_that_cannot_be_written_goes_on_and_is_stopped_again() {
    let _alone = alone();
    init();
    let folder = Folder::new("recording-again");
    let sub = folder.path().join("sub");
    std::fs::create_dir(&sub).unwrap();
    let file = sub.join("convolutions.json");
    let mut recording = atc_tch::record(&file).unwrap();
    let (x, weights) = operands();
    train_step(&x, &weights);
    std::fs::remove_dir_all(&sub).unwrap();
    assert_eq!(recording.stop().unwrap_err().kind(), ErrorKind::Io);
    train_step(&x, &weights);
    std::fs::create_dir(&sub).unwrap();
    assert_eq!(recording.stop(), Ok(5));
    let text = std::fs::read_to_string(&file).unwrap();
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(json["problems"][0]["count"], 2);
}

#[test]
fn a_recording_that_is_dropped_and_cannot_be_written_is_told_to_go_on() {
    let _alone = alone();
    init();
    let folder = Folder::new("recording-goes-on");
    let sub = folder.path().join("sub");
    std::fs::create_dir(&sub).unwrap();
    let recording = atc_tch::record(sub.join("convolutions.json")).unwrap();
    std::fs::remove_dir_all(&sub).unwrap();
    let lines = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let kept = std::sync::Arc::clone(&lines);
    atc::log::set_sink(move |_, line| {
        kept.lock().unwrap().push(line.to_owned());
        // The closure of the log panics during the drop of the recording. The drop must not pass
        // this panic on to the test.
        std::panic::resume_unwind(Box::new("in the log"));
    })
    .unwrap();
    drop(recording);
    atc::log::clear_sink().unwrap();
    let said = lines.lock().unwrap().join("\n");
    assert!(said.contains("convolutions.json goes on: "), "{said}");
    let busy = atc_tch::record(folder.path().join("second.json")).unwrap_err();
    assert_eq!(busy.kind(), ErrorKind::Busy);
    std::fs::create_dir(&sub).unwrap();
    // SAFETY: the pointer for the number of convolutions may be null.
    atc::call(|| unsafe { atc_tch::sys::atc_torch_record_stop(std::ptr::null_mut()) }).unwrap();
}

#[test]
fn a_file_that_cannot_be_written_is_named() {
    let _alone = alone();
    init();
    let refused = atc_tch::record("/no/such/folder/convolutions.json").unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Io);
    assert!(refused.message().contains("/no/such/folder"), "{refused}");
    let nul = atc_tch::record("a\0b").unwrap_err();
    assert_eq!(nul.kind(), ErrorKind::InvalidArgument);
}
