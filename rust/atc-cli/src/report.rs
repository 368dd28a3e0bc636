//! The HTML report: one file that holds everything it shows.

mod chart;

use askama::Template;

use crate::comparison::{self, Comparison};
use crate::document::{Candidate, Document, Timing};
use crate::entries::Entry;
use crate::failure::{Failure, Result};
use crate::subject::{self, Subject, Totals};
use crate::table::Column;
use crate::units;

/// What the report is about.
pub struct Page {
    title: String,
    facts: Vec<(String, String)>,
    /// In place of the sums over all subjects, where those would say nothing.
    summary: Option<Vec<(String, String)>>,
    comparison: Vec<comparison::Row>,
    subjects: Vec<Subject>,
}

impl Page {
    pub fn of_run(document: &Document) -> Self {
        let device = &document.device;
        let facts = [
            ("atc", document.atc.clone()),
            ("command", document.command.clone()),
            ("date", document.date.clone()),
            ("device", format!("{} {}", device.device, device.name)),
            ("threads or SMs", device.compute_units.to_string()),
            ("instruction sets", device.isa.clone()),
            ("technique", document.technique.clone()),
            (
                "store",
                document.store.clone().unwrap_or_else(|| "none: nothing was kept".to_owned()),
            ),
            ("took", format!("{:.2} s", document.seconds)),
            ("cancelled", if document.cancelled { "yes".to_owned() } else { String::new() }),
        ];
        let facts = facts.into_iter().filter(|(_, value)| !value.is_empty());
        Self {
            title: "Tuned convolutions".to_owned(),
            facts: facts.map(|(label, value)| (label.to_owned(), value)).collect(),
            summary: None,
            comparison: Vec::new(),
            subjects: subject::of(document),
        }
    }

    /// Everything about every side: its candidates as those of a run.
    pub fn of_comparison(comparison: &Comparison) -> Self {
        let mut facts = Vec::new();
        if let Some(side) = comparison.sides.first() {
            let run = Self::of_run(&side.run);
            let kept = ["atc", "date", "device", "threads or SMs", "technique"];
            facts.extend(run.facts.into_iter().filter(|(label, _)| kept.contains(&label.as_str())));
        }
        let mut subjects = Vec::new();
        for ((label, side), own) in
            comparison.labels().iter().zip(&comparison.sides).zip(comparison.subjects())
        {
            facts.push((format!("cuDNN {label}"), side.file.clone()));
            facts.extend(side.remarks.iter().map(|remark| (String::new(), remark.clone())));
            subjects.extend(
                own.into_iter().map(|subject| Subject {
                    name: format!("{} ({label})", subject.name),
                    ..subject
                }),
            );
        }
        Self {
            title: "Compared cuDNN".to_owned(),
            facts,
            summary: Some(comparison::sums(comparison)),
            comparison: comparison::rows(comparison),
            subjects,
        }
    }

    pub fn of_store(directory: &str, entries: Vec<Entry>) -> Self {
        let facts = [("store", directory.to_owned()), ("decisions", entries.len().to_string())];
        Self {
            title: "Remembered convolutions".to_owned(),
            facts: facts.map(|(label, value)| (label.to_owned(), value)).into(),
            summary: None,
            comparison: Vec::new(),
            subjects: entries.into_iter().map(|entry| entry.subject).collect(),
        }
    }
}

/// The page as the template shows it: text only, which the template escapes.
#[derive(Template)]
#[template(path = "report.html")]
struct Html {
    title: String,
    facts: Vec<(String, String)>,
    summary: Vec<(String, String)>,
    comparison_header: [Column; 8],
    comparison: Vec<comparison::Row>,
    /// SVG; the chart library escapes the names in it.
    chart: String,
    chart_note: String,
    problems: Vec<Problem>,
}

struct Problem {
    name: String,
    count: String,
    choice: String,
    timed: String,
    time: String,
    default: String,
    gain: String,
    rate: String,
    source: String,
    details: Vec<(String, String)>,
    candidates: Vec<Row>,
}

struct Row {
    won: bool,
    is_default: bool,
    cells: Vec<String>,
    why: String,
}

/// The whole file.
pub fn render(page: Page) -> Result<String> {
    let (chart, chart_note) = chart::draw(&page.subjects)?;
    let html = Html {
        title: page.title,
        facts: page.facts,
        summary: page.summary.unwrap_or_else(|| summary(&page.subjects)),
        comparison_header: comparison::COLUMNS,
        comparison: page.comparison,
        chart,
        chart_note,
        problems: page.subjects.iter().map(problem).collect(),
    };
    html.render().map_err(|error| Failure::new(format!("the report cannot be written: {error}")))
}

fn summary(subjects: &[Subject]) -> Vec<(String, String)> {
    let decided = subjects.iter().filter(|subject| subject.decision.is_decided()).count();
    let mut lines =
        vec![("problems decided".to_owned(), format!("{decided} of {}", subjects.len()))];
    let totals = Totals::of(subjects);
    if let (Some(gain), Some(rate)) = (totals.gain(), totals.rate()) {
        lines.push((
            "convolutions, each as often as it occurs".to_owned(),
            totals.convolutions.to_string(),
        ));
        lines.push(("all of them, tuned".to_owned(), units::time(totals.time)));
        lines.push(("all of them, by default".to_owned(), units::time(totals.default_time)));
        lines.push(("gain".to_owned(), gain.claim()));
        lines.push(("GFLOP/s".to_owned(), units::rate(rate)));
    }
    if decided > 0 {
        lines.push(("certainty".to_owned(), totals.certainty()));
    }
    if let Some(noise) = totals.noise() {
        lines.push(("noise".to_owned(), noise));
    }
    lines
}

fn problem(subject: &Subject) -> Problem {
    let decision = &subject.decision;
    let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
    let mut details = subject.details.clone();
    let flags = [
        (decision.unstable, "provisional"),
        (decision.incomplete, "incomplete"),
        (decision.cancelled, "cancelled"),
        (decision.stored, "stored"),
    ];
    let flags: Vec<_> = flags.iter().filter(|(on, _)| *on).map(|(_, word)| *word).collect();
    for (label, value) in [
        ("flags", flags.join(", ")),
        ("why", decision.provisional().unwrap_or_else(|| decision.why.clone())),
        ("executions", decision.executions.to_string()),
        ("tuning took", units::time(decision.seconds)),
    ] {
        if !value.is_empty() {
            details.push((label.to_owned(), value));
        }
    }
    Problem {
        name: subject.name.clone(),
        count: subject.count.to_string(),
        choice: decision.told(),
        timed: decision.timed(),
        time: or_dash(decision.time().map(units::time)),
        default: or_dash(decision.default_time().map(units::time)),
        gain: or_dash(decision.gain().map(|gain| gain.range())),
        rate: or_dash(subject.rate().map(units::rate)),
        source: decision.source.clone(),
        details,
        candidates: decision
            .candidates
            .iter()
            .enumerate()
            .map(|(index, candidate)| Row {
                won: decision.winner == Some(index),
                is_default: decision.default == Some(index),
                cells: cells(candidate),
                why: candidate.reason.clone(),
            })
            .collect(),
    }
}

/// The cells between "outcome" and "why", in the order of the template's header.
fn cells(candidate: &Candidate) -> Vec<String> {
    let timed =
        |part: fn(&Timing) -> String| candidate.timing.as_ref().map_or("-".to_owned(), part);
    vec![
        format!("{}{}@{}", candidate.rewrites, candidate.engine, candidate.version),
        candidate.configuration.clone(),
        candidate.notes.clone(),
        outcome(candidate),
        units::bytes(candidate.workspace),
        timed(|timing| timing.samples.to_string()),
        candidate.executions.to_string(),
        timed(|timing| units::time(timing.mean)),
        timed(|timing| units::time(timing.median)),
        timed(|timing| units::time(timing.min)),
        timed(|timing| units::time(timing.max)),
        timed(|timing| units::time(timing.deviation)),
        timed(|timing| timing.clock_hz.map_or("-".to_owned(), |hz| format!("{:.0} MHz", hz / 1e6))),
        timed(|timing| timing.host.map_or("-".to_owned(), units::time)),
        candidate.launches.map_or("-".to_owned(), |launches| launches.to_string()),
    ]
}

/// "lost, timed in graphs, runs captured calls, imprecise"
fn outcome(candidate: &Candidate) -> String {
    let mut parts = vec![candidate.outcome.as_str()];
    if candidate.timing.is_some_and(|timing| timing.in_graph) {
        parts.push("timed in graphs");
    }
    if candidate.captured {
        parts.push("runs captured calls");
    }
    if candidate.imprecise {
        parts.push("imprecise");
    }
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::tests::{document, tuned};
    use crate::entries;

    const HOSTILE: &str = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\"'&";

    #[test]
    fn hostile_text_is_shown_and_never_obeyed() {
        let mut problem = tuned(HOSTILE, 1, &[0.002, 0.001], 1);
        problem.decision.choice = HOSTILE.to_owned();
        problem.decision.source = HOSTILE.to_owned();
        problem.decision.why = HOSTILE.to_owned();
        problem.decision.description = HOSTILE.to_owned();
        for candidate in &mut problem.decision.candidates {
            for text in [
                &mut candidate.rewrites,
                &mut candidate.engine,
                &mut candidate.version,
                &mut candidate.configuration,
                &mut candidate.notes,
                &mut candidate.reason,
                &mut candidate.outcome,
            ] {
                *text = HOSTILE.to_owned();
            }
        }
        let mut document = document(vec![problem]);
        document.command = HOSTILE.to_owned();
        document.device.name = HOSTILE.to_owned();
        document.device.isa = HOSTILE.to_owned();
        document.store = Some(HOSTILE.to_owned());
        let html = render(Page::of_run(&document)).unwrap();
        assert!(!html.contains("<script>alert") && !html.contains("<img"), "{html}");
        assert!(html.contains("alert(1)"), "the text itself is shown");
    }

    #[test]
    fn the_file_needs_no_other() {
        let html =
            render(Page::of_run(&document(vec![tuned("a", 1, &[0.002, 0.001], 1)]))).unwrap();
        for outside in ["src=", "href=\"http", "@import", "url(", "<link"] {
            assert!(!html.contains(outside), "the report refers to something outside: {outside}");
        }
        assert!(html.contains("<svg"), "the chart is missing");
        assert!(
            html.contains("at least 1.97× as fast (1.97–2.03×, 95 %)") && html.contains("1.000 ms"),
            "{html}"
        );
    }

    #[test]
    fn every_candidate_of_a_store_is_in_the_report() {
        let entries = entries::parse(&format!("[{}]", entries::tests::ENTRY)).unwrap();
        let html = render(Page::of_store("folder", entries)).unwrap();
        for word in ["plain", "blocked", "2000 MHz", "1 KiB", "Some &#60;CPU&#62;"] {
            assert!(html.contains(word), "{word} is missing: {html}");
        }
    }

    #[test]
    fn a_comparison_shows_every_side_and_all_its_candidates() {
        let mut comparison = comparison::tests::comparison();
        comparison.sides[0].remarks.push(HOSTILE.to_owned());
        let html = render(Page::of_comparison(&comparison)).unwrap();
        for words in [
            "<h2>Comparison</h2>",
            "/9.19.0/libcudnn.so.9",
            "layer1 (9.14.0)",
            "2.000 ms tuned (2.00× as fast)",
            "<td class=\"n\">5.0e-1</td>",
        ] {
            assert!(html.contains(words), "{words} is missing: {html}");
        }
        assert_eq!(html.matches("<details").count(), 4);
        assert!(!html.contains("<script>alert"), "{html}");
        assert!(!render(Page::of_run(&document(vec![]))).unwrap().contains("Comparison"));
    }

    #[test]
    fn a_report_of_nothing_is_a_report() {
        let html = render(Page::of_run(&document(vec![]))).unwrap();
        assert!(html.contains("0 of 0") && !html.contains("<svg"), "{html}");
    }
}
