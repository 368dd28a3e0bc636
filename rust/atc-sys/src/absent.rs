//! On a system for which there is no libatc, each function of the bindings is a function of this crate that ends the process.
//! The crate `atc` never calls one there, because [`is_loaded`](crate::is_loaded) is false.

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

/// A panic in a function that C could call ends the process, after its text was written.
fn missing(index: usize) {
    let name = NAMES.get(index).and_then(|name| name.to_str().ok()).unwrap_or("");
    panic!("atc: {name} was called, but there is no libatc for this system");
}

include!(concat!(env!("OUT_DIR"), "/entries.rs"));
