//! Panics in closures that C calls: caught there, resumed when C has returned.

use std::any::Any;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

thread_local! {
    static PENDING: RefCell<Option<Box<dyn Any + Send>>> = const { RefCell::new(None) };
}

/// Runs a closure on behalf of C. `None`: it panicked, and the payload (of the first panic) waits for
/// [`resume`] on this thread.
pub(crate) fn catch<R>(body: impl FnOnce() -> R) -> Option<R> {
    // Unwind safety: the panic is resumed on this thread, so code that catches it later sees the closure's state as
    // after any panic in a direct call.
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(value) => Some(value),
        Err(payload) => {
            // While a thread ends, its thread-locals may be gone; then the payload is dropped.
            let _ = PENDING.try_with(|pending| {
                pending.borrow_mut().get_or_insert(payload);
            });
            None
        }
    }
}

/// Resumes a panic that was caught during the C call that has just returned.
pub(crate) fn resume() {
    let pending = PENDING.try_with(|pending| pending.borrow_mut().take());
    if let Ok(Some(payload)) = pending {
        resume_unwind(payload);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_panic_is_resumed_once() {
        assert_eq!(catch(|| 3), Some(3));
        assert_eq!(catch(|| -> i32 { resume_unwind(Box::new("first")) }), None);
        assert_eq!(catch(|| -> i32 { resume_unwind(Box::new("second")) }), None);
        let payload = catch_unwind(resume).unwrap_err();
        assert_eq!(payload.downcast_ref::<&str>(), Some(&"first"));
        assert!(catch_unwind(resume).is_ok(), "resumed twice");
    }
}
