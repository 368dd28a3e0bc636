//! Runs one convolution on tensors of tch.

use atc::{Extents, Result};
use tch::Tensor;
use torch_sys::C_tensor;

use crate::geometry::{Geometry, invalid};
use crate::info::expect_init_where_recorded;
use crate::{Options, sys};

/// Runs one convolution through atc. It does not matter whether [`install`](crate::install) was
/// called. `x` may lack the batch dimension. If atc does not support the convolution (because of
/// dtype, device or layout, see [`Passed`](crate::Passed)), LibTorch runs the convolution.
///
/// The result is differentiable any number of times. Backward and double backward always use the options of this call,
/// and the switches that were in force during this call.
///
/// # Errors
///
/// [`ErrorKind::InvalidArgument`](atc::ErrorKind::InvalidArgument): LibTorch refuses the tensors
/// (the text is LibTorch's); or the length of a list of the geometry is not the number of spatial
/// dimensions; or `ATC_RECORD` is set in the environment and [`init`](crate::init) was not called.
/// [`ErrorKind::NotTuned`](atc::ErrorKind::NotTuned): the store is replay-only and has no record of
/// the convolution.
///
/// ```
/// use atc_tch::{Geometry, Options, convolution};
/// use tch::{Device, Kind, Tensor};
///
/// # fn main() -> atc_tch::Result<()> {
/// let x = Tensor::ones([1, 3, 32, 32], (Kind::Float, Device::Cpu));
/// let w = Tensor::ones([8, 3, 3, 3], (Kind::Float, Device::Cpu));
/// let y = convolution(&x, &w, None, &Geometry::new(2).stride(2).padding(1), &Options::new())?;
/// assert_eq!(y.size(), [1, 8, 16, 16]);
/// assert_eq!(y.double_value(&[0, 0, 1, 1]), 27.0); // an inner output sums 3 channels of 3 x 3 ones
/// # Ok(())
/// # }
/// ```
pub fn convolution(
    x: &Tensor,
    weight: &Tensor,
    bias: Option<&Tensor>,
    geometry: &Geometry,
    options: &Options,
) -> Result<Tensor> {
    let raw = geometry.raw()?;
    if dimensions(x) != geometry.spatial_dims() + 1 {
        return batched(x, weight, bias, &raw, options);
    }
    let y = batched(&x.f_unsqueeze(0).map_err(refused)?, weight, bias, &raw, options)?;
    y.f_squeeze_dim(0).map_err(refused)
}

fn batched(
    x: &Tensor,
    weight: &Tensor,
    bias: Option<&Tensor>,
    geometry: &sys::atc_torch_geometry,
    options: &Options,
) -> Result<Tensor> {
    expect_init_where_recorded()?;
    let bias = bias.map_or(std::ptr::null(), ours);
    let mut out = std::ptr::null_mut();
    // SAFETY: the tensors, the geometry and the options live for the call; `out` may be written.
    atc::call(|| unsafe {
        sys::atc_torch_convolution(&mut out, ours(x), ours(weight), bias, geometry, &options.raw)
    })?;
    // SAFETY: `out` is a new at::Tensor that belongs to the caller. tch deletes it.
    Ok(unsafe { Tensor::from_ptr(out.cast::<C_tensor>()) })
}

/// Casts the pointer: atc_torch_tensor and torch-sys's C_tensor are both LibTorch's at::Tensor.
fn ours(tensor: &Tensor) -> *const sys::atc_torch_tensor {
    tensor.as_ptr().cast()
}

/// Returns the number of dimensions. `Tensor::dim` would panic if an earlier error of LibTorch was
/// left unread on this thread.
fn dimensions(tensor: &Tensor) -> usize {
    // SAFETY: the tensor is live, and the function only reads it.
    unsafe { torch_sys::at_dim(tensor.as_ptr().cast_mut()) }
}

fn refused(error: tch::TchError) -> atc::Error {
    invalid(error.to_string())
}

macro_rules! forward {
    ($name:ident, $dims:literal, $shapes:literal) => {
        #[doc = concat!("`Tensor::", stringify!($name), "` through atc: ", $shapes)]
        ///
        /// This function behaves like [`convolution`] and returns the same errors.
        pub fn $name(
            x: &Tensor,
            weight: &Tensor,
            bias: Option<&Tensor>,
            stride: impl Into<Extents>,
            padding: impl Into<Extents>,
            dilation: impl Into<Extents>,
            groups: i64,
        ) -> Result<Tensor> {
            let geometry = Geometry::new($dims)
                .stride(stride)
                .padding(padding)
                .dilation(dilation)
                .groups(groups);
            convolution(x, weight, bias, &geometry, &Options::new())
        }
    };
}

forward!(conv1d, 1, "x is `[N, C, W]`, the weight `[K, C / groups, S]`.");
forward!(conv2d, 2, "x is `[N, C, H, W]`, the weight `[K, C / groups, R, S]`.");
forward!(conv3d, 3, "x is `[N, C, D, H, W]`, the weight `[K, C / groups, T, R, S]`.");

macro_rules! transposed {
    ($name:ident, $dims:literal, $shapes:literal) => {
        #[doc = concat!("`Tensor::", stringify!($name), "` through atc: ", $shapes)]
        ///
        /// This function behaves like [`convolution`] and returns the same errors.
        // The number and the order of the arguments are those of tch's method.
        #[allow(clippy::too_many_arguments)]
        pub fn $name(
            x: &Tensor,
            weight: &Tensor,
            bias: Option<&Tensor>,
            stride: impl Into<Extents>,
            padding: impl Into<Extents>,
            output_padding: impl Into<Extents>,
            groups: i64,
            dilation: impl Into<Extents>,
        ) -> Result<Tensor> {
            let geometry = Geometry::new($dims)
                .transposed(true)
                .stride(stride)
                .padding(padding)
                .output_padding(output_padding)
                .dilation(dilation)
                .groups(groups);
            convolution(x, weight, bias, &geometry, &Options::new())
        }
    };
}

transposed!(conv_transpose1d, 1, "x is `[N, C, W]`, the weight `[C, K / groups, S]`.");
transposed!(conv_transpose2d, 2, "x is `[N, C, H, W]`, the weight `[C, K / groups, R, S]`.");
transposed!(conv_transpose3d, 3, "x is `[N, C, D, H, W]`, the weight `[C, K / groups, T, R, S]`.");
