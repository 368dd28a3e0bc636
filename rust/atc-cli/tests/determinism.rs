//! Tests `atc determinism` on the CPU: the text, the JSON, and invalid arguments.

mod common;

use common::{Folder, atc, output};
use predicates::prelude::*;
use predicates::str::contains;
use serde_json::Value;

const FAILED: i32 = 1;
const USAGE: i32 = 2;
const PARTLY: i32 = 3;

/// A plug-in with an engine that is the fastest one for a tiny problem (16 pixels, a filter of one pixel). The last
/// bits of its results differ from process to process. Results that are integers are not changed: the gate (libatc's
/// check of a candidate against the reference) uses data with integer results, and would find the change.
const PLUG_IN: &str = r#"
#define main example_main
#include "own_engine.c"
#include <math.h>
#include <time.h>

static unsigned seed;

static atc_status offers_noisy(void* user, const atc_conv_problem* p, const atc_engine_limits* limits,
                               atc_offer_callback offer, void* payload) {
  (void)user;
  (void)limits;
  const atc_engine_offer loops = {
      .struct_size = sizeof loops, .configuration = "loops", .notes = "", .flags = ATC_ENGINE_NONDETERMINISTIC};
  return offer(&loops, payload);
}

static atc_status execute_noisy(void* user, void* prepared, atc_engine_operands* operands) {
  (void)user;
  const atc_conv_problem* p = prepared;
  const float *x = operands->x, *w = operands->w;
  float* y = operands->y;
  const int64_t pixels = p->input[0] * p->input[1];
  for (int64_t i = 0; i < pixels; ++i) {
    double sum = 0;
    for (int64_t c = 0; c < p->in_channels; ++c) sum += (double)x[c * pixels + i] * w[c];
    y[i] = (float)sum;
    if ((seed >> i & 1) != 0 && y[i] != floorf(y[i])) y[i] = nextafterf(y[i], 0);
  }
  return ATC_OK;
}

ATC_API atc_status atc1_plugin_init(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  seed = (unsigned)now.tv_nsec * 2654435761u >> 16;
  static const atc_engine engine = {.struct_size = sizeof engine, .device_type = ATC_DEVICE_CPU,
                                    .name = "noisy", .version = "1", .offers = offers_noisy,
                                    .prepare = prepare, .execute = execute_noisy, .release = release};
  return atc_engine_register(&engine);
}
"#;

/// A plug-in that ends one of the processes that load it: if the environment variable END_AT is N, the plug-in ends
/// the N-th process that loads it. Without END_BY the process ends by abort(), otherwise with END_BY as its exit code.
/// The processes run one after the other. The first one is the command `atc determinism` itself.
const LAST_WORDS: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <atc/atc.h>

ATC_API atc_status atc1_plugin_init(void) {
  FILE* loads = fopen("loads", "a");
  if (loads == NULL || fputc('x', loads) == EOF) return ATC_ERROR_IO;
  const long count = ftell(loads);
  fclose(loads);
  if (count != atol(getenv("END_AT"))) return ATC_OK;
  fprintf(stderr, "a kernel of mine failed\n\n");
  const char* code = getenv("END_BY");
  if (code != NULL) _Exit(atoi(code));
  abort();
}
"#;

// A race may end before its budget is spent. Races of the small layers here are usually short, but on a busy machine
// they may take more than a second. So the budget is large.
const FEW: [&str; 4] = ["--processes", "2", "--problem-budget", "60s"];

fn set<'a>(found: &'a Value, name: &str) -> &'a Value {
    found["sets"].as_array().unwrap().iter().find(|set| set["name"] == name).unwrap()
}

#[test]
fn every_set_is_told_with_its_bits() {
    let folder = Folder::new();
    let mut command = folder.atc(&["determinism", "layers.txt", "--json", "out.json"]);
    // `atc determinism` must ignore switches that the environment sets.
    command.args(FEW).env("ATC_DETERMINISTIC", "1").env("ATC_STORE", folder.path("mine"));
    let ended = command.assert().success();
    let text = String::from_utf8(ended.get_output().stdout.clone()).unwrap();
    for words in [
        "switches\tchoices\tbits\ttime\tagainst the fastest",
        "defaults\tby default\tequal (",
        "benchmark\tby default\tas with defaults\t",
        "reproducible\tby default\tas with deterministic\t",
        "tune\tmeasured in each process\t",
        "replay\tfrom a store\tequal (",
        "equal bits in 2 processes: defaults, deterministic",
    ] {
        assert!(text.contains(words), "{words:?} is missing: {text}");
    }
    let told = String::from_utf8(ended.get_output().stderr.clone()).unwrap();
    assert!(told.contains("[1/10] defaults: process 1"), "{told}");
    let found = folder.json("out.json");
    assert_eq!((&found["schema"], &found["version"]), (&"atc-determinism".into(), &1.into()));
    assert_eq!((&found["processes"], &found["seed"]), (&2.into(), &1.into()));
    assert_eq!(found["problems"][0]["name"], "plain forward");
    assert_eq!(set(&found, "no-tf32")["same_as"], "defaults");
    // The replayed choice is the same in every process, so the bits are equal.
    let replay = set(&found, "replay");
    assert_eq!(replay["bits"], serde_json::json!(["equal", "equal"]));
    for problem in 0..2 {
        let one = |process: usize| &replay["processes"][process]["found"][problem];
        assert_eq!(one(0)["choice"], one(1)["choice"]);
        assert_eq!(
            (one(0)["first"].as_str().unwrap().len(), &one(0)["first"]),
            (64, &one(1)["again"])
        );
    }
    assert!(!folder.path("mine").exists(), "the environment's store was used");
}

#[test]
fn other_operands_have_other_bits() {
    let folder = Folder::new();
    let fingerprint = |seed: &str| {
        let words = ["determinism", "layers.txt", "--json", "-", "--seed", seed];
        let text = output(folder.atc(&words).args(FEW));
        let found: Value = serde_json::from_str(&text).unwrap();
        set(&found, "deterministic")["fingerprint"].as_str().unwrap().to_owned()
    };
    let first = fingerprint("1");
    assert_eq!(first, fingerprint("1"));
    assert_ne!(first, fingerprint("2"));
}

#[test]
fn a_kernel_with_other_bits_in_each_process_is_found_out() {
    let folder = Folder::new();
    if !folder.make_plug_in(PLUG_IN) {
        return;
    }
    folder.write("tiny.txt", "tiny 1 4 0 4 4 1 0 1 1 0 1 1 1\n");
    let words = ["determinism", "tiny.txt", "--plugin", "plugin.so", "--json", "out.json"];
    let text = output(folder.atc(&words).args(["--processes", "3", "--problem-budget", "60s"]));
    let found = folder.json("out.json");
    let tuned = set(&found, "tune");
    for process in tuned["processes"].as_array().unwrap() {
        assert_eq!(process["found"][0]["choice"], "noisy@1:loops", "{found}");
    }
    assert_eq!(tuned["bits"], serde_json::json!(["differ-by-process"]), "{text}");
    assert!(
        text.contains("tune: tiny forward: one choice, other bits in another process"),
        "{text}"
    );
    // The plug-in's engine says that the bits of its results may vary. So the engine is not used if the switch for
    // determinism is on.
    for name in ["deterministic", "deterministic tune", "replay"] {
        assert_eq!(set(&found, name)["bits"], serde_json::json!(["equal"]), "{name}: {text}");
    }
}

#[test]
fn a_process_that_ends_without_results_leaves_those_of_the_others() {
    let folder = Folder::new();
    if !folder.make_plug_in(LAST_WORDS) {
        return;
    }
    folder.write("tiny.txt", "tiny 1 4 0 4 4 1 0 1 1 0 1 1 1\n");
    let run = |end_at: &str, end_by: Option<&str>| {
        let _ = std::fs::remove_file(folder.path("loads"));
        let words = ["determinism", "tiny.txt", "--plugin", "plugin.so", "--json", "out.json"];
        let mut command = folder.atc(&words);
        command.args(FEW).env("END_AT", end_at).envs(end_by.map(|code| ("END_BY", code)));
        let ended = command.assert().code(PARTLY).stderr(contains("a kernel of mine failed"));
        (String::from_utf8(ended.get_output().stdout.clone()).unwrap(), folder.json("out.json"))
    };
    let ended = |found: &Value, set: &str, process: usize| {
        let set = self::set(found, set);
        assert_eq!(set["processes"].as_array().unwrap().len(), 2);
        set["processes"][process]["ended"].as_str().unwrap_or_default().to_owned()
    };
    // The plug-in is loaded by 1. the study, 2. the command that tunes the store, 3. the worker of this command, and
    // then by rounds of five processes, one for each set: defaults, deterministic, tune, …. So the 6th process is that
    // of `tune` in the first round.
    let (text, found) = run("6", None);
    let how = ended(&found, "tune", 0);
    assert!(how.starts_with("signal: 6") && how.ends_with(": a kernel of mine failed"), "{how}");
    assert_eq!(ended(&found, "tune", 1), "");
    let row = "tune\tmeasured in each process\tunknown (1 of 2 processes ended without results)\t-";
    assert!(text.contains(row), "{text}");
    assert!(text.contains("tune: 1 process without results: signal: 6"), "{text}");
    for name in ["defaults", "deterministic", "replay"] {
        assert!(set(&found, name)["fingerprint"].is_string(), "{name}: {text}");
    }
    // Here a process of the second round exits early.
    let (_, found) = run("10", Some("7"));
    assert_eq!(ended(&found, "deterministic", 1), "exit status: 7: a kernel of mine failed");
    assert!(set(&found, "defaults")["fingerprint"].is_string());
    // Here the command that tunes the store exits early. Without the store, the set `replay` has no results.
    let (text, found) = run("2", Some("1"));
    for process in 0..2 {
        let how = ended(&found, "replay", process);
        assert_eq!(how, "tuning for its store: exit status: 1: a kernel of mine failed");
    }
    assert!(text.contains("(2 of 2 processes ended without results)"), "{text}");
    assert!(set(&found, "deterministic")["fingerprint"].is_string(), "{text}");
}

#[test]
fn a_problem_without_a_result_is_told() {
    let folder = Folder::new();
    folder.write("huge.txt", "huge 9999999 64 0 999 999 64 0 3 3 1 1 1 1\n");
    let words = ["determinism", "layers.txt", "huge.txt", "--quiet", "--json", "out.json"];
    let ended = folder.atc(&words).args(FEW).assert().code(PARTLY).stdout("");
    // Errors are printed even with `--quiet`.
    ended
        .stderr(contains("defaults: huge forward: no result: ").and(contains("tensors take more")));
    let found = folder.json("out.json");
    assert_eq!(set(&found, "defaults")["bits"][2], "unknown");
    // Only two of the three problems can run. On a busy machine even fewer have a time, because the budget may be spent
    // before a choice is timed.
    assert!(found["timed"].as_u64().unwrap() <= 2, "what was not run has no time");
    let error = &set(&found, "defaults")["processes"][0]["found"][2]["error"];
    assert!(error.as_str().unwrap().contains("tensors take more"), "{error}");
    assert_eq!(set(&found, "defaults")["fingerprint"], Value::Null);
}

#[test]
fn wrong_arguments_are_refused_before_anything_runs() {
    let folder = Folder::new();
    for (words, code, said) in [
        (&["determinism"][..], USAGE, "FILE|NETWORK"),
        (&["determinism", "layers.txt", "--processes", "1"], USAGE, "from 2 to 1000"),
        (&["determinism", "layers.txt", "--processes", "many"], USAGE, "--processes"),
        (&["determinism", "layers.txt", "--seed", "0"], USAGE, "--seed"),
        (&["determinism", "nowhere.txt"], FAILED, "nowhere.txt"),
        (&["determinism", "layers.txt", "--device", "cuda:99"], FAILED, "error: "),
        (&["determinism", "layers.txt", "--json", "missing/x.json"], FAILED, "missing/x.json"),
        (&["determinism", "layers.txt", "--plugin", "missing.so"], FAILED, "missing.so"),
    ] {
        let told = contains(said).and(contains("process 1").not());
        folder.atc(words).assert().code(code).stdout("").stderr(told);
    }
    atc().args(["determinism", "--help"]).assert().success().stdout(contains("replay"));
}
