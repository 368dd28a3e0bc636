//! A convolution layer as one row of a problem file describes it.

use serde::{Deserialize, Serialize};

/// The numbers of a row, in its 18-column form (the name is the first column).
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
}

fn one() -> i64 {
    1
}

/// What one spatial dimension of a layer is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    pub input: i64,
    pub kernel: i64,
    pub pad: i64,
    pub stride: i64,
}

impl Extent {
    /// floor((input + 2*pad - dilation*(kernel-1) - 1) / stride) + 1; below 1 where the kernel does not fit.
    fn output(self, dilation: i64) -> i128 {
        let reach = i128::from(dilation) * (i128::from(self.kernel) - 1) + 1;
        let room = i128::from(self.input) + 2 * i128::from(self.pad) - reach;
        if room < 0 { 0 } else { room / i128::from(self.stride) + 1 }
    }
}

impl Columns {
    /// How many spatial dimensions the layer has: 3 with a depth, 1 along W for H=1 and R=1, else 2. One
    /// pixel under a 1 x 1 filter stays 2-D: it is what squeeze-and-excitation blocks call.
    pub fn spatial_dims(&self) -> usize {
        let pixel = self.width == 1 && self.kernel_width == 1;
        match (self.depth, self.height, self.kernel_height) {
            (0, 1, 1) if !pixel => 1,
            (0, ..) => 2,
            _ => 3,
        }
    }

    /// The spatial dimensions, in the order D, H, W.
    pub fn extents(&self) -> Vec<Extent> {
        let all = [
            (self.depth, self.kernel_depth, self.pad_depth, self.stride_depth),
            (self.height, self.kernel_height, self.pad_height, self.stride_height),
            (self.width, self.kernel_width, self.pad_width, self.stride_width),
        ];
        all[3 - self.spatial_dims()..]
            .iter()
            .map(|&(input, kernel, pad, stride)| Extent { input, kernel, pad, stride })
            .collect()
    }

    /// Multiplications and additions of one run, in any direction.
    pub fn flops(&self) -> f64 {
        let outputs: f64 =
            self.extents().iter().map(|extent| extent.output(self.dilation) as f64).product();
        let taps: f64 = self.extents().iter().map(|extent| extent.kernel as f64).product();
        let channels = self.in_channels as f64 / self.groups as f64;
        2.0 * self.batch as f64 * self.out_channels as f64 * outputs * channels * taps
    }

    /// Padding and stride of dimensions that the layer does not have become 0 and 1.
    pub fn normalized(mut self) -> Self {
        let dims = self.spatial_dims();
        if dims < 3 {
            (self.pad_depth, self.stride_depth) = (0, 1);
        }
        if dims < 2 {
            (self.pad_height, self.stride_height) = (0, 1);
        }
        self
    }

    /// Why these numbers describe no layer, naming the column and its value.
    pub fn check(&self) -> Result<(), String> {
        if (self.depth == 0) != (self.kernel_depth == 0) {
            return Err(format!(
                "D is {} and T is {}: both are 0 for a 2-D layer, both at least 1 for a 3-D layer",
                self.depth, self.kernel_depth
            ));
        }
        let at_least = |name: &str, value: i64, least: i64| match value >= least {
            true => Ok(()),
            false => Err(format!("{name} is {value}: must be at least {least}")),
        };
        at_least("N", self.batch, 1)?;
        at_least("C", self.in_channels, 1)?;
        at_least("K", self.out_channels, 1)?;
        at_least("dil", self.dilation, 1)?;
        at_least("groups", self.groups, 1)?;
        at_least("D", self.depth, 0)?;
        let dims = self.spatial_dims();
        for (extent, axis) in self.extents().into_iter().zip(&AXES[3 - dims..]) {
            at_least(axis.input, extent.input, 1)?;
            at_least(axis.kernel, extent.kernel, 1)?;
            at_least(axis.pad, extent.pad, 0)?;
            at_least(axis.stride, extent.stride, 1)?;
            if extent.output(self.dilation) < 1 {
                return Err(format!(
                    "the filter does not fit: {} is {}, which with {} {} on both sides is less than {} {} \
                     spread by dil {}",
                    axis.input,
                    extent.input,
                    axis.pad,
                    extent.pad,
                    axis.kernel,
                    extent.kernel,
                    self.dilation
                ));
            }
        }
        for (name, channels) in [("C", self.in_channels), ("K", self.out_channels)] {
            if channels % self.groups != 0 {
                return Err(format!(
                    "{name} is {channels}: not a multiple of groups, which is {}",
                    self.groups
                ));
            }
        }
        self.check_sizes()
    }

    /// Tensors that no address space holds are refused here, where the line is known.
    fn check_sizes(&self) -> Result<(), String> {
        let product = |name: &str, factors: Vec<i128>| {
            factors
                .into_iter()
                .try_fold(1_i128, i128::checked_mul)
                .filter(|elements| *elements < (1 << 60))
                .map(|_| ())
                .ok_or_else(|| {
                    format!("{name} has 2^60 elements or more: too large for any memory")
                })
        };
        let extents = self.extents();
        let tensor = |first: i64, second: i64, rest: Vec<i128>| {
            [i128::from(first), i128::from(second)].into_iter().chain(rest).collect()
        };
        let inputs = extents.iter().map(|extent| i128::from(extent.input)).collect();
        let kernels = extents.iter().map(|extent| i128::from(extent.kernel)).collect();
        let outputs = extents.iter().map(|extent| extent.output(self.dilation)).collect();
        product("the input [N, C, …]", tensor(self.batch, self.in_channels, inputs))?;
        let filter = tensor(self.out_channels, self.in_channels / self.groups, kernels);
        product("the filter [K, C/groups, …]", filter)?;
        product("the output [N, K, …]", tensor(self.batch, self.out_channels, outputs))
    }
}

/// What the columns of a spatial dimension are called.
struct Axis {
    input: &'static str,
    kernel: &'static str,
    pad: &'static str,
    stride: &'static str,
}

const AXES: [Axis; 3] = [
    Axis { input: "D", kernel: "T", pad: "padD", stride: "strideD" },
    Axis { input: "H", kernel: "R", pad: "padH", stride: "strideH" },
    Axis { input: "W", kernel: "S", pad: "padW", stride: "strideW" },
];

/// A layer of a network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layer {
    pub name: String,
    /// How many convolutions of the network have this shape.
    pub count: u64,
    pub columns: Columns,
    /// Whether forward adds a bias.
    pub bias: bool,
}

impl Layer {
    /// Names that start with `tconv_` are transposed convolutions, written as the forward convolution that
    /// they are the input gradient of.
    pub fn is_transposed(&self) -> bool {
        self.name.starts_with("tconv_")
    }

    /// Why this is no layer.
    pub fn check(&self) -> Result<(), String> {
        if self.name.is_empty() || self.name.contains(|c: char| c.is_whitespace() || c.is_control())
        {
            return Err(format!(
                "the name {:?} is empty or has white space or control characters in it",
                self.name
            ));
        }
        if self.count == 0 {
            return Err("the count is 0: must be at least 1".to_owned());
        }
        self.columns.check()
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
                }
                .normalized()
            },
        )
    }

    pub fn layer() -> impl Strategy<Value = Layer> {
        ("[a-zA-Z0-9_.<&\"-]{1,12}", 1..20_u64, columns(), any::<bool>())
            .prop_map(|(name, count, columns, bias)| Layer { name, count, columns, bias })
    }

    fn resnet_first() -> Columns {
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
        }
    }

    #[test]
    fn flops_are_two_per_multiply_add() {
        // 112 x 112 outputs of 64 channels, 3 x 7 x 7 products each, 2 images.
        let expected = 2.0 * 2.0 * 64.0 * 112.0 * 112.0 * 3.0 * 49.0;
        assert_eq!(resnet_first().flops(), expected);
    }

    #[test]
    fn dimensions_follow_from_depth_and_from_a_height_of_one() {
        let plane = resnet_first();
        assert_eq!(plane.spatial_dims(), 2);
        let line = Columns { height: 1, kernel_height: 1, ..plane.clone() }.normalized();
        assert_eq!((line.spatial_dims(), line.pad_height, line.stride_height), (1, 0, 1));
        assert_eq!(line.extents(), [Extent { input: 224, kernel: 7, pad: 3, stride: 2 }]);
        let pixel = Columns { width: 1, kernel_width: 1, ..line };
        assert_eq!(pixel.spatial_dims(), 2);
        let volume = Columns { depth: 8, kernel_depth: 3, ..plane };
        assert_eq!(volume.spatial_dims(), 3);
    }

    #[test]
    fn each_wrong_number_is_named_with_its_value() {
        let good = resnet_first();
        assert_eq!(good.check(), Ok(()));
        for (wrong, words) in [
            (Columns { batch: 0, ..good.clone() }, ["N", "0"]),
            (Columns { in_channels: -3, ..good.clone() }, ["C", "-3"]),
            (Columns { kernel_width: 0, ..good.clone() }, ["S", "0"]),
            (Columns { pad_height: -1, ..good.clone() }, ["padH", "-1"]),
            (Columns { stride_width: 0, ..good.clone() }, ["strideW", "0"]),
            (Columns { depth: 4, ..good.clone() }, ["D is 4", "T is 0"]),
            (Columns { depth: -4, kernel_depth: 1, ..good.clone() }, ["D", "-4"]),
            (Columns { groups: 2, ..good.clone() }, ["C is 3", "groups, which is 2"]),
            (Columns { kernel_height: 231, ..good.clone() }, ["H is 224", "R 231"]),
            (Columns { batch: i64::MAX, ..good.clone() }, ["input", "2^60"]),
        ] {
            let error = wrong.check().unwrap_err();
            assert!(words.iter().all(|word| error.contains(word)), "{error}");
        }
    }

    #[test]
    fn a_kernel_that_just_fits_is_accepted() {
        // 224 + 2*3 = 230 rows for a filter of 230.
        assert_eq!(Columns { kernel_height: 230, ..resnet_first() }.check(), Ok(()));
    }

    proptest! {
        #[test]
        fn generated_layers_are_valid_and_never_panic(layer in layer()) {
            prop_assert_eq!(layer.check(), Ok(()));
        }

        #[test]
        fn any_numbers_are_judged_without_overflow(numbers in prop::collection::vec(any::<i64>(), 17)) {
            let value = |i: usize| numbers[i];
            let columns = Columns {
                batch: value(0), in_channels: value(1), depth: value(2), height: value(3),
                width: value(4), out_channels: value(5), kernel_depth: value(6),
                kernel_height: value(7), kernel_width: value(8), pad_depth: value(9),
                pad_height: value(10), pad_width: value(11), stride_depth: value(12),
                stride_height: value(13), stride_width: value(14), dilation: value(15),
                groups: value(16),
            };
            prop_assert!(columns.normalized().check().is_err(), "numbers around 2^62 fit no memory");
        }
    }
}
