//! Tests that the program trains in the same way with and without atc. TRAIN_TCH_DEVICE=cuda:0 names the
//! device, and TRAIN_TCH_PROGRAM a program that was built on another machine.
#![allow(missing_docs)]

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, Output};

/// The size is large enough to train a little, and small enough to tune in seconds.
const SIZE: &[&str] = &["--steps", "12", "--batch", "16", "--side", "16"];
const ON_CPU: &[&str] = &["--budget", "100"];
/// The steps are larger on CUDA, so that races measure more than launches. LibTorch repeats its own
/// bits only with deterministic kernels. TF32 is turned off, because it is further from fp64 than
/// fp32 is.
const ON_CUDA: &[&str] = &[
    "--batch",
    "64",
    "--side",
    "32",
    "--budget",
    "500",
    "--reproducible",
    "--no-tf32",
];

fn device() -> String {
    env::var("TRAIN_TCH_DEVICE").unwrap_or_else(|_| "cpu".to_owned())
}

fn start(arguments: &[&str]) -> Output {
    start_on(&device(), arguments)
}

fn start_on(device: &str, arguments: &[&str]) -> Output {
    let program = env::var_os("TRAIN_TCH_PROGRAM")
        .unwrap_or_else(|| OsString::from(env!("CARGO_BIN_EXE_train-tch")));
    Command::new(program)
        .args(SIZE)
        .args(if device == "cpu" { ON_CPU } else { ON_CUDA })
        .args(["--device", device])
        .args(arguments)
        // Without this variable the order in which cuBLAS adds depends on free memory.
        .env("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
        // With one thread, times are reliable on a busy machine, and the order of sums is fixed.
        .env("OMP_NUM_THREADS", "1")
        .output()
        .expect("the program starts")
}

struct Run {
    losses: Vec<f32>,
    weights: String,
    taken: u64,
    device: String,
}

fn run(arguments: &[&str]) -> Run {
    let output = start(arguments);
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let after = |line: &str, word: &str| {
        let rest = line.split(word).nth(1)?;
        rest.trim_start_matches(' ')
            .split([' ', ','])
            .next()
            .map(str::to_owned)
    };
    let all = |word: &str| {
        text.lines()
            .filter_map(|line| after(line, word))
            .collect::<Vec<_>>()
    };
    let losses = all("loss ")
        .iter()
        .map(|loss| loss.parse().expect("a number"))
        .collect();
    let weights = all("weights ").pop().expect("a line with the weights");
    let taken = all("run by atc ")
        .first()
        .map_or(0, |count| count.parse().expect("a number"));
    let device = text
        .lines()
        .find(|line| line.starts_with("LibTorch "))
        .and_then(|line| after(line, " on "))
        .expect("a line with the device");
    let run = Run {
        losses,
        weights,
        taken,
        device,
    };
    assert_eq!(run.losses.len(), 12, "{text}");
    run
}

/// A folder that is removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        Self(env::temp_dir().join(format!("{name}-{}", std::process::id())))
    }

    fn as_str(&self) -> &str {
        self.0.to_str().expect("UTF-8")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn where_nothing_is_known_every_bit_is_libtorchs() {
    let (plain, installed) = (run(&[]), run(&["--atc"]));
    assert_eq!(installed.losses, plain.losses);
    assert_eq!(installed.weights, plain.weights);
    assert_eq!(installed.taken, 0);
    assert_eq!(installed.device, device());
    assert_ne!(
        run(&["--seed", "2"]).weights,
        plain.weights,
        "the digest sees nothing"
    );
}

#[test]
fn tuned_it_learns_the_same_and_what_was_measured_is_repeated_to_the_bit() {
    let folder = Folder::new("train-store");
    let plain = run(&[]);
    // The budget is an upper bound: if a busy machine spends it before a race ends, LibTorch's own convolution is used.
    let tuned = run(&[
        "--reproducible",
        "--tune",
        "--budget",
        "20000",
        "--store",
        folder.as_str(),
    ]);
    assert!(tuned.taken > 0, "atc ran nothing");
    assert_ne!(
        tuned.weights, plain.weights,
        "atc's sums are added in LibTorch's order"
    );

    // Any two ways to compute round differently, and training enlarges the difference without
    // bound, as where a sign changes in one way and not in the other. So the distance from fp64,
    // over the first steps, in which rounding stays small, is compared with that of an fp64
    // training whose every step is 1 % wrong.
    let exact = run(&["--double"]);
    let distance = |run: &Run| {
        run.losses
            .iter()
            .zip(&exact.losses)
            .take(6)
            .map(|(loss, exact)| (loss - exact).abs())
            .fold(0.0, f32::max)
    };
    let wrong = distance(&run(&["--double", "--rate", "0.0505"]));
    for (name, right) in [("LibTorch", &plain), ("atc", &tuned)] {
        assert!(
            distance(right) < wrong / 10.0,
            "{name} is {} from fp64, steps that are 1 % wrong {wrong}",
            distance(right)
        );
    }

    let replay = ["--reproducible", "--store", folder.as_str()];
    let (once, again) = (run(&replay), run(&replay));
    assert!(once.taken > 0, "nothing was replayed");
    assert_eq!(once.losses, again.losses);
    assert_eq!(once.weights, again.weights);
}

#[test]
fn a_device_that_is_not_there_is_told() {
    let output = start_on("cuda:99", &[]);
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(text.contains("--device cuda:99"), "{text}");
}

#[test]
fn a_store_that_cannot_be_is_told() {
    let output = start(&["--store", "/dev/null/store"]);
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(text.contains("/dev/null/store"), "{text}");
}
