//! All `unsafe impl` of `Send` and `Sync` in this crate. The comment of each `unsafe impl` quotes the sentence of a C
//! header (folder include/atc) that permits the `impl`.

use crate::safe::options::PlanOptions;
use crate::safe::plan::Plan;
use crate::safe::store::Store;
use crate::safe::view::Parts;
use crate::trace::Trace;

// SAFETY: conv.h: "Any thread may use a plan, but only one thread at a time." Because of the same sentence, Plan is not
// Sync.
unsafe impl Send for Plan {}

// SAFETY: base.h: "An object that a function takes as `const atc_x*` may be used by several threads at once. An object
// that a function takes as `atc_x*` may be used by one thread at a time." Only the thread that owns a Store closes the
// store.
unsafe impl Send for Store {}

// SAFETY: store.h: "Several threads may use it at once." Every `&self` method of Store passes the store to C as
// `const atc_store*`.
unsafe impl Sync for Store {}

// SAFETY: trace.h: "All functions may be called from any thread at any time."
unsafe impl Send for Trace {}

// SAFETY: base.h: "An object that a function takes as `const atc_x*` may be used by several threads at once." Every
// method of Trace passes the trace to C as `const atc_trace*`.
unsafe impl Sync for Trace {}

// SAFETY: store.h: "Several threads may use it at once." The options contain three pointers. The store is passed to C
// as `const atc_store*`. The allocator is always NULL. The closure is `Sync`.
unsafe impl Send for PlanOptions<'_> {}

// SAFETY: store.h: "Several threads may use it at once." The reasons are those of the `impl Send` of PlanOptions.
unsafe impl Sync for PlanOptions<'_> {}

// SAFETY: base.h: "The memory behind `data` must remain valid: on the CPU until the call returns, on CUDA until the work
// that the call queued on the stream has run." libatc does not use a view after that time, so the pointer in Parts is
// only an address. The lifetime of TensorView is a shared borrow, and the lifetime of TensorViewMut is an exclusive
// borrow. The elements (f32, bf16, f16) are Send and Sync. On CUDA the host never reads or writes through the address.
// There the caller of `from_raw_parts` must keep the memory until the stream has finished, whichever thread uses the
// view.
unsafe impl Send for Parts {}

// SAFETY: base.h: "The memory behind `data` must remain valid: on the CPU until the call returns". The reasons are those
// of the `impl Send` of Parts. In addition, every `&self` method of the views and of Operands only reads the address,
// the shape and the strides.
unsafe impl Sync for Parts {}
