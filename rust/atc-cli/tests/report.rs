//! Tests `atc report` and `atc env`.

mod common;

use std::fs;

use common::{Folder, output};
use predicates::str::contains;
use serde_json::Value;

#[test]
fn a_report_shows_every_candidate_of_a_run_and_of_a_store() {
    let folder = Folder::new();
    let tuned = folder.tuned();
    let run = folder.atc(&["report", "out.json", "-o", "run.html"]).assert().success().stdout("");
    run.stderr("wrote run.html (2 problems: 2 firm; all kept)\n");
    let store = folder.atc(&["report", "--store", "store", "-o", "store.html"]).assert().success();
    store.stderr("wrote store.html (2 problems: 2 firm; all kept)\n");
    folder.atc(&["report", "out.json", "-o", "-"]).assert().success().stderr("");
    for file in ["run.html", "store.html"] {
        let html = fs::read_to_string(folder.path(file)).unwrap();
        assert!(html.starts_with("<!DOCTYPE html>") && html.contains("<svg"), "{file}");
        for problem in tuned["problems"].as_array().unwrap() {
            for candidate in problem["candidates"].as_array().unwrap() {
                let configuration = candidate["configuration"].as_str().unwrap();
                assert!(html.contains(configuration), "{configuration} is missing in {file}");
            }
        }
    }
    let run = fs::read_to_string(folder.path("run.html")).unwrap();
    assert!(run.contains("<dt>layout</dt><dd>channels-first</dd>"));
    let place = |words: &str| run.find(words).unwrap();
    assert!(place("<dt>gain</dt>") < place("<dt>decisions</dt>"));
    assert!(place("<dt>decisions</dt>") < place("<dt>atc</dt>"));
}

#[test]
fn a_report_of_something_else_is_an_error_with_its_line() {
    let folder = Folder::new();
    for (text, place) in [("{\n\"schema\": 3}", "bad.json:2: "), ("", "bad.json:1: ")] {
        folder.write("bad.json", text);
        let command = folder.atc(&["report", "bad.json", "-o", "x.html"]).assert().code(1);
        command.stderr(contains(place));
        assert!(!folder.path("x.html").exists());
    }
    folder
        .atc(&["report", "missing.json", "-o", "x.html"])
        .assert()
        .code(1)
        .stderr(contains("missing.json"));
    folder.atc(&["report", "--store", "missing", "-o", "x.html"]).assert().code(1);
}

#[test]
fn the_environment_is_told_in_words_and_as_json() {
    let folder = Folder::new();
    let told = output(&mut folder.atc(&["env"]));
    for word in [
        "Devices",
        "cpu",
        "Libraries",
        "oneDNN",
        "Engines",
        "reference",
        "benchmark_technique",
        "none",
    ] {
        assert!(told.contains(word), "{word} is missing: {told}");
    }
    let json: Value = serde_json::from_str(&output(&mut folder.atc(&["env", "--json"]))).unwrap();
    let file = json["file"].as_str().unwrap();
    assert!(file.starts_with('/') && file.contains("/libatc.so"), "{file}");
    assert!(told.contains(&format!("\nlibatc: {file}\n")) && !told.contains("0.0.0"), "{told}");
    assert_eq!(json["devices"][0]["device"], "cpu");
    assert!(json["devices"][0]["compute_units"].as_i64().unwrap() >= 1);
    assert_eq!(json["settings"]["benchmark_technique"], "interleaved");
    assert_eq!(json["store"], Value::Null);
    // If a library is missing, its member `note` says so and names the functions that need the
    // library.
    for library in json["libraries"].as_array().unwrap() {
        let (loaded, note) = (library["loaded"] == true, library["note"].as_str().unwrap());
        assert!(loaded != library["file"].is_null(), "{library}");
        assert!(loaded || !note.is_empty(), "{library}");
    }
    let store = folder.path("store");
    let mut command = folder.atc(&["env", "--json"]);
    let json: Value = serde_json::from_str(&output(command.env("ATC_STORE", &store))).unwrap();
    assert_eq!(json["store"]["entries"], 0);
}
