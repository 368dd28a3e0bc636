//! Tests that each invalid value causes an error whose text names the value.
#![allow(missing_docs)]

use atc_candle::nn::{Conv2dConfig, Conv3dConfig};
use atc_candle::{Convolution, conv_transpose2d, conv1d, conv2d, conv3d};
use candle_core::{DType, Device, Result, Tensor};

fn zeros(shape: &[usize]) -> Tensor {
    Tensor::zeros(shape, DType::F32, &Device::Cpu).expect("zeros")
}

fn expect(result: Result<Tensor>, parts: &[&str]) {
    let error = result.expect_err("a wrong value").to_string();
    for part in parts {
        assert!(error.contains(part), "{error:?} has no {part:?}");
    }
}

#[test]
fn tensors_that_do_not_fit_together() {
    let (x, w) = (zeros(&[1, 4, 8, 8]), zeros(&[6, 4, 3, 3]));
    expect(conv2d(&zeros(&[4, 8, 8]), &w, 0, 1, 1, 1), &["4", "[4, 8, 8]"]);
    expect(conv2d(&x, &zeros(&[6, 4, 3]), 0, 1, 1, 1), &["[6, 4, 3]"]);
    expect(
        conv2d(&x, &zeros(&[6, 3, 3, 3]), 0, 1, 1, 1),
        &["conv2d", "4", "[6, 3, 3, 3]", "[out, in / groups]"],
    );
    expect(conv2d(&x, &zeros(&[6, 1, 3, 3]), 0, 1, 1, 4), &["conv2d", "out_channel 6", "4"]);
    expect(
        conv_transpose2d(&x, &w, 0, 0, 1, 1),
        &["conv_transpose2d", "[6, 4, 3, 3]", "[in, out / groups]"],
    );
    let half = w.to_dtype(DType::F16).expect("f16");
    expect(conv2d(&x, &half, 0, 1, 1, 1), &["conv2d", "F32", "F16"]);
    let convolution = Convolution::new(2);
    expect(convolution.apply(&x, &w, Some(&zeros(&[4]))), &["bias of 4", "6 output channels"]);
    expect(convolution.apply(&x, &w, Some(&zeros(&[6, 1]))), &["[6, 1]"]);
    let double = zeros(&[6]).to_dtype(DType::F64).expect("f64");
    expect(convolution.apply(&x, &w, Some(&double)), &["F32", "F64"]);
}

#[test]
fn values_that_are_not_allowed() {
    let (x, w) = (zeros(&[1, 4, 8, 8]), zeros(&[6, 4, 3, 3]));
    expect(conv2d(&x, &w, 0, 0, 1, 1), &["stride is 0", "use 1 or more"]);
    expect(conv2d(&x, &w, 0, 1, 0, 1), &["dilation is 0"]);
    expect(conv2d(&x, &w, 0, 1, 1, 0), &["groups is 0"]);
    expect(conv2d(&x, &w, usize::MAX, 1, 1, 1), &["padding", "2^63"]);
    expect(conv2d(&x, &w, 1 << 62, 1, 1, 1), &["padding"]);
    expect(conv2d(&x, &w, 0, 1, 5, 1), &["no output", "8 elements", "11", "smaller kernel"]);
    expect(conv1d(&zeros(&[1, 1, 4]), &zeros(&[1, 1, 5]), 0, 1, 1, 1), &["no output"]);
    expect(conv2d(&x, &zeros(&[6, 4, 0, 3]), 0, 1, 1, 1), &["the kernel is 0"]);
    expect(conv_transpose2d(&x, &zeros(&[4, 2, 3, 3]), 9, 0, 1, 1), &["no output"]);
    expect(conv_transpose2d(&x, &zeros(&[4, 2, 3, 3]), 0, 2, 2, 1), &["output_padding"]);
    expect(
        Convolution::new(2).stride([1, 2, 3]).apply(&x, &w, None),
        &["stride", "3 entries", "2 spatial"],
    );
    expect(Convolution::new(2).padding(-1).apply(&x, &w, None), &["padding_low is -1"]);
    expect(Convolution::new(4).apply(&x, &w, None), &["4 spatial dimensions"]);
    expect(Convolution::new(2).output_padding(1).apply(&x, &w, None), &["output_padding"]);
}

#[test]
fn what_neither_atc_nor_candle_has() -> Result<()> {
    let double = |shape: &[usize]| Tensor::zeros(shape, DType::F64, &Device::Cpu);
    let (x, w) = (double(&[1, 1, 4, 4, 4])?, double(&[1, 1, 3, 3, 3])?);
    expect(conv3d(&x, &w, 0, 1, 1, 1), &["3 dimensions", "F64", "f32, bf16 or f16"]);
    let (x, w) = (double(&[1, 1, 4, 4])?, double(&[1, 1, 3, 3])?);
    expect(
        Convolution::new(2).stride([1, 2]).apply(&x, &w, None),
        &["one stride", "f32, bf16 or f16"],
    );
    Ok(())
}

#[test]
fn layers_without_groups() {
    let weights = candle_nn::VarMap::new();
    let builder = candle_nn::VarBuilder::from_varmap(&weights, DType::F32, &Device::Cpu);
    let config = Conv2dConfig { groups: 0, ..Default::default() };
    let refused = atc_candle::nn::conv2d(4, 4, 3, config, builder.clone()).expect_err("no groups");
    assert!(refused.to_string().contains("groups is 0"), "{refused}");
    let config = Conv3dConfig { groups: 0, ..Default::default() };
    let refused = atc_candle::nn::conv3d(4, 4, 3, config, builder).expect_err("no groups");
    assert!(refused.to_string().contains("groups is 0"), "{refused}");
}
