//! The layer over the C functions: handles that are destroyed on drop, open enums, statuses as
//! errors, panics of closures. This layer uses `sys` alone.

pub(crate) mod c_enum;
pub(crate) mod call;
pub(crate) mod error;
pub(crate) mod handle;
pub(crate) mod inside;
pub(crate) mod panic;
