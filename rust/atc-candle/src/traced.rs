//! Enters candle's own convolutions into the trace of the process (the list of its convolutions with their times).

use std::ptr::null_mut;

use atc::{Problem, sys};
use candle_core::{Result, Tensor};

use crate::failure::failure;
use crate::place::Place;

/// Runs a convolution of candle. If a trace is running, the call appears in the trace with the choice `candle`.
/// `problem` is `None` if atc cannot describe the convolution.
pub(crate) fn traced(
    place: &Place,
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
    let device = match place.device() {
        atc::Device::Cuda(index) => sys::atc_device { type_: sys::ATC_DEVICE_CUDA, index },
        _ => sys::atc_device { type_: sys::ATC_DEVICE_CPU, index: 0 },
    };
    let stream = place.stream();
    let mut call = null_mut();
    // SAFETY: the problem, the string and the stream live during the call of the C function, which writes only to
    // `call`.
    atc::call(|| unsafe {
        sys::atc_trace_call_begin(&mut call, device, raw, c"candle".as_ptr(), stream)
    })
    .map_err(failure)?;
    let _until_here = Call(call);
    convolution()
}

/// A call that the trace is timing until this value is dropped. The pointer is null if no trace is running.
struct Call(*mut sys::atc_trace_call);

impl Drop for Call {
    fn drop(&mut self) {
        // SAFETY: `atc_trace_call_begin` returned the pointer, and the call ends only once.
        unsafe { sys::atc_trace_call_end(self.0) }
    }
}
