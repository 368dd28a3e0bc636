//! Handles that are created and destroyed leak no memory.
//!
//! Without the test harness, because `mallinfo2` reports the main arena, which only the main thread is sure to use.
#![allow(missing_docs)]

#[path = "support/mod.rs"]
mod support;

use std::ops::ControlFlow;

use atc::{Device, Operand, Operands, Plan, PlanOptions, Problem, Settings, Store, Tensor, Tuner};
use support::Folder;

/// The number of rounds before the measurement. They fill caches and tables that are made at first
/// use.
const WARM_UP: usize = 50;
const ROUNDS: usize = 400;

/// Less than the smallest thing that could be lost in each round: an allocation of the C library is 32
/// bytes at least (16 of data, its header, rounded up to the alignment).
const MOST: usize = ROUNDS * 32;

fn main() {
    let folder = Folder::new("leaks");
    let problem = Problem::conv2d(1, 3, 8, 8, 4).kernel(3).padding(1);
    let refused = problem.stride(0);
    let x = Tensor::<f32>::ones(&problem, Operand::X).unwrap();
    let w = Tensor::<f32>::ones(&problem, Operand::W).unwrap();
    let mut y = Tensor::<f32>::zeros(&problem, Operand::Y).unwrap();
    let report = Tuner::new(Device::Cpu).run(&[problem]).unwrap();
    assert_eq!(report.problems[0].error, None);

    check("a plan that runs", || {
        let mut plan = Plan::new(Device::Cpu, &problem).unwrap();
        plan.execute(Operands::forward(&x, &w, &mut y)).unwrap();
        plan.candidates().unwrap();
    });
    check("a plan with packed weights", || {
        let options = PlanOptions::new().constant_weights(true);
        let mut plan = Plan::with_options(Device::Cpu, &problem, &options).unwrap();
        plan.set_weights(&w).unwrap();
    });
    check("a plan that is refused", || {
        Plan::new(Device::Cpu, &refused).unwrap_err();
    });
    check("a report", || {
        let run =
            Tuner::new(Device::Cpu).on_progress(|_| ControlFlow::Continue(())).run(&[problem]);
        assert_eq!(run.unwrap().problems.len(), 1);
    });
    check("a guard", || {
        let _guard = Settings::scoped(|settings| settings.benchmark_limit_cudnn = 3).unwrap();
    });
    check("a store", || {
        let store = Store::open(folder.path()).unwrap();
        store.export().unwrap();
        store.get(Device::Cpu, &problem, &PlanOptions::new()).unwrap();
        Store::merge(&[b"no bundle"]).unwrap_err();
    });
    check("a log sink", || {
        let text = String::from("owned by the closure");
        atc::log::set_sink(move |_, line| eprintln!("{text}: {line}")).unwrap();
        atc::log::clear_sink().unwrap();
    });
}

fn check(what: &str, mut round: impl FnMut()) {
    (0..WARM_UP).for_each(|_| round());
    let before = in_use();
    (0..ROUNDS).for_each(|_| round());
    let grown = in_use().saturating_sub(before);
    println!("{what}: {grown} bytes more after {ROUNDS} rounds");
    assert!(grown < MOST, "{what}: {grown} bytes more after {ROUNDS} rounds, {MOST} allowed");
}

/// Returns the bytes that the allocator has handed out and not got back.
fn in_use() -> usize {
    // SAFETY: takes nothing and returns a struct of numbers.
    let info = unsafe { libc::mallinfo2() };
    info.uordblks + info.hblkhd
}
