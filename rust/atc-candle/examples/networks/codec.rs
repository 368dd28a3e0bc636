// The decoder of the Descript Audio Codec as in candle-transformers (models/dac.rs). The module that includes this file
// must declare `nn`: candle_nn or atc_candle::nn.

use candle_core::Result;
use candle_nn::{Func, Init, VarBuilder};
use nn::{Conv1d, Conv1dConfig, ConvTranspose1dConfig, conv_transpose1d, conv1d};

fn snake(channels: usize, vb: VarBuilder) -> Result<Func<'static>> {
    let alpha = vb.get_with_hints((1, channels, 1), "alpha", Init::Const(1.0))?;
    let inverse = (&alpha + 1e-9)?.recip()?;
    Ok(Func::new(move |x| x + inverse.broadcast_mul(&alpha.broadcast_mul(x)?.sin()?.sqr()?)?))
}

fn conv7(from: usize, to: usize, dilation: usize, vb: VarBuilder) -> Result<Conv1d> {
    let config = Conv1dConfig { padding: 3 * dilation, dilation, ..Default::default() };
    conv1d(from, to, 7, config, vb)
}

fn residual(channels: usize, dilation: usize, vb: VarBuilder) -> Result<Func<'static>> {
    let snake1 = snake(channels, vb.pp(0))?;
    let conv1 = conv7(channels, channels, dilation, vb.pp(1))?;
    let snake2 = snake(channels, vb.pp(2))?;
    let conv2 = conv1d(channels, channels, 1, Conv1dConfig::default(), vb.pp(3))?;
    Ok(Func::new(move |x| x + x.apply(&snake1)?.apply(&conv1)?.apply(&snake2)?.apply(&conv2)?))
}

fn upsampling(from: usize, to: usize, stride: usize, vb: VarBuilder) -> Result<Func<'static>> {
    let snake = snake(from, vb.pp(0))?;
    let config =
        ConvTranspose1dConfig { stride, padding: stride.div_ceil(2), ..Default::default() };
    let conv = conv_transpose1d(from, to, 2 * stride, config, vb.pp(1))?;
    let residuals =
        [residual(to, 1, vb.pp(2))?, residual(to, 3, vb.pp(3))?, residual(to, 9, vb.pp(4))?];
    Ok(Func::new(move |x| {
        let x = x.apply(&snake)?.apply(&conv)?;
        residuals.iter().try_fold(x, |x, residual| x.apply(residual))
    }))
}

pub fn network(vb: VarBuilder) -> Result<Func<'static>> {
    let first = conv7(1024, 1536, 1, vb.pp(0))?;
    let strides = [8, 8, 4, 2].into_iter().enumerate();
    let blocks = strides.map(|(index, stride)| {
        upsampling(1536 >> index, 768 >> index, stride, vb.pp(format!("{}.block", index + 1)))
    });
    let blocks = blocks.collect::<Result<Vec<_>>>()?;
    let snake = snake(96, vb.pp(5))?;
    let last = conv7(96, 1, 1, vb.pp(6))?;
    Ok(Func::new(move |x| {
        let x = blocks.iter().try_fold(x.apply(&first)?, |x, block| x.apply(block))?;
        x.apply(&snake)?.apply(&last)?.tanh()
    }))
}
