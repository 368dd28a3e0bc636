//! Tests which modules of the crate use which other modules. The modules in the folder `raw` may use only modules of
//! `raw` and the bindings (`sys`). The modules in the folder `safe` may also use modules of `safe`. All other modules
//! are public and may use all modules. No modules may use each other in a cycle.
#![allow(missing_docs)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The folders of the layers, from the lowest layer to the highest. The modules outside of these folders are the
/// highest layer.
const LAYERS: &[&str] = &["raw", "safe"];

/// Returns the paths that follow `crate::` in `text`, the source of a file. Comments and tests of the file are ignored,
/// because they may name modules of higher layers.
fn used(text: &str) -> BTreeSet<String> {
    let code = text.split("#[cfg(test)]").next().expect("a split has a first part");
    let lines: Vec<&str> =
        code.lines().map(|line| line.split("//").next().expect("a first part")).collect();
    let mut paths = BTreeSet::new();
    for after in lines.join(" ").split("crate::").skip(1) {
        let end =
            after.find(|c: char| !(c.is_alphanumeric() || "_:".contains(c))).unwrap_or(after.len());
        let (path, rest) = after.split_at(end);
        match rest.strip_prefix('{').and_then(|list| list.split_once('}')) {
            Some((list, _)) => {
                paths.extend(list.split(',').map(|last| format!("{path}{}", last.trim())));
            }
            None => {
                paths.insert(path.to_owned());
            }
        }
    }
    paths
}

fn layer(module: &str) -> usize {
    let folder = module.split("::").next().expect("a first part");
    LAYERS.iter().position(|layer| *layer == folder).unwrap_or(LAYERS.len())
}

/// Adds every file in `folder` and its subfolders to `found`. The key is the path of the file's module, such as
/// `safe::plan`, and the value is the text of the file.
fn modules(folder: &Path, root: &Path, found: &mut BTreeMap<String, String>) {
    let files = std::fs::read_dir(folder).expect("a readable folder");
    let paths: Vec<PathBuf> = files.map(|file| file.expect("an entry").path()).collect();
    for path in paths {
        if path.is_dir() {
            modules(&path, root, found);
            continue;
        }
        let name = path.strip_prefix(root).expect("a file below").with_extension("");
        let name = name.to_str().expect("an ASCII name").replace('/', "::");
        found.insert(name, std::fs::read_to_string(&path).expect("a readable file"));
    }
}

/// Returns the violations of the rules at the beginning of this file, as sentences: one for each use of a module of a
/// higher layer, and one for each module that uses itself by way of others.
fn faults(files: &BTreeMap<String, String>) -> Vec<String> {
    let mut faults = Vec::new();
    let mut uses: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for (module, text) in files {
        for path in used(text) {
            let names: Vec<&str> = path.split("::").collect();
            let target = (1..=names.len())
                .rev()
                .map(|n| names[..n].join("::"))
                .find(|name| files.contains_key(name));
            match target {
                // `crate::sys` is a re-export of the bindings, a crate of its own. So there is no file of this name
                // here. Every layer may use it.
                None if names[0] == "sys" => {}
                None if layer(module) < LAYERS.len() => {
                    faults.push(format!(
                        "{module} uses crate::{path}, which the crate's root exports"
                    ));
                }
                Some(target) if layer(&target) > layer(module) => {
                    faults.push(format!("{module} uses {target}, which is above it"));
                }
                Some(target) if target != *module => {
                    uses.entry(module).or_default().insert(target);
                }
                _ => {}
            }
        }
    }
    for (module, targets) in &uses {
        let mut reached: BTreeSet<&String> = BTreeSet::new();
        let mut next: Vec<&String> = targets.iter().collect();
        while let Some(one) = next.pop() {
            if reached.insert(one) {
                next.extend(uses.get(one.as_str()).into_iter().flatten());
            }
        }
        if reached.iter().any(|one| one == module) {
            faults.push(format!("{module} uses itself, by way of others"));
        }
    }
    faults
}

#[test]
fn no_file_uses_one_above_it_or_itself() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = BTreeMap::new();
    modules(&root, &root, &mut files);
    files.remove("lib");
    for layer in LAYERS {
        assert!(
            files.keys().any(|name| name.starts_with(&format!("{layer}::"))),
            "no file in {layer}"
        );
    }
    assert_eq!(faults(&files), Vec::<String>::new());
}

#[test]
fn forbidden_uses_are_found() {
    let files = |texts: &[(&str, &str)]| -> BTreeMap<String, String> {
        texts.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
    };
    let found = |texts| faults(&files(texts)).join("\n");
    assert_eq!(
        found(&[("raw::a", "use crate::sys;"), ("safe::b", "use crate::raw::a::{C, D};")]),
        ""
    );
    assert!(found(&[("raw::a", "use crate::safe::{b, c};"), ("safe::b", "")]).contains("safe::b"));
    assert!(found(&[("safe::a", "fn f() { crate::log::level() }"), ("log", "")]).contains("log"));
    assert!(found(&[("safe::a", "use crate::Plan;")]).contains("crate::Plan"));
    assert!(
        found(&[("safe::a", "use crate::safe::b::X;"), ("safe::b", "use crate::safe::a::Y;")])
            .contains("itself")
    );
    assert_eq!(
        found(&[("raw::a", "/// [`crate::log`]\n#[cfg(test)] use crate::log;"), ("log", "")]),
        ""
    );
}
