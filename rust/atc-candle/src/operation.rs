//! One convolution of atc as an operation of candle, in each of the three directions. The gradients of a direction are the
//! other two, so that they are differentiable, too.

use std::sync::{Mutex, PoisonError};

use atc::{Direction, Epilogue, Plan, Problem};
use candle_core::{CpuStorage, CustomOp2, CustomOp3, Layout, Result, Shape, Tensor};

use crate::cpu::{self, Input};
use crate::decision::{Decision, decide};
use crate::failure::{failure, refused};
use crate::options::Options;

/// y of x, the kernel and the bias. `relu` is applied only if there is a bias. `None`: no engine of atc takes the problem.
pub(crate) fn forward(
    problem: Problem,
    options: Options,
    x: &Tensor,
    kernel: &Tensor,
    bias: Option<&Tensor>,
    relu: bool,
) -> Result<Option<Tensor>> {
    let Some(bias) = bias else {
        return convolve(problem, Direction::Forward, options, x, kernel, false);
    };
    let epilogue = if relu { Epilogue::BiasRelu } else { Epilogue::Bias };
    let problem = problem.epilogue(epilogue);
    let Decision::Plan(plan) = decide(&problem, &options)? else { return Ok(None) };
    let operation = Operation::new(problem, Direction::Forward, options, plan)?;
    let (x, kernel, bias) = (x.contiguous()?, kernel.contiguous()?, bias.contiguous()?);
    x.apply_op3(&kernel, &bias, operation).map(Some)
}

/// One direction, whose inputs come in the order x, w, y. If `reference`, atc's slow engine runs a problem that no other one
/// takes; otherwise that is `None`.
fn convolve(
    problem: Problem,
    direction: Direction,
    options: Options,
    first: &Tensor,
    second: &Tensor,
    reference: bool,
) -> Result<Option<Tensor>> {
    let problem = problem.direction(direction);
    let plan = match decide(&problem, &options)? {
        Decision::Plan(plan) => plan,
        Decision::Nothing if reference => crate::decision::reference(&problem, &options)?,
        Decision::Nothing => return Ok(None),
    };
    let operation = Operation::new(problem, direction, options, plan)?;
    first.contiguous()?.apply_op2(&second.contiguous()?, operation).map(Some)
}

struct Operation {
    problem: Problem,
    direction: Direction,
    options: Options,
    /// Of the operand that is written.
    shape: Shape,
    /// Taken by the only execution.
    plan: Mutex<Option<Plan>>,
}

impl Operation {
    fn new(problem: Problem, direction: Direction, options: Options, plan: Plan) -> Result<Self> {
        let [_, _, written] = cpu::operands_of(direction)?;
        let shape: Vec<usize> = problem
            .shape(written)
            .map_err(failure)?
            .iter()
            .map(|extent| usize::try_from(*extent).map_err(candle_core::Error::wrap))
            .collect::<Result<_>>()?;
        let plan = Mutex::new(Some(plan));
        Ok(Self { problem, direction, options, shape: shape.into(), plan })
    }

    fn run(&self, inputs: [Input<'_>; 2], bias: Option<Input<'_>>) -> Result<(CpuStorage, Shape)> {
        let plan = self.plan.lock().unwrap_or_else(PoisonError::into_inner).take();
        let mut plan =
            plan.ok_or_else(|| refused("a convolution's operation was applied twice".to_owned()))?;
        let output = cpu::execute(&mut plan, &self.problem, self.direction, inputs, bias)?;
        Ok((output, self.shape.clone()))
    }

    /// The gradients of both inputs, where they are wanted, for `grad`, the gradient of the operand that was written.
    fn gradients(
        &self,
        first: &Tensor,
        second: &Tensor,
        grad: &Tensor,
    ) -> Result<(Option<Tensor>, Option<Tensor>)> {
        let problem = self.problem.epilogue(Epilogue::None);
        let gradient = |wanted: &Tensor, direction, a: &Tensor, b: &Tensor| {
            if !wanted.track_op() {
                return Ok(None);
            }
            convolve(problem, direction, self.options, a, b, true)
        };
        let (data, weight) = (Direction::BackwardData, Direction::BackwardWeight);
        match self.direction {
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
        let spec = self.problem.spec().map_err(failure)?;
        let masked = match spec.epilogue {
            Epilogue::BiasRelu => Some((grad * y.gt(&y.zeros_like()?)?.to_dtype(grad.dtype())?)?),
            _ => None,
        };
        let grad = masked.as_ref().unwrap_or(grad);
        let (of_x, of_kernel) = self.gradients(x, kernel, grad)?;
        let of_bias = if bias.track_op() {
            // As one row for each channel: candle sums one dimension more precisely and faster than several.
            let channels = grad.transpose(0, 1)?.contiguous()?.flatten_from(1)?;
            Some(channels.sum(1)?)
        } else {
            None
        };
        Ok((of_x, of_kernel, of_bias))
    }
}
