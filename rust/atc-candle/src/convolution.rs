//! A convolution with all its parameters. The functions and layers of this crate are short forms of [`Convolution`].

use std::sync::Arc;

use atc::{Extents, Problem};
use candle_core::{DType, Result, Tensor};

use crate::operation::Call;
use crate::options::Options;
use crate::place::Place;
use crate::shapes::{Shapes, check};
use crate::traced::traced;
use crate::{empty, original};

/// Stride, padding, dilation, groups and activation of a convolution over 1 to 3 spatial dimensions. Stride, dilation
/// and groups default to 1, padding to 0. A stride, a padding or a dilation is one number for all spatial dimensions,
/// or a list with one number for each dimension.
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

    /// Sets whether the convolution is transposed ("deconvolution").
    pub fn transposed(mut self, transposed: bool) -> Self {
        self.transposed = transposed;
        self
    }

    /// Sets the number of groups into which the channels are divided.
    pub fn groups(mut self, groups: usize) -> Self {
        self.groups = groups;
        self
    }

    /// Sets the distance in the input between neighbouring outputs.
    pub fn stride(mut self, stride: impl Into<Extents>) -> Self {
        self.stride = stride.into();
        self
    }

    /// Sets the distance between neighbouring elements of the kernel, measured in elements of the input.
    pub fn dilation(mut self, dilation: impl Into<Extents>) -> Self {
        self.dilation = dilation.into();
        self
    }

    /// Sets the number of zeros on each side of the input.
    pub fn padding(self, padding: impl Into<Extents>) -> Self {
        let padding = padding.into();
        self.padding_low(padding).padding_high(padding)
    }

    /// Sets the number of zeros before the first element of each spatial dimension of the input.
    pub fn padding_low(mut self, padding: impl Into<Extents>) -> Self {
        self.padding_low = padding.into();
        self
    }

    /// Sets the number of zeros after the last element of each spatial dimension of the input.
    pub fn padding_high(mut self, padding: impl Into<Extents>) -> Self {
        self.padding_high = padding.into();
        self
    }

    /// Sets the number of elements that are added at the end of each dimension of the output. Only transposed
    /// convolutions may have output padding.
    pub fn output_padding(mut self, padding: impl Into<Extents>) -> Self {
        self.output_padding = padding.into();
        self
    }

    /// Sets whether a ReLU is applied to the result, so that negative elements become 0. At an element that is 0, the
    /// gradient of the ReLU is 0. The ReLU is fused into the convolution if there is a bias.
    pub fn relu(mut self, relu: bool) -> Self {
        self.relu = relu;
        self
    }

    /// Sets options for this convolution. They replace the options of the process
    /// ([`set_options`](crate::set_options)).
    pub fn options(mut self, options: Options) -> Self {
        self.options = Some(options);
        self
    }

    /// Convolves `x` with `kernel` and adds `bias`. The shape of `x` is `[batch, in channels, input…]` and the shape of
    /// `bias` is `[out channels]`. The shape of `kernel` is `[out channels, in channels / groups, kernel…]`, or `[in
    /// channels, out channels / groups, kernel…]` if the convolution is transposed.
    ///
    /// The result is differentiable any number of times. atc convolves fp32, bf16 and fp16 on the CPU. With the feature
    /// `cuda` atc also convolves on CUDA, and queues its work on the stream of candle's device. candle convolves
    /// tensors of all other types and on all other devices. candle also runs a convolution that no engine of atc
    /// supports.
    ///
    /// # Errors
    /// The ranks, channels, types or devices of the tensors do not fit together; or a parameter of the convolution is
    /// not allowed; or the store is replay-only and has no record of the convolution.
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

    /// Runs the convolution by an engine of atc. Returns `None` if no engine of atc supports the convolution.
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

/// Returns the type of the elements of `x`, or `None` if libatc is not loaded or atc does not support the type.
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
