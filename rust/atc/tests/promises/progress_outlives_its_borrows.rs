// Must not compile: a tuner keeps its closure, so data that the closure borrows must live longer.
use std::ops::ControlFlow;

fn main() {
    let mut tuner = {
        let mut seen = 0;
        atc::Tuner::new(atc::Device::Cpu).on_progress(|_| {
            seen += 1;
            ControlFlow::Continue(())
        })
    };
    tuner.run(&[]).unwrap();
}
