//! Layers with the names, configurations and `VarBuilder` functions of [`candle_nn`]. Their `forward` runs through atc.
//! To use the layers a program only changes its `use` lines.
//!
//! ```
//! use atc_candle::nn::{Conv2d, Conv2dConfig, conv2d};
//! use candle_core::{DType, Device, Module, Tensor};
//! use candle_nn::{VarBuilder, VarMap};
//!
//! # fn main() -> candle_core::Result<()> {
//! let weights = VarMap::new();
//! let builder = VarBuilder::from_varmap(&weights, DType::F32, &Device::Cpu);
//! let config = Conv2dConfig { padding: 1, ..Default::default() };
//! let layer: Conv2d = conv2d(3, 16, 3, config, builder.pp("conv"))?;
//! let y = layer.forward(&Tensor::zeros((1, 3, 32, 32), DType::F32, &Device::Cpu)?)?;
//! assert_eq!(y.dims(), [1, 16, 32, 32]);
//! # Ok(())
//! # }
//! ```
//!
//! The bias is added inside the convolution (fused). The field `cudnn_fwd_algo` of a configuration is ignored. `From`
//! converts a layer of `candle_nn` into a layer of this module. Layers over three dimensions, which `candle_nn` lacks,
//! are made in the same way as the others.

mod build;
mod layers;

pub use build::{
    conv_transpose1d, conv_transpose1d_no_bias, conv_transpose2d, conv_transpose2d_no_bias,
    conv_transpose3d, conv_transpose3d_no_bias, conv1d, conv1d_no_bias, conv2d, conv2d_no_bias,
    conv3d, conv3d_no_bias,
};
pub use candle_nn::{Conv1dConfig, Conv2dConfig, ConvTranspose1dConfig, ConvTranspose2dConfig};
pub use layers::{
    Conv1d, Conv2d, Conv3d, Conv3dConfig, ConvTranspose1d, ConvTranspose2d, ConvTranspose3d,
    ConvTranspose3dConfig,
};
