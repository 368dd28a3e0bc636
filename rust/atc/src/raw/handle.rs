//! Owned handles: pointers to objects that libatc has created. The object is destroyed on drop, also during the
//! unwinding of a panic.

use std::ptr::NonNull;

use crate::raw::error::{Result, check};
use crate::raw::{call, inside, panic};
use crate::sys;

/// An opaque C type of libatc. `destroy` calls the C function that destroys an object of this type.
pub(crate) trait Handle: 'static {
    /// # Safety
    /// `handle` came from libatc and was not destroyed before.
    unsafe fn destroy(handle: *mut Self);
}

/// A handle that is destroyed on drop.
pub(crate) struct Owned<T: Handle>(NonNull<T>);

impl<T: Handle> Owned<T> {
    /// # Safety
    /// `handle` came from libatc, is not NULL, and nobody else destroys it.
    pub(crate) unsafe fn from_raw(handle: *mut T) -> Self {
        // SAFETY: the caller of this function meets the conditions of its `# Safety` section.
        Self(unsafe { NonNull::new_unchecked(handle) })
    }

    /// Returns the handle without destroying it. The caller must destroy the handle.
    pub(crate) fn into_raw(self) -> *mut T {
        std::mem::ManuallyDrop::new(self).0.as_ptr()
    }

    /// Returns the handle as a const pointer, for C functions that only read the object.
    pub(crate) fn shared(&self) -> *const T {
        self.0.as_ptr()
    }

    /// Returns the handle as a mutable pointer, for C functions that may change the object.
    pub(crate) fn exclusive(&mut self) -> *mut T {
        self.0.as_ptr()
    }
}

impl<T: Handle> Drop for Owned<T> {
    fn drop(&mut self) {
        if inside::is_inside() {
            return inside::destroy_later(Self(self.0));
        }
        // SAFETY: a C function has created the object, and nothing else destroys it: `into_raw` gives the pointer away
        // without a drop of the `Owned`.
        unsafe { T::destroy(self.0.as_ptr()) }
    }
}

/// Calls a C function that creates an object and writes its handle (pointer). Returns `None` if the function succeeds
/// but writes NULL.
pub(crate) fn create<T: Handle>(
    function: impl FnOnce(*mut *mut T) -> i32,
) -> Result<Option<Owned<T>>> {
    let (checked, handle) = create_even_if_failing(function)?;
    checked.map(|()| handle)
}

/// Like [`create`], but for a C function that may write a handle even if the function fails. The inner `Result` is the
/// status of the C function. The outer `Result` is an error if the C function was not called, because libatc is missing
/// or has another ABI version.
pub(crate) fn create_even_if_failing<T: Handle>(
    function: impl FnOnce(*mut *mut T) -> i32,
) -> Result<(Result<()>, Option<Owned<T>>)> {
    call::ready()?;
    let mut out = std::ptr::null_mut();
    let checked = check(function(&mut out));
    // The object gets its owner here, before a panic is resumed below: so the unwinding destroys the object.
    let handle = NonNull::new(out).map(Owned);
    inside::destroy_late();
    panic::resume();
    Ok((checked, handle))
}

impl Handle for sys::atc_conv_plan {
    unsafe fn destroy(handle: *mut Self) {
        // `atc_conv_plan_release` puts a plan that came from the plan cache back into the cache, and destroys any other
        // plan. SAFETY: the caller meets the conditions of the `# Safety` section of `Handle::destroy`.
        unsafe { sys::atc_conv_plan_release(handle) }
    }
}

impl Handle for sys::atc_store {
    unsafe fn destroy(handle: *mut Self) {
        // SAFETY: the caller meets the conditions of the `# Safety` section of `Handle::destroy`.
        unsafe { sys::atc_store_close(handle) }
    }
}

impl Handle for sys::atc_store_entries {
    unsafe fn destroy(handle: *mut Self) {
        // SAFETY: the caller meets the conditions of the `# Safety` section of `Handle::destroy`.
        unsafe { sys::atc_store_entries_destroy(handle) }
    }
}

impl Handle for sys::atc_tune_report {
    unsafe fn destroy(handle: *mut Self) {
        // SAFETY: the caller meets the conditions of the `# Safety` section of `Handle::destroy`.
        unsafe { sys::atc_tune_report_destroy(handle) }
    }
}

impl Handle for sys::atc_problems {
    unsafe fn destroy(handle: *mut Self) {
        // SAFETY: the caller meets the conditions of the `# Safety` section of `Handle::destroy`.
        unsafe { sys::atc_problems_destroy(handle) }
    }
}

impl Handle for sys::atc_explanation {
    unsafe fn destroy(handle: *mut Self) {
        // SAFETY: the caller meets the conditions of the `# Safety` section of `Handle::destroy`.
        unsafe { sys::atc_explanation_destroy(handle) }
    }
}

impl Handle for sys::atc_trace {
    unsafe fn destroy(handle: *mut Self) {
        // SAFETY: the caller meets the conditions of the `# Safety` section of `Handle::destroy`.
        unsafe { sys::atc_trace_destroy(handle) }
    }
}

impl Handle for sys::atc_bytes {
    unsafe fn destroy(handle: *mut Self) {
        // SAFETY: the caller meets the conditions of the `# Safety` section of `Handle::destroy`.
        unsafe { sys::atc_bytes_destroy(handle) }
    }
}

/// Calls a C function that creates a byte sequence and writes its handle. Returns a copy of the bytes.
pub(crate) fn bytes(function: impl FnOnce(*mut *mut sys::atc_bytes) -> i32) -> Result<Vec<u8>> {
    let Some(handle) = create(function)? else { return Ok(Vec::new()) };
    // SAFETY: the object behind the handle was not destroyed.
    let size = unsafe { sys::atc_bytes_size(handle.shared()) };
    // SAFETY: the object behind the handle was not destroyed.
    let data = unsafe { sys::atc_bytes_data(handle.shared()) };
    if data.is_null() || size == 0 {
        return Ok(Vec::new());
    }
    // SAFETY: `data` points to `size` bytes, which are valid until the handle is dropped. It is dropped after the bytes
    // are copied.
    Ok(unsafe { std::slice::from_raw_parts(data.cast::<u8>(), size) }.to_vec())
}

/// Like [`bytes`], but returns the bytes as text.
pub(crate) fn string(function: impl FnOnce(*mut *mut sys::atc_bytes) -> i32) -> Result<String> {
    bytes(function).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    thread_local! {
        static DESTROYED: Cell<bool> = const { Cell::new(false) };
    }

    struct Watched;

    impl Handle for Watched {
        unsafe fn destroy(handle: *mut Self) {
            // SAFETY: the test made the pointer from a box.
            drop(unsafe { Box::from_raw(handle) });
            DESTROYED.set(true);
        }
    }

    fn level() {
        let mut out = 0;
        // SAFETY: the C function writes only `out`, and only during the call.
        call::call(|| unsafe { sys::atc_log_level_get(&mut out) }).unwrap();
    }

    #[test]
    fn a_handle_that_the_log_drops_is_destroyed_by_the_next_call_outside() {
        let handle = Owned(NonNull::from(Box::leak(Box::new(Watched))));
        inside::inside(|| {
            drop(handle);
            level();
            assert!(!DESTROYED.get(), "inside the log sink");
        });
        level();
        assert!(DESTROYED.get());
    }
}
