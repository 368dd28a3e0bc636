//! Notes whether the log's closure runs on this thread, and keeps the handles that the closure
//! drops.

use std::any::Any;
use std::cell::{Cell, RefCell};

thread_local! {
    /// Whether the log's closure runs on this thread, called by libatc or by `log::write`.
    static INSIDE: Cell<bool> = const { Cell::new(false) };
    /// Handles that the log's closure has dropped. They are destroyed later, because libatc holds
    /// locks while the closure runs.
    static LATE: RefCell<Vec<Box<dyn Any>>> = const { RefCell::new(Vec::new()) };
}

/// Returns whether the log's closure runs on this thread.
pub(crate) fn is_inside() -> bool {
    INSIDE.get()
}

/// Runs the log's closure. Returns `false` without running it if it already runs on this thread.
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

/// Keeps a handle that was dropped inside the log's closure, for [`destroy_late`].
pub(crate) fn destroy_later(handle: impl Any) {
    // While a thread ends, its thread-locals may be destroyed already. Then the handle is not destroyed.
    let _ = LATE.try_with(|handles| handles.borrow_mut().push(Box::new(handle)));
}

/// Destroys the handles that the log's closure has dropped on this thread. Does nothing while the
/// closure runs.
pub(crate) fn destroy_late() {
    if !is_inside() {
        // While a thread ends, its thread-locals are dropped, and these handles with them.
        drop(LATE.try_with(RefCell::take));
    }
}
