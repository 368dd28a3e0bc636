//! One convolution of atc as an operation of candle, in each of the three directions. The gradients of a direction are the
//! other two, so that they are differentiable, too.

use std::sync::{Arc, Mutex, PoisonError};

use atc::{Direction, Epilogue, Plan, Problem};
use candle_core::{CpuStorage, CustomOp2, CustomOp3, Layout, Result, Shape, Tensor};

use crate::cpu::{self, Input};
use crate::decision::{self, Decision, decide};
use crate::failure::{failure, refused};
use crate::options::Options;
use crate::original::{self, taken};
use crate::shapes::Shapes;
use crate::traced::traced;

/// y of x, the kernel and the bias. `relu` is applied only if there is a bias. `None`: no engine of atc takes the problem, but
/// candle does.
pub(crate) fn forward(
    problem: Problem,
    shapes: &Arc<Shapes>,
    options: Options,
    x: &Tensor,
    kernel: &Tensor,
    bias: Option<&Tensor>,
    relu: bool,
) -> Result<Option<Tensor>> {
    // If candle does not support the convolution, only the reference is left.
    let reference = original::lacks(shapes).is_some();
    let call = Call { problem, shapes: shapes.clone(), direction: Direction::Forward, options };
    let (x, kernel) = (x.contiguous()?, kernel.contiguous()?);
    let Some(bias) = bias else { return call.apply(&x, &kernel, reference) };
    let epilogue = if relu { Epilogue::BiasRelu } else { Epilogue::Bias };
    let call = Call { problem: problem.epilogue(epilogue), ..call };
    let bias = bias.contiguous()?;
    let work = match decide(&call.problem, &options)? {
        Decision::Plan(plan) => Work::Plan(plan),
        Decision::Candle => {
            let y = traced(Some(&call.problem), || {
                let y = original::forward(shapes, &x.detach(), &kernel.detach())?;
                original::finish(y, Some(&bias.detach()), relu)
            })?;
            Work::Done(taken(y)?)
        }
        Decision::Nothing if reference => Work::Plan(decision::reference(&call.problem, &options)?),
        Decision::Nothing => return Ok(None),
    };
    x.apply_op3(&kernel, &bias, Operation::new(call, work)?).map(Some)
}

/// A convolution that atc is to compute.
#[derive(Clone)]
struct Call {
    problem: Problem,
    shapes: Arc<Shapes>,
    direction: Direction,
    options: Options,
}

impl Call {
    /// Convolves contiguous inputs, which come in the order x, w, y. If `reference`, atc's slow engine runs a problem that
    /// no other one takes; otherwise that is `None`.
    fn apply(self, first: &Tensor, second: &Tensor, reference: bool) -> Result<Option<Tensor>> {
        let Self { problem, shapes, direction, options } = &self;
        let work = match decide(problem, options)? {
            Decision::Plan(plan) => Work::Plan(plan),
            Decision::Candle => {
                let (first, second) = (first.detach(), second.detach());
                let result = traced(Some(problem), || {
                    original::in_direction(shapes, *direction, &first, &second)
                })?;
                Work::Done(taken(result)?)
            }
            Decision::Nothing if reference => Work::Plan(decision::reference(problem, options)?),
            Decision::Nothing => return Ok(None),
        };
        first.apply_op2(second, Operation::new(self, work)?).map(Some)
    }
}

/// How an operation comes to its result.
enum Work {
    Plan(Plan),
    /// candle has computed it.
    Done(CpuStorage),
}

struct Operation {
    call: Call,
    /// The shape of the operand that is written.
    shape: Shape,
    /// Taken by the only execution.
    work: Mutex<Option<Work>>,
}

impl Operation {
    fn new(call: Call, work: Work) -> Result<Self> {
        let shape = match call.direction {
            Direction::BackwardData => call.shapes.x(),
            Direction::BackwardWeight => call.shapes.w(),
            _ => call.shapes.y(),
        };
        Ok(Self { call, shape: shape.into(), work: Mutex::new(Some(work)) })
    }

    fn run(&self, inputs: [Input<'_>; 2], bias: Option<Input<'_>>) -> Result<(CpuStorage, Shape)> {
        let work = self.work.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Call { problem, direction, .. } = &self.call;
        let output = match work {
            Some(Work::Plan(mut plan)) => {
                cpu::execute(&mut plan, problem, *direction, inputs, bias)?
            }
            Some(Work::Done(output)) => output,
            None => return Err(refused("a convolution's operation was applied twice".to_owned())),
        };
        Ok((output, self.shape.clone()))
    }

    /// Computes the gradients of both inputs, as far as they are wanted. `grad` is the gradient of the operand that
    /// was written.
    fn gradients(
        &self,
        first: &Tensor,
        second: &Tensor,
        grad: &Tensor,
    ) -> Result<(Option<Tensor>, Option<Tensor>)> {
        let gradient = |wanted: &Tensor, direction, a: &Tensor, b: &Tensor| {
            if !wanted.track_op() {
                return Ok(None);
            }
            let problem = self.call.problem.epilogue(Epilogue::None).direction(direction);
            let call = Call { problem, direction, ..self.call.clone() };
            call.apply(&a.contiguous()?, &b.contiguous()?, true)
        };
        let (data, weight) = (Direction::BackwardData, Direction::BackwardWeight);
        match self.call.direction {
            Direction::BackwardData => Ok((
                gradient(first, weight, grad, second)?,
                gradient(second, Direction::Forward, grad, first)?,
            )),
            Direction::BackwardWeight => Ok((
                gradient(first, data, grad, second)?,
                gradient(second, Direction::Forward, first, grad)?,
            )),
            _ => Ok((gradient(first, data, second, grad)?, gradient(second, weight, first, grad)?)),
        }
    }
}

impl CustomOp2 for Operation {
    fn name(&self) -> &'static str {
        "atc-convolution"
    }

    fn cpu_fwd(
        &self,
        first: &CpuStorage,
        first_layout: &Layout,
        second: &CpuStorage,
        second_layout: &Layout,
    ) -> Result<(CpuStorage, Shape)> {
        self.run([(first, first_layout), (second, second_layout)], None)
    }

    fn bwd(
        &self,
        first: &Tensor,
        second: &Tensor,
        _: &Tensor,
        grad: &Tensor,
    ) -> Result<(Option<Tensor>, Option<Tensor>)> {
        self.gradients(first, second, grad)
    }
}

impl CustomOp3 for Operation {
    fn name(&self) -> &'static str {
        "atc-convolution"
    }

    fn cpu_fwd(
        &self,
        x: &CpuStorage,
        x_layout: &Layout,
        kernel: &CpuStorage,
        kernel_layout: &Layout,
        bias: &CpuStorage,
        bias_layout: &Layout,
    ) -> Result<(CpuStorage, Shape)> {
        self.run([(x, x_layout), (kernel, kernel_layout)], Some((bias, bias_layout)))
    }

    fn bwd(
        &self,
        x: &Tensor,
        kernel: &Tensor,
        bias: &Tensor,
        y: &Tensor,
        grad: &Tensor,
    ) -> Result<(Option<Tensor>, Option<Tensor>, Option<Tensor>)> {
        let spec = self.call.problem.spec().map_err(failure)?;
        let masked = match spec.epilogue {
            Epilogue::BiasRelu => Some((grad * y.gt(&y.zeros_like()?)?.to_dtype(grad.dtype())?)?),
            _ => None,
        };
        let grad = masked.as_ref().unwrap_or(grad);
        let (of_x, of_kernel) = self.gradients(x, kernel, grad)?;
        let of_bias = if bias.track_op() {
            // The gradient is made one row for each channel, because candle sums one dimension more
            // precisely and faster than several.
            let channels = grad.transpose(0, 1)?.contiguous()?.flatten_from(1)?;
            Some(channels.sum(1)?)
        } else {
            None
        };
        Ok((of_x, of_kernel, of_bias))
    }
}
