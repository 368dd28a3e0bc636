//! Every call of libatc passes through this file, which checks the version, calls, resumes a caught
//! panic, and turns the status into a `Result`.

use std::ffi::{CStr, CString, OsStr, c_char};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::raw::error::{Error, Result, check};
use crate::raw::inside::destroy_late;
use crate::raw::panic;
use crate::sys;

/// Calls a function that this crate does not wrap, from [`sys`] or from a library on top of libatc.
/// Turns its status into a [`Result`]; an error has the error text of this thread.
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

/// Returns an error if libatc was not found or has another ABI version than this crate. The check
/// is made once.
pub(crate) fn ready() -> Result<()> {
    static READY: OnceLock<Result<()>> = OnceLock::new();
    READY
        .get_or_init(|| {
            // SAFETY: the function takes nothing and returns a number. It is called only if libatc
            // is loaded.
            examine(sys::is_loaded(), || unsafe { sys::atc_abi_version() })
        })
        .clone()
}

/// If libatc was not loaded, calling any of its functions ends the process. So `version` must not be called then.
fn examine(is_loaded: bool, version: impl FnOnce() -> u32) -> Result<()> {
    if is_loaded {
        return compare(version());
    }
    if !sys::EXISTS {
        return Err(Error::new(
            sys::ATC_ERROR_LIBRARY,
            format!("there is no libatc for {}: atc runs on Linux", std::env::consts::OS),
        ));
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

/// Returns the text as a C string. `what` names the text in the error for a NUL byte.
pub(crate) fn c_text(what: &str, text: &str) -> Result<CString> {
    CString::new(text).map_err(|cause| Error::nul_byte(what, cause))
}

/// Returns the path as a C string. `what` names the path in the error for a NUL byte.
pub(crate) fn c_path(what: &str, path: &Path) -> Result<CString> {
    CString::new(path.as_os_str().as_encoded_bytes()).map_err(|cause| Error::nul_byte(what, cause))
}

/// Returns a text that libatc promises to be ASCII or UTF-8. Returns "" for NULL and for bytes that
/// are not UTF-8.
///
/// # Safety
/// `pointer` is NULL, or a string that ends with NUL and lives for `'a`.
pub(crate) unsafe fn text<'a>(text: *const c_char) -> &'a str {
    if text.is_null() {
        return "";
    }
    // SAFETY: by this function's contract.
    unsafe { CStr::from_ptr(text) }.to_str().unwrap_or_default()
}

/// Returns a path; "" for NULL. To libatc a path is bytes in any encoding.
///
/// # Safety
/// `pointer` is NULL, or a string that ends with NUL and lives for `'a`.
pub(crate) unsafe fn path<'a>(text: *const c_char) -> &'a OsStr {
    if text.is_null() {
        return OsStr::new("");
    }
    // SAFETY: by this function's contract.
    os_str(unsafe { CStr::from_ptr(text) }.to_bytes())
}

#[cfg(unix)]
fn os_str(bytes: &[u8]) -> &OsStr {
    std::os::unix::ffi::OsStrExt::from_bytes(bytes)
}

/// There is no libatc for other systems, so no bytes come from it.
#[cfg(not(unix))]
fn os_str(bytes: &[u8]) -> &OsStr {
    OsStr::new(std::str::from_utf8(bytes).unwrap_or_default())
}

fn fixed_bytes(array: &[c_char]) -> Vec<u8> {
    array.iter().take_while(|byte| **byte != 0).map(|byte| *byte as u8).collect()
}

/// Returns the text in a fixed array of a struct, up to the NUL.
pub(crate) fn fixed_text(array: &[c_char]) -> String {
    String::from_utf8_lossy(&fixed_bytes(array)).into_owned()
}

/// Returns the path in a fixed array of a struct, up to the NUL.
pub(crate) fn fixed_path(array: &[c_char]) -> PathBuf {
    os_str(&fixed_bytes(array)).into()
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
        assert_eq!(fixed_path(&latin).as_os_str().as_encoded_bytes(), b"/\xe9");
    }
}
