//! Compares gradients by atc with the definition of the gradients, and with candle's gradients.
#![allow(missing_docs)]

mod support;

use atc_candle::{conv_transpose2d, conv1d, conv2d};
use candle_core::{DType, Result, Tensor, Var};
use support::{Case, Random, gradients, values, variables};

/// Returns the gradients of the sum of `y`, weighted by `grad`.
fn of(y: &Tensor, grad: &Tensor, variables: &[&Var]) -> Result<Vec<Tensor>> {
    let store = (y * grad)?.sum_all()?.backward()?;
    let each = variables.iter().map(|variable| store.get(variable).expect("a gradient").clone());
    Ok(each.collect())
}

#[test]
fn gradients_of_random_problems_are_those_of_the_definition() -> Result<()> {
    for seed in 0..200 {
        let mut random = Random::new(9000 + seed);
        let case = Case::random(&mut random);
        let dtype = if seed % 4 == 3 { DType::BF16 } else { DType::F32 };
        let (x, w, grad) = variables(&case, &mut random, dtype)?;
        let found = of(&case.convolution().apply(&x, &w, None)?, &grad, &[&x, &w])?;
        let wanted = gradients(&case, &x, &w, &grad)?;
        for (found, wanted) in found.iter().zip(wanted) {
            wanted.expect(found, DType::F32, &format!("{case:?} of {dtype:?}"))?;
        }
    }
    Ok(())
}

#[test]
fn the_bias_and_relu_have_gradients() -> Result<()> {
    let mut random = Random::new(3);
    let case = Case::new(3, [4, 5], &[6, 7], &[3, 3]).padding(1).stride(2);
    let (x, w, grad) = variables(&case, &mut random, DType::F32)?;
    let bias = Var::from_tensor(&random.tensor(&[5], DType::F32)?)?;
    let y = case.convolution().relu(true).apply(&x, &w, Some(&bias))?;
    let found = of(&y, &grad, &[&x, &w, &bias])?;
    // No gradient passes through an output that the ReLU has set to zero.
    let passed = (&grad * y.gt(0f32)?.to_dtype(DType::F32)?)?;
    let [of_x, of_w] = gradients(&case, &x, &w, &passed)?;
    of_x.expect(&found[0], DType::F32, "x")?;
    of_w.expect(&found[1], DType::F32, "w")?;
    let mut of_bias = support::Sums::new(5);
    let row = 3 * 4;
    for (at, value) in values(&passed)?.iter().enumerate() {
        of_bias.add(at / row % 5, *value);
    }
    of_bias.expect(&found[2], DType::F32, "bias")
}

#[test]
fn gradients_are_candles() -> Result<()> {
    let run = |case: &Case,
               ours: &dyn Fn(&Tensor, &Tensor) -> Result<Tensor>,
               theirs: &dyn Fn(&Tensor, &Tensor) -> Result<Tensor>| {
        let (x, w, grad) = variables(case, &mut Random::new(11), DType::F32)?;
        let wanted = gradients(case, &x, &w, &grad)?;
        for y in [ours(&x, &w)?, theirs(&x, &w)?] {
            for (found, wanted) in of(&y, &grad, &[&x, &w])?.iter().zip(&wanted) {
                wanted.expect(found, DType::F32, &format!("{case:?}"))?;
            }
        }
        Ok::<(), candle_core::Error>(())
    };
    // The batch is 1, because candle 0.11.1 computes wrong gradients of one-dimensional kernels for larger batches
    // (huggingface/candle#3836).
    let case = Case::new(1, [4, 6], &[9], &[3]).padding(1).stride(2);
    run(&case, &|x, w| conv1d(x, w, 1, 2, 1, 1), &|x, w| x.conv1d(w, 1, 2, 1, 1))?;
    // The height equals the width, because candle computes the gradient of x by a transposed convolution and uses the
    // output padding of the height for the width, too.
    let case = Case::new(2, [4, 6], &[8, 8], &[3, 3]).padding(1).stride(2).groups(2);
    run(&case, &|x, w| conv2d(x, w, 1, 2, 1, 2), &|x, w| x.conv2d(w, 1, 2, 1, 2))?;
    let case = Case::new(1, [4, 2], &[7, 5], &[3, 5]).transposed(1).padding(1).stride(2);
    run(&case, &|x, w| conv_transpose2d(x, w, 1, 1, 2, 1), &|x, w| {
        x.conv_transpose2d(w, 1, 1, 2, 1)
    })
}

/// A convolution is linear in x and in the kernel. So if one element grows by 1, the result changes by the derivative,
/// apart from rounding.
#[test]
fn gradients_are_difference_quotients() -> Result<()> {
    let case = Case::new(1, [2, 2], &[4, 3], &[2, 2]).padding(1);
    let (x, w, grad) = variables(&case, &mut Random::new(17), DType::F32)?;
    let convolution = case.convolution();
    let y = convolution.apply(&x, &w, None)?;
    let found = of(&y, &grad, &[&x, &w])?;
    let before: f64 = values(&(&y * &grad)?)?.iter().sum();
    for (which, (variable, found)) in [&x, &w].into_iter().zip(&found).enumerate() {
        let at = variable.as_tensor();
        for (element, found) in values(found)?.iter().enumerate() {
            let mut step = vec![0f32; at.elem_count()];
            step[element] = 1.0;
            let moved = (at + Tensor::from_vec(step, at.dims(), at.device())?)?;
            let y = match which {
                0 => convolution.apply(&moved, &w, None)?,
                _ => convolution.apply(&x, &moved, None)?,
            };
            let after: f64 = values(&(&y * &grad)?)?.iter().sum();
            // `before` and `after` are sums of 40 outputs with weights below 1. An output is a sum of at most 8
            // products, each below 2. The bound is the sum of their rounding errors.
            let bound = 2.0 * 40.0 * 8.0 * 2.0 * 9.0 * 2f64.powi(-24);
            assert!((after - before - found).abs() < bound, "{which}, {element}");
        }
    }
    Ok(())
}

#[test]
fn a_part_of_a_variable_and_a_broadcast_gradient() -> Result<()> {
    let mut random = Random::new(23);
    let whole = Var::from_tensor(&random.tensor(&[1, 2, 4, 6], DType::F32)?)?;
    let weight = Var::from_tensor(&random.tensor(&[3, 4, 1, 1], DType::F32)?)?;
    let (x, kernel) = (whole.narrow(3, 1, 4)?, weight.narrow(1, 1, 2)?);
    // The gradient that `sum_all` passes back is 1 for each element of y.
    let store = conv2d(&x, &kernel, 0, 2, 1, 1)?.sum_all()?.backward()?;
    let case = Case::new(1, [2, 3], &[4, 4], &[1, 1]).stride(2);
    let ones = Tensor::ones(case.y(), DType::F32, x.device())?;
    let [of_x, of_w] = gradients(&case, &x, &kernel, &ones)?;
    let found = |variable: &Var| store.get(variable).expect("a gradient").clone();
    of_x.expect(&found(&whole).narrow(3, 1, 4)?, DType::F32, "x")?;
    of_w.expect(&found(&weight).narrow(1, 1, 2)?, DType::F32, "w")?;
    assert_eq!(found(&whole).narrow(3, 5, 1)?.abs()?.sum_all()?.to_scalar::<f32>()?, 0.0);
    // An empty batch: the gradients are zeros or have no elements.
    let nothing = Var::zeros((0, 2, 4, 4), DType::F32, x.device())?;
    let store = conv2d(&nothing, &kernel, 0, 2, 1, 1)?.sum_all()?.backward()?;
    assert_eq!(store.get(&nothing).expect("a gradient").dims(), [0, 2, 4, 4]);
    let of_weight = store.get(&weight).expect("a gradient").abs()?.sum_all()?;
    assert_eq!(of_weight.to_scalar::<f32>()?, 0.0);
    Ok(())
}
