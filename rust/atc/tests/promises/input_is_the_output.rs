// Must not compile: the same tensor cannot be an input and the output of one call.
use atc::{Operands, Tensor};

fn main() {
    let mut x = Tensor::from_vec(vec![0.0f32; 4], &[1, 1, 4]).unwrap();
    let w = Tensor::from_vec(vec![1.0f32], &[1, 1, 1]).unwrap();
    let operands = Operands::forward(&x, &w, &mut x);
    drop(operands);
}
