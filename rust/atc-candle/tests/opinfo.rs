//! Runs the convolutions (samples) with which PyTorch's own tests (OpInfo) test its convolution functions. Compares
//! results and gradients with the definition of a convolution. opinfo/make.py has written the samples to
//! opinfo/cases.txt.
#![allow(missing_docs)]

mod support;

use candle_core::{DType, Result, Var};
use support::{Case, Random, forward, gradients, variables};

/// Returns the convolutions of opinfo/cases.txt, each with a flag that is true if the convolution has a bias.
fn cases() -> Vec<(Case, bool)> {
    let lines = include_str!("opinfo/cases.txt").lines().filter(|line| !line.starts_with('#'));
    lines.map(parsed).collect()
}

fn parsed(line: &str) -> (Case, bool) {
    let fields: Vec<&str> = line.split(' ').collect();
    let [function, x, w, bias, stride, low, high, dilation, groups, output_padding] = fields[..]
    else {
        panic!("{line:?} has {} fields", fields.len());
    };
    let list = |text: &str| -> Vec<usize> {
        text.split(',').map(|number| number.parse().expect("a number")).collect()
    };
    let (x, w, groups) = (list(x), list(w), list(groups)[0]);
    let transposed = function.starts_with("conv_transpose");
    let case = Case {
        transposed,
        batch: x[0],
        in_channels: x[1],
        out_channels: if transposed { w[1] * groups } else { w[0] },
        groups,
        input: x[2..].to_vec(),
        kernel: w[2..].to_vec(),
        stride: list(stride),
        dilation: list(dilation),
        low: list(low),
        high: list(high),
        output_padding: list(output_padding),
    };
    assert_eq!((case.x(), case.w()), (x, w), "{line:?}");
    (case, bias != "-")
}

fn check(case: &Case, has_bias: bool, dtype: DType) -> Result<()> {
    let mut random = Random::new(47);
    let (x, w, grad) = variables(case, &mut random, dtype)?;
    let bias = Var::from_tensor(&random.tensor(&[case.out_channels], dtype)?)?;
    let bias = has_bias.then_some(&bias);
    let what = format!("{case:?} of {dtype:?}");
    // The type in which sums are computed, for the bound of the error: f32 for tensors of f32 and bf16. For tensors of
    // f16 it is f16: if no engine of atc supports a convolution of f16, candle runs it, and computes parts of the sums
    // in f16.
    let accumulator = if dtype == DType::BF16 { DType::F32 } else { dtype };
    let y = case.convolution().apply(&x, &w, bias.map(Var::as_tensor))?;
    assert_eq!(y.dims(), case.y(), "{what}");
    forward(case, &x, &w, bias.map(Var::as_tensor))?.expect(&y, accumulator, &what)?;
    if dtype != DType::F32 {
        return Ok(());
    }
    let store = (&y * &grad)?.sum_all()?.backward()?;
    for (variable, wanted) in [&x, &w].into_iter().zip(gradients(case, &x, &w, &grad)?) {
        let found = store.get(variable).expect("a gradient");
        wanted.expect(found, dtype, &format!("gradient, {what}"))?;
    }
    Ok(())
}

#[test]
fn the_samples_of_pytorchs_own_tests() -> Result<()> {
    let cases = cases();
    assert!(cases.len() >= 40, "only {} cases", cases.len());
    for dims in 1..=3 {
        for transposed in [false, true] {
            let of_kind = |case: &Case| case.input.len() == dims && case.transposed == transposed;
            assert!(cases.iter().any(|(case, _)| of_kind(case)), "{dims}, {transposed}");
        }
    }
    for (case, has_bias) in &cases {
        for dtype in [DType::F32, DType::BF16, DType::F16] {
            check(case, *has_bias, dtype)?;
        }
    }
    Ok(())
}
