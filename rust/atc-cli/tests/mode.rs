//! Tests that every command obeys `ATC_MODE`.

mod common;

use common::{Folder, QUICK, output};
use predicates::prelude::*;
use predicates::str::contains;

const FAILED: i32 = 1;
const USAGE: i32 = 2;
const PARTLY: i32 = 3;

#[test]
fn a_mode_that_is_none_is_refused_with_the_ones_there_are() {
    let folder = Folder::new();
    folder.tuned();
    let said =
        contains("ATC_MODE=bogus in the environment: use off, read, read-write, replay-only");
    for words in [
        &["env"][..],
        &["tune", "layers.txt"],
        &["tune", "layers.txt", "--store", "store"],
        &["report", "out.json", "-o", "x.html"],
        &["store", "ls", "--store", "store"],
        &["store", "prune", "--keep", "0", "--store", "store"],
        &["store", "merge", "a.bundle", "-o", "b.bundle"],
    ] {
        let mut command = folder.atc(words);
        command.env("ATC_MODE", "bogus").assert().code(USAGE).stdout("").stderr(said.clone());
    }
    let mut command = folder.atc(&["completions", "bash"]);
    command.env("ATC_MODE", "bogus").assert().success();
    let mut command = folder.atc(&["store", "ls", "--store", "store"]);
    command.env("ATC_MODE", "").assert().success();
}

#[test]
fn a_store_changes_in_the_mode_read_write_alone() {
    let folder = Folder::new();
    folder.tuned();
    folder.atc(&["store", "export", "-o", "all.bundle", "--store", "store"]).assert().success();
    let listed = || output(&mut folder.atc(&["store", "ls", "--store", "store", "--json"]));
    let before = listed();
    for mode in ["off", "read", "replay-only"] {
        for words in [
            &["store", "prune", "--keep", "0", "--store", "store"][..],
            &["store", "import", "all.bundle", "--store", "store"],
            &["store", "import", "all.bundle", "--store", "new"],
        ] {
            let mut command = folder.atc(words);
            let ended = command.env("ATC_MODE", mode).assert().code(FAILED).stdout("");
            ended.stderr(contains(format!("ATC_MODE={mode}")).and(contains("unset ATC_MODE")));
        }
        let mut command = folder.atc(&["tune", "layers.txt", "--batch", "2", "--store", "store"]);
        let told = command.args(QUICK).env("ATC_MODE", mode).assert();
        told.stderr(contains("not kept").and(contains(mode)));
    }
    assert_eq!(listed(), before);
    assert!(!folder.path("new").exists());
    let mut command = folder.atc(&["store", "prune", "--keep", "0", "--store", "store"]);
    command.env("ATC_MODE", "read-write").assert().success().stdout("2 files removed\n");
}

/// In mode `replay-only` all decisions must come from the store. If the store does not exist, no
/// problem is decided, neither by the default nor by a measurement.
#[test]
fn nothing_is_decided_where_the_store_to_replay_is_not_there() {
    let folder = Folder::new();
    folder.tuned();
    for store in ["absent", ""] {
        let mut command = folder.atc(&["tune", "layers.txt"]);
        command.args(QUICK).env("ATC_MODE", "replay-only").env("ATC_STORE", store);
        let ended = command.assert().code(PARTLY);
        ended.stdout(contains("ATC_MODE=replay-only").and(contains("unset ATC_MODE")));
    }
    assert!(!folder.path("absent").exists());
    let mut command = folder.atc(&["env"]);
    command.env("ATC_MODE", "replay-only").env("ATC_STORE", "absent").assert().success();
}

#[test]
fn a_store_is_looked_at_in_every_mode_but_off() {
    let folder = Folder::new();
    folder.tuned();
    for words in [
        &["store", "ls", "--store", "store"][..],
        &["store", "show", "--store", "store"],
        &["store", "verify", "--store", "store"],
        &["store", "export", "-o", "-", "--store", "store"],
        &["report", "--store", "store", "-o", "x.html"],
    ] {
        for mode in ["read", "replay-only", "read-write"] {
            folder.atc(words).env("ATC_MODE", mode).assert().success();
        }
        let ended = folder.atc(words).env("ATC_MODE", "off").assert().code(FAILED).stdout("");
        ended.stderr(contains("ATC_MODE=off").and(contains("store store")));
    }
}
