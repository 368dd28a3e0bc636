//! The functions through which this crate calls libatc. A call checks the ABI version, calls the C function, turns the
//! status into a `Result`, and resumes a panic that a closure raised during the call.

use std::ffi::{CStr, CString, OsStr, c_char};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::raw::error::{Error, Result, check};
use crate::raw::inside::destroy_late;
use crate::raw::panic;
use crate::sys;

/// Calls a C function that returns a status of libatc, and turns the status into a [`Result`]. If the function fails,
/// the text of the error is the text that libatc has stored for this thread. Programs need this function only for C
/// functions that this crate does not wrap: functions of [`sys`], or of a library that is built on libatc.
///
/// ```
/// use atc::{ErrorKind, sys};
///
/// // SAFETY: the call passes a plain value.
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

/// Calls a C function that writes one plain value, and returns this value.
pub(crate) fn query<T: Default>(function: impl FnOnce(*mut T) -> i32) -> Result<T> {
    let mut out = T::default();
    call(|| function(&mut out))?;
    Ok(out)
}

/// Returns an error if libatc was not found, or if its ABI version is not the version of this crate. The check is made
/// once for each process.
pub(crate) fn ready() -> Result<()> {
    static READY: OnceLock<Result<()>> = OnceLock::new();
    READY
        .get_or_init(|| {
            // SAFETY: the C function takes no arguments and returns a number. `examine` calls this closure only if
            // libatc is loaded.
            examine(sys::is_loaded(), || unsafe { sys::atc_abi_version() })
        })
        .clone()
}

/// Checks the ABI version of libatc. If libatc was not loaded, a call of any of its functions ends the process. So this
/// function calls `version`, which calls libatc, only if `is_loaded` is true.
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

/// Returns the text as a C string. Fails if the text contains a NUL byte. The error message uses `what` as the name of
/// the text.
pub(crate) fn c_text(what: &str, text: &str) -> Result<CString> {
    CString::new(text).map_err(|cause| Error::nul_byte(what, cause))
}

/// Returns the path as a C string. Fails if the path contains a NUL byte. The error message uses `what` as the name of
/// the path.
pub(crate) fn c_path(what: &str, path: &Path) -> Result<CString> {
    CString::new(path.as_os_str().as_encoded_bytes()).map_err(|cause| Error::nul_byte(what, cause))
}

/// Returns a C string as a `str`, for texts that libatc promises to be ASCII or UTF-8. Returns "" for NULL and for
/// bytes that are not UTF-8.
///
/// # Safety
/// `text` is NULL, or a string that ends with NUL and lives for `'a`.
pub(crate) unsafe fn text<'a>(text: *const c_char) -> &'a str {
    if text.is_null() {
        return "";
    }
    // SAFETY: the caller of this function meets the conditions of its `# Safety` section.
    unsafe { CStr::from_ptr(text) }.to_str().unwrap_or_default()
}

/// Returns a C string as a path; "" for NULL. The bytes may have any encoding, because libatc does not check the
/// encoding of paths.
///
/// # Safety
/// `text` is NULL, or a string that ends with NUL and lives for `'a`.
pub(crate) unsafe fn path<'a>(text: *const c_char) -> &'a OsStr {
    if text.is_null() {
        return OsStr::new("");
    }
    // SAFETY: the caller of this function meets the conditions of its `# Safety` section.
    os_str(unsafe { CStr::from_ptr(text) }.to_bytes())
}

#[cfg(unix)]
fn os_str(bytes: &[u8]) -> &OsStr {
    std::os::unix::ffi::OsStrExt::from_bytes(bytes)
}

/// This version of the function only makes the crate compile on systems other than Unix. There is no libatc for those
/// systems, so the function never gets bytes that libatc has written.
#[cfg(not(unix))]
fn os_str(bytes: &[u8]) -> &OsStr {
    OsStr::new(std::str::from_utf8(bytes).unwrap_or_default())
}

fn fixed_bytes(array: &[c_char]) -> Vec<u8> {
    array.iter().take_while(|byte| **byte != 0).map(|byte| *byte as u8).collect()
}

/// Returns the text that C has written into `array`, a field of a struct. The text ends at the first NUL, or at the end
/// of the array.
pub(crate) fn fixed_text(array: &[c_char]) -> String {
    String::from_utf8_lossy(&fixed_bytes(array)).into_owned()
}

/// Returns the path that C has written into `array`, a field of a struct. The path ends at the first NUL, or at the end
/// of the array.
pub(crate) fn fixed_path(array: &[c_char]) -> PathBuf {
    os_str(&fixed_bytes(array)).into()
}

/// Returns the size of a C struct, for its field `struct_size`.
pub(crate) const fn size_of_u32<T>() -> u32 {
    size_of::<T>() as u32
}

/// Returns `number` if it is above 0, else `None`. The function is used for fields of libatc's structs in which 0
/// means that the number is not known.
pub(crate) fn positive(number: f64) -> Option<f64> {
    Some(number).filter(|number| *number > 0.0)
}

/// Converts a boolean to the value of a switch in a C options struct: `ATC_ON` (2) or `ATC_OFF` (1). The value is never
/// 0, because 0 means that the switch was not set, and has the value of the process's settings.
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
