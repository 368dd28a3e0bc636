//! The entries of a store, read from libatc's JSON list, for people.

use std::hash::Hasher;

use atc::Timing;
use serde::Deserialize;
use serde_json::Value;

use crate::ceilings::KeptCeilings;
use crate::document::{Candidate, Decision};
use crate::failure::{Failure, Result};
use crate::subject::Subject;

/// One remembered decision.
#[derive(Debug, Clone)]
pub struct Entry {
    /// A hash of the key, 12 hexadecimal digits. It is equal for the same problem on the same
    /// machine.
    pub id: String,
    pub environment: String,
    pub date: String,
    /// The problem and its decision.
    pub subject: Subject,
    /// The entry in the form in which it is stored.
    pub json: Value,
}

/// The value of an entry. Members that are missing remain empty, so that entries of other versions can be shown.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Stored {
    choice: Choice,
    /// The choice of calls in stream captures, if it differs from the winner.
    captured: Option<Choice>,
    candidates: Vec<StoredCandidate>,
    winner: Option<usize>,
    #[serde(rename = "default")]
    default_candidate: Option<usize>,
    technique: i32,
    executions: u64,
    seconds: f64,
    host: String,
    date: String,
    conditions: Conditions,
    provisional: Option<Provisional>,
}

impl Stored {
    /// The program's own convolution (LibTorch's), if it was measured; else libatc's default.
    fn runs_without_tuning(&self) -> Option<usize> {
        self.original().or(self.default_candidate)
    }

    fn original(&self) -> Option<usize> {
        self.candidates.iter().position(|candidate| candidate.original)
    }
}

/// Why the decision is provisional.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Provisional {
    risk: f64,
    why: String,
}

/// The state of the device at the end of the race.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Conditions {
    driver: String,
    power_limit_watts: Option<f64>,
    temperature_celsius: Option<f64>,
    clock_hz: Option<f64>,
    memory_clock_hz: Option<f64>,
    /// The reasons that lowered the clocks during the race, as text.
    clocks_limited_by: Vec<String>,
}

impl Conditions {
    /// Empty where nothing is known.
    fn told(&self) -> String {
        let megahertz = |hz: f64| format!("{:.0} MHz", hz / 1e6);
        let parts = [
            Some(&self.driver)
                .filter(|driver| !driver.is_empty())
                .map(|text| format!("driver {text}")),
            self.power_limit_watts.map(|watts| format!("power limit {watts:.0} W")),
            self.temperature_celsius.map(|celsius| format!("{celsius:.0} °C")),
            self.clock_hz.map(megahertz),
            self.memory_clock_hz.map(|hz| format!("memory {}", megahertz(hz))),
            Some(self.clocks_limited_by.join(" and "))
                .filter(|limits| !limits.is_empty())
                .map(|limits| format!("clocks limited by {limits}")),
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }
}

#[derive(Deserialize, Default, PartialEq)]
#[serde(default)]
struct Choice {
    engine: String,
    version: String,
    configuration: String,
    rewrites: Vec<String>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct StoredCandidate {
    #[serde(flatten)]
    choice: Choice,
    outcome: i32,
    workspace: u64,
    notes: String,
    reason: String,
    executions: u64,
    #[serde(flatten)]
    timing: Timing,
    launches: Option<u64>,
    imprecise: bool,
    original: bool,
}

/// Reads the entries of a store's list, and adds the ceilings that the store keeps.
pub fn parse_under(list: &str, kept: &KeptCeilings) -> Result<Vec<Entry>> {
    let entries: Vec<Value> = serde_json::from_str(list)
        .map_err(|error| Failure::new(format!("the store's list cannot be read: {error}")))?;
    Ok(entries.into_iter().map(|json| entry(json, kept)).collect())
}

/// Reads the entries of a store's list.
pub fn parse(list: &str) -> Result<Vec<Entry>> {
    parse_under(list, &KeptCeilings::default())
}

fn entry(json: Value, kept: &KeptCeilings) -> Entry {
    let stored: Stored =
        json.get("value").and_then(|value| Stored::deserialize(value).ok()).unwrap_or_default();
    let key = json.get("key").cloned().unwrap_or_default();
    let problem = key.get("problem").cloned().unwrap_or_default();
    let environment = environment(key.get("environment").unwrap_or(&Value::Null));
    let mut details = vec![
        ("environment".to_owned(), environment.clone()),
        ("technique".to_owned(), atc::Technique::from_raw(stored.technique).to_string()),
        ("measured on".to_owned(), format!("{} at {}", stored.host, stored.date)),
    ];
    let conditions = stored.conditions.told();
    if !conditions.is_empty() {
        details.push(("conditions".to_owned(), conditions));
    }
    let subject = Subject {
        name: describe(&problem),
        count: 1,
        flops: flops(&problem),
        bytes: bytes(&problem),
        date: stored.date.clone(),
        limits: stored.conditions.clocks_limited_by.clone(),
        details,
        original: None,
        ceilings: kept.for_key(&key),
        decision: decision(&stored),
    };
    Entry { id: id(&key), environment, date: stored.date, subject, json }
}

/// The hash depends on the key alone, because serde_json writes the members of objects in order.
fn id(key: &Value) -> String {
    let mut hasher = fnv::FnvHasher::default();
    hasher.write(key.to_string().as_bytes());
    format!("{:016x}", hasher.finish())[..12].to_owned()
}

fn decision(stored: &Stored) -> Decision {
    Decision {
        status: "ok".to_owned(),
        source: "record".to_owned(),
        choice: stored.choice.text(),
        winner: stored.winner,
        default: stored.runs_without_tuning(),
        library_default: stored.default_candidate.filter(|_| stored.original().is_some()),
        stored: true,
        unstable: stored.provisional.is_some(),
        risk: stored.provisional.as_ref().map_or(0.0, |provisional| provisional.risk),
        why: stored
            .provisional
            .as_ref()
            .map_or_else(String::new, |provisional| provisional.why.clone()),
        executions: stored.executions,
        seconds: stored.seconds,
        candidates: stored
            .candidates
            .iter()
            .map(|known| Candidate {
                captured: stored.captured.as_ref() == Some(&known.choice),
                ..candidate(known)
            })
            .collect(),
        ..Decision::default()
    }
}

impl Choice {
    /// As libatc writes a choice.
    fn text(&self) -> String {
        format!("{}{}@{}:{}", self.before(), self.engine, self.version, self.configuration)
    }

    /// The rewrites before the engine.
    fn before(&self) -> String {
        self.rewrites.iter().map(|rewrite| format!("{rewrite}>")).collect()
    }
}

fn candidate(stored: &StoredCandidate) -> Candidate {
    Candidate {
        rewrites: stored.choice.before(),
        engine: stored.choice.engine.clone(),
        version: stored.choice.version.clone(),
        configuration: stored.choice.configuration.clone(),
        notes: stored.notes.clone(),
        outcome: atc::Outcome::from_raw(stored.outcome).to_string(),
        reason: stored.reason.clone(),
        workspace: stored.workspace,
        executions: stored.executions,
        captured: false,
        imprecise: stored.imprecise,
        launches: stored.launches,
        timing: Some(stored.timing).filter(|timing| timing.samples > 0),
    }
}

/// "cpu Intel…, 8 threads, onednn 3.2": the values of an environment.
fn environment(environment: &Value) -> String {
    let text = |name: &str| match environment.get(name) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Number(number)) => number.to_string(),
        _ => "?".to_owned(),
    };
    let mut line = format!("{}: {}", text("device"), text("name"));
    for (name, label) in [("threads", "threads"), ("onednn", "oneDNN"), ("cudnn", "cuDNN")] {
        if environment.get(name).is_some() {
            line += &format!(", {label} {}", text(name));
        }
    }
    line
}

fn numbers(value: Option<&Value>) -> Vec<i64> {
    let list = value.and_then(Value::as_array);
    list.map(|list| list.iter().filter_map(Value::as_i64).collect()).unwrap_or_default()
}

/// "forward f32 x 8×64×56×56 w 64×64×3×3 stride 2 padding 1". Values that equal the default (stride
/// 1, no padding and so on) are left out.
fn describe(problem: &Value) -> String {
    let operand = |name: &str| problem.get(name).unwrap_or(&Value::Null);
    let shape = |name: &str| joined(&numbers(operand(name).get("shape")), "×");
    let word = |value: &Value| value.as_str().unwrap_or("?").to_owned();
    let mut line = format!(
        "{} {} x {} w {}",
        word(problem.get("direction").unwrap_or(&Value::Null)),
        word(operand("x").get("dtype").unwrap_or(&Value::Null)),
        shape("x"),
        shape("w")
    );
    let (low, high) = (numbers(problem.get("padding_low")), numbers(problem.get("padding_high")));
    for (name, values, plain) in [
        ("stride", numbers(problem.get("stride")), 1),
        ("dilation", numbers(problem.get("dilation")), 1),
        (if low == high { "padding" } else { "padding below" }, low.clone(), 0),
    ] {
        if values.iter().any(|value| *value != plain) {
            line += &format!(" {name} {}", brief(&values));
        }
    }
    if low != high {
        line += &format!(" padding above {}", brief(&high));
    }
    if let Some(groups) =
        problem.get("groups").and_then(Value::as_i64).filter(|groups| *groups != 1)
    {
        line += &format!(" groups {groups}");
    }
    if is_channels_last(operand("x")) {
        line += " channels-last";
    }
    if let Some(epilogue) =
        problem.get("epilogue").and_then(Value::as_str).filter(|name| *name != "none")
    {
        line += &format!(" {epilogue}");
    }
    let allowed = problem.get("allowed").unwrap_or(&Value::Null);
    for (name, label) in
        [("constant_weights", "constant weights"), ("deterministic", "deterministic")]
    {
        if allowed.get(name) == Some(&Value::Bool(true)) {
            line += &format!(", {label}");
        }
    }
    line
}

fn joined(values: &[i64], between: &str) -> String {
    values.iter().map(i64::to_string).collect::<Vec<_>>().join(between)
}

/// Returns one number if all numbers are the same.
fn brief(values: &[i64]) -> String {
    match values {
        [first, rest @ ..] if rest.iter().all(|value| value == first) => first.to_string(),
        _ => joined(values, ","),
    }
}

/// Whether a tensor is dense with dimension 1 as its fastest. Returns false if it is also dense
/// with the last dimension as its fastest.
fn is_channels_last(tensor: &Value) -> bool {
    let (shape, strides) = (numbers(tensor.get("shape")), numbers(tensor.get("strides")));
    let several = |index: usize| shape.get(index).is_some_and(|extent| *extent > 1);
    strides.get(1) == Some(&1) && several(1) && (2..shape.len()).any(several)
}

/// Two operations per multiply-add: each element of y (or of its gradient) meets each element of
/// its filter once.
fn flops(problem: &Value) -> f64 {
    let shape = |name: &str| numbers(problem.get(name).and_then(|tensor| tensor.get("shape")));
    let product = |values: &[i64]| values.iter().map(|value| *value as f64).product::<f64>();
    2.0 * product(&shape("y")) * product(shape("w").get(1..).unwrap_or_default())
}

/// Bytes of x, w and y; 0 if a type is not known.
fn bytes(problem: &Value) -> f64 {
    let tensor = |name: &str| {
        let tensor = problem.get(name)?;
        let size = match tensor.get("dtype")?.as_str()? {
            "f64" => 8.0,
            "f32" => 4.0,
            "f16" | "bf16" => 2.0,
            _ => return None,
        };
        let shape = numbers(tensor.get("shape"));
        Some(size * shape.iter().map(|extent| *extent as f64).product::<f64>())
    };
    ["x", "w", "y"].into_iter().map(tensor).sum::<Option<f64>>().unwrap_or(0.0)
}

#[cfg(test)]
pub mod tests {
    use super::*;

    pub const ENTRY: &str = r#"{"schema": 1, "checksum": "00",
        "key": {"environment": {"schema": 1, "device": "cpu", "name": "Some <CPU>", "threads": 2,
                                "onednn": "3.2"},
                "family": "f",
                "problem": {"direction": "forward", "groups": 1, "stride": [2, 2], "dilation": [1, 1],
                    "padding_low": [3, 3], "padding_high": [3, 3],
                    "x": {"dtype": "f32", "shape": [8, 3, 224, 224], "strides": [150528, 1, 672, 3]},
                    "w": {"dtype": "f32", "shape": [64, 3, 7, 7], "strides": [147, 1, 21, 3]},
                    "y": {"dtype": "f32", "shape": [8, 64, 112, 112], "strides": [802816, 1, 7168, 64]},
                    "epilogue": "bias", "accumulate": false,
                    "allowed": {"deterministic": false, "constant_weights": true}}},
        "value": {"choice": {"engine": "onednn", "version": "3.2", "configuration": "blocked"},
            "candidates": [
                {"engine": "onednn", "version": "3.2", "configuration": "plain", "outcome": 2,
                 "workspace": 0, "samples": 5, "executions": 50, "mean": 0.002, "median": 0.002,
                 "min": 0.001, "max": 0.003, "deviation": 0.0001},
                {"engine": "onednn", "version": "3.2", "configuration": "blocked", "outcome": 1,
                 "workspace": 1024, "samples": 5, "executions": 50, "mean": 0.001, "median": 0.001,
                 "min": 0.001, "max": 0.001, "deviation": 0.0, "clock_hz": 2e9}],
            "winner": 1, "default": 0, "technique": 4, "executions": 100, "seconds": 1.5,
            "host": "here", "date": "2026-01-01T00:00:00Z"}}"#;

    #[test]
    fn an_entry_is_told_in_words() {
        let entry = &parse(&format!("[{ENTRY}]")).unwrap()[0];
        assert_eq!(
            entry.subject.name,
            "forward f32 x 8×3×224×224 w 64×3×7×7 stride 2 padding 3 channels-last bias, constant weights"
        );
        assert_eq!(entry.environment, "cpu: Some <CPU>, threads 2, oneDNN 3.2");
        assert_eq!(entry.subject.decision.choice, "onednn@3.2:blocked");
        assert_eq!(entry.subject.decision.gain().unwrap().ratio, 2.0);
        assert_eq!(entry.subject.decision.provisional(), None);
        assert_eq!(entry.subject.decision.candidates[0].outcome, "lost");
        assert_eq!(entry.subject.bytes, 4.0 * (8.0 * 150528.0 + 64.0 * 147.0 + 8.0 * 802816.0));
        assert_eq!(entry.subject.flops, 2.0 * 8.0 * 64.0 * 112.0 * 112.0 * 147.0);
    }

    #[test]
    fn the_default_is_what_the_program_runs_without_atc_where_that_took_part() {
        let marked = ENTRY.replacen("\"outcome\": 1", "\"outcome\": 1, \"original\": true", 1);
        let default = |text: &str| parse(&format!("[{text}]")).unwrap()[0].subject.decision.default;
        assert_eq!((default(ENTRY), default(&marked)), (Some(0), Some(1)));
    }

    #[test]
    fn conditions_are_told_where_they_are_known() {
        let details = |text: &str| parse(&format!("[{text}]")).unwrap()[0].subject.details.clone();
        let told = |details: &[(String, String)]| {
            let found = details.iter().find(|(label, _)| label == "conditions");
            found.map(|(_, text)| text.clone())
        };
        assert_eq!(told(&details(ENTRY)), None);
        let known = r#""host": "here", "conditions": {"driver": "580.1", "power_limit_watts": 700.0,
            "temperature_celsius": 43.0, "clock_hz": 1.98e9, "memory_clock_hz": 3.2e9,
            "clocks_limited_by": ["power cap", "power brake"]}"#;
        let text = ENTRY.replace(r#""host": "here""#, known);
        assert_eq!(
            told(&details(&text)).as_deref(),
            Some(
                "driver 580.1, power limit 700 W, 43 °C, 1980 MHz, memory 3200 MHz, \
                 clocks limited by power cap and power brake"
            )
        );
    }

    #[test]
    fn a_provisional_entry_is_told_with_its_risk() {
        let loose = r#""host": "here", "provisional": {"risk": 0.05, "why": "noise", "budget": 2}"#;
        let entry = &parse(&format!("[{}]", ENTRY.replace(r#""host": "here""#, loose))).unwrap()[0];
        assert_eq!(
            entry.subject.decision.provisional().as_deref(),
            Some("the choice may take 5.0 % more time than another one: noise")
        );
    }

    #[test]
    fn the_id_depends_on_the_key_alone() {
        let id = |text: &str| parse(&format!("[{text}]")).unwrap()[0].id.clone();
        assert_eq!(id(ENTRY), id(&ENTRY.replace("\"seconds\": 1.5", "\"seconds\": 2.5")));
        assert_ne!(id(ENTRY), id(&ENTRY.replace("\"groups\": 1", "\"groups\": 2")));
        assert_eq!(id(ENTRY).len(), 12);
    }

    #[test]
    fn entries_of_other_shapes_are_still_listed() {
        for text in ["[{}]", "[null]", r#"[{"key": 3, "value": {"winner": "x"}}]"#] {
            assert_eq!(parse(text).unwrap().len(), 1, "{text}");
        }
        assert!(parse("{").is_err());
    }

    #[test]
    fn asymmetric_padding_shows_both_sides() {
        let text = ENTRY.replace("\"padding_high\": [3, 3]", "\"padding_high\": [2, 3]");
        let name = &parse(&format!("[{text}]")).unwrap()[0].subject.name;
        assert!(name.contains("padding below 3 padding above 2,3"), "{name}");
    }
}
