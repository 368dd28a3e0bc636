// Must not compile: a builder's method returns a new value, which must be used.
#![deny(unused_must_use)]

use atc::{Device, PlanOptions, Problem, Tuner};

fn main() {
    let problem = Problem::conv2d(1, 3, 8, 8, 4);
    problem.kernel(3);
    PlanOptions::new().tune(true);
    Tuner::new(Device::Cpu).retune(true);
    problem.spec();
}
