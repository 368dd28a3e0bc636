//! Tests that `atc trace` shows a trace file.

mod common;

use atc::trace::{self, Options};
use atc::{Device, Operand, Operands, Plan, Problem, Tensor};
use common::{Folder, atc, output};
use predicates::str::contains;

/// Runs a convolution `calls` times and writes a trace of these calls to `file`. A process can record only one trace at
/// a time, so a lock keeps the tests of this process apart.
fn trace(file: &std::path::Path, calls: usize) {
    static ALONE: std::sync::Mutex<()> = std::sync::Mutex::new(());
    let _alone = ALONE.lock();
    let problem = Problem::conv2d(1, 3, 8, 8, 4).kernel(3);
    let x = Tensor::<f32>::ones(&problem, Operand::X).unwrap();
    let w = Tensor::<f32>::ones(&problem, Operand::W).unwrap();
    let mut y = Tensor::<f32>::zeros(&problem, Operand::Y).unwrap();
    let mut plan = Plan::new(Device::Cpu, &problem).unwrap();
    trace::start(&Options::new().file(file)).unwrap();
    for _ in 0..calls {
        plan.execute(Operands::forward(&x, &w, &mut y)).unwrap();
    }
    trace::stop().unwrap();
}

#[test]
fn traces_of_programs_are_shown() {
    let folder = Folder::new();
    trace(&folder.path("a.json"), 3);
    trace(&folder.path("b.json"), 4);
    let shown = output(&mut folder.atc(&["trace", "a.json"]));
    let lines: Vec<_> = shown.lines().collect();
    assert_eq!(lines.len(), 4, "{shown}");
    assert!(lines[1].starts_with("100.0 %\t3\t3\t"), "{shown}");
    assert!(lines[1].contains("\tforward x=1x3x8x8"), "{shown}");
    assert!(lines[2].ends_with("\tall\tall\tall"), "{shown}");
    assert!(lines[3].starts_with("3 calls in "), "{shown}");

    let shown = output(&mut folder.atc(&["trace", "--by", "choice", "a.json", "b.json"]));
    let heads: Vec<_> = shown.lines().filter(|line| line.ends_with(".json")).collect();
    assert_eq!(heads, ["a.json", "b.json"]);
    assert!(shown.contains("\n4 calls in ") && !shown.contains("forward"), "{shown}");
}

#[test]
fn a_file_that_is_no_trace_is_an_error() {
    let folder = Folder::new();
    for (name, text) in [("a.json", "{}"), ("b.txt", "share  calls")] {
        folder.write(name, text);
        folder.atc(&["trace", name]).assert().code(1).stderr(contains(name)).stdout("");
    }
    folder.tuned();
    let result = folder.atc(&["trace", "out.json"]).assert().code(1).stdout("");
    result.stderr(contains("out.json: no trace: this is a result of atc tune, which atc report"));
    trace(&folder.path("trace.json"), 1);
    let reported = folder.atc(&["report", "trace.json", "-o", "x.html"]).assert().code(1);
    reported.stderr(contains("this is a trace of a program, which atc trace reads"));
    folder.atc(&["trace", "missing.json"]).assert().code(1).stderr(contains("missing.json"));
    atc().arg("trace").assert().code(2);
}
