//! Convolutions whose plans libatc keeps.

use crate::raw::call::call;
use crate::raw::error::Result;
use crate::safe::device::run_and_wait;
use crate::safe::operands::Operands;
use crate::safe::problem::{Direction, Problem};
use crate::sys;

/// Runs a problem at once, with a plan from libatc's cache, and returns when the output is written.
/// Any number of threads may call this at once.
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
        // SAFETY: `run_and_wait` returns only when the device has finished, and the operands are
        // borrowed until then.
        unsafe { queue(problem, &operands, std::ptr::null_mut()) }
    })
}

/// Runs a problem on a stream: on CUDA the call only queues the work.
///
/// # Safety
/// * `stream` is a live stream of the operands' device, or null (the default stream, and the CPU);
/// * until the stream has passed the work, nobody writes the inputs, nobody else reads or writes the output,
///   and their memory stays allocated, whatever happens to the borrows in `operands`.
pub unsafe fn convolution_on_stream(
    problem: &Problem,
    operands: Operands<'_>,
    stream: sys::atc_stream,
) -> Result<()> {
    // SAFETY: the caller keeps the contract of this function.
    unsafe { queue(problem, &operands, stream) }
}

/// # Safety
/// As for [`convolution_on_stream`].
unsafe fn queue(problem: &Problem, operands: &Operands<'_>, stream: sys::atc_stream) -> Result<()> {
    let raw = problem.checked()?;
    operands.expect_direction(Direction::from_raw(raw.direction))?;
    operands.with_raw(|operands| {
        // SAFETY: the problem and the views are only read during the call. The shapes and strides
        // of the views lie inside the borrowed memory. libatc writes only the operand that is
        // borrowed exclusively, because the direction was compared above.
        call(|| unsafe { sys::atc_convolution_v2(raw, operands, stream) })
    })
}
