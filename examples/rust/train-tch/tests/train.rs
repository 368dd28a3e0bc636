//! Tests that the program trains in the same way with and without atc. The environment variable TRAIN_TCH_DEVICE
//! selects the device (cuda:0). TRAIN_TCH_PROGRAM is the path of the program, if it was built on another machine.
#![allow(missing_docs)]

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The options for the size of the training. The training is large enough that the loss falls, and small enough that
/// tuning takes only seconds.
const SIZE: &[&str] = &["--steps", "12", "--batch", "16", "--side", "16"];
const ON_CPU: &[&str] = &["--budget", "100"];
/// The options for the training on CUDA. The steps are larger than on the CPU, so that races measure the kernels and
/// not only their launches. LibTorch's results are bitwise repeatable only with deterministic kernels. TF32 is turned
/// off, because the results are compared with fp64, and the rounding errors of TF32 are larger than those of fp32.
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
    command(device, arguments)
        .output()
        .expect("the program starts")
}

fn command(device: &str, arguments: &[&str]) -> Command {
    let program = env::var_os("TRAIN_TCH_PROGRAM")
        .unwrap_or_else(|| OsString::from(env!("CARGO_BIN_EXE_train-tch")));
    let mut command = Command::new(program);
    command
        .args(SIZE)
        .args(if device == "cpu" { ON_CPU } else { ON_CUDA })
        .args(["--device", device])
        .args(arguments)
        // Without CUBLAS_WORKSPACE_CONFIG the order in which cuBLAS adds depends on the free memory, so it may differ
        // from run to run.
        .env("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
        // One thread is used for two reasons: the times of one thread are reliable on a busy machine, and the order of
        // sums is always the same.
        .env("OMP_NUM_THREADS", "1");
    command
}

struct Run {
    losses: Vec<f32>,
    weights: String,
    taken: u64,
    device: String,
    /// The digest of the ranks' decisions, as the program has printed it: the rest of the line from the word "digest"
    /// on.
    agreed: String,
}

fn run(arguments: &[&str]) -> Run {
    read(&start(arguments))
}

fn read(output: &Output) -> Run {
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let text = String::from_utf8(output.stdout.clone()).expect("UTF-8");
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
    let agreed = text
        .lines()
        .find_map(|line| line.split_once("digest "))
        .map_or_else(String::new, |(_, rest)| rest.to_owned());
    let run = Run {
        losses,
        weights,
        taken,
        device,
        agreed,
    };
    assert_eq!(run.losses.len(), 12, "{text}");
    run
}

/// Returns a lock with which programs that measure run one after the other. If they ran at the same time, they would
/// choose LibTorch's own convolutions more often.
fn alone() -> MutexGuard<'static, ()> {
    static LOCK: Mutex<()> = Mutex::new(());
    LOCK.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A temporary folder, which is removed when the value is dropped.
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
    let _alone = alone();
    let folder = Folder::new("train-store");
    let plain = run(&[]);
    // The budget (the time limit of a race, in milliseconds) is much longer than a race needs. On a machine that is so
    // busy that a race does not end in time, LibTorch's own convolution would be used.
    let tuned = run(&[
        "--reproducible",
        "--tune",
        "--budget",
        "20000",
        "--store",
        folder.as_str(),
    ]);
    assert!(tuned.taken > 0, "atc ran nothing");

    // Two implementations have different rounding errors, and training enlarges the difference without bound (for
    // example if a sign changes in one run only). So only the first steps are compared, in which the difference is
    // still small. The reference is a training in fp64. The distance between a training and the
    // reference must be much smaller than the distance between the reference and an fp64 training
    // in which every step is wrong by 1 %.
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

/// Runs two processes with the variables that torchrun sets.
fn run_job(arguments: &[&str]) -> Vec<Run> {
    let port = std::net::TcpListener::bind("127.0.0.1:0")
        .and_then(|listener| listener.local_addr())
        .expect("a free port")
        .port();
    let ranks: Vec<_> = ["0", "1"]
        .into_iter()
        .map(|rank| {
            command("cpu", arguments)
                .arg("--together")
                .env("RANK", rank)
                .env("LOCAL_RANK", rank)
                .env("WORLD_SIZE", "2")
                .env("MASTER_ADDR", "127.0.0.1")
                .env("MASTER_PORT", port.to_string())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .expect("the program starts")
        })
        .collect();
    ranks
        .into_iter()
        .map(|rank| read(&rank.wait_with_output().expect("the program ends")))
        .collect()
}

#[test]
fn ranks_of_a_job_measure_together_and_run_the_same_choices() {
    let _alone = alone();
    let folder = Folder::new("train-job");
    let arguments = [
        "--reproducible",
        "--budget",
        "20000",
        "--store",
        folder.as_str(),
    ];
    let measured = |job: &[Run]| {
        job.iter()
            .map(|rank| {
                let count = rank.agreed.split(", ").nth(1).expect("a count");
                let count = count.split(' ').next().expect("a number");
                count.parse::<u32>().expect("a number")
            })
            .sum::<u32>()
    };
    let digest = |rank: &Run| rank.agreed.split(',').next().map(str::to_owned);
    let job = run_job(&arguments);
    assert!(measured(&job) > 0, "the job measured nothing");
    assert_eq!(digest(&job[0]), digest(&job[1]));
    // Both ranks train the same network on the same pictures, so their losses and weights must be equal.
    assert_eq!(job[0].losses, job[1].losses);
    assert_eq!(job[0].weights, job[1].weights);
    // A second job with the same store reads all decisions from the store, so it measures nothing.
    assert_eq!(measured(&run_job(&arguments)), 0);
}

#[test]
fn a_rank_without_the_variables_of_a_job_is_told() {
    let output = command("cpu", &["--together"])
        .env_remove("RANK")
        .output()
        .expect("the program starts");
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(
        text.contains("variable RANK") && text.contains("torchrun"),
        "{text}"
    );
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
