//! The layers of this crate. A layer consists of a kernel, a bias and a configuration.

use candle_core::{Module, Result, Tensor};
use candle_nn::{
    BatchNorm, Conv1dConfig, Conv2dConfig, ConvTranspose1dConfig, ConvTranspose2dConfig,
};

use crate::convolution::Convolution;
use crate::functions::{plain, transposed};

/// The configuration of a [`Conv3d`]. Its fields are those of [`Conv2dConfig`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "each field is an argument of the function conv3d")]
pub struct Conv3dConfig {
    pub padding: usize,
    pub stride: usize,
    pub dilation: usize,
    pub groups: usize,
}

impl Default for Conv3dConfig {
    fn default() -> Self {
        Self { padding: 0, stride: 1, dilation: 1, groups: 1 }
    }
}

/// The configuration of a [`ConvTranspose3d`]. Its fields are arguments of the function
/// `conv_transpose3d`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "each field is an argument of the function conv_transpose3d")]
pub struct ConvTranspose3dConfig {
    pub padding: usize,
    pub output_padding: usize,
    pub stride: usize,
    pub dilation: usize,
    pub groups: usize,
}

impl Default for ConvTranspose3dConfig {
    fn default() -> Self {
        Self { padding: 0, output_padding: 0, stride: 1, dilation: 1, groups: 1 }
    }
}

macro_rules! layer {
    ($layer:ident, $config:ident, $summary:literal, $convolution:expr) => {
        #[doc = $summary]
        #[derive(Clone, Debug)]
        pub struct $layer {
            weight: Tensor,
            bias: Option<Tensor>,
            config: $config,
        }

        impl $layer {
            /// Makes a layer with this kernel (`weight`), bias and configuration.
            #[must_use]
            pub fn new(weight: Tensor, bias: Option<Tensor>, config: $config) -> Self {
                Self { weight, bias, config }
            }

            /// The configuration of the layer.
            #[must_use]
            pub fn config(&self) -> &$config {
                &self.config
            }

            /// The kernel of the layer.
            #[must_use]
            pub fn weight(&self) -> &Tensor {
                &self.weight
            }

            /// The bias of the layer, with one element for each output channel. `None` if the layer
            /// has no bias.
            #[must_use]
            pub fn bias(&self) -> Option<&Tensor> {
                self.bias.as_ref()
            }
        }

        impl Module for $layer {
            fn forward(&self, x: &Tensor) -> Result<Tensor> {
                let convolution: fn(&$config) -> Result<Convolution> = $convolution;
                convolution(&self.config)?.apply(x, &self.weight, self.bias.as_ref())
            }
        }
    };
}

/// Converts a layer of candle_nn into the layer of this module that has the same weights.
macro_rules! from_candle {
    ($($layer:ident)*) => {
        $(
            impl From<candle_nn::$layer> for $layer {
                fn from(layer: candle_nn::$layer) -> Self {
                    Self::new(layer.weight().clone(), layer.bias().cloned(), *layer.config())
                }
            }
        )*
    };
}

layer!(Conv1d, Conv1dConfig, "A convolution over one dimension.", |c| {
    plain(1, c.padding, c.stride, c.dilation, c.groups)
});
layer!(Conv2d, Conv2dConfig, "A convolution over two dimensions.", |c| {
    plain(2, c.padding, c.stride, c.dilation, c.groups)
});
layer!(Conv3d, Conv3dConfig, "A convolution over three dimensions.", |c| {
    plain(3, c.padding, c.stride, c.dilation, c.groups)
});
layer!(
    ConvTranspose1d,
    ConvTranspose1dConfig,
    "A transposed convolution over one dimension.",
    |c| transposed(1, c.padding, c.output_padding, c.stride, c.dilation, c.groups)
);
layer!(
    ConvTranspose2d,
    ConvTranspose2dConfig,
    "A transposed convolution over two dimensions.",
    |c| transposed(2, c.padding, c.output_padding, c.stride, c.dilation, 1)
);
layer!(
    ConvTranspose3d,
    ConvTranspose3dConfig,
    "A transposed convolution over three dimensions.",
    |c| transposed(3, c.padding, c.output_padding, c.stride, c.dilation, c.groups)
);
from_candle!(Conv1d Conv2d ConvTranspose1d ConvTranspose2d);

impl Conv2d {
    /// Returns one layer that computes the same as this layer followed by the batch normalization
    /// `bn`.
    pub fn absorb_bn(&self, bn: &BatchNorm) -> Result<Self> {
        let own = candle_nn::Conv2d::new(self.weight.clone(), self.bias.clone(), self.config);
        own.absorb_bn(bn).map(Self::from)
    }
}
