//! Every `unsafe impl` of `Send` and `Sync`, each with the sentence of the header that permits it.

use crate::safe::options::PlanOptions;
use crate::safe::plan::Plan;
use crate::safe::store::Store;
use crate::safe::view::Parts;
use crate::trace::Trace;

// SAFETY: conv.h: "A decision that is ready to be executed, with the packed weights if any were set. Any thread, one at a
// time."
// Not Sync, for the same sentence.
unsafe impl Send for Plan {}

// SAFETY: base.h: "`const atc_x*` may be used by several threads at once; `atc_x*` by one at a time."; a
// store is closed by the one thread that owns it.
unsafe impl Send for Store {}

// SAFETY: store.h: "May be used from several threads at once."; every `&self` method of Store hands
// `const atc_store*` to C.
unsafe impl Sync for Store {}

// SAFETY: trace.h: "All functions may be called from any thread at any time."
unsafe impl Send for Trace {}

// SAFETY: base.h: "`const atc_x*` may be used by several threads at once"; every method of Trace hands
// `const atc_trace*` to C.
unsafe impl Sync for Trace {}

// SAFETY: store.h: "May be used from several threads at once."; the options hold a store, an allocator and a closure.
// The store goes to C as `const atc_store*`. The allocator is NULL. The closure is `Sync`.
unsafe impl Send for PlanOptions<'_> {}

// SAFETY: store.h: "May be used from several threads at once."; as for Send above.
unsafe impl Sync for PlanOptions<'_> {}

// SAFETY: base.h: "On the CPU, `data` and the memory behind it are borrowed for the call; on CUDA, until the work that
// the call queued on the stream has run.": libatc keeps nothing of a view beyond that, which is therefore a plain
// address here. TensorView has the borrow of a slice, TensorViewMut that of an exclusive one, and f32, bf16 and f16 are
// Send and Sync. On CUDA the host never reads or writes through the address, and `from_raw_parts` asks its caller to
// keep the memory until the stream is done, whichever thread that is.
unsafe impl Send for Parts {}

// SAFETY: base.h: "On the CPU, `data` and the memory behind it are borrowed for the call": as for Send; every `&self`
// method of the views and of Operands only reads the address, the shape and the strides.
unsafe impl Sync for Parts {}
