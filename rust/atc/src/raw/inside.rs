//! For each thread: whether the log's closure (the sink that gets the lines of the log) is running on the thread,
//! and which handles (owned C objects) the closure has dropped there.

use std::any::Any;
use std::cell::{Cell, RefCell};

thread_local! {
    /// Whether the log's closure is running on this thread, whoever has called it: libatc or `log::write`.
    static INSIDE: Cell<bool> = const { Cell::new(false) };
    /// The handles that the log's closure has dropped. Their objects are destroyed after the closure has returned,
    /// because destroying may need a lock that libatc holds while the closure runs.
    static LATE: RefCell<Vec<Box<dyn Any>>> = const { RefCell::new(Vec::new()) };
}

/// Returns whether the log's closure is running on this thread.
pub(crate) fn is_inside() -> bool {
    INSIDE.get()
}

/// Calls `body`, which must call the log's closure, and returns `true`. But if the closure is already running on this
/// thread, returns `false` without a call of `body`.
pub(crate) fn inside(body: impl FnOnce()) -> bool {
    struct Left;
    impl Drop for Left {
        fn drop(&mut self) {
            INSIDE.set(false);
        }
    }
    if INSIDE.replace(true) {
        return false;
    }
    let _left = Left;
    body();
    true
}

/// Stores a handle that was dropped inside the log's closure. [`destroy_late`] will destroy its
/// object.
pub(crate) fn destroy_later(handle: impl Any) {
    let mut kept = Some(handle);
    let _ = LATE.try_with(|handles| handles.borrow_mut().push(Box::new(kept.take())));
    // `kept` still has the handle if the thread is ending and `LATE` is destroyed already. Then the handle is leaked.
    // If it were dropped here, its destructor would call this function again, without end.
    std::mem::forget(kept);
}

/// Destroys the objects of the handles that the log's closure has dropped on this thread. Does nothing if the closure
/// is running on this thread.
pub(crate) fn destroy_late() {
    if !is_inside() {
        // `try_with` fails if the thread is ending and `LATE` is destroyed already. In this case the handles were
        // dropped together with `LATE`, and nothing is left to do.
        drop(LATE.try_with(RefCell::take));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A handle of the test. If it is dropped inside the log's closure, its destruction is delayed,
    /// as for the crate's own handles.
    struct Handle;
    impl Drop for Handle {
        fn drop(&mut self) {
            if is_inside() {
                destroy_later(Handle);
            }
        }
    }

    /// A thread-local value. Its destructor, which runs while the thread ends, drops a handle
    /// inside the log's closure.
    struct AtTheEnd;
    impl Drop for AtTheEnd {
        fn drop(&mut self) {
            inside(|| drop(Handle));
        }
    }

    thread_local! {
        static AT_THE_END: RefCell<Option<AtTheEnd>> = const { RefCell::new(None) };
    }

    /// The test uses the thread-local values `LATE` and `AT_THE_END` in both orders, because the order of their
    /// first uses determines which of them is destroyed first.
    #[test]
    fn a_handle_that_is_dropped_while_its_thread_ends_does_not_recurse() {
        for late_first in [false, true] {
            let thread = std::thread::spawn(move || {
                if late_first {
                    destroy_late();
                }
                AT_THE_END.set(Some(AtTheEnd));
                destroy_late();
            });
            assert!(thread.join().is_ok());
        }
    }
}
