//! Tests `atc tune` with layers that are so small that they are tuned within seconds.

mod common;

use common::{Folder, QUICK, atc, output};
use predicates::prelude::*;
use predicates::str::contains;
use serde_json::Value;

#[test]
fn choices_are_shown_and_written_down() {
    let folder = Folder::new();
    let command =
        folder.atc(&["tune", "layers.txt", "--json", "out.json"]).args(QUICK).assert().success();
    command
        .stdout(contains("plain").and(contains("2 measured")).and(contains("4 convolutions")))
        .stderr(
            contains("nothing is kept").and(contains("[1/2] plain")).and(contains("[2/2] point")),
        );
    let found = folder.json("out.json");
    assert_eq!((&found["schema"], &found["version"]), (&"atc-tune".into(), &1.into()));
    assert_eq!(found["device"]["device"], "cpu");
    assert_eq!(found["store"], Value::Null);
    let problems = found["problems"].as_array().unwrap();
    assert_eq!(problems.len(), 2);
    for problem in problems {
        assert_eq!((&problem["status"], &problem["source"]), (&"ok".into(), &"tuned".into()));
        let candidates = problem["candidates"].as_array().unwrap();
        let winner = &candidates[problem["winner"].as_u64().unwrap() as usize];
        assert_eq!(winner["outcome"], "won");
        let timing = &winner["timing"];
        let seconds = |name: &str| timing[name].as_f64().unwrap();
        assert!(seconds("min") > 0.0 && seconds("min") <= seconds("median"));
        assert!(seconds("median") <= seconds("max"));
        assert!(problem["choice"].as_str().unwrap().contains(winner["engine"].as_str().unwrap()));
    }
    assert_eq!((&problems[0]["count"], &problems[0]["columns"]["padW"]), (&3.into(), &1.into()));
}

#[test]
fn the_second_run_measures_nothing() {
    let folder = Folder::new();
    let first = folder.tuned();
    assert!(
        first["problems"].as_array().unwrap().iter().all(|problem| problem["stored"] == true),
        "{first}"
    );
    let command =
        folder.atc(&["tune", "layers.txt", "--store", "store", "--json", "again.json"]).assert();
    command.success().stdout(contains("0 measured (0 executions), 2 from the store"));
    let again = folder.json("again.json");
    for (before, after) in
        first["problems"].as_array().unwrap().iter().zip(again["problems"].as_array().unwrap())
    {
        assert_eq!(after["source"], "record");
        assert_eq!(after["choice"], before["choice"]);
    }
    let retuned =
        folder.atc(&["tune", "layers.txt", "--store", "store", "--retune"]).args(QUICK).assert();
    retuned.success().stdout(contains("2 measured"));
}

#[test]
fn the_environment_may_name_the_store_and_its_mode() {
    let folder = Folder::new();
    let run = |mode: &str| {
        let mut command = folder.atc(&["tune", "layers.txt"]);
        command.args(QUICK).env("ATC_STORE", folder.path("store")).env("ATC_MODE", mode);
        command.assert()
    };
    run("read-write").success().stdout(contains("2 measured"));
    run("read").success().stdout(contains("2 from the store")).stderr(contains("not kept"));
    // If ATC_STORE names a directory that cannot be used as a store, `atc tune` prints only a
    // warning.
    let mut command = folder.atc(&["tune", "layers.txt"]);
    command.args(QUICK).env("ATC_STORE", folder.path("layers.txt"));
    command.assert().success().stderr(contains("cannot be used"));
}

/// `ulimit -f 0` forbids the process to make files grow. So writing a decision fails, as it does on a full disk.
#[test]
fn decisions_that_the_store_cannot_write_are_told_and_change_the_exit_code() {
    let folder = Folder::new();
    let arguments = ["tune", "layers.txt", "--store", "store"];
    let command = folder.atc(&arguments);
    let mut shell = assert_cmd::Command::new("sh");
    shell.args(["-c", "trap '' XFSZ; ulimit -f 0; exec \"$0\" \"$@\""]);
    shell.arg(command.get_program()).args(arguments).args(QUICK).current_dir(folder.path("."));
    let told = contains("NOT STORED: 2 decisions: cannot write ").and(contains("File too large"));
    shell.assert().code(3).stdout(contains("2 measured").and(told));
    folder.atc(&arguments).args(QUICK).assert().success().stdout(contains("2 measured"));
}

/// A large layer: even a processor with 1 TFLOP/s needs 15 ms for one execution. So a budget of 5 ms is too short to
/// compare two candidates.
const LARGE: &str = "large 4 256 0 56 56 256 0 3 3 1 1 1 1\n";

/// The first budget (1 µs) is spent after the default was timed. So no second candidate is timed, the problem is
/// undecided at first, and is then measured again with more time.
#[test]
fn races_without_a_comparison_get_more_time_while_the_budget_lasts() {
    let folder = Folder::new();
    let words = ["tune", "layers.txt", "--store", "store", "--json", "out.json"];
    let ended = folder.atc(&words).args(["--problem-budget", "1us"]).assert().success();
    ended
        .stdout(
            contains("2 problems: ").and(contains("undecided").not()).and(contains("; all kept")),
        )
        .stderr(contains("2 problems undecided for want of time: measured again with "));
    let account = folder.json("out.json")["account"].clone();
    assert_eq!((&account["undecided"], &account["kept"]), (&0.into(), &2.into()), "{account}");
    let mut replay = folder.atc(&["tune", "layers.txt", "--store", "store"]);
    replay.env("ATC_MODE", "replay-only").assert().success().stdout(contains("2 from the store"));
}

#[test]
fn a_race_without_a_comparison_is_undecided_in_every_count() {
    let folder = Folder::new();
    folder.write("large.txt", LARGE);
    let words = ["tune", "large.txt", "--budget", "5ms", "--store", "store", "--json", "out.json"];
    let ended = folder.atc(&words).assert().code(3);
    ended.stdout(contains("1 problem: 1 undecided; none kept\n").and(contains(", 1 undecided\n")));
    let found = folder.json("out.json");
    let none = serde_json::json!({"firm": 0, "provisional": 0, "undecided": 1, "kept": 0});
    assert_eq!(found["account"], none, "{found}");
    let mut replay = folder.atc(&["tune", "large.txt", "--store", "store"]);
    replay.env("ATC_MODE", "replay-only").assert().code(3);
    folder.atc(&["report", "out.json", "-o", "out.html"]).assert().success();
    let html = std::fs::read_to_string(folder.path("out.html")).unwrap();
    assert!(html.contains("<dd>1 problem: 1 undecided; none kept</dd>"), "{html}");
    let advised = folder.atc(&["advise", "out.json"]).assert().code(3);
    advised.stderr(contains("advice: none: no problem has a gain"));
    let select =
        folder.atc(&["select", "large.txt", "--budget", "5ms", "-o", "pins.json"]).assert();
    select.code(3).stderr(contains("large is not pinned: "));
    assert_eq!(folder.json("pins.json")["pins"], serde_json::json!([]));
}

#[test]
fn replay_only_without_a_record_is_partly_done() {
    let folder = Folder::new();
    folder.tuned();
    let mut command = folder.atc(&["tune", "layers.txt", "--batch", "7", "--store", "store"]);
    command.env("ATC_MODE", "replay-only");
    command.assert().code(3).stdout(contains("(not_tuned)").and(contains("2 undecided")));
}

#[test]
fn what_was_written_down_is_read_again_as_a_file() {
    let folder = Folder::new();
    let arguments = [
        "tune",
        "layers.txt",
        "--op",
        "backward-data",
        "--layout",
        "channels-last",
        "--json",
        "1.json",
    ];
    folder.atc(&arguments).args(QUICK).assert().success();
    folder.atc(&["tune", "1.json", "--json", "2.json"]).args(QUICK).assert().success();
    let (first, second) = (folder.json("1.json"), folder.json("2.json"));
    for field in ["name", "count", "columns", "op", "dtype", "layout", "bias", "description"] {
        for index in 0..2 {
            assert_eq!(
                first["problems"][index][field], second["problems"][index][field],
                "{field}"
            );
        }
    }
    assert_eq!(second["problems"][0]["op"], "backward-data");
}

/// A list of problems in the form that a recording of a program has.
const RECORDED: &str = r#"{"schema": "atc-tune", "version": 1, "atc": "0.1.0", "problems": [
  {"name":"conv_1","count":2,"constant_weights":true,"op":"forward","dtype":"f32","layout":"channels-last",
   "bias":true,"columns":{"N":1,"C":4,"H":8,"W":8,"K":4,"R":3,"S":3}},
  {"name":"conv_2","count":1,"op":"forward","dtype":"f32","layout":"channels-first","bias":true,
   "columns":{"N":1,"C":4,"H":8,"W":8,"K":2,"R":3,"S":3,"strideH":2,"strideW":2,"transposed":true,"outpadH":1}},
  {"name":"conv_3","count":1,"op":"backward-weight","dtype":"f32",
   "layout":{"x":[256,1,32,4],"w":[36,9,3,1],"y":[144,1,24,4]},
   "columns":{"N":1,"C":4,"H":8,"W":8,"K":4,"R":3,"S":3}},
  {"name":"conv_4","count":1,"op":"forward","dtype":"f32","layout":"channels-first",
   "columns":{"N":1,"C":4,"H":1,"W":8,"K":4,"R":1,"S":3,"dims":2}}
]}"#;

#[test]
fn recordings_are_tuned_as_they_lie_and_written_down_whole() {
    let folder = Folder::new();
    folder.write("recorded.json", RECORDED);
    let arguments = ["tune", "recorded.json", "--store", "store", "--json", "out.json"];
    folder.atc(&arguments).args(QUICK).assert().success().stdout(contains("4 measured"));
    let found = folder.json("out.json");
    let told = |index: usize| found["problems"][index]["description"].as_str().unwrap();
    assert!(told(0).contains("channels-last"), "{}", told(0));
    // conv_2 is a transposed convolution: it computes 2 channels of 18 x 17 from 4 channels of 8 x 8.
    assert!(told(1).contains("1x2x18x17") && told(1).contains("bias"), "{}", told(1));
    let third = told(2);
    assert!(third.contains("w=4x4x3x3 f32 y") && third.contains("channels-last"), "{third}");
    assert!(told(3).contains("1x4x1x8"), "{}", told(3));
    // If `atc tune` reads the document that it has written, it gets the same four problems.
    let again = ["tune", "out.json", "--store", "store", "--json", "again.json"];
    folder.atc(&again).assert().success().stdout(contains("0 measured (0 executions), 4 from"));
    let second = folder.json("again.json");
    for index in 0..4 {
        for field in ["columns", "layout", "op", "bias"] {
            assert_eq!(second["problems"][index][field], found["problems"][index][field]);
        }
    }
    let batch = ["tune", "recorded.json", "--batch", "4"];
    folder.atc(&batch).assert().failure().stderr(contains("conv_3 with --batch"));
}

#[test]
fn constant_weights_are_problems_of_their_own() {
    let folder = Folder::new();
    folder.write("recorded.json", RECORDED);
    let run = |more: &[&str], expected: &str| {
        let arguments = ["tune", "recorded.json", "--store", "store", "--json", "out.json"];
        let command = folder.atc(&arguments).args(QUICK).args(more).assert().success();
        command.stdout(contains(expected));
        folder.json("out.json")
    };
    let found = run(&["--constant-weights=recorded"], "4 measured");
    let problems = found["problems"].as_array().unwrap();
    let names: Vec<_> = problems.iter().map(|problem| problem["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["conv_1", "conv_2", "conv_3", "conv_4"]);
    assert!(problems[0]["description"].as_str().unwrap().contains("1x4x8x8"));
    assert_eq!(problems[0]["constant_weights"], true);
    assert_eq!(problems[1].get("constant_weights"), None);
    // The run above tuned only conv_1 with constant weights. So a run without constant weights finds the decisions of
    // all other problems in the store.
    run(&[], "1 measured");
    let listed = output(&mut folder.atc(&["store", "ls", "--store", "store"]));
    assert_eq!(listed.matches("constant weights").count(), 1, "{listed}");
}

#[test]
fn all_forms_of_layers_are_decided() {
    let folder = Folder::new();
    folder.write(
        "forms.txt",
        "line 1 4 0 1 64 8 0 1 3 1 1 1 1\n\
         volume 1 4 6 6 6 4 3 3 3 1 1 1 1\n\
         tconv_up 1 4 0 16 16 8 0 4 4 1 2 1 1\n\
         biased 1 4 0 8 8 4 0 3 3 1 1 1 1 # x1 bias\n\
         depthwise 1 8 0 10 10 8 0 3 3 1 1 2 8\n\
         uneven 1 4 0 10 12 4 0 3 5 0 1 2 0 2 1 1 1\n",
    );
    let arguments = ["tune", "forms.txt", "--op", "forward,backward-weight", "--json", "out.json"];
    folder.atc(&arguments).args(QUICK).assert().success();
    let found = folder.json("out.json");
    let told: Vec<_> = found["problems"]
        .as_array()
        .unwrap()
        .iter()
        .map(|problem| {
            format!("{} {}", problem["name"].as_str().unwrap(), problem["op"].as_str().unwrap())
        })
        .collect();
    assert_eq!(told.len(), 12);
    assert!(told.contains(&"tconv_up backward-data".to_owned()), "{told:?}");
    assert!(!told.contains(&"tconv_up forward".to_owned()), "{told:?}");
}

#[test]
fn json_may_go_to_standard_output_and_quiet_says_nothing() {
    let folder = Folder::new();
    let json = output(folder.atc(&["tune", "layers.txt", "--json", "-"]).args(QUICK));
    let found: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(found["problems"].as_array().unwrap().len(), 2);
    let quiet =
        folder.atc(&["tune", "layers.txt", "--quiet", "--json", "q.json"]).args(QUICK).assert();
    quiet.success().stdout("").stderr(contains("nothing is kept: ").and(contains("[1/2]").not()));
    assert_eq!(folder.json("q.json")["problems"].as_array().unwrap().len(), 2);
    let mut kept = folder.atc(&["tune", "layers.txt", "--quiet", "--store", "store"]);
    kept.args(QUICK).assert().success().stdout("").stderr("");
    let mut reading = folder.atc(&["tune", "layers.txt", "--quiet", "--batch", "3"]);
    reading.env("ATC_STORE", folder.path("store")).env("ATC_MODE", "read").args(QUICK);
    reading.assert().success().stdout("").stderr(contains("new decisions are not kept: "));
}

/// The reasons why problems are undecided are printed even with `--quiet`. The test covers every kind of reason.
#[test]
fn quiet_does_not_hide_why_a_problem_is_undecided() {
    let folder = Folder::new();
    let quiet = ["tune", "layers.txt", "--quiet", "--store", "store"];
    let said = |more: &[&str], mode: &str| {
        let mut command = folder.atc(&quiet);
        let ended = command.args(more).env("ATC_MODE", mode).assert().code(3).stdout("");
        String::from_utf8(ended.get_output().stderr.clone()).unwrap()
    };
    let only = said(&["--engines", "reference"], "read-write");
    assert!(only.contains("plain, point: no decision: only the slow reference runs it"), "{only}");
    let late = said(&["--budget", "1ns"], "read-write");
    assert!(late.contains("plain, point: no decision: the budget of"), "{late}");
    let unknown = said(&[], "replay-only");
    assert!(unknown.contains("plain: no decision: no usable record"), "{unknown}");
    let huge = said(&["--batch", "99999999999"], "read-write");
    assert!(huge.contains("plain, point: no decision: its tensors take more"), "{huge}");
}

#[test]
fn layers_may_come_from_standard_input() {
    let mut command = atc();
    command.args(["tune", "-"]).args(QUICK).write_stdin("only 1 4 0 8 8 4 0 1 1 0 1 1 1\n");
    command.assert().success().stdout(contains("only"));
    atc()
        .args(["tune", "-"])
        .write_stdin("only 1\n")
        .assert()
        .code(1)
        .stderr(contains("standard input:1: "));
}

#[test]
fn only_the_engines_that_are_named_take_part() {
    let folder = Folder::new();
    let arguments = ["tune", "layers.txt", "--engines", "reference", "--json", "out.json"];
    let told = contains("plain, point: no decision: only the slow reference runs it");
    folder
        .atc(&arguments)
        .args(QUICK)
        .assert()
        .code(3)
        .stdout(told.and(contains("(reference only)")).and(contains("2 undecided")));
    for problem in folder.json("out.json")["problems"].as_array().unwrap() {
        assert!(problem["choice"].as_str().unwrap().starts_with("reference@"), "{problem}");
    }
    let command = folder.atc(&["tune", "layers.txt", "--engines", "nobody"]).assert().code(2);
    command.stderr(contains("nobody").and(contains("onednn")));
}

#[test]
fn layers_that_no_memory_holds_are_told_and_the_others_tuned() {
    let folder = Folder::new();
    let large = "large 99999999999 8 0 12 12 8 0 3 3 1 1 1 1\n";
    folder.write("mixed.txt", &format!("{}{large}", common::LAYERS));
    let words = ["tune", "mixed.txt", "--json", "out.json"];
    let ended = folder.atc(&words).args(QUICK).assert().code(3);
    let told = contains("large: no decision: its tensors take more than the");
    ended.stdout(told.and(contains("2 measured")).and(contains("1 undecided")));
    let found = folder.json("out.json");
    let status = |index: usize| found["problems"][index]["status"].as_str().unwrap();
    assert_eq!([status(0), status(1), status(2)], ["ok", "ok", "out_of_memory"]);
    let all = ["tune", "layers.txt", "--batch", "99999999999"];
    folder.atc(&all).assert().code(3).stdout(contains("0 measured").and(contains("2 undecided")));
}

/// The layer is too large to be measured here, but a machine with more memory may have stored a decision.
#[test]
fn a_layer_that_no_memory_holds_is_still_known_to_the_store() {
    let folder = Folder::new();
    folder.tuned();
    let store = ::atc::Store::open(folder.path("store")).unwrap();
    let entries: Vec<Value> = serde_json::from_str(&store.list().unwrap()).unwrap();
    let of_point = |entry: &&Value| entry["key"]["problem"]["x"]["shape"][0] == 2;
    let mut entry = entries.iter().find(of_point).unwrap().clone();
    for operand in ["x", "y"] {
        entry["key"]["problem"][operand]["shape"][0] = 99_999_999_999_i64.into();
    }
    store
        .put(&serde_json::json!({"key": entry["key"], "value": entry["value"]}).to_string())
        .unwrap();

    let large = "large 99999999999 8 0 6 6 16 0 1 1 0 1 1 1\n";
    folder.write("large.txt", &format!("{}{large}", common::LAYERS));
    let words = ["tune", "large.txt", "--store", "store", "--json", "again.json"];
    folder
        .atc(&words)
        .assert()
        .success()
        .stdout(contains("0 measured").and(contains("3 from the store")));
    let found = folder.json("again.json");
    let known = &found["problems"][2];
    assert_eq!((&known["source"], &known["status"]), (&"record".into(), &"ok".into()), "{known}");
    assert_eq!(known["choice"], found["problems"][1]["choice"]);
    let ended = folder.atc(&words).args(["--retune"]).args(QUICK).assert().code(3);
    ended.stdout(contains("large: no decision: its tensors take more than the"));
    let ended = folder.atc(&words).env("ATC_MODE", "off").args(QUICK).assert().code(3);
    ended.stdout(contains("large: no decision: its tensors take more than the"));
}

#[test]
fn a_layer_that_libatc_refuses_is_named() {
    let folder = Folder::new();
    let row = |name: &str, constant: bool, stride: i64| {
        serde_json::json!({
            "name": name, "constant_weights": constant, "op": "forward", "dtype": "f32",
            "layout": {"x": [128, 64, 8, 1], "w": [18, 9, 3, 1], "y": [128, 64, 8, stride]},
            "columns": {"N": 1, "C": 2, "H": 8, "W": 8, "K": 2, "R": 3, "S": 3, "padH": 1, "padW": 1},
        })
    };
    let rows = [row("fine", false, 1), row("other", true, 1), row("bad", true, 0)];
    let file = serde_json::json!({"schema": "atc-tune", "version": 1, "problems": rows});
    folder.write("rows.json", &file.to_string());
    let ended = folder.atc(&["tune", "rows.json"]).args(QUICK).assert().code(1);
    ended.stderr(contains("error: bad: ").and(contains("problems[").not()));
}

/// A plug-in with an engine whose candidate never ends the execution of a 1x1 layer.
const HANGING: &str = r#"
#define main example_main
#include "own_engine.c"
#include <unistd.h>

static atc_status hang(void* user, void* prepared, atc_engine_operands* operands) {
  const atc_conv_problem* p = prepared;
  if (p->kernel[0] != 1) return execute(user, prepared, operands);
  fprintf(stderr, "hangs\n");
  for (;;) pause();
}

ATC_API atc_status atc1_plugin_init(void) {
  static engine_data data = {.notes = ""};
  static const atc_engine engine = {.struct_size = sizeof engine, .device_type = ATC_DEVICE_CPU,
                                    .name = "hangs", .version = "1", .user = &data, .offers = offers,
                                    .prepare = prepare, .execute = hang, .release = release};
  return atc_engine_register(&engine);
}
"#;

/// A race cannot be stopped during an execution. So if an execution hangs, a single signal must end the process (after
/// 5 s).
#[test]
fn one_signal_ends_a_candidate_that_hangs_and_what_was_decided_is_kept() {
    let folder = Folder::new();
    if !folder.make_plug_in(HANGING) {
        return;
    }
    let words = ["tune", "layers.txt", "--store", "store", "--plugin", "plugin.so"];
    let words = [&words[..], &QUICK, &["--json", "out.json"]].concat();
    for (number, signals) in [&[("hangs", "TERM")][..], &[("hangs", "INT"), ("stops after", "INT")]]
        .into_iter()
        .enumerate()
    {
        let ended = folder.signalled_at(signals, &words);
        let said = String::from_utf8(ended.stderr).unwrap();
        assert_eq!(ended.status.code(), Some(4), "{said}");
        // After a single signal the process waits 5 s and then logs that the work has not ended. A second signal ends
        // the process at once, so this message is missing.
        assert_eq!(said.contains("has not ended within 5 s"), number == 0, "{said}");
        folder.atc(&["store", "verify", "--store", "store"]).assert().success();
        let listed = folder.atc(&["store", "ls", "--store", "store"]).assert().success();
        listed.stderr(contains("1 decision in store"));
        assert!(!folder.path("out.json").exists());
    }
}

/// The first SIGINT ends the run after the measurement that is running. Decisions that were made before are shown and
/// written.
#[test]
fn an_interrupt_keeps_what_was_decided() {
    let folder = Folder::new();
    let rows =
        (0..8).map(|index| format!("layer{index} {} 64 0 56 56 64 0 3 3 1 1 1 1\n", index + 1));
    folder.write("many.txt", &rows.collect::<String>());
    let words = ["tune", "many.txt", "--problem-budget", "3s", "--store", "store"];
    let ended = folder.interrupted_at("[3/8]", &[&words[..], &["--json", "out.json"]].concat());
    let rest = String::from_utf8(ended.stderr).unwrap();
    assert_eq!(ended.status.code(), Some(4), "{rest}");
    assert!(!rest.contains("[8/8]"), "{rest}");
    let shown = String::from_utf8(ended.stdout).unwrap();
    assert!(shown.contains("layer0") && shown.contains("; cancelled"), "{shown}");
    let found = folder.json("out.json");
    assert_eq!(found["cancelled"], true);
    let problems = found["problems"].as_array().unwrap();
    for decided in &problems[..2] {
        assert_eq!(
            (&decided["status"], &decided["source"]),
            (&"ok".into(), &"tuned".into()),
            "{decided}"
        );
    }
    assert!(
        problems.last().is_none_or(|last| last["status"] != "ok"),
        "the last one was decided too"
    );
}
