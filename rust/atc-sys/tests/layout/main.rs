//! Tests the Rust bindings: the sizes and alignments of the structs, the offsets of their fields, and the values of the
//! constants. The expected numbers are the lines of the golden file ffi/abi/atc-abi.txt, which is kept in the
//! repository. A C test compares the C headers with the same file.

use std::mem::offset_of;
use std::path::Path;

use atc_sys::*;

/// Lines that describe the bindings, in the form of the golden file: one line for each struct, field and constant.
#[derive(Default)]
struct Lines(Vec<String>);

impl Lines {
    fn structure(&mut self, name: &str, size: usize, align: usize) {
        self.0.push(format!("struct {name} size {size} align {align}"));
    }

    /// Adds the line of one field. If the C name of a field is a Rust keyword, bindgen appends an underscore. The
    /// underscore is removed here, because the golden file has the C names.
    fn field<S, F>(&mut self, of: &str, name: &str, offset: usize, _field: fn(&S) -> &F) {
        let name = name.trim_end_matches('_');
        self.0.push(format!("field {of}.{name} offset {offset} size {}", size_of::<F>()));
    }

    fn constant(&mut self, name: &str, value: i128) {
        self.0.push(format!("const {name} {value}"));
    }
}

/// Defines the function `write`, which adds one line to `lines` for each constant, each struct and each field that the
/// macro is given.
macro_rules! layout {
    ({ $($constant:ident)* } { $($name:ident { $($field:ident)* })* }) => {
        fn write(lines: &mut Lines) {
            $(lines.constant(stringify!($constant), i128::from($constant));)*
            $(
                lines.structure(stringify!($name), size_of::<$name>(), align_of::<$name>());
                $(lines.field(
                    stringify!($name),
                    stringify!($field),
                    offset_of!($name, $field),
                    |all: &$name| &all.$field,
                );)*
            )*
        }
    };
}

include!("table.rs");

#[test]
fn rust_sees_what_the_golden_file_says() {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let golden = repository.join("ffi/abi/atc-abi.txt");
    if !repository.join("CMakeLists.txt").exists() {
        eprintln!("skipped: {} is not there (a packaged crate)", golden.display());
        return;
    }
    let golden = std::fs::read_to_string(golden).expect("a readable golden file");
    let mut lines = Lines::default();
    write(&mut lines);

    let mut seen: Vec<&str> = lines.0.iter().map(String::as_str).collect();
    let mut expected: Vec<&str> = golden.lines().filter(|line| !line.is_empty()).collect();
    seen.sort_unstable();
    expected.sort_unstable();
    let only = |left: &[&str], right: &[&str]| {
        let lines = left.iter().filter(|line| !right.contains(line)).copied();
        lines.collect::<Vec<_>>().join("\n  ")
    };
    assert!(
        seen == expected,
        "only in Rust:\n  {}\nonly in the golden file:\n  {}",
        only(&seen, &expected),
        only(&expected, &seen)
    );
}
