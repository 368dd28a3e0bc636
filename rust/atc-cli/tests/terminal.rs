//! Tests the layout of tables: on a terminal, tables fit its width; in a pipe, each row is one
//! line.

#[path = "common/terminal.rs"]
mod a_terminal;
mod common;

use std::fs;

use a_terminal::shown;
use common::{Folder, QUICK, output};
use serde_json::Value;

const LS: [&str; 4] = ["store", "ls", "--store", "store"];

/// All commands that show a table of the decisions of `Folder::tuned`.
const TABLES: [&[&str]; 4] = [
    &["env"],
    &["tune", "layers.txt", "--store", "store"],
    &LS,
    &["store", "show", "--store", "store"],
];

fn ids(folder: &Folder) -> Vec<String> {
    let list = output(folder.atc(&LS).arg("--json"));
    let list: Value = serde_json::from_str(&list).unwrap();
    let entries = list["entries"].as_array().unwrap();
    entries.iter().map(|entry| entry["id"].as_str().unwrap().to_owned()).collect()
}

/// Returns three lines of each table in a text: the header, the line below the header, and the
/// first row.
fn table_lines(text: &str) -> Vec<&str> {
    let lines: Vec<_> = text.lines().collect();
    let mut found = Vec::new();
    for (place, line) in lines.iter().enumerate() {
        if line.starts_with('─') {
            found.push(lines[place - 1]);
            found.push(line);
            found.push(lines[place + 1]);
        }
    }
    found
}

#[test]
fn tables_are_no_wider_than_the_terminal() {
    let folder = Folder::new();
    folder.tuned();
    for words in TABLES {
        for columns in [80, 132] {
            let (text, code) = shown(&folder.atc(words), columns);
            assert_eq!(code, 0, "{text}");
            // Sentences are broken between words. A line that is a single word may be longer than
            // the width.
            for line in text.lines().filter(|line| line.trim().contains(' ')) {
                assert!(line.chars().count() <= columns.into(), "{words:?} at {columns}: {line}");
            }
            let lines = table_lines(&text);
            assert!(lines.len() >= 3, "{words:?} shows no table: {text}");
            for line in lines {
                assert!(line.chars().count() <= columns.into(), "{words:?} at {columns}: {text}");
            }
        }
    }
}

#[test]
fn a_terminal_that_does_not_tell_its_width_has_80_columns() {
    let folder = Folder::new();
    folder.tuned();
    let at = |columns| shown(&folder.atc(&LS), columns).0;
    assert_eq!(at(0), at(80));
    assert!(at(80).contains("(in all rows: certainty firm, environment cpu: "), "{}", at(80));
}

#[test]
fn choices_are_shortened_in_the_middle_and_whole_with_wide() {
    let folder = Folder::new();
    let tuned = folder.tuned();
    let problems = tuned["problems"].as_array().unwrap();
    let choices = problems.iter().map(|problem| problem["choice"].as_str().unwrap());
    let choice = choices.max_by_key(|choice| choice.len()).unwrap();
    let tune = ["tune", "layers.txt", "--store", "store"];
    let (narrow, _) = shown(&folder.atc(&tune), 80);
    let (wide, _) = shown(folder.atc(&tune).arg("--wide"), 80);
    assert!(!narrow.contains(choice) && narrow.contains('…'), "{narrow}");
    assert!(
        wide.contains(choice) && !wide.contains('…') && !wide.contains("in all rows"),
        "{wide}"
    );
}

#[test]
fn an_id_is_whole_at_any_width_and_is_taken() {
    let folder = Folder::new();
    folder.tuned();
    let ids = ids(&folder);
    assert_eq!(ids.len(), 2);
    for columns in [40, 80, 132] {
        let (text, _) = shown(&folder.atc(&LS), columns);
        for id in &ids {
            let lines = text.lines().filter(|line| line.split(' ').next() == Some(id));
            assert_eq!(lines.count(), 1, "{columns}: {text}");
        }
    }
    for id in &ids {
        let told = output(&mut folder.atc(&["store", "show", id, "--store", "store", "--json"]));
        let told: Value = serde_json::from_str(&told).unwrap();
        assert_eq!(told.as_array().unwrap().len(), 1, "{id}");
    }
}

#[test]
fn a_pipe_gets_plain_lines_with_everything_in_them() {
    let folder = Folder::new();
    let tuned = folder.tuned();
    for words in TABLES {
        let text = output(&mut folder.atc(words));
        let drawn = |c: char| ('\u{2500}'..='\u{257f}').contains(&c) || c == '…' || c == '\u{1b}';
        assert!(!text.contains(drawn), "{words:?}: {text}");
    }
    let listed = output(&mut folder.atc(&LS));
    let rows: Vec<Vec<_>> = listed.lines().map(|line| line.split('\t').collect()).collect();
    assert_eq!(rows.len(), 3, "a header and two decisions: {listed}");
    assert!(rows.iter().all(|row| row.len() == 8), "{listed}");
    assert_eq!((rows[0][0], rows[0][2]), ("id", "choice"));
    let mut known = ids(&folder);
    known.sort();
    let mut found = vec![rows[1][0], rows[2][0]];
    found.sort_unstable();
    assert_eq!(found, known);
    let choice = tuned["problems"][0]["choice"].as_str().unwrap();
    assert!(rows.iter().any(|row| row[2] == choice), "{listed}");
}

#[test]
fn every_command_that_tells_something_tells_it_as_json() {
    let folder = Folder::new();
    folder.tuned();
    folder.atc(&["store", "export", "-o", "all.bundle", "--store", "store"]).assert().success();
    for (words, member) in [
        (&["env"][..], "/devices/0/device"),
        (&["store", "ls", "--store", "store"], "/entries/0/id"),
        (&["store", "show", "--store", "store"], "/0/value"),
        (&["store", "import", "all.bundle", "--store", "copy"], "/0/added"),
        (&["store", "verify", "--store", "copy"], "/faults"),
        (&["store", "prune", "--keep", "1", "--store", "copy"], "/removed"),
    ] {
        let text = output(folder.atc(words).arg("--json"));
        let value: Value = serde_json::from_str(&text).unwrap();
        assert!(value.pointer(member).is_some(), "{words:?}: {text}");
    }
    let files = fs::read_dir(folder.path("copy")).unwrap();
    assert!(files.count() > 0);
    let tuned = output(folder.atc(&["tune", "layers.txt", "--json", "-"]).args(QUICK));
    serde_json::from_str::<Value>(&tuned).unwrap();
}
