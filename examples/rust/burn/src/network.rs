//! An autoencoder, plain burn code that does not mention atc.

use burn::module::Module;
use burn::nn::PaddingConfig2d;
use burn::nn::conv::{Conv2d, Conv2dConfig, ConvTranspose2d, ConvTranspose2dConfig};
use burn::tensor::{Device, Tensor, activation::relu};

#[derive(Module, Debug)]
pub struct Network {
    halve: Conv2d,
    each_channel: Conv2d,
    mix: Conv2d,
    double: ConvTranspose2d,
}

impl Network {
    pub fn new(device: &Device) -> Self {
        let padded = PaddingConfig2d::Explicit(1, 1, 1, 1);
        Self {
            halve: Conv2dConfig::new([3, 16], [3, 3])
                .with_stride([2, 2])
                .with_padding(padded.clone())
                .init(device),
            each_channel: Conv2dConfig::new([16, 16], [3, 3])
                .with_groups(16)
                .with_padding(padded)
                .init(device),
            mix: Conv2dConfig::new([16, 16], [1, 1]).init(device),
            double: ConvTranspose2dConfig::new([16, 3], [2, 2])
                .with_stride([2, 2])
                .init(device),
        }
    }

    /// Images `[batch, 3, height, width]` of even sizes to images of the same shape.
    pub fn forward(&self, images: Tensor<4>) -> Tensor<4> {
        let x = relu(self.halve.forward(images));
        let x = relu(self.mix.forward(self.each_channel.forward(x)));
        self.double.forward(x)
    }
}
