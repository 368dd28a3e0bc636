//! Tests `atc tune` with candidates that crash or hang, with several devices, and with shards
//! (parts of the list of problems).

mod common;

use std::path::Path;
use std::process::Command;

use common::{Folder, QUICK};
use predicates::prelude::*;
use predicates::str::contains;
use serde_json::Value;

/// A plug-in with an engine that crashes or hangs when it executes a 1x1 layer. Each test replaces
/// the word `FAULT` by the code that does this.
const FAULTY: &str = r#"
#define main example_main
#include "own_engine.c"
#include <signal.h>
#include <unistd.h>

static atc_status fault(void* user, void* prepared, atc_engine_operands* operands) {
  const atc_conv_problem* p = prepared;
  if (p->kernel[0] != 1) return execute(user, prepared, operands);
  FAULT;
  return ATC_OK;
}

ATC_API atc_status atc1_plugin_init(void) {
  static engine_data data = {.notes = ""};
  static const atc_engine engine = {.struct_size = sizeof engine, .device_type = ATC_DEVICE_CPU,
                                    .name = "faulty", .version = "1", .user = &data, .offers = offers,
                                    .prepare = prepare, .execute = fault, .release = release};
  return atc_engine_register(&engine);
}
"#;

fn candidate<'a>(problem: &'a Value, engine: &str) -> &'a Value {
    let candidates = problem["candidates"].as_array().unwrap();
    candidates.iter().find(|candidate| candidate["engine"] == engine).unwrap()
}

fn costs_one_candidate(fault: &str, more: &[&str], reason: &str) {
    let folder = Folder::new();
    if !folder.make_plug_in(&FAULTY.replace("FAULT", fault)) {
        return;
    }
    let words =
        ["tune", "layers.txt", "--store", "store", "--plugin", "plugin.so", "--json", "out.json"];
    // ATC_EXPECTED_CALLS is infinite, so that the race times every candidate.
    let tune = |words: &[&str]| {
        let mut command = folder.atc(words);
        command.args(QUICK).args(more).env("ATC_EXPECTED_CALLS", "inf").assert().success()
    };
    tune(&words)
        .stderr(contains("point: faulty@1:loops takes no further part: ").and(contains(reason)))
        .stdout(contains("2 measured"));
    let found = folder.json("out.json");
    let [plain, point] = [0, 1].map(|index| &found["problems"][index]);
    assert_ne!(candidate(plain, "faulty")["outcome"], "wrong-result", "{plain}");
    let marked = candidate(point, "faulty");
    assert_eq!(marked["outcome"], "wrong-result", "{marked}");
    assert!(marked["reason"].as_str().unwrap().contains(reason), "{marked}");
    assert_eq!((&point["status"], &point["stored"]), (&"ok".into(), &true.into()));
    assert_ne!(point["choice"], "faulty@1:loops");
    // The record in the store says that the candidate is unusable. So the problem counts as decided
    // and is not measured again.
    tune(&words[..6]).stdout(contains("0 measured (0 executions), 2 from the store"));
}

#[test]
fn a_crash_costs_one_candidate_and_not_the_run() {
    costs_one_candidate("*(volatile int*)8 = 1", &[], "SIGSEGV");
    costs_one_candidate("abort()", &[], "SIGABRT");
}

#[test]
fn a_hang_costs_one_candidate_and_not_the_run() {
    costs_one_candidate("for (;;) pause()", &["--patience", "20s"], "no progress for 20");
}

#[test]
fn shards_are_parts_of_the_problems_that_fit_together() {
    let folder = Folder::new();
    let rows: String =
        (0..7).map(|i| format!("layer{i} 1 {} 0 6 6 8 0 1 1 0 1 1 1\n", 4 + i)).collect();
    folder.write("seven.txt", &rows);
    let names = |shard: &str| {
        let words = ["tune", "seven.txt", "--store", "store", "--json", "out.json"];
        let mut command = folder.atc(&words);
        command.args(QUICK).args(["--engines", "onednn", "--shard", shard]);
        command.env("SLURM_PROCID", "1").env("SLURM_NTASKS", "3");
        command.assert().success();
        let found = folder.json("out.json");
        let problems = found["problems"].as_array().unwrap().iter();
        problems.map(|one| one["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let parts = ["1/3", "2/3", "3/3"].map(names);
    assert_eq!(names("slurm"), parts[1]);
    let mut all = parts.concat();
    all.sort();
    assert_eq!(all, (0..7).map(|i| format!("layer{i}")).collect::<Vec<_>>());
    assert!(parts.iter().all(|part| (2..=3).contains(&part.len())), "{parts:?}");
    let all =
        folder.atc(&["tune", "seven.txt", "--store", "store", "--engines", "onednn"]).assert();
    all.success().stdout(contains("0 measured (0 executions), 7 from the store"));
    let none = folder.atc(&["tune", "seven.txt", "--shard", "slurm"]).assert().code(2);
    none.stderr(contains("SLURM_ARRAY_TASK_ID"));
}

/// Compiles a stub of the CUDA driver (libcuda.so.1), which reports two invented devices. If this
/// is impossible here, prints the reason and returns false.
fn make_driver(folder: &Folder) -> bool {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/capi/stub_driver.c");
    if !source.exists() {
        eprintln!("skipped: the stub of a driver is not here");
        return false;
    }
    let mut compiler = Command::new("cc");
    compiler.args(["-shared", "-fPIC", "-o"]).arg(folder.path("libcuda.so.1")).arg(source);
    match compiler.status() {
        Ok(status) => {
            assert!(status.success(), "the stub does not compile");
            true
        }
        Err(error) => {
            eprintln!("skipped: there is no C compiler cc to make a driver: {error}");
            false
        }
    }
}

#[test]
fn several_devices_work_on_one_list() {
    let folder = Folder::new();
    if !make_driver(&folder) {
        return;
    }
    let tune = |devices: &str, kind: &str| {
        let words = ["tune", "layers.txt", "--json", "out.json", "--devices", devices];
        let mut command = folder.atc(&words);
        command.env("ATC_LIBRARY_PATH", folder.path("")).env("ATC_STUB_DRIVER", kind);
        command.assert()
    };
    // The two devices of the stub cannot compute anything, so each problem is reported as
    // undecided.
    let ended = tune("all", "alike").code(3);
    let said = String::from_utf8(ended.get_output().stderr.clone()).unwrap();
    assert!(said.contains("/2] cuda:"), "{said}");
    let found = folder.json("out.json");
    assert_eq!(found["devices"], serde_json::json!(["cuda:0", "cuda:1"]));
    assert_eq!(found["problems"].as_array().unwrap().len(), 2);
    let others = tune("cuda:0,cuda:1", "").code(2);
    others.stderr(contains("cuda:0 is Stub 100, cuda:1 is Stub 200"));
    tune("all", "none").code(1).stderr(contains("no CUDA device").or(contains("CUDA")));
}
