//! Helpers for calls of the C ABI.

use std::ffi::{OsStr, c_char};
use std::os::unix::ffi::OsStrExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

use atc::Result;

/// Calls a C function that writes one plain value, and returns the value.
pub(crate) fn query<T: Default>(function: impl FnOnce(*mut T) -> i32) -> Result<T> {
    let mut out = T::default();
    atc::call(|| function(&mut out))?;
    Ok(out)
}

/// Runs the `work` of a `drop`, and discards a panic of `work` (for example a panic of the closure
/// that receives log lines). If the thread is unwinding already, a panic that left the `drop` would
/// abort the process.
pub(crate) fn in_drop(work: impl FnOnce()) {
    // `AssertUnwindSafe` is correct here: after a panic nothing uses the values that `work` has
    // used, because they are being dropped.
    let _ = catch_unwind(AssertUnwindSafe(work));
}

/// Returns the size of a C struct, for the field `struct_size` of the struct.
pub(crate) const fn size_of_u32<T>() -> u32 {
    size_of::<T>() as u32
}

fn fixed_bytes(array: &[c_char]) -> Vec<u8> {
    array.iter().take_while(|byte| **byte != 0).map(|byte| *byte as u8).collect()
}

/// Returns the text in a field of a C struct that is an array of characters. The text ends before
/// the first NUL.
pub(crate) fn fixed_text(array: &[c_char]) -> String {
    String::from_utf8_lossy(&fixed_bytes(array)).into_owned()
}

/// Returns the path in a field of a C struct that is an array of characters; `None` if the text is
/// empty.
pub(crate) fn fixed_path(array: &[c_char]) -> Option<PathBuf> {
    let bytes = fixed_bytes(array);
    (!bytes.is_empty()).then(|| PathBuf::from(OsStr::from_bytes(&bytes)))
}
