//! Functions with the names and the arguments of candle's methods, in the same order.

use atc::Extents;
use candle_core::{Result, Tensor};

use crate::convolution::Convolution;
use crate::failure::refused;

/// Turns a number that candle's functions take (such as a stride) into extents. The number applies to all spatial
/// dimensions.
pub(crate) fn extents(field: &str, value: usize) -> Result<Extents> {
    i64::try_from(value)
        .map(Extents::from)
        .map_err(|_| refused(format!("{field} is {value}: use at most 2^63 - 1")))
}

/// Makes a convolution from the arguments that all of candle's convolutions take.
pub(crate) fn plain(
    dims: usize,
    padding: usize,
    stride: usize,
    dilation: usize,
    groups: usize,
) -> Result<Convolution> {
    Ok(Convolution::new(dims)
        .padding(extents("padding", padding)?)
        .stride(extents("stride", stride)?)
        .dilation(extents("dilation", dilation)?)
        .groups(groups))
}

macro_rules! forward {
    ($name:ident, $dims:literal, $instead:literal, $shapes:literal) => {
        #[doc = $instead]
        #[doc = $shapes]
        ///
        /// The result and the errors are those of [`Convolution::apply`].
        pub fn $name(
            x: &Tensor,
            kernel: &Tensor,
            padding: usize,
            stride: usize,
            dilation: usize,
            groups: usize,
        ) -> Result<Tensor> {
            plain($dims, padding, stride, dilation, groups)?.apply(x, kernel, None)
        }
    };
}

forward!(
    conv1d,
    1,
    "`x.conv1d(kernel, …)` through atc:",
    "x is `[N, C, W]`, the kernel `[K, C / groups, S]`."
);
forward!(
    conv2d,
    2,
    "`x.conv2d(kernel, …)` through atc:",
    "x is `[N, C, H, W]`, the kernel `[K, C / groups, R, S]`."
);
forward!(
    conv3d,
    3,
    "A convolution over three dimensions, which candle lacks:",
    "x is `[N, C, D, H, W]`, the kernel `[K, C / groups, T, R, S]`."
);

/// `x.conv_transpose1d(kernel, …)` through atc: x is `[N, C, W]`, the kernel `[C, K / groups, S]`.
///
/// The result and the errors are those of [`Convolution::apply`].
pub fn conv_transpose1d(
    x: &Tensor,
    kernel: &Tensor,
    padding: usize,
    output_padding: usize,
    stride: usize,
    dilation: usize,
    groups: usize,
) -> Result<Tensor> {
    transposed(1, padding, output_padding, stride, dilation, groups)?.apply(x, kernel, None)
}

/// `x.conv_transpose2d(kernel, …)` through atc: x is `[N, C, H, W]`, the kernel `[C, K, R, S]`. Like candle's method,
/// the function has no argument for groups; use [`Convolution::groups`] for groups.
///
/// The result and the errors are those of [`Convolution::apply`].
pub fn conv_transpose2d(
    x: &Tensor,
    kernel: &Tensor,
    padding: usize,
    output_padding: usize,
    stride: usize,
    dilation: usize,
) -> Result<Tensor> {
    transposed(2, padding, output_padding, stride, dilation, 1)?.apply(x, kernel, None)
}

/// A transposed convolution over three dimensions, which candle lacks. The arguments are those of [`conv_transpose1d`]:
/// x is `[N, C, D, H, W]`, the kernel `[C, K / groups, T, R, S]`.
///
/// The result and the errors are those of [`Convolution::apply`].
pub fn conv_transpose3d(
    x: &Tensor,
    kernel: &Tensor,
    padding: usize,
    output_padding: usize,
    stride: usize,
    dilation: usize,
    groups: usize,
) -> Result<Tensor> {
    transposed(3, padding, output_padding, stride, dilation, groups)?.apply(x, kernel, None)
}

pub(crate) fn transposed(
    dims: usize,
    padding: usize,
    output_padding: usize,
    stride: usize,
    dilation: usize,
    groups: usize,
) -> Result<Convolution> {
    let convolution = plain(dims, padding, stride, dilation, groups)?.transposed(true);
    Ok(convolution.output_padding(extents("output_padding", output_padding)?))
}
