//! This file defines the C functions on systems for which there is no libatc. With these definitions programs can be
//! linked on such a system. A call of one of the functions ends the process with an error text. The crate `atc` does
//! not call these functions, because [`is_loaded`](crate::is_loaded) returns false on such a system.

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

/// Writes an error text and ends the process. The panic does not unwind further than to the caller, the `extern "C"`
/// function `absent`: Rust ends the process if a panic would leave an `extern "C"` function.
fn missing(index: usize) {
    let name = NAMES.get(index).and_then(|name| name.to_str().ok()).unwrap_or("");
    panic!("atc: {name} was called, but there is no libatc for this system");
}

include!(concat!(env!("OUT_DIR"), "/entries.rs"));
