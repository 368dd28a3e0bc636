//! The lowest layer of the crate, directly over the C functions. It has handles that are destroyed
//! on drop, enums that keep unknown numbers, errors that are made from statuses, and the treatment
//! of panics in closures. Apart from itself, this layer uses only `sys` (the bindings).

pub(crate) mod c_enum;
pub(crate) mod call;
pub(crate) mod error;
pub(crate) mod handle;
pub(crate) mod inside;
pub(crate) mod panic;
