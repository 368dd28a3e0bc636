// ResNet-50 as in candle-transformers (models/resnet.rs). The module that includes this file must declare `nn`:
// candle_nn or atc_candle::nn.

use candle_core::{D, Result};
use candle_nn::{Func, VarBuilder, batch_norm, linear};
use nn::{Conv2d, Conv2dConfig, conv2d_no_bias};

fn conv(
    channels: [usize; 2],
    kernel: usize,
    padding: usize,
    stride: usize,
    vb: VarBuilder,
) -> Result<Conv2d> {
    let config = Conv2dConfig { stride, padding, ..Default::default() };
    conv2d_no_bias(channels[0], channels[1], kernel, config, vb)
}

fn downsample(from: usize, to: usize, stride: usize, vb: VarBuilder) -> Result<Func<'static>> {
    if stride == 1 && from == to {
        return Ok(Func::new(|x| Ok(x.clone())));
    }
    let conv = conv([from, to], 1, 0, stride, vb.pp(0))?;
    let norm = batch_norm(to, 1e-5, vb.pp(1))?;
    Ok(Func::new(move |x| x.apply(&conv)?.apply_t(&norm, false)))
}

fn bottleneck(from: usize, inner: usize, stride: usize, vb: VarBuilder) -> Result<Func<'static>> {
    let to = 4 * inner;
    let conv1 = conv([from, inner], 1, 0, 1, vb.pp("conv1"))?;
    let norm1 = batch_norm(inner, 1e-5, vb.pp("bn1"))?;
    let conv2 = conv([inner, inner], 3, 1, stride, vb.pp("conv2"))?;
    let norm2 = batch_norm(inner, 1e-5, vb.pp("bn2"))?;
    let conv3 = conv([inner, to], 1, 0, 1, vb.pp("conv3"))?;
    let norm3 = batch_norm(to, 1e-5, vb.pp("bn3"))?;
    let downsample = downsample(from, to, stride, vb.pp("downsample"))?;
    Ok(Func::new(move |x| {
        let y = x.apply(&conv1)?.apply_t(&norm1, false)?.relu()?;
        let y = y.apply(&conv2)?.apply_t(&norm2, false)?.relu()?;
        let y = y.apply(&conv3)?.apply_t(&norm3, false)?;
        (x.apply(&downsample)? + y)?.relu()
    }))
}

fn blocks(
    from: usize,
    inner: usize,
    stride: usize,
    count: usize,
    vb: VarBuilder,
) -> Result<Func<'static>> {
    let blocks = (0..count).map(|index| match index {
        0 => bottleneck(from, inner, stride, vb.pp(index)),
        _ => bottleneck(4 * inner, inner, 1, vb.pp(index)),
    });
    let blocks = blocks.collect::<Result<Vec<_>>>()?;
    Ok(Func::new(move |x| blocks.iter().try_fold(x.clone(), |x, block| x.apply(block))))
}

pub fn network(vb: VarBuilder) -> Result<Func<'static>> {
    let conv1 = conv([3, 64], 7, 3, 2, vb.pp("conv1"))?;
    let norm1 = batch_norm(64, 1e-5, vb.pp("bn1"))?;
    let layers = [
        blocks(64, 64, 1, 3, vb.pp("layer1"))?,
        blocks(256, 128, 2, 4, vb.pp("layer2"))?,
        blocks(512, 256, 2, 6, vb.pp("layer3"))?,
        blocks(1024, 512, 2, 3, vb.pp("layer4"))?,
    ];
    let classes = linear(2048, 1000, vb.pp("fc"))?;
    Ok(Func::new(move |x| {
        let x = x.apply(&conv1)?.apply_t(&norm1, false)?.relu()?;
        let x = x.pad_with_same(D::Minus1, 1, 1)?.pad_with_same(D::Minus2, 1, 1)?;
        let x = x.max_pool2d_with_stride(3, 2)?;
        let x = layers.iter().try_fold(x, |x, layer| x.apply(layer))?;
        x.mean(D::Minus1)?.mean(D::Minus1)?.apply(&classes)
    }))
}
