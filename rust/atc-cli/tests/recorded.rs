//! Tests layers that were recorded in a program. Their gains are relative to the program's own convolution.

mod common;

use common::{Folder, QUICK, output};
use predicates::prelude::*;
use predicates::str::contains;
use serde_json::Value;

const RECORDED: &str = r#"{"schema": "atc-tune", "version": 1, "problems": [
  {"name":"conv_1","count":2,"original":"program","op":"forward","dtype":"f32","layout":"channels-first",
   "columns":{"N":1,"C":4,"H":8,"W":8,"K":4,"R":3,"S":3}}
]}"#;

/// A plug-in with the engine of the example own_engine.c. In these tests this engine is the one that the recorded
/// program uses without atc.
const PLUG_IN: &str = r#"
#define main example_main
#include "own_engine.c"

static atc_status offers_original(void* user, const atc_conv_problem* p, const atc_engine_limits* limits,
                                  atc_offer_callback offer, void* payload) {
  (void)user;
  (void)p;
  (void)limits;
  const atc_engine_offer loops = {
      .struct_size = sizeof loops, .configuration = "loops", .notes = "", .flags = ATC_ENGINE_ORIGINAL};
  return offer(&loops, payload);
}

ATC_API atc_status atc1_plugin_init(void) {
  static const atc_engine engine = {.struct_size = sizeof engine, .device_type = ATC_DEVICE_CPU,
                                    .name = "program", .version = "1", .offers = offers_original,
                                    .prepare = prepare, .execute = execute, .release = release};
  return atc_engine_register(&engine);
}
"#;

#[test]
fn a_recorded_program_is_told_its_gain_over_its_own_convolution() {
    let folder = Folder::new();
    if !folder.make_plug_in(PLUG_IN) {
        return;
    }
    folder.write("recorded.json", RECORDED);
    let words = ["tune", "recorded.json", "--store", "store", "--plugin", "plugin.so"];
    folder.atc(&words).args(QUICK).args(["--json", "out.json"]).assert().success();
    let found = &folder.json("out.json")["problems"][0];
    assert_eq!(found["original"], "program");
    let default = &found["candidates"][found["default"].as_u64().unwrap() as usize];
    assert_eq!(default["engine"], "program", "{found}");
    let listed = output(&mut folder.atc(&["store", "ls", "--store", "store", "--json"]));
    let listed: Value = serde_json::from_str(&listed).unwrap();
    assert_eq!(listed["entries"][0]["default_time"], default["timing"]["median"], "{listed}");
    // The JSON that `atc tune` has written can be read as a recording, too.
    let again = ["tune", "out.json", "--store", "store", "--json", "again.json"];
    folder.atc(&again).args(["--plugin", "plugin.so"]).assert().success();
    assert_eq!(folder.json("again.json")["problems"][0]["default"], found["default"]);
    folder.atc(&["report", "out.json", "-o", "report.html"]).assert().success();
}

#[test]
fn without_the_programs_own_convolution_no_gain_is_told_and_why() {
    let folder = Folder::new();
    folder.write("recorded.json", RECORDED);
    let words = ["tune", "recorded.json", "--json", "out.json"];
    let ended = folder.atc(&words).args(QUICK).assert().success();
    ended.stdout(
        contains("conv_1: no gain").and(contains("engine program")).and(contains("--plugin")),
    );
    let found = &folder.json("out.json")["problems"][0];
    assert_eq!((&found["status"], &found["default"]), (&"ok".into(), &Value::Null));
}
