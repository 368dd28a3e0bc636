//! Compares convolutions of candle's tensors by atc with the definition of a convolution, computed in double precision.
#![allow(missing_docs)]

mod support;

use std::panic::{AssertUnwindSafe, catch_unwind};

use atc_candle::{conv_transpose1d, conv_transpose2d, conv_transpose3d, conv1d, conv2d, conv3d};
use candle_core::{DType, Device, Result, Tensor};
use support::{Case, Random, forward};

/// The type in which sums are computed, for the bound of the error. For fp16 tensors this is fp16: on processors
/// without fp16 instructions candle's own convolution runs, which computes parts of the sums in fp16.
fn accumulator(dtype: DType) -> DType {
    if dtype == DType::F16 { DType::F16 } else { DType::F32 }
}

fn check(case: &Case, seed: u64, dtype: DType) -> Result<()> {
    let mut random = Random::new(seed);
    let (x, w) = (random.tensor(&case.x(), dtype)?, random.tensor(&case.w(), dtype)?);
    let y = case.convolution().apply(&x, &w, None)?;
    assert_eq!(y.dims(), case.y(), "{case:?}");
    assert!(y.is_contiguous());
    forward(case, &x, &w, None)?.expect(&y, accumulator(dtype), &format!("{case:?} of {dtype:?}"))
}

#[test]
fn the_cases_of_candles_own_tests() -> Result<()> {
    let cases = [
        Case::new(1, [4, 2], &[5], &[3]),
        Case::new(3, [4, 2], &[5], &[3]).padding(1),
        Case::new(1, [4, 2], &[5], &[3]).transposed(0),
        Case::new(1, [4, 4], &[5], &[3]).transposed(0).groups(2),
        Case::new(1, [1, 1], &[4], &[3]),
        Case::new(1, [1, 1], &[4], &[3]).padding(1),
        Case::new(3, [4, 2], &[5, 5], &[3, 3]),
        Case::new(1, [4, 2], &[5, 5], &[3, 3]).dilation(2),
        Case::new(1, [4, 2], &[5, 5], &[3, 3]).stride(2),
        Case::new(1, [4, 2], &[5, 5], &[3, 3]).transposed(0),
        Case::new(1, [4, 2], &[5, 5], &[3, 3]).transposed(0).dilation(2),
        Case::new(1, [2, 1], &[3, 3], &[1, 1]),
        Case::new(1, [2, 1], &[3, 3], &[1, 1]).padding(2),
        Case::new(2, [1, 2], &[3, 3], &[1, 1]).transposed(0),
        Case::new(1, [1, 1], &[3, 3], &[3, 3]),
        Case::new(1, [2, 1], &[4, 2], &[1, 1]),
        Case::new(1, [4, 2], &[4, 4], &[3, 3]).padding(1),
        Case::new(1, [4, 2], &[7, 5], &[3, 5]).transposed(2).padding(4).stride(3).dilation(3),
        Case::new(1, [4, 2], &[7, 5], &[3, 5]).transposed(1).padding(1).stride(2),
    ];
    for (seed, case) in cases.iter().enumerate() {
        for dtype in [DType::F32, DType::BF16, DType::F16] {
            check(case, seed as u64, dtype)?;
        }
    }
    Ok(())
}

#[test]
fn a_thousand_random_problems() -> Result<()> {
    for seed in 0..1000 {
        let case = Case::random(&mut Random::new(seed));
        let dtype = match seed % 8 {
            3 => DType::BF16,
            7 => DType::F16,
            _ => DType::F32,
        };
        check(&case, !seed, dtype)?;
    }
    Ok(())
}

#[test]
fn functions_take_arguments_in_candles_order() -> Result<()> {
    let mut random = Random::new(1);
    let mut tensor = |shape: &[usize]| random.tensor(shape, DType::F32);
    let expect = |case: Case, x: &Tensor, w: &Tensor, y: Tensor| {
        forward(&case, x, w, None)?.expect(&y, DType::F32, &format!("{case:?}"))
    };
    let (x, w) = (tensor(&[1, 4, 9])?, tensor(&[6, 2, 2])?);
    let case = Case::new(1, [4, 6], &[9], &[2]).padding(1).stride(2).dilation(3).groups(2);
    expect(case, &x, &w, conv1d(&x, &w, 1, 2, 3, 2)?)?;
    let case =
        Case::new(1, [6, 4], &[9], &[2]).transposed(1).padding(2).stride(3).dilation(4).groups(2);
    let (x, w) = (tensor(&[1, 6, 9])?, tensor(&[6, 2, 2])?);
    expect(case, &x, &w, conv_transpose1d(&x, &w, 2, 1, 3, 4, 2)?)?;
    let (x, w) = (tensor(&[1, 4, 9, 8])?, tensor(&[6, 2, 2, 3])?);
    let case = Case::new(1, [4, 6], &[9, 8], &[2, 3]).padding(1).stride(2).dilation(3).groups(2);
    expect(case, &x, &w, conv2d(&x, &w, 1, 2, 3, 2)?)?;
    let (x, w) = (tensor(&[1, 4, 9, 8])?, tensor(&[4, 2, 2, 3])?);
    let case =
        Case::new(1, [4, 2], &[9, 8], &[2, 3]).transposed(1).padding(2).stride(3).dilation(4);
    expect(case, &x, &w, conv_transpose2d(&x, &w, 2, 1, 3, 4)?)?;
    let (x, w) = (tensor(&[1, 4, 7, 9, 8])?, tensor(&[6, 2, 2, 2, 2])?);
    let case = Case::new(1, [4, 6], &[7, 9, 8], &[2; 3]).padding(1).stride(2).dilation(3).groups(2);
    expect(case, &x, &w, conv3d(&x, &w, 1, 2, 3, 2)?)?;
    let (x, w) = (tensor(&[1, 4, 3, 4, 5])?, tensor(&[4, 3, 2, 2, 2])?);
    let case = Case::new(1, [4, 6], &[3, 4, 5], &[2; 3])
        .transposed(1)
        .padding(2)
        .stride(3)
        .dilation(4)
        .groups(2);
    expect(case, &x, &w, conv_transpose3d(&x, &w, 2, 1, 3, 4, 2)?)
}

#[test]
fn the_bias_and_relu_come_last() -> Result<()> {
    for (seed, dtype) in [(1, DType::F32), (2, DType::BF16), (3, DType::F64)] {
        for case in [
            Case::new(2, [4, 6], &[7, 6], &[3, 3]).padding(1).groups(2),
            Case::new(2, [4, 6], &[7], &[3]).transposed(1).stride(2),
        ] {
            let mut random = Random::new(seed);
            let (x, w) = (random.tensor(&case.x(), dtype)?, random.tensor(&case.w(), dtype)?);
            let bias = random.tensor(&[case.out_channels], dtype)?;
            let mut wanted = forward(&case, &x, &w, Some(&bias))?;
            let what = format!("{case:?} of {dtype:?}");
            let convolution = case.convolution();
            wanted.expect(&convolution.apply(&x, &w, Some(&bias))?, DType::F32, &what)?;
            wanted.relu();
            wanted.expect(
                &convolution.relu(true).apply(&x, &w, Some(&bias))?,
                DType::F32,
                &what,
            )?;
            let mut plain = forward(&case, &x, &w, None)?;
            plain.relu();
            plain.expect(&convolution.relu(true).apply(&x, &w, None)?, DType::F32, &what)?;
        }
    }
    Ok(())
}

/// candle's own convolution rounds a sum to bf16 before the bias is added, and again afterwards. The bound of these
/// tests must allow both roundings. In this test the bias nearly cancels the sum. So the error of the first rounding,
/// which is relative to the sum, is large compared with the result.
#[test]
fn the_bound_allows_a_sum_that_is_rounded_before_its_bias_and_no_more() -> Result<()> {
    let case = Case::new(2, [4, 6], &[7], &[3]).transposed(1).stride(2);
    let mut random = Random::new(2);
    let mut tensor = |shape: &[usize]| random.tensor(shape, DType::BF16);
    let (x, w) = (tensor(&case.x())?, tensor(&case.w())?);
    let bias = tensor(&[case.out_channels])?;
    let wanted = forward(&case, &x, &w, Some(&bias))?;
    let (x, w) = (x.to_dtype(DType::F32)?, w.to_dtype(DType::F32)?);
    let sum = case.convolution().apply(&x, &w, None)?;
    let twice = |sum: &Tensor| {
        sum.to_dtype(DType::BF16)?.broadcast_add(&bias.reshape((1, case.out_channels, 1))?)
    };
    wanted.expect(&twice(&sum)?, DType::F32, "rounded twice")?;
    // These sums are wrong by three times the largest error of one rounding to bf16, which is more than the bound may
    // allow.
    let off = twice(&(sum * (1.0 + 3.0 / 256.0))?)?;
    let refused = catch_unwind(AssertUnwindSafe(|| wanted.expect(&off, DType::F32, "off")));
    assert!(refused.is_err(), "a bound that allows everything");
    Ok(())
}

#[test]
fn views_are_read_as_their_layouts_say() -> Result<()> {
    let mut random = Random::new(7);
    let case = Case::new(2, [3, 4], &[6, 5], &[3, 2]).padding(1);
    // `x` is a permuted view: the channels are its second dimension, but the last dimension in memory.
    let x = random.tensor(&[2, 6, 5, 3], DType::F32)?.permute((0, 3, 1, 2))?;
    // `w` is the middle part of a larger tensor.
    let w = random.tensor(&[4, 5, 3, 2], DType::F32)?.narrow(1, 1, 3)?;
    // `bias` consists of every second element of a larger tensor.
    let bias = random.tensor(&[4, 2], DType::F32)?.narrow(1, 1, 1)?.squeeze(1)?;
    let y = case.convolution().apply(&x, &w, Some(&bias))?;
    forward(&case, &x, &w, Some(&bias))?.expect(&y, DType::F32, "permuted and narrowed")?;
    // `x` is two images of a larger batch. `w` is broadcast: all its elements are the same element in memory.
    let x = random.tensor(&[5, 3, 6, 5], DType::F32)?.narrow(0, 2, 2)?;
    let w = random.tensor(&[1, 1, 1, 1], DType::F32)?.broadcast_as((4, 3, 3, 2))?;
    let y = case.convolution().apply(&x, &w, None)?;
    forward(&case, &x, &w, None)?.expect(&y, DType::F32, "an offset and strides of 0")?;
    // The kernel of a convolution over one dimension is a transposed view.
    let case = Case::new(2, [3, 4], &[6], &[3]);
    let x = random.tensor(&[2, 3, 6], DType::F32)?;
    let w = random.tensor(&[3, 4, 3], DType::F32)?.transpose(0, 1)?;
    let y = conv1d(&x, &w, 0, 1, 1, 1)?;
    forward(&case, &x, &w, None)?.expect(&y, DType::F32, "a transposed kernel")
}

#[test]
fn a_convolution_of_nothing_is_zero() -> Result<()> {
    let zeros = |shape: &[usize]| Tensor::zeros(shape, DType::F32, &Device::Cpu);
    let w = Tensor::ones((4, 3, 3, 3), DType::F32, &Device::Cpu)?;
    assert_eq!(conv2d(&zeros(&[0, 3, 8, 8])?, &w, 1, 1, 1, 1)?.dims(), [0, 4, 8, 8]);
    // Without input channels each output is a sum of no products, so it is 0.
    let y = conv2d(&zeros(&[2, 0, 8, 8])?, &zeros(&[4, 0, 3, 3])?, 1, 1, 1, 1)?;
    assert_eq!((y.dims(), y.sum_all()?.to_scalar::<f32>()?), (&[2, 4, 8, 8][..], 0.0));
    assert_eq!(
        conv2d(&zeros(&[2, 3, 8, 8])?, &zeros(&[0, 3, 3, 3])?, 0, 1, 1, 1)?.dims(),
        [2, 0, 6, 6]
    );
    // The input has no pixels, so all pixels are padding. The bias is added nevertheless.
    let bias = Tensor::full(2f32, 4, &Device::Cpu)?;
    let padded = atc_candle::Convolution::new(2).padding(2);
    let y = padded.apply(&zeros(&[1, 3, 0, 0])?, &w, Some(&bias))?;
    assert_eq!((y.dims(), y.sum_all()?.to_scalar::<f32>()?), (&[1, 4, 2, 2][..], 32.0));
    Ok(())
}

#[test]
fn threads_convolve_at_once() -> Result<()> {
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4)
            .map(|thread| {
                scope.spawn(move || {
                    (0..25).try_for_each(|round| {
                        // All threads run the same problems, but each thread in another order.
                        let seed = 5000 + (round * (thread + 1)) % 25;
                        check(&Case::random(&mut Random::new(seed)), seed, DType::F32)
                    })
                })
            })
            .collect();
        threads.into_iter().try_for_each(|thread| thread.join().expect("no panic"))
    })
}

#[test]
fn other_types_are_left_to_candle() -> Result<()> {
    let mut cases = vec![
        Case::new(2, [4, 6], &[7, 6], &[3, 3]).padding(1).groups(2),
        Case::new(2, [4, 6], &[7], &[3]).transposed(1).stride(2).groups(2),
        Case::new(2, [4, 6], &[5, 4], &[3, 3]).transposed(1).stride(2).padding(1).groups(2),
    ];
    // The padding differs between the two ends, which candle does not support.
    for transposed in [false, true] {
        let mut uneven = Case::new(1, [2, 3], &[6, 5], &[3, 2]).stride(2);
        (uneven.low, uneven.high, uneven.transposed) = (vec![1, 0], vec![2, 1], transposed);
        cases.push(uneven);
    }
    for (seed, case) in cases.iter().enumerate() {
        let mut random = Random::new(seed as u64);
        let (x, w) = (random.tensor(&case.x(), DType::F64)?, random.tensor(&case.w(), DType::F64)?);
        let y = case.convolution().apply(&x, &w, None)?;
        assert_eq!(y.dims(), case.y(), "{case:?}");
        forward(case, &x, &w, None)?.expect(&y, DType::F64, &format!("{case:?}"))?;
    }
    Ok(())
}
