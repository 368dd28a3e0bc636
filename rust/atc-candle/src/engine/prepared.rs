//! One convolution that candle runs for atc, on tensors of its own: operands are copied into them.

use std::ffi::c_void;

use atc::{Direction, sys};
use candle_core::{CpuStorage, DType, Device, InplaceOp1, Layout, Result, Tensor};

use crate::failure::refused;
use crate::original;
use crate::shapes::Shapes;

/// Why candle does not support a problem; `None` if candle supports it.
pub(super) fn why_not(problem: &sys::atc_conv_problem) -> Option<&'static str> {
    if problem.accumulate != 0 {
        return Some("candle has no accumulating convolution");
    }
    if problem.x_dtype != problem.w_dtype || problem.x_dtype != problem.y_dtype {
        return Some("candle mixes no types");
    }
    let Ok(shapes) = Shapes::of_problem(problem) else { return Some("the sizes are too large") };
    if original::lacks(&shapes).is_some() {
        return Some("candle has one stride and one dilation, in one or two dimensions");
    }
    let dense = [
        (shapes.x(), &problem.x_strides),
        (shapes.w(), &problem.w_strides),
        (shapes.y(), &problem.y_strides),
    ];
    if dense.iter().any(|(shape, strides)| !is_dense(shape, &strides[..])) {
        return Some("candle's tensors are channels first");
    }
    None
}

/// Whether elements lie one behind the other; the stride of an extent of 1 is never used.
fn is_dense(shape: &[usize], strides: &[i64]) -> bool {
    let mut step = 1;
    shape.iter().zip(strides).rev().all(|(extent, stride)| {
        let fits = *extent == 1 || usize::try_from(*stride) == Ok(step);
        step *= extent;
        fits
    })
}

pub(super) struct Prepared {
    shapes: Shapes,
    direction: Direction,
    relu: bool,
    /// The inputs, in the order x, w, y.
    inputs: [Tensor; 2],
    bias: Option<Tensor>,
}

impl Prepared {
    pub(super) fn new(problem: &sys::atc_conv_problem) -> Result<Self> {
        let shapes = Shapes::of_problem(problem)?;
        let dtype = match problem.x_dtype {
            sys::ATC_DTYPE_F32 => DType::F32,
            sys::ATC_DTYPE_BF16 => DType::BF16,
            sys::ATC_DTYPE_F16 => DType::F16,
            other => return Err(refused(format!("candle has no dtype {other}"))),
        };
        let zeros = |shape: Vec<usize>| Tensor::zeros(shape, dtype, &Device::Cpu);
        let direction = Direction::from_raw(problem.direction);
        let inputs = match direction {
            Direction::BackwardData => [zeros(shapes.w())?, zeros(shapes.y())?],
            Direction::BackwardWeight => [zeros(shapes.x())?, zeros(shapes.y())?],
            _ => [zeros(shapes.x())?, zeros(shapes.w())?],
        };
        // The number of channels of the operand that is written. Backward-data has a bias if it is a
        // transposed convolution.
        let channels = match direction {
            Direction::BackwardData => shapes.in_channels,
            _ => shapes.out_channels,
        };
        let bias = match problem.epilogue {
            sys::ATC_EPILOGUE_NONE => None,
            _ => Some(zeros(vec![channels])?),
        };
        let relu = problem.epilogue == sys::ATC_EPILOGUE_BIAS_RELU;
        Ok(Self { shapes, direction, relu, inputs, bias })
    }

    /// Convolves, and copies the result to where atc wants it.
    ///
    /// # Safety
    /// The operands are those of the problem.
    pub(super) unsafe fn execute(&self, operands: &sys::atc_engine_operands) -> Result<()> {
        let sources = match self.direction {
            Direction::BackwardData => [operands.w, operands.y],
            Direction::BackwardWeight => [operands.x, operands.y],
            _ => [operands.x, operands.w],
        };
        for (tensor, source) in self.inputs.iter().zip(sources) {
            tensor.inplace_op1(&Copy(source, Way::In))?;
        }
        if let Some(bias) = &self.bias {
            bias.inplace_op1(&Copy(operands.bias.cast_mut(), Way::In))?;
        }
        let [first, second] = &self.inputs;
        let result = original::in_direction(&self.shapes, self.direction, first, second)?;
        let output = original::finish(result, self.bias.as_ref(), self.relu)?.contiguous()?;
        let target = match self.direction {
            Direction::BackwardData => operands.x,
            Direction::BackwardWeight => operands.w,
            _ => operands.y,
        };
        output.inplace_op1(&Copy(target, Way::Out))
    }
}

enum Way {
    In,
    Out,
}

/// Copies the elements of a tensor from memory of atc, or to it.
struct Copy(*mut c_void, Way);

impl Copy {
    /// The elements are those of the tensor, and they begin where its layout says.
    fn run<T: std::marker::Copy>(&self, data: &mut [T], layout: &Layout) -> Result<()> {
        let part = layout.contiguous_offsets().and_then(|(start, end)| data.get_mut(start..end));
        let part = part.ok_or_else(|| refused(format!("{layout:?} is not contiguous")))?;
        let (theirs, count) = (self.0.cast::<T>(), part.len());
        match self.1 {
            // SAFETY: `Prepared::execute` requires that the memory has the elements of the operand, which are as many and of
            // the same type; atc's memory is not candle's.
            Way::In => unsafe { std::ptr::copy_nonoverlapping(theirs, part.as_mut_ptr(), count) },
            // SAFETY: `Prepared::execute` requires that the memory has the elements of the operand,
            // which is the one that is written.
            Way::Out => unsafe { std::ptr::copy_nonoverlapping(part.as_ptr(), theirs, count) },
        }
        Ok(())
    }
}

impl InplaceOp1 for Copy {
    fn name(&self) -> &'static str {
        "atc-copy"
    }

    fn cpu_fwd(&self, storage: &mut CpuStorage, layout: &Layout) -> Result<()> {
        match storage {
            CpuStorage::F32(data) => self.run(data, layout),
            CpuStorage::BF16(data) => self.run(data, layout),
            CpuStorage::F16(data) => self.run(data, layout),
            _ => Err(refused("an operand of a type that atc lacks".to_owned())),
        }
    }
}
