//! candle's own convolutions in the trace of the process.

use std::ptr::null_mut;

use atc::{Problem, sys};
use candle_core::{Result, Tensor};

use crate::failure::failure;

/// Runs a convolution of candle on the CPU, as a call of the choice `candle`. `None`: atc cannot describe the problem.
pub(crate) fn traced(
    problem: Option<&Problem>,
    convolution: impl FnOnce() -> Result<Tensor>,
) -> Result<Tensor> {
    if !sys::is_loaded() {
        return convolution();
    }
    let raw = match problem {
        Some(problem) => std::ptr::from_ref(problem.as_raw().map_err(failure)?),
        None => std::ptr::null(),
    };
    let device = sys::atc_device { type_: sys::ATC_DEVICE_CPU, index: 0 };
    let mut call = null_mut();
    // SAFETY: the problem and the string live for the call, and `call` is written.
    atc::call(|| unsafe {
        sys::atc_trace_call_begin(&mut call, device, raw, c"candle".as_ptr(), null_mut())
    })
    .map_err(failure)?;
    let _until_here = Call(call);
    convolution()
}

/// A call that is being timed, or null.
struct Call(*mut sys::atc_trace_call);

impl Drop for Call {
    fn drop(&mut self) {
        // SAFETY: atc gave it, and it ends once.
        unsafe { sys::atc_trace_call_end(self.0) }
    }
}
