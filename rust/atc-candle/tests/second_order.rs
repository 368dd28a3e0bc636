//! Tests gradients of gradients. candle makes gradients differentiable only if an environment variable is set. Each
//! thread reads the variable only once, so this test has a process of its own.
#![allow(missing_docs)]

mod support;

use candle_core::{DType, Result, Var};
use support::{Case, Random, forward, gradients, variables};

#[test]
fn gradients_have_gradients() -> Result<()> {
    // SAFETY: no other thread reads the environment: this is the only test of the process, and candle has not started
    // threads yet.
    unsafe { std::env::set_var("CANDLE_GRAD_DO_NOT_DETACH", "1") };
    for (seed, case) in [
        Case::new(2, [4, 6], &[6, 5], &[3, 2]).padding(1).stride(2).groups(2),
        Case::new(2, [4, 3], &[5], &[3]).transposed(1).stride(2),
    ]
    .iter()
    .enumerate()
    {
        let mut random = Random::new(seed as u64);
        let (x, w, a) = variables(case, &mut random, DType::F32)?;
        let a = Var::from_tensor(&a)?;
        let (b, c) = (random.tensor(&case.x(), DType::F32)?, random.tensor(&case.w(), DType::F32)?);
        let y = case.convolution().apply(&x, &w, None)?;
        let first = (&y * a.as_tensor())?.sum_all()?.backward()?;
        let of = |variable: &Var| first.get(variable).expect("a gradient").clone();

        // `a` is the gradient of y. The gradient of x is the backward-data convolution of w and a. Its own gradients
        // (of w and of a) are a backward-weight convolution and a forward convolution.
        let second = (of(&x) * &b)?.sum_all()?.backward()?;
        let found = |variable: &Var| second.get(variable).expect("a gradient");
        let [_, of_w] = gradients(case, &b, &w, &a)?;
        of_w.expect(found(&w), DType::F32, "w by x")?;
        forward(case, &b, &w, None)?.expect(found(&a), DType::F32, "a by x")?;

        // `a` is the gradient of y. The gradient of w is the backward-weight convolution of x and a. Its own gradients
        // (of x and of a) are a backward-data convolution and a forward convolution.
        let second = (of(&w) * &c)?.sum_all()?.backward()?;
        let found = |variable: &Var| second.get(variable).expect("a gradient");
        let [of_x, _] = gradients(case, &x, &c, &a)?;
        of_x.expect(found(&x), DType::F32, "x by w")?;
        forward(case, &x, &c, None)?.expect(found(&a), DType::F32, "a by w")?;
    }
    Ok(())
}
