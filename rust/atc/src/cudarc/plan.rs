//! A plan that runs on one stream of cudarc.

use std::fmt;
use std::sync::Arc;

use ::cudarc::driver::CudaStream;

use super::{CudaOperands, device_of, failed};
use crate::raw::error::{Error, Result};
use crate::safe::options::PlanOptions;
use crate::safe::plan::Plan;
use crate::safe::problem::Problem;

/// A plan whose executions are queued on one stream of cudarc, one after the other.
pub struct CudaPlan {
    plan: Plan,
    stream: Arc<CudaStream>,
}

impl CudaPlan {
    /// Binds a plan to a stream.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument): the stream is on another device than the plan, or in
    /// another context than the device's primary one.
    pub fn new(plan: Plan, stream: &Arc<CudaStream>) -> Result<Self> {
        let device = device_of(stream)?;
        if plan.device() != device {
            return Err(Error::invalid(format!(
                "a plan for {} on a stream of {device}: make the plan for {device}",
                plan.device()
            )));
        }
        Ok(Self { plan, stream: Arc::clone(stream) })
    }

    /// Takes a plan from libatc's cache, as [`Plan::acquire`] does, and binds it to a stream. Dropping it hands it back.
    ///
    /// # Errors
    /// The errors of [`Plan::acquire`]. [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument): the stream is in
    /// another context than the device's primary one.
    pub fn acquire(
        problem: &Problem,
        options: &PlanOptions<'_>,
        stream: &Arc<CudaStream>,
    ) -> Result<Self> {
        let device = device_of(stream)?;
        let handle = stream.cu_stream().cast();
        // SAFETY: a live stream of the device.
        let plan = unsafe { Plan::acquire_for(device, problem, options, handle) }?;
        Ok(Self { plan, stream: Arc::clone(stream) })
    }

    /// Queues an execution on the plan's stream. libatc's allocator provides the workspace, in the order of the stream.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument): the operands are those of another stream, direction
    /// or shape.
    pub fn execute(&mut self, operands: CudaOperands<'_>) -> Result<()> {
        if *operands.stream() != *self.stream {
            return Err(Error::invalid(
                "operands of another stream than the plan's: name the plan's stream where the operands are made",
            ));
        }
        operands.queue(|operands, stream| {
            // SAFETY: the stream is that of the operands, on the plan's device; the plan runs on no other stream as long as it
            // is bound to this one. `queue` takes care of the memory.
            unsafe { self.plan.execute_on_stream(operands, stream.cu_stream().cast()) }
        })
    }

    /// The plan, for queries.
    #[must_use]
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Waits until the stream is idle, and gives the plan back.
    pub fn into_plan(self) -> Result<Plan> {
        self.stream.synchronize().map_err(failed)?;
        Ok(self.plan)
    }
}

impl fmt::Debug for CudaPlan {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("CudaPlan").field("plan", &self.plan).finish_non_exhaustive()
    }
}
