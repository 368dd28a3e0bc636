//! Tests `atc store`: showing, exporting, importing and removing decisions.

mod common;

use std::fs;
use std::path::{Path, PathBuf};

use common::{Folder, QUICK, output};
use predicates::prelude::*;
use predicates::str::contains;
use serde_json::{Value, json};

const STORE: [&str; 2] = ["--store", "store"];

/// Returns the paths of the files that contain a store's entries. Each environment (device and versions) has a folder
/// with its entries. Files outside of these folders, and each folder's `manifest.json`, are not entries.
fn entries(store: &Path) -> Vec<PathBuf> {
    let listed = |folder: &Path| -> Vec<PathBuf> {
        fs::read_dir(folder).unwrap().map(|item| item.unwrap().path()).collect()
    };
    let folders = listed(store).into_iter().filter(|path| path.is_dir());
    let mut found: Vec<_> = folders.flat_map(|folder| listed(&folder)).collect();
    found.retain(|path| path.file_name().is_some_and(|name| name != "manifest.json"));
    found.sort();
    found
}

fn digest(folder: &Folder, store: &str) -> String {
    let listed = output(&mut folder.atc(&["store", "ls", "--json", "--store", store]));
    let listed: Value = serde_json::from_str(&listed).unwrap();
    listed["digest"].as_str().unwrap().to_owned()
}

#[test]
fn decisions_are_listed_and_shown() {
    let folder = Folder::new();
    let tuned = folder.tuned();
    let counted = folder.atc(&["store", "ls"]).args(STORE).assert().success();
    counted.stderr(contains("2 decisions in store, digest "));
    let listed = output(folder.atc(&["store", "ls"]).args(STORE));
    assert!(listed.contains("x 1×8×12×12 w 8×8×3×3 padding 1"), "{listed}");
    let id = listed.lines().find(|line| line.contains("1×8×12×12")).unwrap();
    let id = id.split('\t').next().unwrap();
    let shown = output(folder.atc(&["store", "show", id]).args(STORE));
    let choice = tuned["problems"][0]["choice"].as_str().unwrap();
    assert!(shown.contains(choice) && shown.contains("won"), "{shown}");
    let json = output(folder.atc(&["store", "show", "--json"]).args(STORE));
    let all: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(all.as_array().unwrap().len(), 2);
    folder.atc(&["store", "show", "zzz"]).args(STORE).assert().code(1).stderr(contains("zzz"));
}

/// Makes the first decision of the store provisional, as if its race had been unstable.
fn loosen(folder: &Folder) {
    let store = atc::Store::open(folder.path("store")).unwrap();
    let entries: Vec<Value> = serde_json::from_str(&store.list().unwrap()).unwrap();
    let mut loose = json!({"key": entries[0]["key"], "value": entries[0]["value"]});
    loose["value"]["provisional"] = json!({"risk": 0.05, "why": "a busy machine", "budget": 60.0});
    let loose = loose.to_string();
    assert!(store.remove(&loose).unwrap());
    store.put(&loose).unwrap();
    assert_eq!(store.provisional().unwrap(), 1);
}

#[test]
fn provisional_decisions_are_counted_told_and_measured_again_on_request() {
    let folder = Folder::new();
    folder.tuned();
    let counted = |words: &str| {
        folder.atc(&["store", "ls"]).args(STORE).assert().success().stderr(contains(words));
    };
    counted("2 decisions in store");
    let before = digest(&folder, "store");
    loosen(&folder);
    counted("2 decisions (1 provisional) in store");
    let listed = output(folder.atc(&["store", "ls"]).args(STORE));
    assert!(listed.contains("\tprovisional\t") && listed.contains("\tfirm\t"), "{listed}");
    assert_eq!(digest(&folder, "store"), before);
    let shown = output(folder.atc(&["store", "show"]).args(STORE));
    let told = "provisional: the choice may take 5.0 % more time than another one: a busy machine";
    assert!(shown.contains(told), "{shown}");
    let tune = |more: &[&str]| {
        output(folder.atc(&["tune", "layers.txt"]).args(QUICK).args(STORE).args(more))
    };
    let known = tune(&[]);
    assert!(known.contains("0 measured") && known.contains("1 firm, 1 provisional"), "{known}");
    let strict = tune(&["--require-firm"]);
    assert!(strict.contains("1 measured") && strict.contains("2 firm; all kept"), "{strict}");
    loosen(&folder);
    let again = tune(&["--retune=provisional"]);
    assert!(again.contains("1 measured") && again.contains("1 from the store"), "{again}");
    counted("2 decisions in store");
}

#[test]
fn the_environment_may_name_the_store() {
    let folder = Folder::new();
    folder.tuned();
    let mut command = folder.atc(&["store", "ls"]);
    command
        .env("ATC_STORE", folder.path("store"))
        .assert()
        .success()
        .stderr(contains("2 decisions"));
}

#[test]
fn a_bundle_carries_every_decision() {
    let folder = Folder::new();
    folder.tuned();
    let export = folder.atc(&["store", "export", "-o", "all.bundle"]).args(STORE).assert();
    export.success().stdout("").stderr("wrote all.bundle (2 decisions)\n");
    folder
        .atc(&["store", "import", "all.bundle", "--store", "copy"])
        .assert()
        .success()
        .stdout(contains("2 added, 0 known already"));
    assert_eq!(digest(&folder, "store"), digest(&folder, "copy"));
    folder
        .atc(&["store", "import", "all.bundle", "--store", "copy"])
        .assert()
        .success()
        .stdout(contains("0 added, 2 known already"));
    let command = folder.atc(&["tune", "layers.txt", "--store", "copy"]).assert().success();
    command.stdout(contains("0 measured"));
}

#[test]
fn bundles_are_joined() {
    let folder = Folder::new();
    folder.tuned();
    folder.atc(&["store", "export", "-o", "a.bundle"]).args(STORE).assert().success();
    let arguments =
        ["tune", "layers.txt", "--batch", "3", "--store", "other", "--technique", "once"];
    folder.atc(&arguments).assert().success();
    folder.atc(&["store", "export", "-o", "b.bundle", "--store", "other"]).assert().success();
    folder.atc(&["store", "merge", "a.bundle", "b.bundle", "-o", "c.bundle"]).assert().success();
    let import =
        folder.atc(&["store", "import", "c.bundle", "--store", "joined"]).assert().success();
    import.stdout(contains("4 added"));
}

#[test]
fn joined_stores_have_equal_digests() {
    let folder = Folder::new();
    folder.tuned();
    let other = ["tune", "layers.txt", "--store", "other"];
    folder.atc(&other).args(QUICK).assert().success();
    folder.atc(&["store", "export", "-o", "a.bundle"]).args(STORE).assert().success();
    folder.atc(&["store", "export", "-o", "b.bundle", "--store", "other"]).assert().success();
    let import = ["store", "import", "--join"];
    folder.atc(&import).arg("b.bundle").args(STORE).assert().success();
    folder.atc(&import).args(["a.bundle", "--store", "other"]).assert().success();
    assert_eq!(digest(&folder, "store"), digest(&folder, "other"));
    folder.atc(&import).args(["--replace", "b.bundle"]).args(STORE).assert().code(2);
}

#[test]
fn an_import_replaces_on_demand() {
    let folder = Folder::new();
    folder.tuned();
    let other = ["tune", "layers.txt", "--store", "other"];
    // The store `other` has the same problems as the first store, but other times.
    folder.atc(&other).args(QUICK).assert().success();
    folder.atc(&["store", "export", "-o", "b.bundle", "--store", "other"]).assert().success();
    let import =
        |more: &[&str]| output(folder.atc(&["store", "import", "b.bundle"]).args(STORE).args(more));
    assert!(import(&[]).contains("0 added, 2 known already"));
    assert!(import(&["--replace"]).contains("2 added, 0 known already"));
    assert!(import(&["--replace"]).contains("0 added, 2 known already"), "the same again");
    assert_eq!(digest(&folder, "store"), digest(&folder, "other"));
}

#[test]
fn a_bundle_that_is_none_changes_nothing() {
    let folder = Folder::new();
    folder.tuned();
    let before = digest(&folder, "store");
    for bundle in ["layers.txt", "out.json", "missing"] {
        let command = folder.atc(&["store", "import", bundle]).args(STORE).assert().code(1);
        command.stderr(contains(bundle));
        folder.atc(&["store", "merge", bundle, "-o", "joined"]).assert().code(1);
        assert!(!folder.path("joined").exists());
    }
    assert_eq!(digest(&folder, "store"), before);
}

#[test]
fn a_damaged_entry_is_found_and_removed() {
    let folder = Folder::new();
    folder.tuned();
    folder
        .atc(&["store", "verify"])
        .args(STORE)
        .assert()
        .success()
        .stdout(contains("every file is good"));
    let files = entries(&folder.path("store"));
    assert_eq!(files.len(), 2);
    fs::write(&files[0], "{}").unwrap();
    let name = files[0].file_name().unwrap().to_string_lossy().into_owned();
    let verify = folder.atc(&["store", "verify"]).args(STORE).assert().code(3);
    verify.stdout(contains(name)).stderr(contains("1 bad file"));
    let prune = folder.atc(&["store", "prune", "--keep", "10"]).args(STORE).assert().success();
    prune.stdout(contains("1 file removed"));
    assert_eq!(entries(&folder.path("store")), files[1..]);
    folder.atc(&["store", "verify"]).args(STORE).assert().success();
}

#[test]
fn pruning_keeps_as_many_as_it_is_told() {
    let folder = Folder::new();
    folder.tuned();
    folder.atc(&["store", "prune", "--keep", "1"]).args(STORE).assert().success();
    assert_eq!(entries(&folder.path("store")).len(), 1);
    folder.atc(&["store", "prune"]).args(STORE).assert().code(2);
    folder.atc(&["store", "prune", "--keep", "1", "--store", "nowhere"]).assert().code(1);
    assert!(!folder.path("nowhere").exists());
}

#[test]
fn output_that_nobody_reads_any_more_is_no_failure() {
    let folder = Folder::new();
    folder.tuned();
    let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin!("atc"));
    command.current_dir(folder.path("")).args(["store", "show", "--store", "store"]);
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let ended = command.stdout(writer).output().unwrap();
    assert_eq!(ended.status.code(), Some(0));
    assert!(predicates::str::is_empty().eval(&String::from_utf8_lossy(&ended.stderr)));
}

#[test]
#[cfg(not(feature = "remote"))]
fn a_program_without_object_stores_says_how_to_get_them() {
    let folder = Folder::new();
    for command in ["push", "pull"] {
        let assert = folder.atc(&["store", command, "file:///fleet"]).args(STORE).assert().code(1);
        assert.stderr(contains("without object stores").and(contains("remote")));
    }
}
