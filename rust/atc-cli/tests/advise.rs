//! Tests `atc advise`: with three recorded workloads, with a measurement on the CPU, and with invalid arguments.

mod common;

use common::{Folder, QUICK, atc, output};
use predicates::prelude::*;
use predicates::str::contains;
use serde_json::{Value, json};

const FAILED: i32 = 1;
const USAGE: i32 = 2;
const PARTLY: i32 = 3;

/// Makes a measured problem that was called `count` times and whose race took half a second. `default` and `tuned` are
/// the seconds of the default and of the choice (medians of eight samples).
fn problem(name: &str, height: usize, count: u64, default: f64, tuned: f64) -> Value {
    let candidate = |configuration: &str, outcome: &str, workspace: u64, seconds: f64| {
        json!({
            "engine": "onednn", "version": "3.2", "configuration": configuration, "outcome": outcome,
            "workspace": workspace,
            "timing": {"samples": 8, "mean": seconds, "median": seconds, "min": seconds, "max": seconds,
                       "deviation": 0.02 * seconds}
        })
    };
    json!({
        "name": name, "count": count, "op": "forward", "dtype": "f32", "layout": "channels-first",
        "columns": {"N": 1, "C": 64, "H": height, "W": 64, "K": 64, "R": 3, "S": 3},
        "status": "ok", "source": "tuned", "choice": "onednn@3.2:b", "winner": 1, "default": 0, "seconds": 0.5,
        "candidates": [candidate("a", "lost", 0, default), candidate("b", "won", 100 << 20, tuned)]
    })
}

fn workload(problems: Vec<Value>) -> String {
    json!({
        "schema": "atc-tune", "version": 1, "date": "2026-01-01T00:00:00Z",
        "device": {"device": "cuda:0", "name": "A GPU"}, "problems": problems
    })
    .to_string()
}

/// Makes the measurements of a program with fixed shapes: each of 200 training steps calls the same four layers.
fn fixed() -> String {
    workload(
        (0..4)
            .map(|index| problem(&format!("conv_{index}"), 8 + index, 200, 0.0015, 0.001))
            .collect(),
    )
}

/// Makes the measurements of a program with changing shapes: each of 200 steps processes one image. In 150 of the steps
/// the image has a height that occurs in no other step. In the other 50 steps the height is always the same.
fn variable() -> String {
    let once = (0..150).map(|index| problem(&format!("conv_{index}"), 8 + index, 1, 0.0015, 0.001));
    workload(once.chain([problem("usual", 300, 50, 0.0015, 0.001)]).collect())
}

/// Makes results in which the choice is as fast as the default.
fn equal() -> String {
    workload(vec![problem("conv_1", 8, 200, 0.001, 0.000999)])
}

fn advice(folder: &Folder, file: &str, options: &[&str]) -> Value {
    let mut command = folder.atc(&["advise", file, "--json", "-", "--quiet"]);
    serde_json::from_str(&output(command.args(options))).unwrap()
}

#[test]
fn fixed_shapes_are_for_benchmark_mode_if_there_are_steps_enough() {
    let folder = Folder::new();
    folder.write("fixed.json", &fixed());
    let found = advice(&folder, "fixed.json", &["--recorded-steps", "200", "--steps", "5000"]);
    assert_eq!((&found["schema"], &found["advice"]), (&"atc-advice".into(), &"on".into()));
    assert_eq!((&found["new_problems"], &found["calls"]), (&0.0.into(), &4.0.into()));
    // Each step has four calls, and each call saves 0.5 ms. The four races took 0.5 s each. So they pay after 2 s / 2
    // ms = 1000 steps.
    let paid = |end: &str| found["paid_after"][end].as_f64().unwrap();
    assert!((paid("value") - 1000.0).abs() < 1e-6, "{found}");
    assert!(paid("low") < 1000.0 && paid("high") > 1000.0 && paid("high") < 2000.0, "{found}");
    assert!((found["won"]["value"].as_f64().unwrap() - 8.0).abs() < 1e-6, "{found}");
    // The choices need 100 MiB of workspace. Under the second limit (32 MiB) the defaults run, and under the third one
    // (256 MiB) the choices run.
    let seconds = |class: usize| found["memory"][class]["seconds"].as_f64().unwrap();
    assert!((seconds(1) - 0.006).abs() < 1e-9 && (seconds(2) - 0.004).abs() < 1e-9, "{found}");
    let short = advice(&folder, "fixed.json", &["--recorded-steps", "200", "--steps", "300"]);
    assert_eq!(short["advice"], "off-line", "{short}");
    assert!(short["why"].as_str().unwrap().contains("of 300 planned"), "{short}");
}

#[test]
fn variable_shapes_are_for_tuning_off_line_however_long_the_run() {
    let folder = Folder::new();
    folder.write("variable.json", &variable());
    let words = ["--recorded-steps", "200", "--steps", "1000000"];
    let found = advice(&folder, "variable.json", &words);
    assert_eq!((&found["advice"], &found["new_problems"]), (&"off-line".into(), &0.75.into()));
    assert_eq!(found["paid_after"], json!({"low": null, "value": null, "high": null}), "{found}");
    assert!(found["won"]["high"].as_f64().unwrap() < 0.0, "{found}");
    // In the recording, 150 of 200 calls were the only call of their shape. So in later steps only a quarter of the
    // calls are expected to have a recorded shape.
    let off_line = found["paid_after_off_line"]["value"].as_f64().unwrap();
    assert!((off_line - 151.0 * 0.5 / (0.0005 * 0.25)).abs() < 1e-3, "{found}");
    let text = output(folder.atc(&["advise", "variable.json"]).args(words));
    assert!(text.contains("advice: tune off line: "), "{text}");
    assert!(text.contains("0.75 new problems come with each step"), "{text}");
}

#[test]
fn without_a_gain_benchmark_mode_stays_off() {
    let folder = Folder::new();
    folder.write("equal.json", &equal());
    let found = advice(&folder, "equal.json", &["--recorded-steps", "200"]);
    assert_eq!(found["advice"], "off", "{found}");
    assert_eq!(found["paid_after"]["high"], Value::Null);
    let ended = folder.atc(&["advise", "equal.json"]).assert().success();
    let told = contains("measured before, at 2026-01-01T00:00:00Z, on A GPU");
    ended.stderr(told).stdout(contains("advice: benchmark mode off: "));
}

#[test]
fn layers_are_measured_and_nothing_is_kept() {
    let folder = Folder::new();
    let mut command = folder.atc(&["advise", "layers.txt", "--steps", "100", "--json", "out.json"]);
    let command = command.args(QUICK).env("ATC_STORE", folder.path("store"));
    let ended = command.assert().code(PARTLY);
    let text = String::from_utf8(ended.get_output().stdout.clone()).unwrap();
    for words in [
        "tuning\traces\ta step, with new races\tpaid after\twon in the planned steps\n",
        "none\t-\t",
        "once, off line\t",
        // Each candidate has only a single sample, so no gain is certain.
        "advice: none: the gain is certain for 0 s of the ",
        "shapes: 2 problems, 4.0 calls a step, counted over one step",
        "workspace\ta step\tagainst no tuning\tproblems that it limits\tmakes impossible\n",
        "32 MiB\t",
    ] {
        assert!(text.contains(words), "{words:?} is missing: {text}");
    }
    let found = folder.json("out.json");
    assert!(found["tuning"].as_f64().unwrap() > 0.0, "{found}");
    assert_eq!((&found["unmeasured"], &found["device"]["device"]), (&0.into(), &"cpu".into()));
    let kept = std::fs::read_dir(folder.path("store")).map_or(0, |files| files.count());
    assert_eq!(kept, 0, "advice was kept in the environment's store");
}

#[test]
fn a_file_with_measurements_is_measured_again_only_where_it_is_asked_for() {
    let folder = Folder::new();
    folder.tuned();
    let quiet = ["advise", "out.json", "--json", "-"];
    let known = folder.atc(&quiet).assert().code(PARTLY);
    known.stderr(contains("measured before").and(contains("[1/2]").not()));
    for options in [&["--measure"][..], &["--batch", "2"]] {
        let ended = folder.atc(&quiet).args(options).args(QUICK).assert().code(PARTLY);
        ended.stderr(contains("[1/2]").and(contains("measured before").not()));
    }
}

#[test]
fn an_input_that_is_read_but_once_is_taken() {
    let mut layers = atc();
    layers.args(["advise", "/dev/stdin"]).args(QUICK).write_stdin(common::LAYERS);
    layers.assert().code(PARTLY).stderr(contains("[1/2]"));
    for input in ["/dev/stdin", "-"] {
        let known = atc().args(["advise", input]).write_stdin(fixed()).assert().success();
        known.stderr(contains("measured before"));
    }
}

#[test]
fn measurements_of_no_possible_layer_are_an_error() {
    let folder = Folder::new();
    let mut bad = problem("bad", 8, 1, 0.002, 0.001);
    bad["columns"]["groups"] = 0.into();
    folder.write("bad.json", &workload(vec![bad]));
    let ended = folder.atc(&["advise", "bad.json"]).assert().code(FAILED).stdout("");
    ended.stderr(contains("problem 1 (\"bad\"): groups is 0"));
}

#[test]
fn a_problem_without_a_gain_is_left_out_and_told() {
    let folder = Folder::new();
    let mut lacking = problem("other", 9, 1, 0.001, 0.0005);
    lacking["default"] = Value::Null;
    folder.write(
        "partly.json",
        &workload(vec![problem("conv", 8, 1, 0.002, 0.001), lacking.clone()]),
    );
    let ended = folder.atc(&["advise", "partly.json"]).assert().success();
    ended.stdout(contains("left out of all times: 1 problem whose gain is not known"));
    // No advice is given if the decided problems take less than 80 % of the time. Here they take 2 ms of 2.6 ms, which
    // is 77 %.
    let dear = problem("dear", 9, 1, 0.0006, 0.0006);
    for (field, value) in [("incomplete", true.into()), ("status", "not_tuned".into())] {
        let mut undecided = dear.clone();
        undecided[field] = value;
        let all = workload(vec![problem("conv", 8, 1, 0.002, 0.001), undecided]);
        folder.write("dear.json", &all);
        let said = "advice: none: the gain is certain for 2.000 ms of the 2.600 ms";
        folder.atc(&["advise", "dear.json"]).assert().code(PARTLY).stdout(contains(said));
        let quiet = folder.atc(&["advise", "dear.json", "--quiet"]).assert().code(PARTLY);
        quiet.stdout("").stderr(contains(said).and(contains("dear: ")));
    }
    folder.write("huge.txt", "huge 9999999 64 0 999 999 64 0 3 3 1 1 1 1\n");
    let both = ["advise", "layers.txt", "huge.txt"];
    let ended = folder.atc(&both).args(QUICK).assert().code(PARTLY);
    ended.stdout(contains("huge: no decision: its tensors take more"));
    lacking["original"] = "aten".into();
    folder.write("none.json", &workload(vec![lacking]));
    let ended = folder.atc(&["advise", "none.json"]).assert().code(PARTLY).stdout("");
    ended.stderr(contains("no problem has a gain").and(contains("engine aten")));
}

#[test]
fn a_recording_without_its_plug_in_is_refused_before_anything_is_measured() {
    let folder = Folder::new();
    let mut recorded = problem("conv", 8, 1, 0.002, 0.001);
    recorded["original"] = "aten".into();
    recorded["source"] = "".into();
    folder.write("recorded.json", &workload(vec![recorded]));
    let ended =
        folder.atc(&["advise", "recorded.json"]).args(QUICK).assert().code(USAGE).stdout("");
    ended.stderr(
        contains("conv: ")
            .and(contains("aten"))
            .and(contains("--plugin"))
            .and(contains("[1/1]").not()),
    );
}

#[test]
fn wrong_arguments_are_refused_before_anything_is_measured() {
    let folder = Folder::new();
    for (words, code, said) in [
        (&["advise"][..], USAGE, "FILE|NETWORK"),
        (&["advise", "layers.txt", "--steps", "0"], USAGE, "--steps"),
        (&["advise", "layers.txt", "--recorded-steps", "0"], USAGE, "--recorded-steps"),
        (&["advise", "layers.txt", "--steps", "many"], USAGE, "many"),
        (&["advise", "nowhere.json"], FAILED, "nowhere.json"),
        (&["advise", "layers.txt", "--device", "cuda:99"], FAILED, "error: "),
        (&["advise", "layers.txt", "--json", "missing/x.json"], FAILED, "missing/x.json"),
    ] {
        let told = contains(said).and(contains("[1/2]").not());
        folder.atc(words).assert().code(code).stdout("").stderr(told);
    }
    atc().args(["advise", "--help"]).assert().success().stdout(contains("--recorded-steps"));
}
