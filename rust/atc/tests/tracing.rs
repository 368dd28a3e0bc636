//! Tests the feature `tracing`: the spans and events that tuning runs, plans and the log emit.
#![allow(missing_docs)]

use std::fmt::Debug;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use atc::log::{self, Level};
use atc::{Device, Plan, Problem, Tuner};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// A subscriber of `tracing` that records each span and each event as a line of text. A line has
/// the level, the target, the name of the span (empty for an event) and the fields.
#[derive(Clone, Default)]
struct Notes(Arc<Mutex<Vec<String>>>);

struct Fields<'a>(&'a mut String);

impl Visit for Fields<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        *self.0 += &format!(" {field}={value:?}");
    }
}

impl Notes {
    fn note(&self, metadata: &Metadata<'_>, name: &str, record: impl FnOnce(&mut Fields<'_>)) {
        let mut line = format!("{} {} {name}", metadata.level(), metadata.target());
        record(&mut Fields(&mut line));
        self.0.lock().unwrap().push(line);
    }
}

impl Subscriber for Notes {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("atc::")
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let metadata = span.metadata();
        self.note(metadata, metadata.name(), |fields| span.record(fields));
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        self.note(event.metadata(), "", |fields| event.record(fields));
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

#[test]
fn runs_plans_and_lines_of_the_log_are_told() -> atc::Result<()> {
    let notes = Notes::default();
    // The subscriber is set for all threads of the process, because libatc may also log on threads
    // of its own.
    tracing::subscriber::set_global_default(notes.clone()).expect("the only subscriber");
    let problem = Problem::conv1d(1, 1, 97, 1).kernel(3);
    log::to_tracing()?;
    log::set_level(Level::Warning)?;
    Tuner::new(Device::Cpu).engines_allowed(["reference"]).run(&[problem, problem.stride(2)])?;
    Tuner::new(Device::Cpu).total_budget(Duration::ZERO).run(&[problem.stride(3)])?;
    Plan::new(Device::Cpu, &problem)?;
    log::clear_sink()?;

    let seen = notes.0.lock().unwrap();
    let expect = |start: &str, parts: &[&str]| {
        let found = seen
            .iter()
            .any(|line| line.starts_with(start) && parts.iter().all(|part| line.contains(part)));
        assert!(found, "no {start:?} with {parts:?} in {seen:#?}");
    };
    expect("INFO atc::tune tune", &["device=cpu", "problems=2"]);
    expect("INFO atc::tune ", &["message=decided", "choice=\"reference@", "source=reference"]);
    expect("WARN atc::tune ", &["message=not decided", "stride 3", "budget"]);
    expect("WARN atc::log ", &["the slow reference runs"]);
    expect("DEBUG atc::plan plan", &["device=cpu", "kernel: [3]"]);
    expect("DEBUG atc::plan ", &["message=decided", "choice="]);
    Ok(())
}
