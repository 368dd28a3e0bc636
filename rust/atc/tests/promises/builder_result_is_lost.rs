// Must not compile: a method of a builder returns a changed copy, and here this copy is not used.
#![deny(unused_must_use)]

use atc::{Device, PlanOptions, Problem, Tuner};

fn main() {
    let problem = Problem::conv2d(1, 3, 8, 8, 4);
    problem.kernel(3);
    PlanOptions::new().tune(true);
    Tuner::new(Device::Cpu).retune(true);
    problem.spec();
}
