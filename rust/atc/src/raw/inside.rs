//! State of the log's closure (the sink of the log) on this thread: whether the closure is running, and the handles
//! that it has dropped.

use std::any::Any;
use std::cell::{Cell, RefCell};

thread_local! {
    /// Whether the log's closure is running on this thread. libatc or `log::write` may have called the closure.
    static INSIDE: Cell<bool> = const { Cell::new(false) };
    /// The handles that the log's closure has dropped. They are destroyed after the closure has returned, because
    /// libatc may hold locks while the closure runs.
    static LATE: RefCell<Vec<Box<dyn Any>>> = const { RefCell::new(Vec::new()) };
}

/// Returns whether the log's closure is running on this thread.
pub(crate) fn is_inside() -> bool {
    INSIDE.get()
}

/// Calls `body`, which calls the log's closure, and returns `true`. If the closure is already running on this thread,
/// does not call `body` and returns `false`.
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

/// Keeps a handle that was dropped inside the log's closure. [`destroy_late`] destroys the handle later.
pub(crate) fn destroy_later(handle: impl Any) {
    // If the thread is ending, its thread-locals may be destroyed already. Then the handle is leaked.
    let _ = LATE.try_with(|handles| handles.borrow_mut().push(Box::new(handle)));
}

/// Destroys the handles that the log's closure has dropped on this thread. Does nothing if the closure is running on
/// this thread.
pub(crate) fn destroy_late() {
    if !is_inside() {
        // `try_with` fails if the thread is ending and has already dropped its thread-locals. In this case the handles
        // were dropped together with `LATE`.
        drop(LATE.try_with(RefCell::take));
    }
}
