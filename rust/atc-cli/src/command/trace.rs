//! `atc trace`.

use std::fs;

use crate::cli::{TraceArgs, TraceRows};
use crate::failure::{Failure, Outcome, Result};
use crate::look::Look;
use crate::output;
use crate::trace::{Kind, Trace};

pub fn run(args: &TraceArgs) -> Result<Outcome> {
    let kind = match args.by {
        TraceRows::Problem => Kind::Problem,
        TraceRows::Choice => Kind::Choice,
    };
    let look = Look::of_output(args.tables.wide);
    for (index, file) in args.files.iter().enumerate() {
        let name = file.display().to_string();
        let text = fs::read_to_string(file)
            .map_err(|error| Failure::new(format!("{name}: cannot be read: {error}")))?;
        let trace = Trace::parse(&name, &text)?;
        if args.files.len() > 1 {
            let gap = if index == 0 { "" } else { "\n" };
            output::print(&output::printable(&format!("{gap}{name}\n")))?;
        }
        output::print(&trace.table(kind, look))?;
    }
    Ok(Outcome::Done)
}
