//! Writes the HTML report: one file that needs no other files.

mod axis;
mod gains;
mod plane;
mod spread;
mod summary;

use askama::Template;
use atc::{Candidate, Timing};

use crate::account::Account;
use crate::comparison::{self, Comparison};
use crate::document::{Ceilings, Document};
use crate::entries::Entry;
use crate::failure::{Failure, Result};
use crate::subject::{self, Subject};
use crate::table::Column;
use crate::units;

/// The contents of a report.
pub struct Page {
    title: String,
    facts: Vec<(String, String)>,
    /// Lines that replace the sums over all problems, if these sums would have no meaning (as in a
    /// comparison of libraries).
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

    /// Makes the page of a comparison of several cuDNN libraries. The candidates of each library
    /// are shown like those of a run of `atc tune`.
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

    /// Returns counts of the problems on the page.
    pub fn account(&self) -> Account {
        self.subjects.iter().map(|subject| &subject.decision).collect()
    }

    /// Replaces the ceilings (the highest rates of the device) by `ceilings`.
    pub fn under(self, ceilings: Ceilings) -> Self {
        let subjects = self.subjects.into_iter();
        let given = |subject| Subject { ceilings: Some(ceilings), ..subject };
        Self { subjects: subjects.map(given).collect(), ..self }
    }
}

const CHOICES: [Column; 12] = [
    Column::new("problem"),
    Column::number("count"),
    Column::new("choice"),
    Column::number("timed"),
    Column::number("time"),
    Column::number("untuned"),
    Column::number("gain over default"),
    Column::number("over LibTorch"),
    Column::number("GFLOP/s"),
    Column::number("GB/s"),
    Column::number("host"),
    Column::new("source"),
];

const CANDIDATES: [Column; 17] = [
    Column::new("engine"),
    Column::number("spread"),
    Column::new("configuration"),
    Column::new("notes"),
    Column::new("outcome"),
    Column::number("workspace"),
    Column::number("samples"),
    Column::number("executions"),
    Column::number("mean"),
    Column::number("median"),
    Column::number("min"),
    Column::number("max"),
    Column::number("std. dev."),
    Column::number("clock"),
    Column::number("host"),
    Column::number("launches"),
    Column::new("why not"),
];

/// The values that are inserted into the template of the page. The template escapes every value as
/// text.
#[derive(Template)]
#[template(path = "report.html")]
struct Html {
    title: String,
    facts: Vec<(String, String)>,
    summary: Vec<(String, String)>,
    comparison_header: [Column; 8],
    comparison: Vec<comparison::Row>,
    gains: Vec<gains::Row>,
    gains_note: String,
    roofline: Option<plane::Plane>,
    clocks: Option<plane::Plane>,
    /// The problems with provisional decisions, and the reasons why the decisions are provisional.
    disturbed: Vec<(String, String)>,
    choices_header: [Column; 12],
    candidates_header: [Column; 17],
    problems: Vec<Problem>,
}

/// A cell of a table: its text, and the number by which the table can be sorted (`None` for a cell
/// without a number).
struct Cell {
    text: String,
    value: Option<f64>,
}

impl Cell {
    fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), value: None }
    }

    /// Makes a cell with a number. If the number is not known, the text is a dash.
    fn number(value: Option<f64>, show: impl Fn(f64) -> String) -> Self {
        Self { text: value.map_or_else(|| "-".to_owned(), show), value }
    }

    fn count(value: u64) -> Self {
        Self { text: value.to_string(), value: Some(value as f64) }
    }
}

struct Problem {
    name: String,
    choice: String,
    /// The cells of the problem's row, without the first one (the name). The titles of all columns
    /// are in `CHOICES`.
    cells: Vec<Cell>,
    details: Vec<(String, String)>,
    candidates: Vec<Row>,
}

struct Row {
    won: bool,
    is_default: bool,
    engine: String,
    spread: Option<spread::Spread>,
    /// The cells of the candidate's row, without the first two. The titles of all columns are in
    /// `CANDIDATES`.
    cells: Vec<Cell>,
}

/// Returns the whole HTML file.
pub fn render(page: Page) -> Result<String> {
    let (gains, gains_note) = gains::of(&page.subjects);
    let html = Html {
        title: page.title,
        facts: page.facts,
        summary: page.summary.unwrap_or_else(|| summary::of(&page.subjects)),
        comparison_header: comparison::COLUMNS,
        comparison: page.comparison,
        gains,
        gains_note,
        roofline: plane::roofline(&page.subjects),
        clocks: plane::clocks(&page.subjects),
        disturbed: disturbed(&page.subjects),
        choices_header: CHOICES,
        candidates_header: CANDIDATES,
        problems: page.subjects.iter().map(problem).collect(),
    };
    html.render()
        .map(|text| visible(&text))
        .map_err(|error| Failure::new(format!("the report cannot be written: {error}")))
}

/// Makes invisible characters visible, such as those that change the direction of text. For
/// example, U+202E becomes the text "<U+202E>".
fn visible(html: &str) -> String {
    let hidden = |c: char| {
        (c.is_control() && c != '\n')
            || matches!(c, '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}')
            || matches!(c, '\u{2060}'..='\u{2069}' | '\u{feff}')
    };
    let mut text = String::with_capacity(html.len());
    for c in html.chars() {
        match hidden(c) {
            true => text += &format!("&lt;U+{:04X}&gt;", u32::from(c)),
            false => text.push(c),
        }
    }
    text
}

fn disturbed(subjects: &[Subject]) -> Vec<(String, String)> {
    let told = |subject: &Subject| Some((subject.name.clone(), subject.decision.provisional()?));
    subjects.iter().filter_map(told).collect()
}

fn problem(subject: &Subject) -> Problem {
    let decision = &subject.decision;
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
    let spreads = spread::of(&decision.candidates);
    let candidates = decision.candidates.iter().zip(spreads).enumerate();
    Problem {
        name: subject.name.clone(),
        choice: decision.told(),
        cells: choice(subject),
        details,
        candidates: candidates
            .map(|(index, (candidate, spread))| Row {
                won: decision.winner == Some(index),
                is_default: decision.default == Some(index),
                engine: format!("{}{}@{}", candidate.rewrites, candidate.engine, candidate.version),
                spread,
                cells: cells(candidate),
            })
            .collect(),
    }
}

/// Returns the cells of a problem's row in the table of choices, without the first one (the name).
fn choice(subject: &Subject) -> Vec<Cell> {
    let decision = &subject.decision;
    let gain = |over_original: bool| {
        let gains = subject.gains();
        let one = gains.iter().find(|(original, _)| *original == over_original);
        Cell {
            text: one.map_or_else(|| "-".to_owned(), |(_, gain)| gain.range()),
            value: one.map(|(_, gain)| gain.ratio),
        }
    };
    let timed = decision.candidates.iter().filter(|one| one.timing.is_some()).count();
    let host = decision.timing_of(decision.winner).and_then(|timing| timing.host);
    let source = match decision.unstable {
        true => format!("{}, provisional", decision.source),
        false => decision.source.clone(),
    };
    vec![
        Cell::count(subject.count),
        Cell::text(decision.told()),
        Cell { text: decision.timed(), value: Some(timed as f64) },
        Cell::number(decision.time(), units::time),
        Cell::number(decision.default_time(), units::time),
        gain(false),
        gain(true),
        Cell::number(subject.rate(), units::rate),
        Cell::number(subject.bandwidth(), units::rate),
        Cell::number(host, units::time),
        Cell::text(source),
    ]
}

/// Returns the cells of a candidate's row in the table of candidates, without the first two.
fn cells(candidate: &Candidate) -> Vec<Cell> {
    let timing = candidate.timing.as_ref();
    let time = |part: fn(&Timing) -> f64| Cell::number(timing.map(part), units::time);
    vec![
        Cell::text(&candidate.configuration),
        Cell::text(&candidate.notes),
        Cell::text(outcome(candidate)),
        Cell { text: units::bytes(candidate.workspace), value: Some(candidate.workspace as f64) },
        Cell::number(timing.map(|timing| timing.samples as f64), |samples| samples.to_string()),
        Cell::count(candidate.executions),
        time(|timing| timing.mean),
        time(|timing| timing.median),
        time(|timing| timing.min),
        time(|timing| timing.max),
        time(|timing| timing.deviation),
        Cell::number(timing.and_then(|timing| timing.clock_hz), |hz| {
            format!("{:.0} MHz", hz / 1e6)
        }),
        Cell::number(timing.and_then(|timing| timing.host), units::time),
        Cell::number(candidate.launches.map(|count| count as f64), |count| count.to_string()),
        Cell::text(&candidate.reason),
    ]
}

/// Describes the outcome of a candidate in the race, and its special properties: for example "lost,
/// timed in graphs, runs captured calls, imprecise".
fn outcome(candidate: &Candidate) -> String {
    let mut parts = vec![candidate.outcome.to_string()];
    if candidate.timing.is_some_and(|timing| timing.in_graph) {
        parts.push("timed in graphs".to_owned());
    }
    if candidate.captured {
        parts.push("runs captured calls".to_owned());
    }
    if candidate.imprecise {
        parts.push("imprecise".to_owned());
    }
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::tests::{document, tuned};
    use crate::entries;

    const HOSTILE: &str = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\"'&]]>--><!--\u{202e}\u{1b}[2J";

    /// Returns the HTML of a page without the style and the script of the template. Checks that the
    /// HTML is well formed.
    fn rendered(page: Page) -> String {
        let mut html = render(page).unwrap();
        for element in ["style", "script"] {
            let start = html.find(&format!("<{element}>")).unwrap() + element.len() + 2;
            let end = html[start..].find(&format!("</{element}>")).unwrap() + start;
            html.replace_range(start..end, "");
        }
        html
    }

    fn parsed(html: &str) -> roxmltree::Document<'_> {
        let options = roxmltree::ParsingOptions { allow_dtd: true, ..Default::default() };
        let parsed = roxmltree::Document::parse_with_options(html, options);
        parsed.unwrap_or_else(|error| panic!("{error} in {html}"))
    }

    /// Counts the HTML elements with this name. If `class` is given, only elements of this class
    /// are counted.
    fn count(html: &str, name: &str, class: Option<&str>) -> usize {
        let document = parsed(html);
        let elements = document.descendants().filter(|node| node.has_tag_name(name));
        elements.filter(|node| class.is_none() || node.attribute("class") == class).count()
    }

    fn hostile_document() -> Document {
        let mut problem = tuned(HOSTILE, 1, &[0.002, 0.001], 1);
        problem.decision.choice = HOSTILE.to_owned();
        problem.decision.source = HOSTILE.to_owned();
        problem.decision.why = HOSTILE.to_owned();
        problem.decision.unstable = true;
        problem.decision.description = HOSTILE.to_owned();
        for candidate in &mut problem.decision.candidates {
            for text in [
                &mut candidate.rewrites,
                &mut candidate.engine,
                &mut candidate.version,
                &mut candidate.configuration,
                &mut candidate.notes,
                &mut candidate.reason,
            ] {
                *text = HOSTILE.to_owned();
            }
            candidate.timing.as_mut().unwrap().clock_hz = Some(1.98e9);
        }
        let mut document = document(vec![problem]);
        document.command = HOSTILE.to_owned();
        document.device.name = HOSTILE.to_owned();
        document.device.isa = HOSTILE.to_owned();
        document.store = Some(HOSTILE.to_owned());
        document
    }

    #[test]
    fn hostile_text_is_shown_and_never_obeyed() {
        let html = rendered(Page::of_run(&hostile_document()));
        assert_eq!((count(&html, "script", None), count(&html, "img", None)), (1, 0));
        let document = parsed(&html);
        let handler = |name: &str| name.starts_with("on") || name == "src";
        let attributes = document.descendants().flat_map(|node| node.attributes());
        assert_eq!(attributes.filter(|one| handler(one.name())).count(), 0);
        let text: String = document.descendants().filter_map(|node| node.text()).collect();
        assert!(
            text.contains("alert(1)</script>") && text.contains("<U+202E><U+001B>[2J"),
            "{text}"
        );
        assert!(!html.contains('\u{202e}') && !html.contains('\u{1b}'));
    }

    #[test]
    fn the_file_needs_no_other() {
        let html =
            render(Page::of_run(&document(vec![tuned("a", 1, &[0.002, 0.001], 1)]))).unwrap();
        for outside in ["src=", "http:", "https:", "href=\"/", "@import", "url(", "<link", "fetch("]
        {
            assert!(!html.contains(outside), "the report refers to something outside: {outside}");
        }
        assert!(html.contains("default-src 'none'"));
        assert!(
            html.contains("at least 1.97× as fast (1.97–2.03×, 95 %)") && html.contains("1.000 ms"),
            "{html}"
        );
    }

    /// The report has a row, a plot and a link for each problem, and a row and a plot for each
    /// timed candidate.
    #[test]
    fn every_problem_and_candidate_has_its_rows_and_plots() {
        let mut problems: Vec<_> = (1..=50)
            .map(|index| tuned(&format!("n{index}"), index, &[0.003, 0.001, 0.002], 1))
            .collect();
        for candidate in problems.iter_mut().flat_map(|one| &mut one.decision.candidates) {
            let timing = candidate.timing.as_mut().unwrap();
            (timing.clock_hz, timing.host) = (Some(1.5e9), Some(8e-4));
        }
        problems[7].decision.candidates[2].timing = None;
        let html = rendered(Page::of_run(&document(problems)));
        let document = parsed(&html);
        let rows = |table: roxmltree::Node<'_, '_>| {
            let body = table.children().find(|node| node.has_tag_name("tbody")).unwrap();
            body.children().filter(|node| node.has_tag_name("tr")).count()
        };
        let tables: Vec<_> =
            document.descendants().filter(|node| node.has_tag_name("table")).collect();
        assert_eq!(tables.len(), 51);
        assert_eq!(rows(tables[0]), 50);
        assert!(tables[1..].iter().all(|table| rows(*table) == 3));
        for table in tables {
            let cells = |row: &str, cell: &str| {
                let row = table.descendants().rfind(|node| node.has_tag_name(row)).unwrap();
                row.descendants().filter(|node| node.has_tag_name(cell)).count()
            };
            assert_eq!(cells("thead", "th"), cells("tr", "td"));
        }
        assert_eq!(count(&html, "line", Some("median")), 149);
        assert_eq!(count(&html, "line", Some("host")), 149);
        assert_eq!(count(&html, "svg", Some("plane")), 2, "roofline and clocks");
        assert_eq!(count(&html, "circle", Some("tuned")), 100);
        assert_eq!(count(&html, "line", Some("interval tuned")), 2 * 40);
        assert!(html.contains("the 40 that cost most; 10 more are in the tables"));
        assert!(html.contains("<dt>host</dt><dd>1.020 s to issue what runs for 1.275 s</dd>"));
        let ids: Vec<_> = document.descendants().filter_map(|node| node.attribute("id")).collect();
        for node in document.descendants() {
            if let Some(target) = node.attribute("href") {
                assert!(ids.contains(&target.strip_prefix('#').unwrap()), "{target}");
            }
        }
    }

    #[test]
    fn ceilings_are_drawn_where_they_are_given() {
        let run = || Page::of_run(&document(vec![tuned("a", 1, &[0.002, 0.001], 1)]));
        assert_eq!(count(&rendered(run()), "polyline", Some("ceiling")), 0);
        let ceilings = Ceilings { bytes_per_second: 1e10, flops_per_second: 1e11 };
        let html = rendered(run().under(ceilings));
        assert_eq!(count(&html, "polyline", Some("ceiling")), 1);
        assert!(html.contains("% of the ceiling"));
    }

    #[test]
    fn every_candidate_of_a_store_is_in_the_report() {
        let entries = entries::tests::stored(entries::tests::ENTRY);
        let html = rendered(Page::of_store("folder", entries));
        parsed(&html);
        for word in ["plain", "blocked", "2000 MHz", "1 KiB", "Some &#60;CPU&#62;"] {
            assert!(html.contains(word), "{word} is missing: {html}");
        }
    }

    /// The reason for lower clocks is shown in three places: in the details of the decision, as a
    /// lane (a row of marks) below the plot of the clocks, and in the text of the decision's point
    /// in this plot.
    #[test]
    fn what_held_the_clocks_down_is_in_the_report_as_text() {
        let html = |limits: &str| {
            let conditions =
                format!(r#""host": "here", "conditions": {{"clocks_limited_by": {limits}}}"#);
            let entry = entries::tests::ENTRY.replace(r#""host": "here""#, &conditions);
            rendered(Page::of_store("folder", entries::tests::stored(&entry)))
        };
        let hostile = serde_json::to_string(&["power cap", HOSTILE]).unwrap();
        for (limits, lanes) in [(r#"["power brake"]"#, 1), (&hostile, 2), ("[]", 0)] {
            let html = html(limits);
            assert_eq!(count(&html, "line", Some("mark")), lanes, "{limits}");
            assert_eq!(html.contains("what NVML said held the clocks down"), lanes > 0);
            assert_eq!(count(&html, "script", None), 1);
        }
        let html = html(r#"["power brake"]"#);
        assert_eq!(html.matches("clocks limited by power brake").count(), 2, "{html}");
        assert!(html.contains(">power brake</text>"));
    }

    #[test]
    fn a_comparison_shows_every_side_and_all_its_candidates() {
        let mut comparison = comparison::tests::comparison();
        comparison.sides[0].remarks.push(HOSTILE.to_owned());
        let html = rendered(Page::of_comparison(&comparison));
        for words in [
            "<h2>Comparison</h2>",
            "/9.19.0/libcudnn.so.9",
            "layer1 (9.14.0)",
            "2.000 ms tuned (2.00× as fast)",
            "class=\"n\">5.0e-1</td>",
        ] {
            assert!(html.contains(words), "{words} is missing: {html}");
        }
        assert_eq!(count(&html, "details", None), 4);
        comparison.sides.truncate(1);
        let interrupted = rendered(Page::of_comparison(&Comparison::new(comparison.sides)));
        assert!(interrupted.contains("/9.14.0/") && !interrupted.contains("9.19.0"));
        assert!(!rendered(Page::of_run(&document(vec![]))).contains("Comparison"));
    }

    #[test]
    fn a_report_of_nothing_is_a_report() {
        let html = rendered(Page::of_run(&document(vec![])));
        assert!(
            html.contains("0 problems: none; none kept") && count(&html, "svg", None) == 0,
            "{html}"
        );
    }
}
