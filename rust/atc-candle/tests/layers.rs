//! Tests that the layers of this crate compute the same as the layers of candle_nn with the same weights.
#![allow(missing_docs)]

mod support;

use candle_core::{DType, Device, Module, Result, Tensor};
use candle_nn::{VarBuilder, VarMap};
use support::{Case, Random, forward};

/// Runs a program with the layers of the module `$nn`, and returns the outputs.
macro_rules! outputs {
    ($nn:path, $weights:expr) => {{
        use $nn as nn;
        let vb = VarBuilder::from_varmap($weights, DType::F32, &Device::Cpu);
        let mut random = Random::new(5);
        let (x1, x2) =
            (random.tensor(&[1, 4, 9], DType::F32)?, random.tensor(&[2, 4, 9, 8], DType::F32)?);
        let c1 = nn::Conv1dConfig { padding: 1, stride: 2, groups: 2, ..Default::default() };
        let c2 = nn::Conv2dConfig { padding: 1, dilation: 2, groups: 4, ..Default::default() };
        let t1 = nn::ConvTranspose1dConfig { output_padding: 1, stride: 2, ..Default::default() };
        let t2 = nn::ConvTranspose2dConfig { padding: 1, stride: 3, ..Default::default() };
        vec![
            nn::conv1d(4, 6, 3, c1, vb.pp("a"))?.forward(&x1)?,
            nn::conv1d_no_bias(4, 6, 3, c1, vb.pp("b"))?.forward(&x1)?,
            nn::conv2d(4, 8, 3, c2, vb.pp("c"))?.forward(&x2)?,
            nn::conv2d_no_bias(4, 8, 3, c2, vb.pp("d"))?.forward(&x2)?,
            nn::conv_transpose1d(4, 6, 3, t1, vb.pp("e"))?.forward(&x1)?,
            nn::conv_transpose1d_no_bias(4, 6, 3, t1, vb.pp("f"))?.forward(&x1)?,
            nn::conv_transpose2d(4, 6, 3, t2, vb.pp("g"))?.forward(&x2)?,
            nn::conv_transpose2d_no_bias(4, 6, 3, t2, vb.pp("h"))?.forward(&x2)?,
        ]
    }};
}

#[test]
fn a_model_changes_its_use_lines_only() -> Result<()> {
    let weights = VarMap::new();
    let theirs = outputs!(candle_nn, &weights);
    let count = weights.all_vars().len();
    let ours = outputs!(atc_candle::nn, &weights);
    // Our layers have used the weights of candle_nn's layers: if they had asked for other names, new weights would have
    // been made.
    assert_eq!(weights.all_vars().len(), count);
    for (i, (ours, theirs)) in ours.iter().zip(&theirs).enumerate() {
        assert_eq!(ours.dims(), theirs.dims(), "layer {i}");
        let difference = (ours - theirs)?.abs()?.flatten_all()?.max(0)?.to_scalar::<f32>()?;
        // The bound is twice the rounding error of one sum, because both results have such an error. A sum has at most
        // 4 * 9 products and a bias. Each product and the bias are below 2.
        assert!(
            f64::from(difference) < 2.0 * 37.0 * 37.0 * 2.0 * 2f64.powi(-24),
            "layer {i}: {difference}"
        );
    }
    Ok(())
}

#[test]
fn layers_of_candle_become_layers_of_atc() -> Result<()> {
    let mut random = Random::new(6);
    let mut tensor = |shape: &[usize]| random.tensor(shape, DType::F32);
    let (w, b) = (tensor(&[6, 2, 3, 3])?, tensor(&[6])?);
    let config = candle_nn::Conv2dConfig { groups: 2, stride: 2, ..Default::default() };
    let layer =
        atc_candle::nn::Conv2d::from(candle_nn::Conv2d::new(w.clone(), Some(b.clone()), config));
    assert_eq!((layer.config(), layer.weight().dims()), (&config, w.dims()));
    assert_eq!(layer.bias().map(Tensor::dims), Some(b.dims()));
    let x = tensor(&[1, 4, 7, 7])?;
    let case = Case::new(1, [4, 6], &[7, 7], &[3, 3]).groups(2).stride(2);
    forward(&case, &x, &w, Some(&b))?.expect(&layer.forward(&x)?, DType::F32, "from candle's")?;
    let bn = candle_nn::BatchNorm::new(
        6,
        tensor(&[6])?,
        Tensor::ones(6, DType::F32, x.device())?,
        tensor(&[6])?,
        tensor(&[6])?,
        1e-5,
    )?;
    assert_eq!(layer.absorb_bn(&bn)?.forward(&x)?.dims(), layer.forward(&x)?.dims());
    Ok(())
}

#[test]
fn layers_over_three_dimensions() -> Result<()> {
    use atc_candle::nn::{self, Conv3dConfig, ConvTranspose3dConfig};
    let weights = VarMap::new();
    let vb = VarBuilder::from_varmap(&weights, DType::F32, &Device::Cpu);
    let x = Random::new(8).tensor(&[1, 4, 5, 4, 6], DType::F32)?;
    let config = Conv3dConfig { padding: 1, groups: 2, ..Default::default() };
    let layer = nn::conv3d(4, 6, 3, config, vb.pp("forward"))?;
    let case = Case::new(1, [4, 6], &[5, 4, 6], &[3; 3]).padding(1).groups(2);
    forward(&case, &x, layer.weight(), layer.bias())?.expect(
        &layer.forward(&x)?,
        DType::F32,
        "conv3d",
    )?;
    let config = ConvTranspose3dConfig { stride: 2, output_padding: 1, ..Default::default() };
    let layer = nn::conv_transpose3d(4, 6, 2, config, vb.pp("transposed"))?;
    let case = Case::new(1, [4, 6], &[5, 4, 6], &[2; 3]).transposed(1).stride(2);
    forward(&case, &x, layer.weight(), layer.bias())?.expect(
        &layer.forward(&x)?,
        DType::F32,
        "conv_transpose3d",
    )?;
    let mut names: Vec<String> = weights.data().lock().expect("a lock").keys().cloned().collect();
    names.sort();
    assert_eq!(names, ["forward.bias", "forward.weight", "transposed.bias", "transposed.weight"]);
    Ok(())
}
