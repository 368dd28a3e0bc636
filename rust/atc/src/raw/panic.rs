//! Panics in closures that C calls. A panic is caught in the closure and resumed when C has
//! returned.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

thread_local! {
    static PENDING: RefCell<Option<Box<dyn Any + Send>>> = const { RefCell::new(None) };
    /// Whether [`hold`] runs on this thread.
    static HELD: Cell<bool> = const { Cell::new(false) };
}

/// Runs a closure on behalf of C. Returns `None` if the closure panicked. Then the payload waits
/// for [`resume`] on this thread; of several payloads the first one is kept.
pub(crate) fn catch<R>(body: impl FnOnce() -> R) -> Option<R> {
    // Unwind safety: the panic is resumed on this thread. So code that catches it later finds the
    // closure's state as after a panic in a direct call.
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(value) => Some(value),
        Err(payload) => {
            // While a thread ends, its thread-locals may be gone. Then the payload is dropped.
            let _ = PENDING.try_with(|pending| {
                pending.borrow_mut().get_or_insert(payload);
            });
            None
        }
    }
}

/// Runs `body`. C calls inside `body` resume no panic; the first [`resume`] after `body` does.
pub(crate) fn hold<R>(body: impl FnOnce() -> R) -> R {
    struct Restored(bool);
    impl Drop for Restored {
        fn drop(&mut self) {
            HELD.set(self.0);
        }
    }
    let _restored = Restored(HELD.replace(true));
    body()
}

/// Resumes a panic that was caught since the last [`resume`]: during the C call that has just
/// returned, or before that call in [`hold`].
pub(crate) fn resume() {
    if HELD.get() {
        return;
    }
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

    #[test]
    fn a_panic_that_is_held_waits_for_the_end_of_the_outermost_hold() {
        hold(|| {
            hold(|| catch(|| -> i32 { resume_unwind(Box::new("held")) }));
            resume();
        });
        let payload = catch_unwind(resume).unwrap_err();
        assert_eq!(payload.downcast_ref::<&str>(), Some(&"held"));
    }
}
