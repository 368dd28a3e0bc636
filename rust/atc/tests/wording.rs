//! Tests the messages of libatc. Programs in C, C++, Rust and Python show the same messages. So a message must not
//! contain a name that only exists in C.
#![allow(missing_docs)]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The exceptions: messages about callbacks of the program. Such a callback is always a C function, so these messages
/// may contain names that only exist in C. Each exception consists of a part of the message, and of the object to which
/// the callback belongs.
const ABOUT_CALLBACKS: &[(&str, &str)] =
    &[("ATC_ENGINE_", "engines"), ("which is no status of atc", "engines")];

#[test]
fn no_sentence_that_reaches_a_program_advises_in_c() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    if !root.join("CMakeLists.txt").exists() {
        eprintln!("skipped: libatc's sources are not there (a packaged crate)");
        return;
    }
    let names = declared(&root);
    let (mut seen, mut excused) = (0, BTreeSet::new());
    for folder in ["ffi", "src", "torch"] {
        for file in cpp_files(&root.join(folder)) {
            let text = std::fs::read_to_string(&file).expect("a readable source file");
            for sentence in sentences(&text) {
                seen += 1;
                let Some(word) = word_of_c(&sentence, &names) else { continue };
                let excuse = ABOUT_CALLBACKS.iter().find(|(part, _)| sentence.contains(part));
                let (part, _) = excuse.unwrap_or_else(|| {
                    panic!(
                        "{}: {sentence:?} has {word:?}: use words of every language",
                        file.display()
                    )
                });
                excused.insert(*part);
            }
        }
    }
    assert!(seen > 400, "only {seen} sentences found");
    let parts: BTreeSet<&str> = ABOUT_CALLBACKS.iter().map(|(part, _)| *part).collect();
    assert_eq!(excused, parts, "an excuse that no sentence needs");
}

/// Returns the names of all C functions and constants of libatc and of the LibTorch bridge. They are read from the Rust
/// bindings.
fn declared(root: &Path) -> BTreeSet<String> {
    let mut names: BTreeSet<String> = BTreeSet::new();
    for file in ["rust/atc-sys/src/bindings.rs", "rust/atc-tch/src/sys.rs"] {
        let text = std::fs::read_to_string(root.join(file)).expect("readable bindings");
        for start in ["pub fn ", "pub const "] {
            names.extend(
                text.split(start).skip(1).map(|rest| {
                    rest.chars().take_while(|character| is_of_name(*character)).collect()
                }),
            );
        }
    }
    // In the bindings a function has its name in the shared library, which begins with atc1_. In C the name begins with
    // atc_.
    names = names.into_iter().map(|name| name.replace("atc1_", "atc_")).collect();
    assert!(names.len() > 200, "only {} names found", names.len());
    names
}

/// Returns those string literals of a C++ source that contain a space or `->`, because these may be messages. Adjacent
/// literals are joined into one, as the compiler joins them. Each placeholder `{}` is replaced by "x".
fn sentences(text: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    let mut adjacent = false;
    for line in text.lines().filter(|line| !line.trim_start().starts_with(['#', '/'])) {
        for (index, part) in line.replace("\\\"", "'").split('"').enumerate() {
            if index % 2 == 0 {
                adjacent = adjacent && part.trim().is_empty();
            } else if adjacent {
                all.last_mut().expect("a literal before this one").push_str(part);
            } else {
                all.push(part.to_owned());
                adjacent = true;
            }
        }
    }
    all.retain(|literal| literal.contains(' ') || literal.contains("->"));
    all.iter().map(|literal| literal.replace("{}", "x")).collect()
}

fn word_of_c<'a>(sentence: &'a str, names: &BTreeSet<String>) -> Option<&'a str> {
    let words = sentence.split(|character| !is_of_name(character));
    let declared = |word: &&str| {
        *word == "NULL" || names.contains(*word) || word.starts_with("ATC_") && word.ends_with('_')
    };
    words.into_iter().find(declared).or_else(|| {
        sentence.split_once("->").filter(|(before, _)| before.ends_with(is_of_name)).map(|_| "->")
    })
}

#[test]
fn words_of_c_are_found() {
    let names = BTreeSet::from(["atc_tune".to_owned(), "ATC_FORWARD".to_owned()]);
    for (sentence, word) in [
        ("problem->stride[0] is 0", Some("->")),
        ("w is NULL: pass it", Some("NULL")),
        ("call atc_tune first", Some("atc_tune")),
        ("only ATC_FORWARD has one", Some("ATC_FORWARD")),
        ("use ATC_DTYPE_*", Some("ATC_DTYPE_")),
        ("problem.stride[0] is 0: use 1 or more (ATC_PINS)", None),
        ("(Tensor self) -> Tensor", None),
    ] {
        assert_eq!(word_of_c(sentence, &names), word, "{sentence}");
    }
}

fn cpp_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a readable folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files.extend(cpp_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "cpp" || extension == "hpp")
        {
            files.push(path);
        }
    }
    files
}

fn is_of_name(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}
