//! Tests `atc explain`: its text and its JSON.

mod common;

use common::{Folder, QUICK, output};
use predicates::prelude::*;
use predicates::str::contains;
use serde_json::Value;

const CANCELLED: i32 = 4;
const ROW: &str = "plain 1 8 0 12 12 8 0 3 3 1 1 1 1";

fn json(folder: &Folder, arguments: &[&str]) -> Value {
    let text = output(folder.atc(&["explain", "--json"]).args(arguments));
    serde_json::from_str(&text).unwrap()
}

#[test]
fn without_a_store_the_default_is_explained_and_nothing_runs() {
    let folder = Folder::new();
    let command = folder.atc(&["explain", ROW]).assert().success();
    command.stdout(
        contains("problem   forward x=1x8x12x12 f32")
            .and(contains("no store was read"))
            .and(contains("first-offer: nothing was measured"))
            .and(contains("default   is the choice"))
            .and(contains("no rates of this device are kept: --measure")),
    );
    let found = json(&folder, &[ROW]);
    assert_eq!((&found["schema"], &found["version"]), (&"atc-explain".into(), &1.into()));
    let problem = &found["problems"][0];
    assert_eq!((&problem["source"], &problem["rule"]), (&"default".into(), &"first-offer".into()));
    for candidate in problem["candidates"].as_array().unwrap() {
        assert_eq!(candidate["outcome"], "offered");
        assert_eq!(candidate["timing"], Value::Null);
    }
    // x and y have 8 * 12 * 12 elements each, and w has 8 * 8 * 3 * 3 elements. Each element has 4
    // bytes.
    assert_eq!(problem["roofline"]["bytes"], 4 * (2 * 8 * 144 + 64 * 9));
    assert_eq!(problem["roofline"]["flops"], f64::from(2 * 8 * 144 * 8 * 9));
}

#[test]
fn a_record_is_explained_with_its_times_and_stays_as_it_is() {
    let folder = Folder::new();
    let tuned = folder.tuned();
    let arguments = ["layers.txt", "--store", "store"];
    let found = json(&folder, &arguments);
    for (before, now) in
        tuned["problems"].as_array().unwrap().iter().zip(found["problems"].as_array().unwrap())
    {
        assert_eq!((&now["source"], &now["choice"]), (&"record".into(), &before["choice"]));
        let winner = &now["candidates"][now["winner"].as_u64().unwrap() as usize];
        assert_eq!(
            winner["timing"],
            before["candidates"][before["winner"].as_u64().unwrap() as usize]["timing"]
        );
        assert!(!now["rule_text"].as_str().unwrap().is_empty());
        let names: Vec<_> = now["entrants"].as_array().unwrap().iter().collect();
        assert!(names.iter().any(|entrant| entrant["name"] == "reference"), "{names:?}");
    }
    let several = folder.atc(&["explain"]).args(arguments).assert().success();
    let several =
        several.stdout(contains("plain").and(contains("point")).and(contains("--layer NAME")));
    let mut several =
        several.stdout(contains("of least: unknown, as the rates of this device are not measured"));
    for problem in found["problems"].as_array().unwrap() {
        several = several.stdout(contains(format!("\n{}: ", problem["rule"].as_str().unwrap())));
    }
    let one = folder.atc(&["explain", "--layer", "point"]).args(arguments).assert().success();
    one.stdout(contains("a firm record of the store").and(contains("won")));
    let again = folder.atc(&["tune", "layers.txt", "--store", "store"]).args(QUICK).assert();
    again.success().stdout(contains("0 measured (0 executions), 2 from the store"));
}

#[test]
fn a_store_without_the_problem_says_what_it_has() {
    let folder = Folder::new();
    folder.tuned();
    let other = "other 1 8 0 13 13 8 0 3 3 1 1 1 1";
    let command = folder.atc(&["explain", other, "--store", "store"]).assert().success();
    command.stdout(contains("the default engine's heuristics; the store").and(contains(" has ")));
}

#[test]
fn a_choice_of_a_pin_names_the_pin() {
    let folder = Folder::new();
    folder.tuned();
    let pin = r#"{"name": "mine", "match": {}, "choice": "none@1:x"}"#;
    folder.write("pins.json", &format!("{{\"schema\": 1, \"pins\": [\n{pin}]}}"));
    for store in [&[][..], &["--store", "store"]] {
        let mut command = folder.atc(&["explain", ROW]);
        let shown = output(command.args(store).env("ATC_PINS", "pins.json"));
        assert!(shown.contains("choice    none@1:x\n"), "{shown}");
        assert!(shown.contains("from      pinned by pins.json:2: pin 1 (mine)\n"), "{shown}");
    }
}

/// A plug-in with an engine that sends SIGINT to the program when it is first asked for offers.
const INTERRUPTING: &str = r#"
#define main example_main
#include "own_engine.c"
#include <signal.h>

static atc_status interrupt(void* user, const atc_conv_problem* p, const atc_engine_limits* limits,
                            atc_offer_callback offer, void* payload) {
  static int asked;
  if (asked++ == 0) raise(SIGINT);
  return ATC_OK;
}

ATC_API atc_status atc1_plugin_init(void) {
  static const atc_engine engine = {.struct_size = sizeof engine, .device_type = ATC_DEVICE_CPU,
                                    .name = "interrupting", .version = "1", .offers = interrupt,
                                    .prepare = prepare, .execute = execute, .release = release};
  return atc_engine_register(&engine);
}
"#;

#[test]
fn an_interrupt_keeps_what_was_explained() {
    let folder = Folder::new();
    if !folder.make_plug_in(INTERRUPTING) {
        return;
    }
    let arguments = ["explain", "layers.txt", "--plugin", "plugin.so"];
    let shown = folder.atc(&arguments).assert().code(CANCELLED);
    shown.stdout(contains("forward x=1x8x12x12").and(contains("point").not()));
    let written = folder.atc(&arguments).arg("--json").assert().code(CANCELLED);
    let found: Value = serde_json::from_slice(&written.get_output().stdout).unwrap();
    assert_eq!(found["problems"].as_array().unwrap().len(), 1);
}

#[test]
fn an_interrupt_keeps_the_changes_that_were_measured() {
    let folder = Folder::new();
    let row = "large 1 64 0 56 56 64 0 3 3 1 1 1 1";
    let arguments = ["explain", row, "--measure", "--problem-budget", "3s"];
    let ended = folder.interrupted_at("measuring large: channels last", &arguments);
    assert_eq!(ended.status.code(), Some(CANCELLED));
    let shown = String::from_utf8(ended.stdout).unwrap();
    assert!(shown.contains("if you allow") && shown.contains("as it is"), "{shown}");
    assert!(!shown.contains("any workspace") && !shown.contains("The two times"), "{shown}");
}

#[test]
fn what_cannot_be_explained_is_an_error() {
    let folder = Folder::new();
    let layer = folder.atc(&["explain", "layers.txt", "--layer", "nobody"]).assert().code(2);
    layer.stderr(contains("it has plain, point"));
    // The prefix that all names have may be left out. A name that fits several layers is an error.
    let stem = folder.atc(&["explain", "resnet50", "--layer", "conv1"]).assert().success();
    stem.stdout(contains("forward x=1x3x224x224"));
    let near = folder.atc(&["explain", "resnet50", "--layer", "layer1_0"]).assert().code(2);
    near.stderr(contains(
        "did you mean rn50_layer1_0_conv1, rn50_layer1_0_conv2, rn50_layer1_0_conv3?",
    ));
    let store = folder.atc(&["explain", ROW, "--store", "missing"]).assert().code(1);
    store.stderr(contains("--store: ").and(contains("does not exist")));
    assert!(!folder.path("missing").exists());
    folder.atc(&["explain", "a 1 2"]).assert().code(1).stderr(contains("3 columns"));
}

fn both(document: &Value) -> impl Iterator<Item = &Value> {
    let problems = document["problems"].as_array().unwrap();
    assert_eq!(problems.len(), 2);
    problems.iter()
}

#[test]
fn with_measure_there_are_ceilings_and_changes_with_their_price() {
    let folder = Folder::new();
    let roofs = |name: &str| {
        let report = ["report", "--store", "store", "-o", name];
        folder.atc(&report).assert().success();
        std::fs::read_to_string(folder.path(name)).unwrap().matches("<polyline class").count()
    };
    assert!(!folder.tuned().to_string().contains("\"ceilings\""), "nothing was measured");
    assert_eq!(roofs("before.html"), 0);
    let arguments = ["explain", "layers.txt", "--store", "store", "--layer", "plain"];
    let measuring = ["--measure", "--problem-budget", "200ms"];
    let command = folder.atc(&arguments).args(measuring).assert().success();
    command
        .stdout(
            contains("binds: at least")
                .and(contains("if you allow"))
                .and(contains("as it is"))
                .and(contains("channels last"))
                .and(contains("constant weights")),
        )
        .stderr(contains("measuring plain: channels last"));
    // The ceilings (the highest rates of the device) are stored now. So a later `atc explain`
    // without `--measure` shows them, too.
    let found = json(&folder, &["layers.txt", "--store", "store"]);
    for problem in found["problems"].as_array().unwrap() {
        let roofline = &problem["roofline"];
        let number = |name: &str| roofline[name].as_f64().unwrap();
        let memory = number("bytes") / number("bytes_per_second");
        let arithmetic = number("flops") / number("flops_per_second");
        let least = roofline["least"]["seconds"].as_f64().unwrap();
        assert!((least - memory.max(arithmetic)).abs() <= 1e-9 * least, "{roofline}");
        assert!(number("of_least") > 0.0);
        assert_eq!(problem["changes"], Value::Array(Vec::new()));
    }
    // The results of later runs with this store, and its reports, contain the ceilings, too.
    let tuned = folder.tuned();
    for (tuned, explained) in both(&tuned).zip(both(&found)) {
        for rate in ["bytes_per_second", "flops_per_second"] {
            assert_eq!(tuned["ceilings"][rate], explained["roofline"][rate], "{tuned}");
        }
    }
    assert_eq!(roofs("after.html"), 1, "f32 on the CPU is one kind of products");
    folder.atc(&["report", "out.json", "-o", "run.html"]).assert().success();
    let run = std::fs::read_to_string(folder.path("run.html")).unwrap();
    assert!(run.contains("% of the ceiling"), "{run}");
}
