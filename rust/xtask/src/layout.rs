//! Generates atc-sys/tests/layout/table.rs from the bindings. This table has the names of constants, structs and
//! fields. A test compares their sizes, offsets and values with the numbers of a golden file.

use std::fmt::Write;

use syn::Item;

use crate::facts;

const FIRST_LINES: &str = "\
// Generated with the bindings by `cargo run -p xtask -- bindings`; not edited by hand.

";

/// Returns the arguments of the test's macro `layout!`: the names of all constants, and of all structs with their
/// fields.
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
