//! All `unsafe impl` of `Send` and `Sync` in this crate. The comment of each `unsafe impl` quotes the sentence of a C
//! header (folder include/atc) that permits the `impl`.

use crate::safe::options::PlanOptions;
use crate::safe::plan::Plan;
use crate::safe::store::Store;
use crate::safe::view::Parts;
use crate::trace::Trace;

// SAFETY: conv.h: "Any thread may use a plan, but only one thread at a time." Because the same sentence allows only one
// thread at a time, Plan is not Sync.
unsafe impl Send for Plan {}

// SAFETY: base.h: "An object that a function takes as `const atc_x*` may be used by several threads at once. An object
// that a function takes as `atc_x*` may be used by one thread at a time." The function that closes a store takes
// `atc_store*`. It is called only on drop, by the one thread that owns the Store.
unsafe impl Send for Store {}

// SAFETY: store.h: "Several threads may use it at once." Every `&self` method of Store passes the store to C as
// `const atc_store*`.
unsafe impl Sync for Store {}

// SAFETY: trace.h: "All functions may be called from any thread at any time."
unsafe impl Send for Trace {}

// SAFETY: base.h: "An object that a function takes as `const atc_x*` may be used by several threads at once." Every
// method of Trace passes the trace to C as `const atc_trace*`.
unsafe impl Sync for Trace {}

// SAFETY: store.h: "Several threads may use it at once." Without its pointers the C struct of the options is plain
// data. It has three pointers: the store, which is passed to C as `const atc_store*`; the allocator, which is always
// NULL; and the closure, whose type is `Sync`.
unsafe impl Send for PlanOptions<'_> {}

// SAFETY: store.h: "Several threads may use it at once." The C struct of the options has three
// pointers. The store is passed to C as `const atc_store*`, the allocator is always NULL, and the
// type of the closure is `Sync`. Without these pointers the C struct is plain data.
unsafe impl Sync for PlanOptions<'_> {}

// SAFETY: base.h: "The memory behind `data` must remain valid: on the CPU until the call returns, on CUDA until the
// work that the call queued on the stream has run." Parts has the pointer `data`, and is a field of TensorView and
// TensorViewMut. Their lifetimes stand for a shared and an exclusive borrow of the memory, and libatc does not use the
// pointer after the time that the sentence names. The elements (f32, bf16, f16) are Send and Sync. On CUDA the host
// never reads or writes through the pointer, and the caller of `from_raw_parts` must keep the memory until the stream
// has finished, whichever thread uses the view.
unsafe impl Send for Parts {}

// SAFETY: base.h: "The memory behind `data` must remain valid: on the CPU until the call returns". The lifetimes of the
// views stand for a borrow of this memory, as `impl Send for Parts` says. Several threads may share a view, because the
// `&self` methods of the views and of Operands only read the address, the shape and the strides, and not the elements.
unsafe impl Sync for Parts {}
