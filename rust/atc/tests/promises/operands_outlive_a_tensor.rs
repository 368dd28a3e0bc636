// Must not compile: operands borrow all their tensors, but here the bias is dropped before the operands.
use atc::{Operands, Tensor};

fn main() {
    let x = Tensor::from_vec(vec![0.0f32; 4], &[1, 1, 4]).unwrap();
    let w = Tensor::from_vec(vec![1.0f32], &[1, 1, 1]).unwrap();
    let mut y = x.clone();
    let operands = {
        let bias = vec![0.0f32];
        Operands::forward(&x, &w, &mut y).bias(&bias)
    };
    drop(operands);
}
