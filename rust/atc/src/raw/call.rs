//! All calls of libatc pass through here: version check, call, resumed panic, status.

use std::ffi::{CStr, CString, OsStr, OsString, c_char};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::raw::error::{Error, Result, check};
use crate::raw::inside::destroy_late;
use crate::raw::panic;
use crate::sys;

/// Calls a function that this crate does not wrap, from [`sys`] or a library on top of libatc, and turns
/// the status it returns into a [`Result`] with this thread's text.
///
/// ```
/// use atc::{ErrorKind, sys};
///
/// // SAFETY: a plain value.
/// let refused = atc::call(|| unsafe { sys::atc_set_benchmark_limit_cudnn(-1) });
/// assert_eq!(refused.unwrap_err().kind(), ErrorKind::InvalidArgument);
/// ```
pub fn call(function: impl FnOnce() -> i32) -> Result<()> {
    ready()?;
    let checked = check(function());
    destroy_late();
    panic::resume();
    checked
}

/// Calls a function that writes one plain value.
pub(crate) fn query<T: Default>(function: impl FnOnce(*mut T) -> i32) -> Result<T> {
    let mut out = T::default();
    call(|| function(&mut out))?;
    Ok(out)
}

/// An error if there is no libatc, or one of another ABI version than this crate. Checked once.
pub(crate) fn ready() -> Result<()> {
    static READY: OnceLock<Result<()>> = OnceLock::new();
    READY
        .get_or_init(|| {
            // SAFETY: takes nothing and returns a number; called only where libatc is loaded.
            examine(sys::is_loaded(), || unsafe { sys::atc_abi_version() })
        })
        .clone()
}

/// If libatc was not loaded, calling any of its functions ends the process. So `version` must not be called then.
fn examine(is_loaded: bool, version: impl FnOnce() -> u32) -> Result<()> {
    if is_loaded {
        return compare(version());
    }
    Err(Error::new(
        sys::ATC_ERROR_LIBRARY,
        format!(
            "libatc.so.1 was not found beside the program, in {} or where the loader looks: install atc, or put the \
             folder of libatc.so.1 into LD_LIBRARY_PATH",
            sys::library_folder()
        ),
    ))
}

fn compare(running: u32) -> Result<()> {
    if running == sys::ATC_ABI_VERSION {
        return Ok(());
    }
    Err(Error::new(
        sys::ATC_ERROR_LIBRARY,
        format!(
            "the loaded libatc has ABI version {running}, this program was built for {}: install the \
             libatc it was built with, or build it again",
            sys::ATC_ABI_VERSION
        ),
    ))
}

/// Text as a C string; `what` names it in the error for a NUL byte.
pub(crate) fn c_text(what: &str, text: &str) -> Result<CString> {
    CString::new(text).map_err(|cause| Error::nul_byte(what, cause))
}

/// A path as a C string; `what` names it in the error for a NUL byte.
pub(crate) fn c_path(what: &str, path: &Path) -> Result<CString> {
    CString::new(path.as_os_str().as_bytes()).map_err(|cause| Error::nul_byte(what, cause))
}

/// Text that libatc promises to be ASCII or UTF-8; "" for NULL and for text that is not UTF-8.
///
/// # Safety
/// NULL, or a string that ends with NUL and lives for `'a`.
pub(crate) unsafe fn text<'a>(text: *const c_char) -> &'a str {
    if text.is_null() {
        return "";
    }
    // SAFETY: by this function's contract.
    unsafe { CStr::from_ptr(text) }.to_str().unwrap_or_default()
}

/// Paths are bytes to libatc, in any encoding; "" for NULL.
///
/// # Safety
/// NULL, or a string that ends with NUL and lives for `'a`.
pub(crate) unsafe fn path<'a>(text: *const c_char) -> &'a OsStr {
    if text.is_null() {
        return OsStr::new("");
    }
    // SAFETY: by this function's contract.
    OsStr::from_bytes(unsafe { CStr::from_ptr(text) }.to_bytes())
}

fn fixed_bytes(array: &[c_char]) -> Vec<u8> {
    array.iter().take_while(|byte| **byte != 0).map(|byte| *byte as u8).collect()
}

/// The text in a fixed array of a struct, up to its NUL.
pub(crate) fn fixed_text(array: &[c_char]) -> String {
    String::from_utf8_lossy(&fixed_bytes(array)).into_owned()
}

/// The path in a fixed array of a struct, up to its NUL.
pub(crate) fn fixed_path(array: &[c_char]) -> PathBuf {
    OsString::from_vec(fixed_bytes(array)).into()
}

/// The `struct_size` of a struct.
pub(crate) const fn size_of_u32<T>() -> u32 {
    size_of::<T>() as u32
}

/// A number that is 0 if it is not known.
pub(crate) fn positive(number: f64) -> Option<f64> {
    Some(number).filter(|number| *number > 0.0)
}

/// A switch of an options struct, where 0 inherits.
pub(crate) fn switch(enabled: bool) -> i32 {
    if enabled { sys::ATC_ON } else { sys::ATC_OFF }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::raw::error::ErrorKind;

    #[test]
    fn a_library_of_another_abi_is_refused_with_both_versions() {
        assert_eq!(compare(sys::ATC_ABI_VERSION), Ok(()));
        let error = compare(sys::ATC_ABI_VERSION + 6).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Library);
        assert!(error.message().contains("version 7"), "{error}");
    }

    #[test]
    fn without_libatc_nothing_is_called() {
        let error = examine(false, || unreachable!()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Library);
        assert!(error.message().contains("LD_LIBRARY_PATH"), "{error}");
        assert_eq!(examine(true, || sys::ATC_ABI_VERSION), Ok(()));
    }

    #[test]
    fn fixed_text_ends_at_nul_or_at_the_array() {
        let array = [b'a', b'b', 0, b'c'].map(|byte| byte as c_char);
        assert_eq!(fixed_text(&array), "ab");
        assert_eq!(fixed_text(&array[..2]), "ab");
        let latin = [b'/', 0xe9, 0].map(|byte| byte as c_char);
        assert_eq!(fixed_path(&latin).as_os_str().as_bytes(), b"/\xe9");
    }
}
