//! Tests that the Rust bindings declare the same ABI as the C header. cbindgen writes the bindings
//! as a new C header, and bindgen makes bindings of the new header. The declarations of the two
//! bindings, as [`facts::of`] collects them, must be equal. (`facts::of` leaves out comments and
//! the contents of opaque types, for example.)

use std::path::Path;

use crate::{Outcome, bindings, facts, repository};

/// Compares the two bindings. If they differ, the error lists all differences.
pub fn check() -> Outcome {
    let include = repository().join("include");
    let first = bindings::from_header(&include.join("atc/atc.h"), &[&include])?;

    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let rust = folder.path().join("bindings.rs");
    std::fs::write(&rust, &first).map_err(|error| error.to_string())?;
    let header = folder.path().join("roundtrip.h");
    to_header(&rust, &header)?;
    let second = bindings::from_header(&header, &[folder.path()])?;

    let (first, second) = (facts::of(&first)?, facts::of(&second)?);
    let differences = facts::differences(&first, &second);
    if differences.is_empty() {
        let functions = first.keys().filter(|name| name.starts_with("fn ")).count();
        println!(
            "{functions} functions and {} facts in all are the same after the round trip",
            first.len()
        );
        return Ok(());
    }
    Err(format!(
        "{} differences after header -> bindgen -> cbindgen -> header -> bindgen:\n{}",
        differences.len(),
        differences.join("\n")
    ))
}

/// Writes Rust bindings as a C header.
fn to_header(rust: &Path, header: &Path) -> Outcome {
    let config = cbindgen::Config {
        language: cbindgen::Language::C,
        style: cbindgen::Style::Both,
        documentation: false,
        // makes cbindgen write Rust's usize as C's size_t
        usize_is_size_t: true,
        ..Default::default()
    };
    let generated = cbindgen::Builder::new()
        .with_config(config)
        .with_src(rust)
        .generate()
        .map_err(|error| error.to_string())?;
    generated.write_to_file(header);
    Ok(())
}
