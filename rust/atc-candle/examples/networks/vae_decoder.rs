// The decoder of Stable Diffusion's variational autoencoder as in candle-transformers (models/stable_diffusion/vae.rs).
// The module that includes this file must declare `nn`: candle_nn or atc_candle::nn.

use candle_core::{D, Module, Result};
use candle_nn::ops::{silu, softmax};
use candle_nn::{Func, VarBuilder, group_norm, linear};
use nn::{Conv2d, Conv2dConfig, conv2d};

const GROUPS: usize = 32;

fn conv3x3(from: usize, to: usize, vb: VarBuilder) -> Result<Conv2d> {
    conv2d(from, to, 3, Conv2dConfig { padding: 1, ..Default::default() }, vb)
}

fn residual(from: usize, to: usize, vb: VarBuilder) -> Result<Func<'static>> {
    let norm1 = group_norm(GROUPS, from, 1e-6, vb.pp("norm1"))?;
    let conv1 = conv3x3(from, to, vb.pp("conv1"))?;
    let norm2 = group_norm(GROUPS, to, 1e-6, vb.pp("norm2"))?;
    let conv2 = conv3x3(to, to, vb.pp("conv2"))?;
    let shortcut = match from == to {
        true => None,
        false => Some(conv2d(from, to, 1, Conv2dConfig::default(), vb.pp("conv_shortcut"))?),
    };
    Ok(Func::new(move |x| {
        let y = silu(&norm1.forward(x)?)?.apply(&conv1)?;
        let y = silu(&norm2.forward(&y)?)?.apply(&conv2)?;
        match &shortcut {
            Some(shortcut) => x.apply(shortcut)? + y,
            None => x + y,
        }
    }))
}

fn attention(channels: usize, vb: VarBuilder) -> Result<Func<'static>> {
    let norm = group_norm(GROUPS, channels, 1e-6, vb.pp("group_norm"))?;
    let query = linear(channels, channels, vb.pp("to_q"))?;
    let key = linear(channels, channels, vb.pp("to_k"))?;
    let value = linear(channels, channels, vb.pp("to_v"))?;
    let out = linear(channels, channels, vb.pp("to_out.0"))?;
    Ok(Func::new(move |x| {
        let (batch, channels, height, width) = x.dims4()?;
        let rows = norm.forward(x)?.reshape((batch, channels, height * width))?;
        let rows = rows.transpose(1, 2)?;
        let scores = rows.apply(&query)?.matmul(&rows.apply(&key)?.t()?)?;
        let weights = softmax(&(scores * (channels as f64).powf(-0.5))?, D::Minus1)?;
        let y = weights.matmul(&rows.apply(&value)?)?.apply(&out)?;
        y.transpose(1, 2)?.reshape((batch, channels, height, width))? + x
    }))
}

fn upsampling(channels: usize, vb: VarBuilder) -> Result<Func<'static>> {
    let conv = conv3x3(channels, channels, vb.pp("conv"))?;
    Ok(Func::new(move |x| {
        let (_, _, height, width) = x.dims4()?;
        x.upsample_nearest2d(2 * height, 2 * width)?.apply(&conv)
    }))
}

pub fn network(vb: VarBuilder) -> Result<Func<'static>> {
    let middle = vb.pp("mid_block");
    let mut layers = vec![
        residual(512, 512, middle.pp("resnets.0"))?,
        attention(512, middle.pp("attentions.0"))?,
        residual(512, 512, middle.pp("resnets.1"))?,
    ];
    let mut from = 512;
    for (index, to) in [512, 512, 256, 128].into_iter().enumerate() {
        let vb = vb.pp(format!("up_blocks.{index}"));
        for layer in 0..3 {
            layers.push(residual(from, to, vb.pp(format!("resnets.{layer}")))?);
            from = to;
        }
        if index < 3 {
            layers.push(upsampling(to, vb.pp("upsamplers.0"))?);
        }
    }
    let first = conv3x3(4, 512, vb.pp("conv_in"))?;
    let norm = group_norm(GROUPS, 128, 1e-6, vb.pp("conv_norm_out"))?;
    let last = conv3x3(128, 3, vb.pp("conv_out"))?;
    Ok(Func::new(move |x| {
        let x = layers.iter().try_fold(x.apply(&first)?, |x, layer| x.apply(layer))?;
        silu(&norm.forward(&x)?)?.apply(&last)
    }))
}
