//! Handles owned by Rust: destroyed on drop, whatever happens in between.

use std::any::Any;
use std::cell::RefCell;
use std::ptr::NonNull;

use crate::error::{Result, check};
use crate::{call, log, panic, sys};

thread_local! {
    /// Handles that the log's closure has dropped. libatc holds locks while the closure runs, so no handle may be
    /// destroyed then.
    static LATE: RefCell<Vec<Box<dyn Any>>> = const { RefCell::new(Vec::new()) };
}

/// An opaque type of libatc with its destroy function.
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
        // SAFETY: by this function's contract.
        Self(unsafe { NonNull::new_unchecked(handle) })
    }

    /// The handle, which the caller destroys.
    pub(crate) fn into_raw(self) -> *mut T {
        std::mem::ManuallyDrop::new(self).0.as_ptr()
    }

    /// The pointer for functions that take `const atc_x*`.
    pub(crate) fn shared(&self) -> *const T {
        self.0.as_ptr()
    }

    /// The pointer for functions that take `atc_x*`.
    pub(crate) fn exclusive(&mut self) -> *mut T {
        self.0.as_ptr()
    }
}

impl<T: Handle> Drop for Owned<T> {
    fn drop(&mut self) {
        if log::is_inside() {
            let handle = self.0;
            // While a thread ends, its thread-locals may be destroyed already. Then the handle is not destroyed.
            let _ = LATE.try_with(|handles| handles.borrow_mut().push(Box::new(Self(handle))));
            return;
        }
        // SAFETY: the pointer came from a create function and is destroyed only here: a handle that was handed on above
        // does not reach this line.
        unsafe { T::destroy(self.0.as_ptr()) }
    }
}

/// Destroys the handles that the log's closure has dropped on this thread, unless the closure runs.
pub(crate) fn destroy_late() {
    if !log::is_inside() {
        // While a thread ends, its thread-locals are dropped, and these handles with them.
        drop(LATE.try_with(RefCell::take));
    }
}

/// Calls a function that writes a handle. `None` if the function succeeds with NULL.
pub(crate) fn create<T: Handle>(
    function: impl FnOnce(*mut *mut T) -> i32,
) -> Result<Option<Owned<T>>> {
    let (checked, handle) = create_even_if_failing(function)?;
    checked.map(|()| handle)
}

/// Like [`create`], for a function that may write a handle although it fails. Returns the outer error if libatc
/// was not called.
pub(crate) fn create_even_if_failing<T: Handle>(
    function: impl FnOnce(*mut *mut T) -> i32,
) -> Result<(Result<()>, Option<Owned<T>>)> {
    call::ready()?;
    let mut out = std::ptr::null_mut();
    let checked = check(function(&mut out));
    // Owned before a panic is resumed, so that unwinding destroys the handle.
    let handle = NonNull::new(out).map(Owned);
    destroy_late();
    panic::resume();
    Ok((checked, handle))
}

impl Handle for sys::atc_conv_plan {
    unsafe fn destroy(handle: *mut Self) {
        // SAFETY: by the trait's contract.
        unsafe { sys::atc_conv_plan_destroy(handle) }
    }
}

impl Handle for sys::atc_store {
    unsafe fn destroy(handle: *mut Self) {
        // SAFETY: by the trait's contract.
        unsafe { sys::atc_store_close(handle) }
    }
}

impl Handle for sys::atc_tune_report {
    unsafe fn destroy(handle: *mut Self) {
        // SAFETY: by the trait's contract.
        unsafe { sys::atc_tune_report_destroy(handle) }
    }
}

impl Handle for sys::atc_explanation {
    unsafe fn destroy(handle: *mut Self) {
        // SAFETY: by the trait's contract.
        unsafe { sys::atc_explanation_destroy(handle) }
    }
}

impl Handle for sys::atc_trace {
    unsafe fn destroy(handle: *mut Self) {
        // SAFETY: by the trait's contract.
        unsafe { sys::atc_trace_destroy(handle) }
    }
}

impl Handle for sys::atc_bytes {
    unsafe fn destroy(handle: *mut Self) {
        // SAFETY: by the trait's contract.
        unsafe { sys::atc_bytes_destroy(handle) }
    }
}

/// Calls a function that writes bytes, and copies them.
pub(crate) fn bytes(function: impl FnOnce(*mut *mut sys::atc_bytes) -> i32) -> Result<Vec<u8>> {
    let Some(handle) = create(function)? else { return Ok(Vec::new()) };
    // SAFETY: a live handle.
    let size = unsafe { sys::atc_bytes_size(handle.shared()) };
    // SAFETY: a live handle.
    let data = unsafe { sys::atc_bytes_data(handle.shared()) };
    if data.is_null() || size == 0 {
        return Ok(Vec::new());
    }
    // SAFETY: `size` bytes that live as long as the handle, which outlives the copy.
    Ok(unsafe { std::slice::from_raw_parts(data.cast::<u8>(), size) }.to_vec())
}

/// Like [`bytes`], for text.
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
            // SAFETY: the test made it of a box.
            drop(unsafe { Box::from_raw(handle) });
            DESTROYED.set(true);
        }
    }

    #[test]
    fn a_handle_that_the_log_drops_is_destroyed_by_the_next_call_outside() {
        let handle = Owned(NonNull::from(Box::leak(Box::new(Watched))));
        log::inside(|| {
            drop(handle);
            log::level().unwrap();
            assert!(!DESTROYED.get(), "inside the log sink");
        });
        log::level().unwrap();
        assert!(DESTROYED.get());
    }
}
