//! A custom operator for ONNX Runtime: it computes ONNX's operator Conv by atc, for fp32 in two dimensions without a
//! bias.

use std::fmt::Display;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use atc::{Device, Operand, Operands, Plan, PlanOptions, Problem, TensorView, TensorViewMut};
use ort::operator::{
    BoxedKernel, ComputeContext, KernelContext, Operator, OperatorInput, OperatorOutput,
};
use ort::value::TensorElementType;

pub struct Convolution {
    /// Counts the calls of the custom operator's kernel.
    pub calls: Arc<AtomicUsize>,
}

impl Operator for Convolution {
    type Kernel<'attr> = BoxedKernel<'attr>;

    fn name(&self) -> &str {
        "Conv"
    }

    fn inputs(&self) -> impl IntoIterator<Item = OperatorInput> {
        let f32 = TensorElementType::Float32;
        [
            OperatorInput::required(f32),
            OperatorInput::required(f32),
            OperatorInput::optional(f32),
        ]
    }

    fn outputs(&self) -> impl IntoIterator<Item = OperatorOutput> {
        [OperatorOutput::required(TensorElementType::Float32)]
    }

    fn create_kernel<'attr>(&self, node: &KernelContext<'attr>) -> ort::Result<BoxedKernel<'attr>> {
        let calls = self.calls.clone();
        let pads: Vec<i64> = node.get("pads").unwrap_or(vec![0; 4]);
        let strides: Vec<i64> = node.get("strides").unwrap_or(vec![1; 2]);
        Ok(Box::new(move |context: &ComputeContext| {
            calls.fetch_add(1, Ordering::Relaxed);
            convolve(context, &pads, &strides)
        }))
    }
}

fn convolve(context: &ComputeContext, pads: &[i64], strides: &[i64]) -> ort::Result<()> {
    let missing = || ort::Error::new("an operand is missing");
    let (x, w) = (
        context.input(0)?.ok_or_else(missing)?,
        context.input(1)?.ok_or_else(missing)?,
    );
    let (x_shape, x) = x.try_extract_tensor::<f32>()?;
    let (w_shape, w) = w.try_extract_tensor::<f32>()?;
    let problem = Problem::conv2d(x_shape[0], x_shape[1], x_shape[2], x_shape[3], w_shape[0])
        .kernel(&w_shape[2..])
        .stride(strides)
        .padding_low(&pads[..2])
        .padding_high(&pads[2..]);
    let y_shape = problem.shape(Operand::Y).map_err(failure)?;
    let mut y = context.output(0, y_shape.to_vec())?.ok_or_else(missing)?;
    let (_, y) = y.try_extract_tensor_mut::<f32>()?;
    let mut plan = Plan::acquire(Device::Cpu, &problem, &PlanOptions::new()).map_err(failure)?;
    let x = TensorView::of(x, &problem, Operand::X).map_err(failure)?;
    let w = TensorView::of(w, &problem, Operand::W).map_err(failure)?;
    let mut y = TensorViewMut::of(y, &problem, Operand::Y).map_err(failure)?;
    plan.execute(Operands::forward(&x, &w, &mut y))
        .map_err(failure)
}

fn failure(error: impl Display) -> ort::Error {
    ort::Error::new(error.to_string())
}
