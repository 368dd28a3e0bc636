//! A small convolutional network: plain burn code that does not mention atc.

use burn::module::Module;
use burn::nn::conv::{Conv2d, Conv2dConfig};
use burn::nn::{Linear, LinearConfig, PaddingConfig2d};
use burn::tensor::activation::relu;
use burn::tensor::{Device, Tensor};

/// The network. It computes scores `[N, classes]` from pictures `[N, 1, H, W]`.
#[derive(Module, Debug)]
pub struct Network {
    stem: Conv2d,
    /// A depthwise convolution: one group for each channel.
    depthwise: Conv2d,
    /// A 1 x 1 convolution with stride 2, so it halves height and width.
    pointwise: Conv2d,
    scores: Linear,
}

impl Network {
    pub fn new(classes: usize, device: &Device) -> Self {
        let convolution = |from, to, kernel: usize| {
            let around = kernel / 2;
            Conv2dConfig::new([from, to], [kernel, kernel])
                .with_padding(PaddingConfig2d::Explicit(around, around, around, around))
        };
        Self {
            stem: convolution(1, 16, 3).init(device),
            depthwise: convolution(16, 16, 3).with_groups(16).init(device),
            pointwise: convolution(16, 32, 1).with_stride([2, 2]).init(device),
            scores: LinearConfig::new(32, classes).init(device),
        }
    }

    pub fn forward(&self, pictures: Tensor<4>) -> Tensor<2> {
        let x = relu(self.stem.forward(pictures));
        let x = relu(self.depthwise.forward(x));
        let x = relu(self.pointwise.forward(x));
        let [samples, channels, _, _] = x.dims();
        let means = x.mean_dim(2).mean_dim(3).reshape([samples, channels]);
        self.scores.forward(means)
    }
}
