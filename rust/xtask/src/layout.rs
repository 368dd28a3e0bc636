//! Generates atc-sys/tests/layout/table.rs from the bindings. This file lists the names of all constants, structs and
//! fields. The test atc-sys/tests/layout compares their values, sizes and offsets with the numbers in a golden file
//! (ffi/abi/atc-abi.txt).

use std::fmt::Write;

use syn::Item;

use crate::facts;

const FIRST_LINES: &str = "\
// Generated with the bindings by `cargo run -p xtask -- bindings`; not edited by hand.

";

/// Returns the text of table.rs: a call of the test's macro `layout!` with the names of all constants, and of all
/// structs with their fields.
pub fn table(bindings: &str) -> Result<String, String> {
    let file = syn::parse_file(bindings).map_err(|error| error.to_string())?;
    let (mut constants, mut structs) = (String::new(), String::new());
    for item in &file.items {
        match item {
            Item::Struct(record) if !facts::is_opaque(record) => {
                let fields = record.fields.iter().filter_map(|field| field.ident.as_ref());
                let fields: String = fields.map(|field| format!(" {field}")).collect();
                // Writing to a String cannot fail.
                let _ = writeln!(structs, "    {} {{{fields} }}", record.ident);
            }
            Item::Const(constant) if constant.ident != "_" => {
                let _ = writeln!(constants, "    {}", constant.ident);
            }
            _ => {}
        }
    }
    Ok(format!("{FIRST_LINES}layout! {{ {{\n{constants}}} {{\n{structs}}} }}\n"))
}
