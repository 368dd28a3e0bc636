//! Functions that run a convolution if the caller does not have a [`Plan`](crate::Plan). libatc makes the plans and
//! keeps them in its plan cache.

use crate::raw::call::call;
use crate::raw::error::Result;
use crate::safe::device::run_and_wait;
use crate::safe::operands::Operands;
use crate::safe::problem::{Direction, Problem};
use crate::sys;

/// Runs a problem with a plan from libatc's plan cache, and returns when the output is written. If the cache has no
/// plan of the problem, the plan is made first. Any number of threads may call this function at the same time.
///
/// ```
/// use atc::{Operand, Operands, Problem, Tensor};
///
/// # fn main() -> atc::Result<()> {
/// let problem = Problem::conv1d(1, 2, 5, 1);
/// let x = Tensor::<f32>::ones(&problem, Operand::X)?;
/// let w = Tensor::<f32>::ones(&problem, Operand::W)?;
/// let mut y = Tensor::<f32>::zeros(&problem, Operand::Y)?;
/// atc::convolution(&problem, Operands::forward(&x, &w, &mut y))?;
/// assert_eq!(y.as_slice(), [2.0; 5]);
/// # Ok(())
/// # }
/// ```
pub fn convolution(problem: &Problem, operands: Operands<'_>) -> Result<()> {
    run_and_wait(operands.device(), || {
        // SAFETY: `run_and_wait` returns only when the device has finished the work, and this function borrows the
        // operands until then.
        unsafe { queue(problem, &operands, std::ptr::null_mut()) }
    })
}

/// Runs a problem on a stream with a plan from libatc's plan cache. If the cache has no plan of the problem, the plan
/// is made first. On CUDA the call returns when the work is queued; on the CPU it returns when the output is written.
///
/// # Safety
/// * `stream` is null, or a stream of the operands' device that was not destroyed. On CUDA null stands for the default
///   stream. On the CPU `stream` must be null;
/// * until the stream has finished the work of this call, nobody writes the inputs, nobody else reads or writes the
///   output, and the memory of all operands stays allocated. This must hold even after the borrows in `operands` have
///   ended.
pub unsafe fn convolution_on_stream(
    problem: &Problem,
    operands: Operands<'_>,
    stream: sys::atc_stream,
) -> Result<()> {
    // SAFETY: the caller of this function meets the conditions of its `# Safety` section.
    unsafe { queue(problem, &operands, stream) }
}

/// # Safety
/// The caller must meet the conditions of [`convolution_on_stream`].
unsafe fn queue(problem: &Problem, operands: &Operands<'_>, stream: sys::atc_stream) -> Result<()> {
    let raw = problem.checked()?;
    operands.expect_direction(Direction::from_raw(raw.direction))?;
    operands.with_raw(|operands| {
        // SAFETY: libatc reads the problem and the views only during the call. All elements that the shapes and strides
        // of the views reach are inside the borrowed memory. The direction determines which operand libatc writes.
        // Problem and operands have the same direction (checked above), so libatc writes the operand that is borrowed
        // exclusively, and no other.
        call(|| unsafe { sys::atc_convolution_v2(raw, operands, stream) })
    })
}
