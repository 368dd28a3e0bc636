//! Writes the file `entries.rs`, which `src/dlopen.rs` and `src/absent.rs` include. The file has the list `NAMES` of
//! the names of all C functions of the bindings, and one line `entry!(name, index)` for each function. Each of the two
//! files defines the macro `entry!`, which defines the function.

use crate::vars;
use std::collections::BTreeSet;
use std::fmt::Write;

/// Returns the names (`atc1_…`) that the C functions have in the shared library. `bindings` is the text of
/// src/bindings.rs.
fn names(bindings: &str) -> BTreeSet<&str> {
    let declarations =
        bindings.lines().filter(|line| line.contains("fn atc1_") || line.contains("link_name"));
    let words =
        declarations.flat_map(|line| line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_'));
    words.filter(|word| word.starts_with("atc1_")).collect()
}

pub fn write() {
    let bindings = vars::manifest_folder().join("src/bindings.rs");
    let bindings = std::fs::read_to_string(bindings).expect("bindings.rs is part of the crate");
    let names = names(&bindings);

    let mut code = format!("const NAMES: [&CStr; {}] = [\n", names.len());
    for name in &names {
        writeln!(code, "    c\"{name}\",").expect("a String grows");
    }
    code.push_str("];\n");
    for (index, name) in names.iter().enumerate() {
        writeln!(code, "entry!({name:?}, {index});").expect("a String grows");
    }
    std::fs::write(vars::out_folder().join("entries.rs"), code).expect("OUT_DIR can be written");
}
