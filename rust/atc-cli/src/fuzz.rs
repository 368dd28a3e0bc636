//! Fuzzing of the functions that read files. Each test first passes the files of its corpus (in tests/fuzz/corpus of
//! the repository) to such a function. Then it passes changed copies of these files for `ATC_FUZZ_SECONDS` (default 1)
//! seconds. Runs with the same `ATC_FUZZ_SEED` (default 1) make the same changes. If an input causes a panic, the input
//! is written to standard error.

mod change;

use std::path::Path;
use std::time::{Duration, Instant};
use std::{env, fs, panic};

use serde_json::{Value, json};

use crate::document::{Ceilings, Document};
use crate::look::Look;
use crate::pins::PinFile;
use crate::problems::{self, Selection};
use crate::report::{Page, render};
use crate::trace::{Kind, Trace};
use crate::{convert, entries, tables};

const LOOKS: [Look; 3] = [Look::Lines, Look::Wide, Look::Fitting(40)];

/// Calls `run` with the text of each file in the corpus folder `target`, and then with changed copies of these texts.
fn fuzz(target: &str, run: fn(&str)) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fuzz/corpus").join(target);
    let mut files: Vec<_> = fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    let corpus: Vec<_> = files
        .iter()
        .map(|file| String::from_utf8_lossy(&fs::read(file).unwrap()).into_owned())
        .collect();
    assert!(!corpus.is_empty(), "{} is empty", folder.display());
    corpus.iter().for_each(|input| run_one(run, input));

    let end = Instant::now() + Duration::from_secs(number("ATC_FUZZ_SECONDS"));
    let mut changes = change::Changes::new(number("ATC_FUZZ_SEED"));
    let mut runs = 0_u64;
    while Instant::now() < end {
        run_one(run, &changes.of(&corpus));
        runs += 1;
    }
    println!("{target}: {} files and {runs} changed inputs", corpus.len());
}

/// Returns the number in an environment variable, or 1 if the variable is not set.
fn number(variable: &str) -> u64 {
    env::var(variable).map_or(1, |text| text.parse().expect(variable))
}

fn run_one(run: fn(&str), input: &str) {
    if let Err(panic) = panic::catch_unwind(|| run(input)) {
        eprintln!("the input is {input:?}");
        panic::resume_unwind(panic);
    }
}

#[test]
fn cli_problems() {
    fuzz("cli_problems", |text| {
        let rows = match problems::parse("file", text) {
            Ok(rows) => rows,
            Err(failure) => return assert!(failure.to_string().starts_with("file:"), "{failure}"),
        };
        assert!(!rows.is_empty());
        for request in Selection::default().requests(&rows).unwrap_or_default() {
            let columns = &request.layer.columns;
            assert!(columns.flops() >= 0.0 && columns.elements() >= 0.0);
            if let Err(error) = convert::problem(&request).describe() {
                assert_ne!(error.kind(), atc::ErrorKind::Internal, "{error}");
            }
        }
    });
}

#[test]
fn cli_results() {
    fuzz("cli_results", |text| {
        let Ok(document) = Document::parse("file", text) else { return };
        for look in LOOKS {
            tables::choices(&document, look);
            for problem in &document.problems {
                tables::candidates(&problem.decision, look);
            }
        }
        tables::remarks_of(&document);
        let again = Document::parse("again", &document.to_json().unwrap()).unwrap();
        assert_eq!(again, document);
        let ceilings = Ceilings { bytes_per_second: 1e9, flops_per_second: 1e12 };
        render(Page::of_run(&document)).unwrap();
        render(Page::of_run(&document).under(ceilings)).unwrap();
    });
}

#[test]
fn cli_trace() {
    fuzz("cli_trace", |text| {
        let Ok(trace) = Trace::parse("file", text) else { return };
        for look in LOOKS {
            trace.table(Kind::Problem, look);
            trace.table(Kind::Choice, look);
        }
    });
}

#[test]
fn cli_pins() {
    fuzz("cli_pins", |text| {
        let Ok(file) = PinFile::parse("file", text) else { return };
        for pin in &file.pins {
            assert!(!pin.pattern().is_empty());
            pin.effect();
        }
        assert_eq!(PinFile::parse("again", &file.to_json().unwrap()).unwrap(), file);
    });
}

#[test]
fn cli_entries() {
    fuzz("cli_entries", |text| {
        let Ok(list) = serde_json::from_str::<Vec<Value>>(text) else { return };
        let folder = tempfile::tempdir().unwrap();
        let store = atc::Store::open(folder.path()).unwrap();
        for entry in list {
            // Only `key` and `value` of the entry are passed to the store, because its checksum would be wrong after a
            // change. The store may refuse the entry for other reasons.
            let _ = store.put(&json!({"key": entry["key"], "value": entry["value"]}).to_string());
        }
        render(Page::of_store("store", entries::of(&store).unwrap())).unwrap();
    });
}
