//! The lowest layer of the crate, directly over the C functions. It has handles (pointers to C
//! objects) that are destroyed on drop, enums that can hold numbers without a name, errors that are
//! made from C statuses, and functions that catch and resume panics of closures that C calls. This
//! layer uses only `sys` (the bindings), and no higher layer of the crate.

pub(crate) mod c_enum;
pub(crate) mod call;
pub(crate) mod error;
pub(crate) mod handle;
pub(crate) mod inside;
pub(crate) mod panic;
