// Must not compile: a view for reading cannot be the output.
use atc::{Operands, Tensor, TensorView};

fn main() {
    let x = Tensor::from_vec(vec![0.0f32; 4], &[1, 1, 4]).unwrap();
    let mut y = TensorView::new(&[0.0f32; 4], &[1, 1, 4]).unwrap();
    let operands = Operands::forward(&x, &x, &mut y);
    drop(operands);
}
