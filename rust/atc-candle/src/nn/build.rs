//! Functions that make layers whose weights come from a `VarBuilder`. The names of the weights (`weight`, `bias`) and
//! their initial values are those of candle_nn.

use candle_core::Result;
use candle_nn::init::DEFAULT_KAIMING_NORMAL;
use candle_nn::{
    Conv1dConfig, Conv2dConfig, ConvTranspose1dConfig, ConvTranspose2dConfig, Init, VarBuilder,
};

use super::layers::{
    Conv1d, Conv2d, Conv3d, Conv3dConfig, ConvTranspose1d, ConvTranspose2d, ConvTranspose3d,
    ConvTranspose3dConfig,
};
use crate::failure::refused;

/// Defines a function that makes a layer by the function of candle_nn with the same name. That function divides by the
/// number of groups, so the defined function first checks that this number is not 0.
macro_rules! as_candle {
    ($name:ident, $layer:ident, $config:ident, $groups:expr) => {
        #[doc = concat!("As [`candle_nn::", stringify!($name), "`].")]
        pub fn $name(
            in_channels: usize,
            out_channels: usize,
            kernel_size: usize,
            cfg: $config,
            vb: VarBuilder,
        ) -> Result<$layer> {
            let groups: fn(&$config) -> usize = $groups;
            share(in_channels, groups(&cfg))?;
            candle_nn::$name(in_channels, out_channels, kernel_size, cfg, vb).map($layer::from)
        }
    };
}

as_candle!(conv1d, Conv1d, Conv1dConfig, |c| c.groups);
as_candle!(conv1d_no_bias, Conv1d, Conv1dConfig, |c| c.groups);
as_candle!(conv2d, Conv2d, Conv2dConfig, |c| c.groups);
as_candle!(conv2d_no_bias, Conv2d, Conv2dConfig, |c| c.groups);
as_candle!(conv_transpose1d, ConvTranspose1d, ConvTranspose1dConfig, |c| c.groups);
as_candle!(conv_transpose1d_no_bias, ConvTranspose1d, ConvTranspose1dConfig, |c| c.groups);
as_candle!(conv_transpose2d, ConvTranspose2d, ConvTranspose2dConfig, |_| 1);
as_candle!(conv_transpose2d_no_bias, ConvTranspose2d, ConvTranspose2dConfig, |_| 1);

/// Makes a layer over three dimensions with a bias.
pub fn conv3d(
    in_channels: usize,
    out_channels: usize,
    kernel_size: usize,
    cfg: Conv3dConfig,
    vb: VarBuilder,
) -> Result<Conv3d> {
    let bound = 1. / (in_channels as f64).sqrt();
    let bias = vb.get_with_hints(out_channels, "bias", Init::Uniform { lo: -bound, up: bound })?;
    let layer = conv3d_no_bias(in_channels, out_channels, kernel_size, cfg, vb)?;
    Ok(Conv3d::new(layer.weight().clone(), Some(bias), cfg))
}

/// Makes a layer over three dimensions without a bias.
pub fn conv3d_no_bias(
    in_channels: usize,
    out_channels: usize,
    kernel_size: usize,
    cfg: Conv3dConfig,
    vb: VarBuilder,
) -> Result<Conv3d> {
    let k = kernel_size;
    let shape = (out_channels, share(in_channels, cfg.groups)?, k, k, k);
    let weight = vb.get_with_hints(shape, "weight", DEFAULT_KAIMING_NORMAL)?;
    Ok(Conv3d::new(weight, None, cfg))
}

/// Makes a transposed layer over three dimensions with a bias.
pub fn conv_transpose3d(
    in_channels: usize,
    out_channels: usize,
    kernel_size: usize,
    cfg: ConvTranspose3dConfig,
    vb: VarBuilder,
) -> Result<ConvTranspose3d> {
    let bias = vb.get_with_hints(out_channels, "bias", of_transposed(out_channels, kernel_size))?;
    let layer = conv_transpose3d_no_bias(in_channels, out_channels, kernel_size, cfg, vb)?;
    Ok(ConvTranspose3d::new(layer.weight().clone(), Some(bias), cfg))
}

/// Makes a transposed layer over three dimensions without a bias.
pub fn conv_transpose3d_no_bias(
    in_channels: usize,
    out_channels: usize,
    kernel_size: usize,
    cfg: ConvTranspose3dConfig,
    vb: VarBuilder,
) -> Result<ConvTranspose3d> {
    let k = kernel_size;
    let shape = (in_channels, share(out_channels, cfg.groups)?, k, k, k);
    let weight = vb.get_with_hints(shape, "weight", of_transposed(out_channels, k))?;
    Ok(ConvTranspose3d::new(weight, None, cfg))
}

/// The initial values of a transposed layer over three dimensions. The formula is that of candle_nn's transposed
/// layers.
fn of_transposed(out_channels: usize, kernel_size: usize) -> Init {
    let bound = 1. / (out_channels as f64 * (kernel_size as f64).powi(3)).sqrt();
    Init::Uniform { lo: -bound, up: bound }
}

/// The number of channels in a group. Returns an error if `groups` is 0.
fn share(channels: usize, groups: usize) -> Result<usize> {
    match groups {
        0 => Err(refused("groups is 0: use 1 or more".to_owned())),
        groups => Ok(channels / groups),
    }
}
