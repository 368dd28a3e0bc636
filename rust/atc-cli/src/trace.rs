//! Reads the JSON of a trace, and shows it as a table.

use serde::Deserialize;

use crate::failure::{Failure, Result};
use crate::file_kind;
use crate::look::Look;
use crate::table::{Column, Table};
use crate::units;

/// The version of traces that this program can read. A trace file has its version in the member
/// `atc`.
const VERSION: u32 = 1;

/// The contents of the member `atc` of a trace file. The other members of the file are for the
/// viewer Perfetto.
#[derive(Debug, Deserialize)]
pub struct Trace {
    seconds: f64,
    rows: Vec<Row>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    Problem,
    Choice,
    Total,
}

#[derive(Debug, Deserialize)]
struct Row {
    kind: Kind,
    #[serde(default)]
    device: String,
    #[serde(default)]
    problem: String,
    #[serde(default)]
    choice: String,
    calls: u64,
    timed: u64,
    #[serde(flatten)]
    times: Option<Times>,
}

/// Statistics of the times of a row's calls, in seconds. A row has no statistics if none of its
/// calls was timed.
#[derive(Debug, Clone, Copy, Deserialize)]
struct Times {
    total: f64,
    mean: f64,
    median: f64,
    p99: f64,
    min: f64,
    max: f64,
    deviation: f64,
}

impl Trace {
    /// Reads the text of a trace file. `name` names the file in errors.
    pub fn parse(name: &str, text: &str) -> Result<Self> {
        #[derive(Deserialize)]
        struct Version {
            version: u32,
        }
        #[derive(Deserialize)]
        struct File<T> {
            atc: T,
        }
        let wrong = |error: serde_json::Error| {
            Failure::new(match file_kind::told(text) {
                Some(kind) => format!("{name}: no trace: {kind}"),
                None => format!("{name}:{}: no JSON of a trace by atc: {error}", error.line()),
            })
        };
        let file: File<Version> = serde_json::from_str(text).map_err(wrong)?;
        if file.atc.version != VERSION {
            return Err(Failure::new(format!(
                "{name}: a trace of version {}, this atc reads version {VERSION}: use the atc that wrote it",
                file.atc.version
            )));
        }
        serde_json::from_str(text).map(|file: File<Self>| file.atc).map_err(wrong)
    }

    /// Returns a table of the rows of this kind (one row for each problem, or one for each choice),
    /// with the total at the end.
    pub fn table(&self, kind: Kind, look: Look) -> String {
        let mut columns = vec![
            Column::number("share"),
            Column::number("calls"),
            Column::number("timed").left_out(4),
            Column::number("average"),
            Column::number("median"),
            Column::number("p99").left_out(5),
            Column::number("min").left_out(2),
            Column::number("max").left_out(1),
            Column::number("deviation").left_out(3),
            Column::new("device").left_out(6),
            Column::new("choice").shortened(16),
        ];
        if kind == Kind::Problem {
            columns.push(Column::new("problem").shortened(24));
        }
        let mut table = Table::new(&columns);
        let all = self.rows.iter().find(|row| row.kind == Kind::Total);
        let total = all.and_then(|row| row.times).map_or(0.0, |times| times.total);
        for row in self.rows.iter().filter(|row| row.kind == kind).chain(all) {
            table.row(cells(row, total));
        }
        let calls = all.map_or(0, |row| row.calls);
        format!("{}{} in {:.3} s\n", table.draw(look), units::count(calls, "call"), self.seconds)
    }
}

fn cells(row: &Row, total: f64) -> Vec<String> {
    let of = |figure: fn(&Times) -> f64| match &row.times {
        Some(times) => units::time(figure(times)),
        None => "-".to_owned(),
    };
    let or_all = |text: &str| if text.is_empty() { "all".to_owned() } else { text.to_owned() };
    let share = match &row.times {
        Some(times) if total > 0.0 => format!("{:.1} %", 100.0 * times.total / total),
        _ => "-".to_owned(),
    };
    vec![
        share,
        row.calls.to_string(),
        row.timed.to_string(),
        of(|times| times.mean),
        of(|times| times.median),
        of(|times| times.p99),
        of(|times| times.min),
        of(|times| times.max),
        of(|times| times.deviation),
        or_all(&row.device),
        or_all(&row.choice),
        or_all(&row.problem),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = r#"{
        "baseTimeNanoseconds": 1, "traceEvents": [{"ph": "X", "name": "a"}],
        "atc": {"version": 1, "process": 7, "seconds": 1.5, "rows": [
          {"kind": "problem", "device": "cpu", "problem": "forward x=1", "choice": "a@1:c", "calls": 4,
           "timed": 4, "total": 3e-3, "mean": 75e-5, "median": 7e-4, "p90": 8e-4, "p99": 9e-4,
           "min": 6e-4, "max": 1e-3, "deviation": 1e-4},
          {"kind": "problem", "device": "cuda:0", "problem": "p\u001b[31m", "choice": "libtorch", "calls": 2,
           "timed": 0},
          {"kind": "choice", "device": "cpu", "choice": "a@1:c", "calls": 4, "timed": 4, "total": 3e-3,
           "mean": 75e-5, "median": 7e-4, "p90": 8e-4, "p99": 9e-4, "min": 6e-4, "max": 1e-3,
           "deviation": 1e-4},
          {"kind": "total", "calls": 6, "timed": 4, "total": 3e-3, "mean": 75e-5, "median": 7e-4,
           "p90": 8e-4, "p99": 9e-4, "min": 6e-4, "max": 1e-3, "deviation": 1e-4}]}}"#;

    #[test]
    fn a_trace_has_a_row_for_each_problem_and_their_sum() {
        let trace = Trace::parse("t.json", FILE).unwrap();
        assert_eq!(
            trace.table(Kind::Problem, Look::Lines),
            "share\tcalls\ttimed\taverage\tmedian\tp99\tmin\tmax\tdeviation\tdevice\tchoice\tproblem\n\
             100.0 %\t4\t4\t750.0 µs\t700.0 µs\t900.0 µs\t600.0 µs\t1.000 ms\t100.0 µs\tcpu\ta@1:c\tforward x=1\n\
             -\t2\t0\t-\t-\t-\t-\t-\t-\tcuda:0\tlibtorch\tp\u{fffd}[31m\n\
             100.0 %\t6\t4\t750.0 µs\t700.0 µs\t900.0 µs\t600.0 µs\t1.000 ms\t100.0 µs\tall\tall\tall\n\
             6 calls in 1.500 s\n"
        );
        let by_choice = trace.table(Kind::Choice, Look::Lines);
        assert_eq!(by_choice.lines().count(), 4, "{by_choice}");
        assert!(!by_choice.contains("problem"), "{by_choice}");
    }

    #[test]
    fn other_files_are_refused_with_their_place() {
        for (text, words) in [
            ("", "t.json:1"),
            ("{}", "missing field `atc`"),
            ("{\"atc\": {\"version\": 2}}", "version 2"),
            ("{\"atc\": {\"version\": 1, \"seconds\": 1}}", "missing field `rows`"),
            ("share calls", "no JSON of a trace"),
            (
                r#"{"schema": "atc-tune", "atc": "0.1.0"}"#,
                "t.json: no trace: this is a result of atc tune",
            ),
            (r#"{"schema": "atc-compare"}"#, "a result of atc compare"),
            (r#"{"schema": 1, "pins": []}"#, "which atc pins check reads"),
        ] {
            let error = Trace::parse("t.json", text).unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
        }
    }
}
