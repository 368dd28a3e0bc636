//! The type of plans (convolutions that are ready to be executed) that always run on the same stream of cudarc.

use std::fmt;
use std::sync::Arc;

use ::cudarc::driver::CudaStream;

use super::{CudaOperands, device_of, failed};
use crate::raw::error::{Error, Result};
use crate::safe::options::PlanOptions;
use crate::safe::plan::Plan;
use crate::safe::problem::Problem;

/// A [`Plan`] that is bound to one stream of cudarc. All executions of the plan are queued on this stream.
pub struct CudaPlan {
    plan: Plan,
    stream: Arc<CudaStream>,
}

impl CudaPlan {
    /// Binds a plan to a stream: all executions of the plan will be queued on this stream.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the stream is on another device than the
    /// plan, or not in the primary context of the device.
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

    /// Takes a plan from libatc's plan cache, as [`Plan::acquire`] does, and binds the plan to a stream. If the
    /// `CudaPlan` is dropped, the plan goes back into the cache.
    ///
    /// # Errors
    /// The call fails in the same cases as [`Plan::acquire`]. It also fails with
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the stream is not in the primary context
    /// of its device.
    pub fn acquire(
        problem: &Problem,
        options: &PlanOptions<'_>,
        stream: &Arc<CudaStream>,
    ) -> Result<Self> {
        let device = device_of(stream)?;
        let handle = stream.cu_stream().cast();
        // SAFETY: `handle` is a live stream of `device`.
        let plan = unsafe { Plan::acquire_for(device, problem, options, handle) }?;
        Ok(Self { plan, stream: Arc::clone(stream) })
    }

    /// Queues an execution on the plan's stream. libatc's allocator provides the workspace (the scratch memory of the
    /// execution). The allocator allocates and frees the workspace by stream-ordered allocation on this stream.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the operands were made for another stream
    /// than the stream of the plan, or for a problem whose direction or shapes differ from those of the plan's problem.
    pub fn execute(&mut self, operands: CudaOperands<'_>) -> Result<()> {
        if *operands.stream() != *self.stream {
            return Err(Error::invalid(
                "operands of another stream than the plan's: name the plan's stream where the operands are made",
            ));
        }
        operands.queue(|operands, stream| {
            // SAFETY: `stream` exists and is a stream of the plan's device. The plan is bound to this stream and runs
            // on no other stream. `queue` keeps the memory of the operands allocated until the stream has finished the
            // work.
            unsafe { self.plan.execute_on_stream(operands, stream.cu_stream().cast()) }
        })
    }

    /// Returns the plan, for queries such as [`Plan::choice`].
    #[must_use]
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Waits until the stream is idle, and returns the plan.
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
