//! Tests `atc env`.

mod common;

use common::{Folder, output};
use predicates::prelude::*;
use predicates::str::contains;
use serde_json::Value;

#[test]
fn the_known_faults_are_listed_with_their_sources() {
    let folder = Folder::new();
    let shown =
        output(folder.atc(&["env", "--faults", "--wide"]).env_remove("CUDNN_ERRATA_JSON_FILE"));
    for part in
        ["jit_1x1:avx2", "uxlfoundation/oneDNN#6035", "memory corruption", "pytorch/pytorch#188318"]
    {
        assert!(shown.contains(part), "{part} is missing: {shown}");
    }
    let faults: Value =
        serde_json::from_str(&output(&mut folder.atc(&["env", "--faults", "--json"]))).unwrap();
    let faults = faults.as_array().unwrap();
    let strided = faults.iter().find(|fault| fault["name"] == "onednn-strided-1x1-avx2").unwrap();
    assert_eq!(strided["applies"], !strided["running"].as_str().unwrap().is_empty());
    let elsewhere = faults.iter().find(|fault| fault["name"] == "cudnn-engine-5-sm86").unwrap();
    assert_eq!(elsewhere["device"], "compute capability 8.6");
}

#[test]
fn the_rules_of_an_errata_file_are_listed() {
    let folder = Folder::new();
    let rules = r#"{"version": 1, "rules": [{"rule_id": "mine", "operation": "ConvFwd", "engine": 42, "knob": ["k2=3"]}]}"#;
    folder.write("errata.json", rules);
    let mut command = folder.atc(&["env", "--faults", "--wide"]);
    let shown = output(command.env("CUDNN_ERRATA_JSON_FILE", "errata.json"));
    assert!(shown.contains("engine 42, k2=3") && shown.contains("errata.json"), "{shown}");
}

#[test]
fn an_errata_file_that_is_none_is_a_warning() {
    let folder = Folder::new();
    folder.write("errata.json", r#"{"version": 1, "rules": [{"operation": "ConvFwd"}]}"#);
    let mut command = folder.atc(&["env", "--faults"]);
    let said = contains("CUDNN_ERRATA_JSON_FILE").and(contains("rules[0].engine"));
    command.env("CUDNN_ERRATA_JSON_FILE", "errata.json").assert().success().stderr(said);
    let mut command = folder.atc(&["env", "--faults"]);
    let said = contains("missing.json").and(contains("cannot be read"));
    command.env("CUDNN_ERRATA_JSON_FILE", "missing.json").assert().success().stderr(said);
}
