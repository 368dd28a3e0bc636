//! Tests that no memory is leaked if plans, stores, reports and other objects are created and dropped again and again.
//!
//! The test does not use Rust's test harness, because the harness runs tests on other threads. `mallinfo2` of the C
//! library reports only the memory of malloc's main arena, and only of the main thread it is certain that it uses this
//! arena.
#![allow(missing_docs)]

#[path = "support/mod.rs"]
mod support;

use std::ops::ControlFlow;

use atc::{Device, Operand, Operands, Plan, PlanOptions, Problem, Settings, Store, Tensor, Tuner};
use support::Folder;

/// The number of rounds before the measurement begins. Each round creates and drops an object. The first rounds also
/// fill caches and tables, which are no leaks.
const WARM_UP: usize = 50;
const ROUNDS: usize = 400;

/// The used memory must grow by less than this number of bytes during the `ROUNDS` measured rounds. An allocation of
/// the C library takes at least 32 bytes. So the growth reaches this number if every round leaks one allocation.
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

/// Returns the number of bytes that are allocated and not freed.
fn in_use() -> usize {
    // SAFETY: the function takes no arguments and returns a struct of numbers.
    let info = unsafe { libc::mallinfo2() };
    info.uordblks + info.hblkhd
}
