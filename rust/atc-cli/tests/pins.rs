//! Tests `atc pins check` and `atc select`: pin files are read, problems are tried under the pins, and winners are
//! written as pins.

mod common;

use common::{Folder, QUICK, output, program};
use predicates::prelude::*;
use predicates::str::contains;

const PARTLY: i32 = 3;

/// A plug-in that registers an engine with the name `own`, which offers nothing.
const PLUG_IN: &str = r#"
#define main example_main
#include "own_engine.c"

static atc_status offers_nothing(void* user, const atc_conv_problem* p, const atc_engine_limits* limits,
                                 atc_offer_callback offer, void* payload) {
  (void)user, (void)p, (void)limits, (void)offer, (void)payload;
  return ATC_OK;
}

ATC_API atc_status atc1_plugin_init(void) {
  static const atc_engine engine = {.struct_size = sizeof engine, .device_type = ATC_DEVICE_CPU,
                                    .name = "own", .version = "1", .offers = offers_nothing,
                                    .prepare = prepare, .execute = execute, .release = release};
  return atc_engine_register(&engine);
}
"#;

/// Writes a pin file with these pins, and returns its name.
fn pins(folder: &Folder, pins: &str) -> &'static str {
    folder.write("pins.json", &format!("{{\"schema\": 1, \"pins\": [\n{pins}]}}"));
    "pins.json"
}

#[test]
fn a_good_file_is_shown_with_what_this_machine_lacks() {
    let folder = Folder::new();
    let file = pins(
        &folder,
        r#"{"name": "one", "match": {"device": "cuda", "kernel": [3, 3]}, "choice": "cudnn@0:x"},
           {"match": {}, "bar": ["aten", "cudnn"]}"#,
    );
    let text = output(&mut folder.atc(&["pins", "check", file]));
    for part in ["kernel=[3,3]", "cudnn@0:x", "cudnn", "bars aten, cudnn", "2 pins, hash "] {
        assert!(text.contains(part), "no {part:?} in {text}");
    }
}

#[test]
fn a_bad_file_is_an_error_with_line_field_and_value() {
    let folder = Folder::new();
    for (text, place, words) in [
        (r#"{"match": {"kernel": "3x3"}, "bar": "a"}"#, "pins.json:2: pin 1", "match.kernel"),
        (r#"{"match": {}, "choice": "a"}"#, "pins.json:2: pin 1", "choice 'a'"),
        ("{", "pins.json:2: ", "JSON"),
    ] {
        let file = pins(&folder, text);
        folder
            .atc(&["pins", "check", file])
            .assert()
            .code(1)
            .stderr(contains(place).and(contains(words)))
            .stdout("");
    }
    folder.atc(&["pins", "check", "none.json"]).assert().code(1).stderr(contains("none.json"));
}

#[test]
fn problems_are_tried_and_a_pin_that_cannot_be_obeyed_is_a_finding() {
    let folder = Folder::new();
    let file = pins(
        &folder,
        r#"{"name": "bad", "match": {"kernel": 3}, "choice": "none@1:x"},
           {"match": {"kernel": 7}, "bar": "fast"}"#,
    );
    let arguments = ["pins", "check", file, "layers.txt", "--json"];
    let done = folder.atc(&arguments).assert().code(PARTLY);
    let report: serde_json::Value = serde_json::from_slice(&done.get_output().stdout).unwrap();
    let problems = report["problems"].as_array().unwrap();
    assert_eq!(problems.len(), 2);
    assert_eq!(problems[0]["pins"], serde_json::json!([1]));
    assert_eq!(problems[0]["ok"], false);
    let why = problems[0]["why"].as_str().unwrap();
    assert!(why.contains("pins.json:2: pin 1 (bad)") && why.contains("'none'"), "{why}");
    assert_eq!((&problems[1]["pins"], &problems[1]["ok"]), (&serde_json::json!([]), &true.into()));
    assert_eq!(report["pins"][0]["problems"], 1);
    assert_eq!(report["pins"][1]["problems"], 0);
}

#[test]
fn a_bar_of_an_engine_that_does_not_exist_is_a_finding() {
    let folder = Folder::new();
    let file = pins(
        &folder,
        r#"{"match": {"kernel": 1}, "bar": "cudnn"},
           {"name": "slip", "match": {"kernel": 3}, "bar": ["onedn", "reference", "zzzzzz"]},
           {"match": {"kernel": 1}, "bar": "onedn@3.2:jit"}"#,
    );
    let slip = "pins.json: pin 2 (slip) bars onedn: there is no such engine or rewrite (did you \
                mean 'onednn'?); the engines here are ";
    let other = "pins.json: pin 2 (slip) bars zzzzzz: there is no such engine or rewrite; the ";
    let choice = "pins.json: pin 3 bars onedn@3.2:jit: there is no engine or rewrite onedn (did";
    let told = |inputs: &[&str]| {
        let done = folder.atc(&["pins", "check", file]).args(inputs).assert().code(PARTLY);
        String::from_utf8(done.get_output().stdout.clone()).unwrap()
    };
    for inputs in [&[][..], &["layers.txt"]] {
        let text = told(inputs);
        for part in [slip, other, choice, "reference", "no such engine: onedn, zzzzzz"] {
            assert!(text.contains(part), "no {part:?} in {text}");
        }
        assert!(!text.contains("bars reference:") && !text.contains("bars cudnn:"), "{text}");
    }
    let report: serde_json::Value = serde_json::from_str(&told(&["layers.txt", "--json"])).unwrap();
    let lacks = |index: usize| report["pins"][index]["lacks"].as_str().unwrap();
    assert_eq!(
        (lacks(0), lacks(1), lacks(2)),
        ("", "no such engine: onedn, zzzzzz", "no such engine: onedn")
    );
    assert_eq!(report["faults"].as_array().unwrap().len(), 3, "{report}");
    assert!(report["faults"][0].as_str().unwrap().starts_with(slip), "{report}");
    let of = |index: usize| (&report["problems"][index]["ok"], &report["problems"][index]["why"]);
    assert_eq!(of(0), (&false.into(), &"no such engine: onedn, zzzzzz".into()));
    assert_eq!(of(1), (&false.into(), &"no such engine: onedn".into()));
}

#[test]
fn a_bar_may_name_an_engine_of_a_plug_in_that_is_given() {
    let folder = Folder::new();
    if !folder.make_plug_in(PLUG_IN) {
        return;
    }
    let file = pins(&folder, r#"{"match": {}, "bar": "own"}"#);
    let check = ["pins", "check", file, "layers.txt"];
    folder.atc(&check).assert().code(PARTLY).stdout(contains("no such engine: own"));
    let given = folder.atc(&check).args(["--plugin", "plugin.so"]).assert().success();
    given.stdout(contains("no such engine").not());
}

#[test]
fn a_file_whose_pins_match_no_problem_is_a_finding() {
    let folder = Folder::new();
    let select = ["select", "layers.txt", "--batch", "2", "-o", "pins.json"];
    folder.atc(&select).args(QUICK).assert().success();
    let check = ["pins", "check", "pins.json", "layers.txt"];
    folder.atc(&check).args(["--batch", "2"]).assert().success().stdout(contains("no pin").not());
    // Without `--batch`, the layer `plain` has batch 1 and `point` has batch 2. All pins of the file are for batch 2.
    // So only `point` is matched by a pin.
    let some = folder.atc(&check).assert().success();
    some.stdout(contains("; no pin matches 1 of 2 problems\n").and(contains("\tno pin matches\n")));
    let forgotten = folder.atc(&check).args(["--batch", "3"]).assert().code(PARTLY);
    let told = "; no pin matches (the pins are for batch 2, 3 was tried: --batch 2 sets it)\n";
    forgotten.stdout(contains(told).and(contains("\tok\n").not()));
    let mut other = folder.atc(&check);
    other.args(["--batch", "2", "--layout", "channels-last", "--json"]);
    let other = other.assert().code(PARTLY);
    let report: serde_json::Value = serde_json::from_slice(&other.get_output().stdout).unwrap();
    assert_eq!(
        (&report["hint"], &report["problems"][0]["pins"]),
        (&"".into(), &serde_json::json!([]))
    );
    // If the command line names no problems, no pin is tried. So the command does not complain that no pin matches.
    folder.atc(&["pins", "check", "pins.json"]).assert().success();
}

#[test]
fn a_finding_is_the_exit_code_where_nobody_reads_the_output() {
    let folder = Folder::new();
    let file = pins(&folder, r#"{"match": {}, "choice": "none@1:x"}"#);
    for json in [&[][..], &["--json"]] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut check = program();
        check.current_dir(folder.path("")).args(["pins", "check", file, "layers.txt"]).args(json);
        let ended = check.stdout(writer).output().unwrap();
        let told = String::from_utf8(ended.stderr).unwrap();
        assert_eq!((ended.status.code(), told.as_str()), (Some(PARTLY), ""));
    }
}

#[test]
fn winners_become_pins_that_check_and_tune_obey() {
    let folder = Folder::new();
    let select = ["select", "layers.txt", "--op", "forward,backward-weight", "-o", "pins.json"];
    folder.atc(&select).args(QUICK).assert().success();
    let file = folder.json("pins.json");
    let pins = file["pins"].as_array().unwrap();
    assert_eq!(pins.len(), 4);
    assert_eq!(pins[0]["name"], "plain");
    assert_eq!(pins[0]["match"]["kernel"], serde_json::json!([3, 3]));
    let both = ["layers.txt", "--op", "forward,backward-weight"];
    let check = ["pins", "check", "pins.json", "--json"];
    let text = output(folder.atc(&check).args(both));
    let report: serde_json::Value = serde_json::from_str(&text).unwrap();
    for (index, problem) in report["problems"].as_array().unwrap().iter().enumerate() {
        assert_eq!(problem["pins"], serde_json::json!([index + 1]), "{text}");
        assert_eq!(problem["effect"], pins[index]["choice"]);
    }
    let tune = ["tune", "--json", "out.json"];
    let mut tuned = folder.atc(&tune);
    tuned.args(both).env("ATC_PINS", "pins.json").assert().success().stdout(contains("4 pinned"));
    let document = folder.json("out.json");
    for (problem, pin) in document["problems"].as_array().unwrap().iter().zip(pins) {
        assert_eq!((&problem["source"], &problem["choice"]), (&"pinned".into(), &pin["choice"]));
    }
}

#[test]
fn a_layer_with_an_activation_is_measured_and_pinned_as_one() {
    let folder = Folder::new();
    let row = |name: &str, more: &str| {
        format!(
            r#"{{"name":"{name}","columns":{{"N":1,"C":8,"H":12,"W":12,"K":8,"R":3,"S":3{more}}}}}"#
        )
    };
    let rows = [
        row("plain", ""),
        row("fused", r#","scale":true,"residual":true,"activation":"gelu""#),
        row("leaky", r#","activation":"leaky-relu","activationSlope":0.25"#),
    ];
    let document = |rows: &[String]| {
        format!(r#"{{"schema":"atc-tune","version":1,"problems":[{}]}}"#, rows.join(","))
    };
    folder.write("rows.json", &document(&rows));
    let select = ["select", "rows.json", "-o", "pins.json"];
    folder.atc(&select).args(QUICK).assert().success();
    let file = folder.json("pins.json");
    let patterns: Vec<_> = [0, 1, 2]
        .into_iter()
        .map(|index| {
            let pattern = &file["pins"][index]["match"];
            (pattern["scale"].clone(), pattern["residual"].clone(), pattern["activation"].clone())
        })
        .collect();
    assert_eq!(patterns[0], (false.into(), false.into(), "none".into()));
    assert_eq!(patterns[1], (true.into(), true.into(), "gelu".into()));
    assert_eq!(patterns[2], (false.into(), false.into(), "leaky-relu".into()));
    let text = output(&mut folder.atc(&["pins", "check", "pins.json", "rows.json", "--json"]));
    let report: serde_json::Value = serde_json::from_str(&text).unwrap();
    for (index, problem) in report["problems"].as_array().unwrap().iter().enumerate() {
        assert_eq!(problem["pins"], serde_json::json!([index + 1]), "{text}");
    }
    folder.write("wrong.json", &document(&[row("wrong", r#","activationSlope":0.25"#)]));
    folder
        .atc(&["tune", "wrong.json"])
        .assert()
        .failure()
        .stderr(contains("activationSlope is 0.25: only the activation \"leaky-relu\" has it"));
}

#[test]
fn selecting_measures_whatever_is_pinned() {
    let folder = Folder::new();
    folder.write("layers.txt", "plain 1 8 0 12 12 8 0 3 3 1 1 1 1\n");
    let file = pins(&folder, r#"{"match": {}, "choice": "none@1:x"}"#);
    let mut select = folder.atc(&["select", "layers.txt", "-o", "new.json"]);
    select.args(QUICK).env("ATC_PINS", file).assert().success();
    assert_ne!(folder.json("new.json")["pins"][0]["choice"], "none@1:x");
    let mut tune = folder.atc(&["tune", "layers.txt"]);
    tune.args(QUICK).env("ATC_PINS", file).assert().code(PARTLY);
    let budget = ["--problem-budget", "2s"];
    let mut advise = folder.atc(&["advise", "layers.txt"]);
    advise.args(budget).env("ATC_PINS", file).assert().success();
    let mut determinism = folder.atc(&["determinism", "layers.txt", "--processes", "2"]);
    determinism.args(budget).env("ATC_PINS", file);
    let text = String::from_utf8(determinism.output().unwrap().stdout).unwrap();
    assert!(text.contains("defaults\tby default\tequal"), "{text}");
}

#[test]
fn a_file_of_the_environment_that_is_none_is_an_error_before_any_work() {
    let folder = Folder::new();
    let mut tune = folder.atc(&["tune", "layers.txt"]);
    tune.args(QUICK).env("ATC_PINS", "absent.json");
    tune.assert().code(1).stdout("").stderr(contains("absent.json").and(contains("ATC_PINS")));
}

#[test]
fn the_file_in_force_is_shown() {
    let folder = Folder::new();
    let file = pins(&folder, r#"{"match": {}, "bar": "none"}"#);
    let shown = output(folder.atc(&["env"]).env("ATC_PINS", file));
    assert!(shown.contains("\nPins\n  pins.json, hash "), "{shown}");
}
