//! A convolution with all that it can have: the functions and layers are short forms of it.

use std::sync::Arc;

use atc::{Extents, Problem};
use candle_core::{DType, Result, Tensor};

use crate::operation::Call;
use crate::options::Options;
use crate::place::Place;
use crate::shapes::{Shapes, check};
use crate::traced::traced;
use crate::{empty, original};

/// Stride, padding, dilation, groups and activation of a convolution over 1 to 3 spatial dimensions. Stride, dilation and
/// groups default to 1, padding to 0. One number stands for all spatial dimensions, or there is one for each.
///
/// ```
/// use atc_candle::Convolution;
/// use candle_core::{DType, Device, Tensor};
///
/// # fn main() -> candle_core::Result<()> {
/// let x = Tensor::ones((1, 3, 32, 32), DType::F32, &Device::Cpu)?;
/// let kernel = Tensor::ones((8, 3, 3, 3), DType::F32, &Device::Cpu)?;
/// let bias = Tensor::full(-1f32, 8, &Device::Cpu)?;
/// // Zeros below and to the right, as TensorFlow's "same" has them; bias and ReLU are fused.
/// let same = Convolution::new(2).stride(2).padding_high(1).relu(true);
/// let y = same.apply(&x, &kernel, Some(&bias))?;
/// assert_eq!(y.dims(), [1, 8, 16, 16]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[must_use = "each method returns the changed convolution and leaves this one as it is"]
pub struct Convolution {
    pub(crate) spatial_dims: usize,
    pub(crate) transposed: bool,
    pub(crate) groups: usize,
    pub(crate) stride: Extents,
    pub(crate) dilation: Extents,
    pub(crate) padding_low: Extents,
    pub(crate) padding_high: Extents,
    pub(crate) output_padding: Extents,
    relu: bool,
    options: Option<Options>,
}

impl Convolution {
    /// A convolution over `spatial_dims` spatial dimensions.
    pub fn new(spatial_dims: usize) -> Self {
        Self {
            spatial_dims,
            transposed: false,
            groups: 1,
            stride: 1.into(),
            dilation: 1.into(),
            padding_low: 0.into(),
            padding_high: 0.into(),
            output_padding: 0.into(),
            relu: false,
            options: None,
        }
    }

    /// Whether it is transposed ("deconvolution").
    pub fn transposed(mut self, transposed: bool) -> Self {
        self.transposed = transposed;
        self
    }

    /// The number of groups that channels are divided into.
    pub fn groups(mut self, groups: usize) -> Self {
        self.groups = groups;
        self
    }

    /// Distance in the input between neighbouring outputs.
    pub fn stride(mut self, stride: impl Into<Extents>) -> Self {
        self.stride = stride.into();
        self
    }

    /// Distance between neighbouring elements of the kernel.
    pub fn dilation(mut self, dilation: impl Into<Extents>) -> Self {
        self.dilation = dilation.into();
        self
    }

    /// Zeros on both sides of the input.
    pub fn padding(self, padding: impl Into<Extents>) -> Self {
        let padding = padding.into();
        self.padding_low(padding).padding_high(padding)
    }

    /// Zeros before the first element.
    pub fn padding_low(mut self, padding: impl Into<Extents>) -> Self {
        self.padding_low = padding.into();
        self
    }

    /// Zeros after the last element.
    pub fn padding_high(mut self, padding: impl Into<Extents>) -> Self {
        self.padding_high = padding.into();
        self
    }

    /// Added to one side of the output. Transposed convolutions only.
    pub fn output_padding(mut self, padding: impl Into<Extents>) -> Self {
        self.output_padding = padding.into();
        self
    }

    /// Whether negative results become 0. The gradient of a result of 0 is 0. ReLU is fused if there is a bias.
    pub fn relu(mut self, relu: bool) -> Self {
        self.relu = relu;
        self
    }

    /// Options of this convolution in place of those of the process.
    pub fn options(mut self, options: Options) -> Self {
        self.options = Some(options);
        self
    }

    /// Convolves `x`, `[batch, in channels, input…]`, with `kernel`, `[out channels, in channels / groups, kernel…]`
    /// (transposed: `[in channels, out channels / groups, kernel…]`), and adds `bias`, `[out channels]`.
    ///
    /// Differentiable any number of times. fp32, bf16 and fp16 on the CPU are convolved by atc, with the feature `cuda` also
    /// those on CUDA, in the order of the stream of candle's device. candle convolves all others, and those of these types that
    /// no engine of atc takes.
    ///
    /// # Errors
    /// The ranks, channels, types or devices of the tensors do not fit together, a value is not allowed, or the store is
    /// replay-only and has no record of the convolution.
    pub fn apply(&self, x: &Tensor, kernel: &Tensor, bias: Option<&Tensor>) -> Result<Tensor> {
        let shapes = Arc::new(check(self, x, kernel, bias)?);
        let place = Place::of(x.device());
        let dtype = place.as_ref().and_then(|_| for_atc(x));
        if dtype.is_some() && shapes.is_empty() {
            return original::finish(empty::convolve(&shapes, x, kernel)?, bias, self.relu);
        }
        let problem = match dtype {
            Some(dtype) => Some(shapes.problem()?.dtype(dtype)),
            None => None,
        };
        if let (Some(place), Some(problem)) = (&place, problem)
            && let Some(y) = self.by_atc(place, &shapes, problem, x, kernel, bias)?
        {
            return Ok(y);
        }
        let candles = || original::finish(original::forward(&shapes, x, kernel)?, bias, self.relu);
        match place {
            Some(place) => traced(&place, problem.as_ref(), candles),
            None => candles(),
        }
    }

    /// `None`: no engine of atc takes the convolution.
    fn by_atc(
        &self,
        place: &Place,
        shapes: &Arc<Shapes>,
        problem: Problem,
        x: &Tensor,
        kernel: &Tensor,
        bias: Option<&Tensor>,
    ) -> Result<Option<Tensor>> {
        let options = self.options.unwrap_or_else(crate::options::options);
        let call = Call::forward(place, problem, shapes, options);
        let y = call.finished(x, kernel, bias, self.relu)?;
        match (y, bias) {
            (Some(y), None) if self.relu => y.relu().map(Some),
            (y, _) => Ok(y),
        }
    }
}

/// The type of the elements, if atc is there and has it.
fn for_atc(x: &Tensor) -> Option<atc::DType> {
    if !atc::sys::is_loaded() {
        return None;
    }
    match x.dtype() {
        DType::F32 => Some(atc::DType::F32),
        DType::BF16 => Some(atc::DType::Bf16),
        DType::F16 => Some(atc::DType::F16),
        _ => None,
    }
}
