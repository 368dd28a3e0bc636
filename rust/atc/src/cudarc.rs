//! Convolutions on CUDA memory and streams of the crate [cudarc](https://docs.rs/cudarc). This module needs the feature
//! `cudarc`. [`driver`] is a re-export of cudarc's module `driver`.
//!
//! ```no_run
//! use atc::cudarc::driver::CudaContext;
//! use atc::cudarc::{CudaOperands, CudaPlan};
//! use atc::{Device, Plan, Problem};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let problem = Problem::conv2d(1, 3, 32, 32, 8).kernel(3).padding(1);
//! let stream = CudaContext::new(0)?.new_stream()?;
//! let x = stream.clone_htod(&vec![1.0f32; 3 * 32 * 32])?;
//! let w = stream.clone_htod(&vec![1.0f32; 8 * 3 * 3 * 3])?;
//! let mut y = stream.alloc_zeros::<f32>(8 * 32 * 32)?;
//!
//! // At once, by a plan that libatc keeps:
//! CudaOperands::forward(&stream, &problem, &x, &w, &mut y)?.convolve()?;
//!
//! // By a plan of the program's own:
//! let mut plan = CudaPlan::new(Plan::new(Device::Cuda(0), &problem)?, &stream)?;
//! plan.execute(CudaOperands::forward(&stream, &problem, &x, &w, &mut y)?)?;
//! let y = stream.clone_dtoh(&y)?; // waits for both
//! # Ok(())
//! # }
//! ```
//!
//! # Order
//!
//! [`CudaOperands::convolve`] and [`CudaPlan::execute`] only queue their work on the stream. [`CudaOperands`] makes the
//! stream wait until other streams have finished their writes to the operands, and their reads of the output. After the
//! work was queued, cudarc records a CUDA event for each operand. From these events cudarc knows how long the work uses
//! the memory. So the program may drop the memory, or use the memory on another stream, at any time. This is not true
//! any more after a call of the unsafe function `CudaContext::disable_event_tracking`, because then cudarc records no
//! events.
//!
//! # Contexts
//!
//! atc uses only the primary CUDA context of a device, which `CudaContext::new` returns. If a stream or memory belongs
//! to another context, the call fails.
//!
//! # Versions of cudarc
//!
//! The feature `cudarc` does not choose the version of CUDA, nor how CUDA is linked. The program chooses both: it adds
//! its own dependency on cudarc, with the feature `cuda-…` of a version and the feature `dynamic-loading` or
//! `dynamic-linking`. If the program has no such dependency, cudarc takes the version of the nvcc in `PATH`, or else
//! the newest version that cudarc knows, and opens the CUDA driver at the first use.

mod memory;
mod operands;
mod plan;

pub use ::cudarc::driver;

pub use memory::allocate_by_cudarc;
pub use operands::CudaOperands;
pub use plan::CudaPlan;

use ::cudarc::driver::{CudaStream, DriverError};

use crate::raw::error::{Error, Result};
use crate::safe::device::Device;
use crate::sys;

/// Returns the device of a stream. Returns an error if the stream is not in the primary context of the device.
fn device_of(stream: &CudaStream) -> Result<Device> {
    let context = stream.context();
    if !context.is_primary() {
        return Err(Error::invalid(format!(
            "the stream or memory is in a context of its own of device {}: make it in the device's primary context, \
             which CudaContext::new has",
            context.ordinal()
        )));
    }
    Ok(Device::Cuda(i32::try_from(context.ordinal()).map_err(|_| {
        Error::invalid(format!("device {}: use at most {}", context.ordinal(), i32::MAX))
    })?))
}

fn failed(error: DriverError) -> Error {
    Error::new(sys::ATC_ERROR_DEVICE, format!("cudarc: {error}"))
}
