//! A convolution that candle runs for atc: its shapes, direction, type and epilogue.

use std::ffi::c_void;

use atc::{Direction, sys};
use candle_core::{DType, Result, Tensor};

use crate::failure::refused;
use crate::original;
use crate::shapes::Shapes;

/// Returns the reason why candle does not support a problem, or `None` if candle supports the problem.
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

/// Whether the elements lie in memory without gaps and in row-major order. The stride of a dimension with one element
/// is ignored, because it is never used.
fn is_dense(shape: &[usize], strides: &[i64]) -> bool {
    let mut step = 1;
    shape.iter().zip(strides).rev().all(|(extent, stride)| {
        let fits = *extent == 1 || usize::try_from(*stride) == Ok(step);
        step *= extent;
        fits
    })
}

#[cfg(feature = "cuda")]
pub(super) type Kind = (Direction, DType, usize, [bool; 4]);

pub(super) struct Task {
    shapes: Shapes,
    direction: Direction,
    dtype: DType,
    has_bias: bool,
    relu: bool,
}

impl Task {
    pub(super) fn new(problem: &sys::atc_conv_problem) -> Result<Self> {
        let dtype = match problem.x_dtype {
            sys::ATC_DTYPE_F32 => DType::F32,
            sys::ATC_DTYPE_BF16 => DType::BF16,
            sys::ATC_DTYPE_F16 => DType::F16,
            other => return Err(refused(format!("candle has no dtype {other}"))),
        };
        Ok(Self {
            shapes: Shapes::of_problem(problem)?,
            direction: Direction::from_raw(problem.direction),
            dtype,
            has_bias: problem.epilogue != sys::ATC_EPILOGUE_NONE,
            relu: problem.epilogue == sys::ATC_EPILOGUE_BIAS_RELU,
        })
    }

    /// The properties, apart from sizes, that determine which kernels candle uses.
    #[cfg(feature = "cuda")]
    pub(super) fn kind(&self) -> Kind {
        let Self { shapes, direction, dtype, has_bias, relu } = self;
        let padded = shapes.padding_low != shapes.padding_high;
        (*direction, *dtype, shapes.input.len(), [shapes.groups > 1, padded, *has_bias, *relu])
    }

    /// Returns this convolution with a batch of one image.
    #[cfg(feature = "cuda")]
    pub(super) fn of_one_image(&self) -> Self {
        let mut shapes = self.shapes.clone();
        shapes.batch = 1;
        Self { shapes, ..*self }
    }

    pub(super) fn dtype(&self) -> DType {
        self.dtype
    }

    /// The shapes of the two inputs, in the order x, w, y.
    pub(super) fn inputs(&self) -> [Vec<usize>; 2] {
        let Self { shapes, .. } = self;
        match self.direction {
            Direction::BackwardData => [shapes.w(), shapes.y()],
            Direction::BackwardWeight => [shapes.x(), shapes.y()],
            _ => [shapes.x(), shapes.w()],
        }
    }

    /// The number of channels of the bias, or `None` without a bias. The bias is added to the operand that is written:
    /// y, or x in backward-data. (Backward-data has a bias if the program runs a transposed convolution.)
    pub(super) fn bias(&self) -> Option<usize> {
        self.has_bias.then_some(match self.direction {
            Direction::BackwardData => self.shapes.in_channels,
            _ => self.shapes.out_channels,
        })
    }

    /// The addresses of the two inputs, and of the operand that is written.
    pub(super) fn addresses(
        &self,
        operands: &sys::atc_engine_operands,
    ) -> ([*mut c_void; 2], *mut c_void) {
        let sys::atc_engine_operands { x, w, y, .. } = *operands;
        match self.direction {
            Direction::BackwardData => ([w, y], x),
            Direction::BackwardWeight => ([x, y], w),
            _ => ([x, w], y),
        }
    }

    /// Runs candle's convolution. The result is contiguous.
    pub(super) fn run(
        &self,
        first: &Tensor,
        second: &Tensor,
        bias: Option<&Tensor>,
    ) -> Result<Tensor> {
        let result = original::in_direction(&self.shapes, self.direction, first, second)?;
        original::finish(result, bias, self.relu)?.contiguous()
    }
}
