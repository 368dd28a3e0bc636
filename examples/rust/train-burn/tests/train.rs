//! Tests that a network in burn trains in the same way with and without atc, and that each convolution reaches atc.

use std::path::PathBuf;
use std::process::{Command, Output};

/// The number of convolutions in one training step. The network has 3 forward convolutions. burn computes gradients by
/// convolutions, too: 2 for the inputs of layers (the pictures need no gradient), 2 for the weights of the two ordinary
/// layers, and 16 for the depthwise weight (one for each group).
const IN_A_STEP: u64 = 3 + 2 + 2 + 16;
const STEPS: usize = 8;

struct Run {
    losses: Vec<f32>,
    taken: u64,
    left: u64,
    nothing_known: u64,
    text: String,
}

fn start(arguments: &[&str], pins: Option<&PathBuf>) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_train-burn"));
    command.args(["--steps", &STEPS.to_string(), "--budget", "100"]);
    // One thread is used, so that the order of sums is always the same.
    command
        .args(arguments)
        .env("OMP_NUM_THREADS", "1")
        .env_remove("ATC_STORE");
    if let Some(pins) = pins {
        command.env("ATC_PINS", pins);
    }
    command.output().expect("the program starts")
}

fn run(arguments: &[&str], pins: Option<&PathBuf>) -> Run {
    let output = start(arguments, pins);
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let losses: Vec<f32> = text
        .lines()
        .filter_map(|line| line.split_once("loss "))
        .map(|(_, loss)| loss.parse().expect("a number"))
        .collect();
    assert_eq!(losses.len(), STEPS, "{text}");
    let count = |word: &str| {
        let number = text.split_once(word).map_or("0", |(_, rest)| rest);
        let end = number
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(number.len());
        number[..end].parse().expect("a number")
    };
    let (taken, left) = (count("run by atc "), count("left to LibTorch "));
    let nothing_known = count("nothing known ");
    Run {
        losses,
        taken,
        left,
        nothing_known,
        text,
    }
}

/// A temporary folder, which is removed when the value is dropped.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        Self(folder)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn where_nothing_is_known_every_bit_is_libtorchs() {
    let (plain, installed) = (run(&[], None), run(&["--atc"], None));
    assert_eq!(installed.losses, plain.losses);
    assert_eq!(installed.taken, 0, "{}", installed.text);
    let all = IN_A_STEP * STEPS as u64;
    assert_eq!(
        (installed.left, installed.nothing_known),
        (all, all),
        "{}",
        installed.text
    );
    assert_ne!(run(&["--seed", "2"], None).losses, plain.losses);
}

#[test]
fn by_install_alone_every_convolution_of_burn_runs_on_atc_and_it_learns_the_same() {
    let folder = Folder::new("train-burn");
    // The pin file bars LibTorch's own convolution (the engine aten). So every choice is an implementation of atc,
    // independent of the measured times.
    let pins = folder.0.join("pins.json");
    let bar = r#"{"schema": 1, "pins": [{"match": {}, "bar": "aten"}]}"#;
    std::fs::write(&pins, bar).expect("a file");
    let store = folder.0.join("store");
    let store = store.to_str().expect("UTF-8");

    let plain = run(&[], None);
    let tuned = run(&["--tune", "--store", store], Some(&pins));
    let all = IN_A_STEP * STEPS as u64;
    assert_eq!((tuned.taken, tuned.left), (all, 0), "{}", tuned.text);

    // Different implementations have different rounding errors, so the losses are not equal. The
    // distance of a training is the largest difference between its losses and the losses of
    // `plain`. The distance of `tuned` must be much smaller than the distance of a training in
    // which every step is wrong by 1 %.
    let distance = |other: &Run| {
        let pairs = other.losses.iter().zip(&plain.losses);
        pairs
            .map(|(other, plain)| (other - plain).abs())
            .fold(0.0, f32::max)
    };
    let wrong = distance(&run(&["--rate", "0.0505"], None));
    assert!(
        distance(&tuned) < wrong / 10.0,
        "{} of {wrong}",
        distance(&tuned)
    );

    // Two runs with the decisions of the same store must be bitwise equal.
    let (once, again) = (
        run(&["--store", store], Some(&pins)),
        run(&["--store", store], Some(&pins)),
    );
    assert_eq!((once.taken, once.left), (all, 0), "{}", once.text);
    assert_eq!(once.losses, again.losses);
}

#[test]
fn it_learns() {
    let plain = run(&["--rate", "0.2"], None);
    assert!(
        plain.losses[STEPS - 1] < plain.losses[0],
        "{:?}",
        plain.losses
    );
}

#[test]
fn a_store_that_cannot_be_is_told() {
    let output = start(&["--store", "/dev/null/store"], None);
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(text.contains("/dev/null/store"), "{text}");
}
