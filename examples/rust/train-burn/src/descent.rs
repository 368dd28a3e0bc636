//! Plain gradient descent.

use burn::module::{ModuleMapper, Param};
use burn::tensor::{Gradients, Tensor};

/// Plain gradient descent: visits each weight of a burn module and subtracts rate * gradient from it.
pub struct Descent {
    pub gradients: Gradients,
    pub rate: f64,
}

impl ModuleMapper for Descent {
    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        param.map(|weight| match weight.grad_remove(&mut self.gradients) {
            Some(gradient) => {
                let moved = weight.inner() - gradient.mul_scalar(self.rate);
                Tensor::from_inner(moved).require_grad()
            }
            None => weight,
        })
    }
}
