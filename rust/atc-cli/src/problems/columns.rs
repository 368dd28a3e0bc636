//! The numbers in a row of a file of layers. These numbers describe the shape of a convolution.

use serde::{Deserialize, Serialize};
use serde_json::Number;

use super::activation::{self, ActivationName};
use super::extent::Extent;

/// The numbers of a row. In the text format a row has 14 or 18 columns: the name and 13 or 17 of
/// these numbers. The other numbers occur only in JSON files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Columns {
    #[serde(rename = "N")]
    pub batch: i64,
    #[serde(rename = "C")]
    pub in_channels: i64,
    #[serde(rename = "D", default)]
    pub depth: i64,
    #[serde(rename = "H")]
    pub height: i64,
    #[serde(rename = "W")]
    pub width: i64,
    #[serde(rename = "K")]
    pub out_channels: i64,
    #[serde(rename = "T", default)]
    pub kernel_depth: i64,
    #[serde(rename = "R")]
    pub kernel_height: i64,
    #[serde(rename = "S")]
    pub kernel_width: i64,
    #[serde(rename = "padD", default)]
    pub pad_depth: i64,
    #[serde(rename = "padH", default)]
    pub pad_height: i64,
    #[serde(rename = "padW", default)]
    pub pad_width: i64,
    #[serde(rename = "strideD", default = "one")]
    pub stride_depth: i64,
    #[serde(rename = "strideH", default = "one")]
    pub stride_height: i64,
    #[serde(rename = "strideW", default = "one")]
    pub stride_width: i64,
    #[serde(rename = "dil", default = "one")]
    pub dilation: i64,
    #[serde(default = "one")]
    pub groups: i64,
    /// The dilation of the depth, if it differs from `dilation`. The next two fields are the
    /// dilations of the height and of the width.
    #[serde(rename = "dilD", default, skip_serializing_if = "Option::is_none")]
    pub dilation_depth: Option<i64>,
    #[serde(rename = "dilH", default, skip_serializing_if = "Option::is_none")]
    pub dilation_height: Option<i64>,
    #[serde(rename = "dilW", default, skip_serializing_if = "Option::is_none")]
    pub dilation_width: Option<i64>,
    /// The number of spatial dimensions, if it differs from the number that `spatial_dims` would
    /// derive from the other numbers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dims: Option<usize>,
    /// Whether the layer is a transposed convolution. If so, C, D, H and W are those of the input,
    /// and K is the number of channels of the output, as in nn.ConvTranspose2d.
    #[serde(default, skip_serializing_if = "is_false")]
    pub transposed: bool,
    #[serde(rename = "outpadD", default, skip_serializing_if = "is_zero")]
    pub output_padding_depth: i64,
    #[serde(rename = "outpadH", default, skip_serializing_if = "is_zero")]
    pub output_padding_height: i64,
    #[serde(rename = "outpadW", default, skip_serializing_if = "is_zero")]
    pub output_padding_width: i64,
    /// Whether the results are multiplied by a scale. Each output channel has its own scale.
    #[serde(default, skip_serializing_if = "is_false")]
    pub scale: bool,
    /// Whether a residual (a tensor with the shape of the output) is added to the output.
    #[serde(default, skip_serializing_if = "is_false")]
    pub residual: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub activation: Option<ActivationName>,
    /// The limits of the activation `clamp`.
    #[serde(rename = "activationLow", default, skip_serializing_if = "Option::is_none")]
    pub activation_low: Option<Number>,
    #[serde(rename = "activationHigh", default, skip_serializing_if = "Option::is_none")]
    pub activation_high: Option<Number>,
    /// The slope of the activation `leaky-relu` for negative numbers.
    #[serde(rename = "activationSlope", default, skip_serializing_if = "Option::is_none")]
    pub activation_slope: Option<Number>,
}

fn one() -> i64 {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
fn is_false(value: &bool) -> bool {
    !value
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
fn is_zero(value: &i64) -> bool {
    *value == 0
}

impl Columns {
    /// The default values of the members that a row may leave out.
    pub const PLAIN: Self = Self {
        batch: 1,
        in_channels: 1,
        depth: 0,
        height: 1,
        width: 1,
        out_channels: 1,
        kernel_depth: 0,
        kernel_height: 1,
        kernel_width: 1,
        pad_depth: 0,
        pad_height: 0,
        pad_width: 0,
        stride_depth: 1,
        stride_height: 1,
        stride_width: 1,
        dilation: 1,
        groups: 1,
        dilation_depth: None,
        dilation_height: None,
        dilation_width: None,
        dims: None,
        transposed: false,
        output_padding_depth: 0,
        output_padding_height: 0,
        output_padding_width: 0,
        scale: false,
        residual: false,
        activation: None,
        activation_low: None,
        activation_high: None,
        activation_slope: None,
    };

    /// Returns the number of spatial dimensions. If `dims` is given, it is `dims`. Otherwise it is
    /// 3 if there is a depth, 1 (along W) if H=1 and R=1, and 2 in all other cases. One exception:
    /// one pixel with a 1 x 1 filter has 2 dimensions, because squeeze-and-excitation blocks are
    /// 2-D convolutions of this shape.
    pub fn spatial_dims(&self) -> usize {
        self.dims.unwrap_or_else(|| self.told_dims()).clamp(1, 3)
    }

    fn told_dims(&self) -> usize {
        let pixel = self.width == 1 && self.kernel_width == 1;
        match (self.depth, self.height, self.kernel_height) {
            (0, 1, 1) if !pixel => 1,
            (0, ..) => 2,
            _ => 3,
        }
    }

    /// Returns the spatial dimensions, in the order D, H, W.
    pub fn extents(&self) -> Vec<Extent> {
        let of = |input, kernel, pad, stride, dilation: Option<i64>, more| Extent {
            input,
            kernel,
            pad,
            stride,
            dilation: dilation.unwrap_or(self.dilation),
            output_padding: self.transposed.then_some(more),
        };
        let all = [
            of(
                self.depth,
                self.kernel_depth,
                self.pad_depth,
                self.stride_depth,
                self.dilation_depth,
                self.output_padding_depth,
            ),
            of(
                self.height,
                self.kernel_height,
                self.pad_height,
                self.stride_height,
                self.dilation_height,
                self.output_padding_height,
            ),
            of(
                self.width,
                self.kernel_width,
                self.pad_width,
                self.stride_width,
                self.dilation_width,
                self.output_padding_width,
            ),
        ];
        all[3 - self.spatial_dims()..].to_vec()
    }

    /// The number of multiplications and additions in one execution. The number is the same for
    /// forward, backward-data and backward-weight.
    pub fn flops(&self) -> f64 {
        let extents = self.extents();
        let steps: f64 = extents.iter().map(|extent| extent.steps()).product();
        let taps: f64 = extents.iter().map(|extent| extent.kernel as f64).product();
        let channels = self.in_channels as f64 / self.groups as f64;
        2.0 * self.batch as f64 * self.out_channels as f64 * steps * channels * taps
    }

    /// The number of elements of input, filter, output and residual together.
    pub fn elements(&self) -> f64 {
        let product =
            |shape: &Vec<i128>| shape.iter().map(|extent| *extent as f64).product::<f64>();
        let [x, w, y] = self.shapes();
        let residual = if self.residual { product(&y) } else { 0.0 };
        product(&x) + product(&w) + product(&y) + residual
    }

    /// Returns the numbers of the layer for a backward direction: without scale, residual and
    /// activation, which exist only in the forward direction.
    pub fn of_gradient(self) -> Self {
        Self {
            scale: false,
            residual: false,
            activation: None,
            activation_low: None,
            activation_high: None,
            activation_slope: None,
            ..self
        }
    }

    /// Returns the activation. Call this function only after [`check`](Self::check) has accepted
    /// the numbers of the row.
    pub fn activation(&self) -> atc::Activation {
        activation::of(self).unwrap_or_default()
    }

    /// Sets the padding, stride and dilation of each dimension that the layer does not have (such
    /// as the depth of a 2-D layer) to the default values.
    pub fn normalized(mut self) -> Self {
        let dims = self.spatial_dims();
        if dims < 3 {
            (self.pad_depth, self.stride_depth) = (0, 1);
            (self.dilation_depth, self.output_padding_depth) = (None, 0);
        }
        if dims < 2 {
            (self.pad_height, self.stride_height) = (0, 1);
            (self.dilation_height, self.output_padding_height) = (None, 0);
        }
        if self.dims == Some(self.told_dims()) {
            self.dims = None;
        }
        self
    }

    /// Returns the shapes of x (input), w (weights) and y (output).
    pub(super) fn shapes(&self) -> [Vec<i128>; 3] {
        let extents = self.extents();
        let tensor = |first: i64, second: i64, rest: Vec<i128>| {
            [i128::from(first), i128::from(second)].into_iter().chain(rest).collect()
        };
        let inputs = extents.iter().map(|extent| i128::from(extent.input)).collect();
        let kernels = extents.iter().map(|extent| i128::from(extent.kernel)).collect();
        let outputs = extents.iter().map(|extent| extent.output()).collect();
        let (rows, channels) = match self.transposed {
            true => (self.in_channels, self.out_channels),
            false => (self.out_channels, self.in_channels),
        };
        [
            tensor(self.batch, self.in_channels, inputs),
            tensor(rows, channels / self.groups, kernels),
            tensor(self.batch, self.out_channels, outputs),
        ]
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use proptest::prelude::*;

    pub fn columns() -> impl Strategy<Value = Columns> {
        let shape = (1..9_i64, 0..3_i64, 1..40_i64, 1..40_i64, 0..3_i64);
        let spatial = prop::array::uniform3((1..6_i64, 0..4_i64, 1..4_i64));
        (shape, spatial, 1..3_i64, 1..5_i64, 1..5_i64, 1..5_i64).prop_map(
            |((batch, depth, height, width, one_d), [d, h, w], dilation, groups, c, k)| {
                let flat = i64::from(depth > 0);
                let line = depth == 0 && one_d == 0;
                Columns {
                    batch,
                    in_channels: c * groups,
                    depth: depth * 20,
                    height: if line { 1 } else { height + 12 },
                    width: width + 12,
                    out_channels: k * groups,
                    kernel_depth: d.0 * flat,
                    kernel_height: if line { 1 } else { h.0 },
                    kernel_width: w.0,
                    pad_depth: d.1,
                    pad_height: h.1,
                    pad_width: w.1,
                    stride_depth: d.2,
                    stride_height: h.2,
                    stride_width: w.2,
                    dilation,
                    groups,
                    ..Columns::PLAIN
                }
                .normalized()
            },
        )
    }

    pub fn resnet_first() -> Columns {
        Columns {
            batch: 2,
            in_channels: 3,
            depth: 0,
            height: 224,
            width: 224,
            out_channels: 64,
            kernel_depth: 0,
            kernel_height: 7,
            kernel_width: 7,
            pad_depth: 0,
            pad_height: 3,
            pad_width: 3,
            stride_depth: 1,
            stride_height: 2,
            stride_width: 2,
            dilation: 1,
            groups: 1,
            ..Columns::PLAIN
        }
    }

    #[test]
    fn flops_are_two_per_multiply_add() {
        // The batch is 2. The output has 112 x 112 pixels of 64 channels. Each output element is a
        // sum of 3 x 7 x 7 products.
        let expected = 2.0 * 2.0 * 64.0 * 112.0 * 112.0 * 3.0 * 49.0;
        assert_eq!(resnet_first().flops(), expected);
    }

    #[test]
    fn dimensions_follow_from_depth_and_from_a_height_of_one() {
        let plane = resnet_first();
        assert_eq!(plane.spatial_dims(), 2);
        let line = Columns { height: 1, kernel_height: 1, ..plane.clone() }.normalized();
        assert_eq!((line.spatial_dims(), line.pad_height, line.stride_height), (1, 0, 1));
        assert_eq!(
            line.extents(),
            [Extent {
                input: 224,
                kernel: 7,
                pad: 3,
                stride: 2,
                dilation: 1,
                output_padding: None
            }]
        );
        let pixel = Columns { width: 1, kernel_width: 1, ..line };
        assert_eq!(pixel.spatial_dims(), 2);
        let volume = Columns { depth: 8, kernel_depth: 3, ..plane };
        assert_eq!(volume.spatial_dims(), 3);
    }

    /// The layer nn.ConvTranspose2d(3, 64, 7, stride=2, padding=3, output_padding=1), which
    /// enlarges 224 pixels to 448.
    pub fn upward() -> Columns {
        Columns {
            transposed: true,
            output_padding_height: 1,
            output_padding_width: 1,
            ..resnet_first()
        }
    }

    #[test]
    fn transposed_outputs_grow_and_flops_go_by_the_inputs() {
        assert_eq!(upward().check(), Ok(()));
        assert_eq!(upward().extents()[0].output(), 448);
        let expected = 2.0 * 2.0 * 3.0 * 224.0 * 224.0 * 64.0 * 49.0;
        assert_eq!(upward().flops(), expected);
        assert_eq!(upward().shapes()[1], [3, 64, 7, 7]);
    }

    #[test]
    fn dimensions_and_their_dilations_may_be_told() {
        let line = Columns { height: 1, kernel_height: 1, pad_height: 0, ..resnet_first() };
        let plane = Columns { dims: Some(2), dilation_width: Some(3), ..line.clone() }.normalized();
        assert_eq!((plane.spatial_dims(), plane.check()), (2, Ok(())));
        assert_eq!(plane.extents().iter().map(|e| e.dilation).collect::<Vec<_>>(), [1, 3]);
        assert_eq!(Columns { dims: Some(1), ..line }.normalized().dims, None);
    }
}
