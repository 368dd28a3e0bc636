//! A convolution by atc as an operation of candle, in one of three directions (forward, backward-data,
//! backward-weight). The two gradients of an operation are convolutions in the other two directions. So the gradients
//! are operations too, and can be differentiated again.

use std::sync::{Arc, Mutex, PoisonError};

use atc::{Direction, Epilogue, Problem};
#[cfg(feature = "cuda")]
use candle_core::CudaStorage;
use candle_core::{
    CpuStorage, CustomOp2, CustomOp3, Error, Layout, Result, Shape, Storage, Tensor,
};

use crate::cpu;
#[cfg(feature = "cuda")]
use crate::cuda;
use crate::decision::{self, Decision, decide};
use crate::failure::{failure, refused};
use crate::options::Options;
use crate::original::{self, taken};
use crate::place::{Place, Ready};
use crate::recording;
use crate::shapes::Shapes;
use crate::traced::traced;

/// One convolution that atc is to compute, with its device, its direction and its options.
#[derive(Clone)]
pub(crate) struct Call {
    place: Place,
    problem: Problem,
    shapes: Arc<Shapes>,
    direction: Direction,
    options: Options,
}

impl Call {
    /// Makes the call of a forward convolution without a bias.
    pub(crate) fn forward(
        place: &Place,
        problem: Problem,
        shapes: &Arc<Shapes>,
        options: Options,
    ) -> Self {
        let (place, shapes) = (place.clone(), Arc::clone(shapes));
        Self { place, problem, shapes, direction: Direction::Forward, options }
    }

    /// Computes y from x, the kernel and the bias. `relu` is applied only if there is a bias. Returns `None` if no
    /// engine of atc supports the convolution, apart from the slow reference, but candle does.
    pub(crate) fn finished(
        mut self,
        x: &Tensor,
        kernel: &Tensor,
        bias: Option<&Tensor>,
        relu: bool,
    ) -> Result<Option<Tensor>> {
        // atc's slow reference may run the convolution only if candle does not support it.
        let reference = original::lacks(&self.shapes).is_some();
        let Some(bias) = bias else { return self.apply(x, kernel, reference) };
        let epilogue = if relu { Epilogue::BiasRelu } else { Epilogue::Bias };
        self.problem = self.problem.epilogue(epilogue);
        let (x, kernel) = (self.place.dense(x)?, self.place.dense(kernel)?);
        let bias = self.place.dense(bias)?;
        let work = self.decide(reference, |shapes| {
            let y = original::forward(shapes, &x.detach(), &kernel.detach())?;
            original::finish(y, Some(&bias.detach()), relu)
        })?;
        match work {
            Some(work) => x.apply_op3(&kernel, &bias, Operation::new(self, work)).map(Some),
            None => Ok(None),
        }
    }

    /// Convolves two inputs, given in the order x, w, y. If no other engine of atc supports the problem, atc's slow
    /// reference runs it if `reference` is true; otherwise `None` is returned.
    fn apply(self, first: &Tensor, second: &Tensor, reference: bool) -> Result<Option<Tensor>> {
        let (first, second) = (self.place.dense(first)?, self.place.dense(second)?);
        let work = self.decide(reference, |shapes| {
            original::in_direction(shapes, self.direction, &first.detach(), &second.detach())
        })?;
        match work {
            Some(work) => first.apply_op2(&second, Operation::new(self, work)).map(Some),
            None => Ok(None),
        }
    }

    /// Decides how the problem is computed. `candles` is a function that runs candle's own convolution. If this
    /// convolution is the choice, `candles` is called at once.
    fn decide(
        &self,
        reference: bool,
        candles: impl FnOnce(&Shapes) -> Result<Tensor>,
    ) -> Result<Option<Work>> {
        let Self { place, problem, options, .. } = self;
        recording::note(problem);
        match decide(place, problem, options)? {
            Decision::Plan(plan) => Ok(Some(Work::Plan(plan))),
            Decision::Candle => {
                let result = traced(place, Some(problem), || candles(&self.shapes))?;
                Ok(Some(Work::Done(taken(result)?)))
            }
            Decision::Nothing if reference => {
                Ok(Some(Work::Plan(decision::reference(place, problem, options)?)))
            }
            Decision::Nothing => Ok(None),
        }
    }
}

/// The source of an operation's result: a plan that will compute it, or candle, which has computed it.
enum Work {
    Plan(Ready),
    /// candle has already computed the result: this storage.
    Done(Storage),
}

struct Operation {
    call: Call,
    /// The shape of the operation's result.
    shape: Shape,
    /// The plan that computes the result, or the result itself. The operation is executed only once, and takes this
    /// value out of the `Option` then.
    work: Mutex<Option<Work>>,
}

impl Operation {
    fn new(call: Call, work: Work) -> Self {
        let shape = match call.direction {
            Direction::BackwardData => call.shapes.x(),
            Direction::BackwardWeight => call.shapes.w(),
            _ => call.shapes.y(),
        };
        Self { call, shape: shape.into(), work: Mutex::new(Some(work)) }
    }

    fn take(&self) -> Result<Work> {
        let work = self.work.lock().unwrap_or_else(PoisonError::into_inner).take();
        work.ok_or_else(|| refused("a convolution's operation was applied twice".to_owned()))
    }

    fn on_cpu(
        &self,
        inputs: [cpu::Input<'_>; 2],
        bias: Option<cpu::Input<'_>>,
    ) -> Result<(CpuStorage, Shape)> {
        let Call { problem, direction, .. } = &self.call;
        let output = match self.take()? {
            Work::Plan(Ready::Cpu(mut plan)) => {
                cpu::execute(&mut plan, problem, *direction, inputs, bias)?
            }
            Work::Done(Storage::Cpu(output)) => output,
            _ => return Err(elsewhere("the CPU")),
        };
        Ok((output, self.shape.clone()))
    }

    #[cfg(feature = "cuda")]
    fn on_cuda(
        &self,
        inputs: [cuda::Input<'_>; 2],
        bias: Option<cuda::Input<'_>>,
    ) -> Result<(CudaStorage, Shape)> {
        let Call { problem, direction, .. } = &self.call;
        let output = match self.take()? {
            Work::Plan(Ready::Cuda(mut plan)) => {
                cuda::execute(&mut plan, problem, *direction, inputs, bias)?
            }
            Work::Done(Storage::Cuda(output)) => output,
            _ => return Err(elsewhere("CUDA")),
        };
        Ok((output, self.shape.clone()))
    }

    /// Computes the gradient of each input that needs one. `grad` is the gradient of the operand that this operation
    /// has written.
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
            call.apply(a, b, true)
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

fn elsewhere(device: &str) -> Error {
    refused(format!("a convolution's operation was decided for another device than {device}"))
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
        self.on_cpu([(first, first_layout), (second, second_layout)], None)
    }

    #[cfg(feature = "cuda")]
    fn cuda_fwd(
        &self,
        first: &CudaStorage,
        first_layout: &Layout,
        second: &CudaStorage,
        second_layout: &Layout,
    ) -> Result<(CudaStorage, Shape)> {
        self.on_cuda([(first, first_layout), (second, second_layout)], None)
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
        self.on_cpu([(x, x_layout), (kernel, kernel_layout)], Some((bias, bias_layout)))
    }

    #[cfg(feature = "cuda")]
    fn cuda_fwd(
        &self,
        x: &CudaStorage,
        x_layout: &Layout,
        kernel: &CudaStorage,
        kernel_layout: &Layout,
        bias: &CudaStorage,
        bias_layout: &Layout,
    ) -> Result<(CudaStorage, Shape)> {
        self.on_cuda([(x, x_layout), (kernel, kernel_layout)], Some((bias, bias_layout)))
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
            // The gradient is copied so that all elements of a channel form one row, and each row is summed. candle's
            // sum over one dimension is more precise and faster than its sum over several dimensions.
            let channels = grad.transpose(0, 1)?.contiguous()?.flatten_from(1)?;
            Some(channels.sum(1)?)
        } else {
            None
        };
        Ok((of_x, of_kernel, of_bias))
    }
}
