//! Tests the trace of the process: its rows, its table and its file.
#![allow(missing_docs)]

mod support;

use atc::trace::{self, Options, RowKind};
use atc::{Device, ErrorKind, Operand, Operands, Plan, Problem, Tensor};
use support::{Folder, alone};

fn run(calls: usize) -> String {
    let problem = Problem::conv2d(1, 3, 8, 8, 4).kernel(3);
    let x = Tensor::<f32>::ones(&problem, Operand::X).unwrap();
    let w = Tensor::<f32>::ones(&problem, Operand::W).unwrap();
    let mut y = Tensor::<f32>::zeros(&problem, Operand::Y).unwrap();
    let mut plan = Plan::new(Device::Cpu, &problem).unwrap();
    for _ in 0..calls {
        plan.execute(Operands::forward(&x, &w, &mut y)).unwrap();
    }
    plan.choice().unwrap().to_owned()
}

#[test]
fn a_trace_has_its_rows() {
    let _alone = alone();
    trace::start(&Options::new().sample_every(4)).unwrap();
    let choice = run(10);
    let trace = trace::stop().unwrap();
    let rows = trace.rows().unwrap();
    let kinds: Vec<_> = rows.iter().map(|row| row.kind).collect();
    assert_eq!(kinds, RowKind::ALL);
    assert_eq!(rows[0].device, Some(Device::Cpu));
    assert_eq!(rows[2].device, None);
    assert!(rows[0].problem.starts_with("forward x=1x3x8x8"), "{:?}", rows[0]);
    assert_eq!((rows[0].choice.as_str(), rows[1].choice.as_str()), (&*choice, &*choice));
    for row in &rows {
        assert_eq!(row.calls, 10);
        let times = row.times.unwrap();
        // every fourth call is timed: the first, the fifth and the ninth of the ten calls
        assert_eq!(times.timed, 3);
        assert!(times.min > 0.0 && times.min <= times.median && times.median <= times.max);
        assert!((times.total - 10.0 * times.mean).abs() < 1e-9 * times.total);
    }
    let table = trace.table().unwrap();
    assert!(
        table.starts_with("Calls of convolutions: 10 in") && table.contains(&choice),
        "{table}"
    );
}

#[test]
fn nothing_traced_has_no_times() {
    let _alone = alone();
    trace::start(&Options::new()).unwrap();
    let rows = trace::stop().unwrap().rows().unwrap();
    assert_eq!(rows.len(), 1);
    assert_eq!((rows[0].kind, rows[0].calls, rows[0].times), (RowKind::Total, 0, None));
}

#[test]
fn there_is_one_trace_at_a_time() {
    let _alone = alone();
    trace::start(&Options::new()).unwrap();
    let error = trace::start(&Options::new()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Busy);
    assert!(error.message().contains("stop it"), "{error}");
    trace::stop().unwrap();
    let error = trace::stop().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    assert!(error.message().contains("start one"), "{error}");
}

#[test]
fn a_trace_writes_its_file() {
    let _alone = alone();
    let folder = Folder::new("trace");
    trace::start(&Options::new().file(folder.path().join("t.%p.json"))).unwrap();
    run(3);
    let trace = trace::stop().unwrap();
    let file = folder.path().join(format!("t.{}.json", std::process::id()));
    assert_eq!(std::fs::read_to_string(file).unwrap(), trace.json().unwrap());

    for (file, kind) in [
        (folder.path().join("%x"), ErrorKind::InvalidArgument),
        (folder.path().join("a\0b"), ErrorKind::InvalidArgument),
        (folder.path().join("missing/t.json"), ErrorKind::Io),
        (folder.path().to_owned(), ErrorKind::Io),
    ] {
        let error = trace::start(&Options::new().file(&file)).unwrap_err();
        assert_eq!(error.kind(), kind, "{error}");
    }
}
