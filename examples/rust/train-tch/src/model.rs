//! A small residual network: plain tch code that does not mention atc.

use tch::nn::{self, ConvConfig, Module, ModuleT, Path};
use tch::{Kind, Tensor};

/// Returns the network. It computes scores `[N, classes]` from pictures `[N, 1, H, W]`.
pub fn network(path: &Path, classes: i64) -> impl ModuleT + use<> {
    nn::seq_t()
        .add(convolution(path / "stem", 1, 16, 3, 1))
        .add(nn::batch_norm2d(path / "stem_norm", 16, Default::default()))
        .add_fn(Tensor::relu)
        .add(Block::new(&(path / "first"), 16, 16, 1))
        .add(Block::new(&(path / "second"), 16, 32, 2))
        .add(Block::new(&(path / "third"), 32, 64, 2))
        .add_fn(|x| x.mean_dim([2, 3].as_slice(), false, None::<Kind>))
        .add(nn::linear(path / "scores", 64, classes, Default::default()))
}

fn convolution(path: Path, from: i64, to: i64, kernel: i64, stride: i64) -> nn::Conv2D {
    let config = ConvConfig {
        stride,
        padding: kernel / 2,
        bias: false,
        ..Default::default()
    };
    nn::conv2d(path, from, to, kernel, config)
}

/// A block of the residual network: two convolutions, and a shortcut around them.
#[derive(Debug)]
struct Block {
    convolutions: [nn::Conv2D; 2],
    norms: [nn::BatchNorm; 2],
    around: Option<nn::Conv2D>,
}

impl Block {
    fn new(path: &Path, from: i64, to: i64, stride: i64) -> Self {
        let norm = |name| nn::batch_norm2d(path / name, to, Default::default());
        let around = stride != 1 || from != to;
        Self {
            convolutions: [
                convolution(path / "conv1", from, to, 3, stride),
                convolution(path / "conv2", to, to, 3, 1),
            ],
            norms: [norm("norm1"), norm("norm2")],
            around: around.then(|| convolution(path / "around", from, to, 1, stride)),
        }
    }
}

impl ModuleT for Block {
    fn forward_t(&self, x: &Tensor, train: bool) -> Tensor {
        let y = self.norms[0]
            .forward_t(&self.convolutions[0].forward(x), train)
            .relu();
        let y = self.norms[1].forward_t(&self.convolutions[1].forward(&y), train);
        match &self.around {
            Some(around) => (y + around.forward(x)).relu(),
            None => (y + x).relu(),
        }
    }
}
