// Must not compile: a running plan is borrowed exclusively, so two threads cannot run it at once.
use atc::{AsTensorMut, Device, Operands, Plan, Problem, Tensor};

fn main() {
    let problem = Problem::conv1d(1, 1, 4, 1);
    let mut plan = Plan::new(Device::Cpu, &problem).unwrap();
    let x = Tensor::from_vec(vec![0.0f32; 4], &[1, 1, 4]).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let mut y = x.clone();
                plan.execute(Operands::forward(&x, &x, &mut y.as_tensor_mut())).unwrap();
            });
        }
    });
}
