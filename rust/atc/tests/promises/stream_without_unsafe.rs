// Must not compile: work on a stream can outlive the borrows of its operands, so the call needs `unsafe`.
use atc::{Device, Operands, Plan, Problem, Tensor};

fn main() {
    let mut plan = Plan::new(Device::Cpu, &Problem::conv1d(1, 1, 4, 1)).unwrap();
    let x = Tensor::from_vec(vec![0.0f32; 4], &[1, 1, 4]).unwrap();
    let mut y = x.clone();
    plan.execute_on_stream(Operands::forward(&x, &x, &mut y), std::ptr::null_mut()).unwrap();
}
