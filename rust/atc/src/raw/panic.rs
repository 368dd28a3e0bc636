//! Panics in closures that C calls. A panic must not unwind through C code. So it is caught before
//! the closure returns to C, and resumed in Rust after the C function has returned.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

thread_local! {
    static PENDING: RefCell<Option<Box<dyn Any + Send>>> = const { RefCell::new(None) };
    /// Whether [`hold`] is running on this thread.
    static HELD: Cell<bool> = const { Cell::new(false) };
}

/// Runs a closure that C has called. If the closure panics, returns `None` and keeps the payload of
/// the panic until [`resume`] is called on this thread. If several closures panic before that call,
/// only the first payload is kept.
pub(crate) fn catch<R>(body: impl FnOnce() -> R) -> Option<R> {
    // `AssertUnwindSafe` is justified, because the panic is resumed on this thread later. Code that
    // catches it then finds the closure's data in the same state as after a panic in a direct call
    // of the closure.
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(value) => Some(value),
        Err(payload) => {
            // If the thread is ending, `PENDING` may be destroyed already. Then the payload is
            // dropped, and the panic is not resumed.
            let _ = PENDING.try_with(|pending| {
                pending.borrow_mut().get_or_insert(payload);
            });
            None
        }
    }
}

/// Runs `body`. If [`catch`] keeps a panic, the calls of C functions inside `body` do not resume
/// it. The panic is resumed by the first call of [`resume`] after `body`.
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

/// Resumes the panic that [`catch`] has kept on this thread, if there is one. Does nothing inside
/// [`hold`].
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
