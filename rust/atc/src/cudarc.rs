//! Convolutions on CUDA memory and streams of the crate [cudarc](https://docs.rs/cudarc). Feature `cudarc`. [`driver`] is
//! cudarc's module of that name, re-exported.
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
//! Both calls only queue their work. [`CudaOperands`] makes the stream wait for what other streams have written to the
//! memory (and read from it, for the output), and when the work is queued, cudarc notes that the memory is in use. So memory
//! may be dropped, or used on another stream, at any time. This holds as long as cudarc tracks events, which
//! `CudaContext::disable_event_tracking` (an unsafe function) ends.
//!
//! # Contexts
//!
//! atc works in the primary context of a device, which is the one of `CudaContext::new`. Streams and memory of another
//! context are refused.
//!
//! # Versions of cudarc
//!
//! The feature leaves the choice of CUDA's version and of linking to the program: it has a dependency on cudarc of its own, with
//! the features `cuda-…` and `dynamic-loading` or `dynamic-linking`. Without it cudarc takes the version of the nvcc in `PATH`, or its
//! newest, and opens the CUDA driver when it is first needed.

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

/// The device of a stream, in whose primary context the stream is.
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
