//! Tests that the crate agrees with the repository around it and with libatc: in its version, in
//! the functions of libatc that it wraps, in default values, and in the sentences that it quotes
//! from C headers.
#![allow(missing_docs)]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Returns the text of the file `file` of the repository. Returns `None` if this is a packaged
/// crate, because then there is no repository around it.
fn repository(file: &str) -> Option<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let path = root.join(file);
    if !root.join("CMakeLists.txt").exists() {
        eprintln!("skipped: {} is not there (a packaged crate)", path.display());
        return None;
    }
    Some(
        std::fs::read_to_string(&path)
            .unwrap_or_else(|error| panic!("{}: {error}", path.display())),
    )
}

#[test]
fn the_workspace_has_cmakes_version() {
    let Some(cmake) = repository("CMakeLists.txt") else { return };
    let version = cmake
        .split("project(atc VERSION ")
        .nth(1)
        .and_then(|rest| rest.split_whitespace().next())
        .expect("project(atc VERSION …)");
    assert_eq!(version, env!("CARGO_PKG_VERSION"));
}

#[test]
fn one_oldest_cargo_is_named() {
    let Some(readme) = repository("README.md") else { return };
    let setup = repository("scripts/setup").expect("set-up beside README");
    let words: Vec<&str> = readme.split_whitespace().collect();
    let in_readme = words
        .windows(4)
        .find(|window| window[0] == "cargo" && window[2] == "or" && window[3].starts_with("newer"))
        .expect("README: cargo VERSION or newer")[1];
    let in_setup = setup
        .lines()
        .find_map(|line| line.strip_prefix("minimum_cargo="))
        .expect("scripts/setup: minimum_cargo=VERSION");
    let in_crates = env!("CARGO_PKG_RUST_VERSION");
    assert_eq!((in_readme, in_setup), (in_crates, in_crates), "README, scripts/setup");
}

#[test]
fn the_library_has_the_crates_version() {
    assert_eq!(atc::version(), Ok(env!("CARGO_PKG_VERSION")));
    // SAFETY: the C function takes no arguments and returns a number.
    assert_eq!(unsafe { atc::sys::atc_version() }, atc::sys::ATC_VERSION);
}

/// The C functions of libatc that this crate does not call, each with the reason.
const NOT_WRAPPED: &[(&str, &str)] = &[
    ("atc_conv_problem_init_sized", "Problem::new writes the same, without a call"),
    ("atc_version", "version() tells the same; the ABI version is what decides"),
    ("atc_convolution", "atc_convolution_v2 does the same, and takes scale and residual"),
    ("atc_conv_plan_execute", "atc_conv_plan_execute_v2 does the same, and takes both, too"),
    ("atc_engine_register", "an engine is a table of C callbacks on raw memory"),
    ("atc_settings_source_set", "for bridges, which are written against the raw bindings"),
    ("atc_conv_pins_effect", "for bridges, which are written against the raw bindings"),
    (
        "atc_conv_plan_destroy",
        "atc_conv_plan_release, which destroys plans that are not of the cache",
    ),
    ("atc_trace_is_running", "for bridges, which are written against the raw bindings"),
    ("atc_conv_plan_own_run_begin", "for bridges, which are written against the raw bindings"),
    ("atc_conv_plan_own_run_end", "for bridges, which are written against the raw bindings"),
    ("atc_trace_call_begin", "for bridges, which are written against the raw bindings"),
    ("atc_trace_call_end", "for bridges, which are written against the raw bindings"),
];

#[test]
fn every_function_is_wrapped_or_has_a_reason() {
    let Some(bindings) = repository("rust/atc-sys/src/bindings.rs") else { return };
    let declared: BTreeSet<String> = bindings
        .split("pub fn atc1_")
        .skip(1)
        .filter_map(|rest| rest.split('(').next())
        .map(|name| format!("atc_{name}"))
        .collect();
    assert!(declared.len() > 80, "only {} functions found", declared.len());
    let sources = rust_files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"))
        .iter()
        .map(|file| std::fs::read_to_string(file).expect("a readable source file"))
        .collect::<String>();
    let reasons: BTreeSet<&str> = NOT_WRAPPED.iter().map(|(name, _)| *name).collect();
    let called = |name: &str| {
        // A function counts as called if a source file contains `sys::NAME(`, or contains the name
        // as an argument of the macro `switch!`, which defines functions that call it.
        [format!("sys::{name}("), format!("{name},"), format!("{name}\n")]
            .iter()
            .any(|use_of_it| sources.contains(use_of_it))
    };
    for name in declared {
        assert_ne!(
            called(&name),
            reasons.contains(name.as_str()),
            "{name}: wrap it, or say in NOT_WRAPPED why not"
        );
    }
}

#[test]
fn a_problem_starts_as_libatc_would_start_it() {
    for (dims, input) in [(1, vec![1]), (2, vec![1, 1]), (3, vec![1, 1, 1])] {
        let mut raw = atc::sys::atc_conv_problem::default();
        let size = size_of::<atc::sys::atc_conv_problem>();
        // SAFETY: `raw` lives for the call. The C function writes at most `size` bytes of `raw`.
        let status = unsafe { atc::sys::atc_conv_problem_init_sized(&mut raw, size, dims) };
        assert_eq!(status, atc::sys::ATC_OK);
        assert_eq!(raw.struct_size as usize, size);
        let spec = atc::Problem::new(1, 1, &input, 1).spec().unwrap();
        assert_eq!(raw.spatial_dims as usize, spec.input.len());
        assert_eq!(
            (raw.batch, raw.in_channels, raw.groups),
            (spec.batch, spec.in_channels, spec.groups)
        );
        let dims = dims as usize;
        assert_eq!(raw.kernel[..dims], spec.kernel);
        assert_eq!(raw.stride[..dims], spec.stride);
        assert_eq!(raw.dilation[..dims], spec.dilation);
        assert_eq!(raw.padding_low[..dims], spec.padding_low);
        assert_eq!(atc::Layout::from_raw(raw.layout), spec.layout);
        assert_eq!(atc::Epilogue::from_raw(raw.epilogue), spec.epilogue);
        assert_eq!(atc::Direction::from_raw(raw.direction), spec.direction);
    }
}

#[test]
fn every_unsafe_impl_of_a_thread_promise_stands_in_sync_rs() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for file in rust_files(&source) {
        let text = std::fs::read_to_string(&file).expect("a readable source file");
        let promises =
            text.matches("unsafe impl Send").count() + text.matches("unsafe impl Sync").count();
        let name = file.file_name().and_then(|name| name.to_str());
        assert_eq!(promises > 0, name == Some("sync.rs"), "{}", file.display());
    }
}

#[test]
fn sentences_quoted_from_headers_stand_there() {
    let sync = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/sync.rs"))
        .expect("a readable source file");
    let text = sync.replace("\n// ", " ");
    let quotes: Vec<(&str, &str)> = text
        .split("SAFETY: ")
        .skip(1)
        .map(|rest| {
            let (header, rest) = rest.split_once(": \"").expect("header: \"sentence\"");
            (header, rest.split('"').next().expect("the end of the sentence"))
        })
        .collect();
    assert!(!quotes.is_empty());
    for (header, sentence) in quotes {
        let Some(header_text) = repository(&format!("include/atc/{header}")) else { return };
        let flat =
            header_text.replace("\n *", " ").split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(flat.contains(sentence), "{header} does not say: {sentence}");
    }
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a readable folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files
}
