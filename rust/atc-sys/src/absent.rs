//! Definitions of the C functions for systems for which there is no libatc, so that programs can be linked there. Each
//! function ends the process with an error text. The crate `atc` does not call these functions, because
//! [`is_loaded`](crate::is_loaded) returns false on such a system.

use core::ffi::CStr;

macro_rules! entry {
    ($name:literal, $index:literal) => {
        const _: () = {
            #[unsafe(export_name = $name)]
            extern "C" fn absent() {
                missing($index)
            }
        };
    };
}

/// Writes an error text and ends the process. The panic does not unwind: the caller of this function is the `extern
/// "C"` function `absent`, and a panic that reaches such a function ends the process.
fn missing(index: usize) {
    let name = NAMES.get(index).and_then(|name| name.to_str().ok()).unwrap_or("");
    panic!("atc: {name} was called, but there is no libatc for this system");
}

include!(concat!(env!("OUT_DIR"), "/entries.rs"));
