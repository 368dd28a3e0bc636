//! Every promise to the compiler about threads, beside the sentence of the header that permits it.

use crate::options::PlanOptions;
use crate::plan::Plan;
use crate::store::Store;
use crate::view::Parts;

// SAFETY: conv.h: "A decision and its prepared engine, with the packed weights if any were set. Any thread, one at a
// time."
// Not Sync, for the same sentence.
unsafe impl Send for Plan {}

// SAFETY: base.h: "`const atc_x*` may be used by several threads at once; `atc_x*` by one at a time."; a
// store is closed by the one thread that owns it.
unsafe impl Send for Store {}

// SAFETY: store.h: "May be used from several threads at once."; every `&self` method of Store hands
// `const atc_store*` to C.
unsafe impl Sync for Store {}

// SAFETY: store.h: "May be used from several threads at once."; the options hand their store on as
// `const atc_store*`, and their allocator is always NULL.
unsafe impl Send for PlanOptions<'_> {}

// SAFETY: store.h: "May be used from several threads at once."; as above.
unsafe impl Sync for PlanOptions<'_> {}

// SAFETY: base.h: "On the CPU, `data` and the memory behind it are borrowed for the call": libatc keeps nothing of a
// view, which is therefore a plain address here. TensorView has the borrow of a slice, TensorViewMut that of an
// exclusive one, and f32, bf16 and f16 are Send and Sync; `from_raw_parts` asks the same of its caller.
unsafe impl Send for Parts {}

// SAFETY: base.h: "On the CPU, `data` and the memory behind it are borrowed for the call": as for Send; every `&self`
// method of the views and of Operands only reads.
unsafe impl Sync for Parts {}
