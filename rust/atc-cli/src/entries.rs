//! The entries of a store (its decisions), in the form in which commands show them.

use std::hash::Hasher;

use atc::{Conditions, Store, StoreEntry};

use crate::convert;
use crate::decision::Decision;
use crate::document::Ceilings;
use crate::failure::Result;
use crate::subject::Subject;

/// An entry of a store: the decision for one problem.
#[derive(Debug, Clone)]
pub struct Entry {
    /// A hash of the entry's key: 12 hexadecimal digits. The same problem on the same machine
    /// always has the same ID.
    pub id: String,
    pub environment: String,
    pub date: String,
    /// The problem and its decision.
    pub subject: Subject,
    /// The JSON text of the entry in the store.
    pub json: String,
}

/// Returns all valid entries of a store.
pub fn of(store: &Store) -> Result<Vec<Entry>> {
    Ok(store.entries()?.into_iter().map(entry).collect())
}

fn entry(stored: StoreEntry) -> Entry {
    let environment = environment(&stored);
    let mut details = vec![
        ("environment".to_owned(), environment.clone()),
        ("technique".to_owned(), told(stored.technique.map(|technique| technique.to_string()))),
        ("measured on".to_owned(), format!("{} at {}", stored.host, stored.date)),
    ];
    let conditions = conditions(&stored.conditions);
    if !conditions.is_empty() {
        details.push(("conditions".to_owned(), conditions));
    }
    let decision = Decision {
        // If the own convolution of a program (LibTorch's) was measured, it is the default, to
        // which the gain is relative. Otherwise libatc's default is used.
        default: stored.original.or(stored.default_candidate),
        library_default: stored
            .default_candidate
            .filter(|_| stored.original.is_some_and(|own| stored.default_candidate != Some(own))),
        ..convert::stored(&stored)
    };
    let subject = Subject {
        name: told(Some(stored.problem)),
        count: 1,
        flops: stored.flops,
        bytes: stored.bytes,
        date: stored.date.clone(),
        limits: stored.conditions.clocks_limited_by,
        details,
        original: None,
        ceilings: Ceilings::of(stored.ceilings),
        decision,
    };
    Entry { id: id(&stored.key), environment, date: stored.date, subject, json: stored.json }
}

fn id(key: &str) -> String {
    let mut hasher = fnv::FnvHasher::default();
    hasher.write(key.as_bytes());
    format!("{:016x}", hasher.finish())[..12].to_owned()
}

/// Returns the text. If the text is missing or empty, returns "?".
fn told(text: Option<String>) -> String {
    text.filter(|text| !text.is_empty()).unwrap_or_else(|| "?".to_owned())
}

/// Returns the environment as text: for example "cpu: Intel…, threads 8, oneDNN 3.2".
fn environment(stored: &StoreEntry) -> String {
    let [device, name] = [&stored.device, &stored.device_name].map(|text| told(Some(text.clone())));
    let mut line = format!("{device}: {name}");
    if let Some(threads) = stored.threads {
        line += &format!(", threads {threads}");
    }
    for (library, version) in &stored.libraries {
        let label = match library.as_str() {
            "onednn" => "oneDNN",
            "cudnn" => "cuDNN",
            other => other,
        };
        line += &format!(", {label} {version}");
    }
    line
}

/// Returns the conditions of the race as text (driver, power limit, temperature, clocks); empty if
/// nothing is known.
fn conditions(known: &Conditions) -> String {
    let megahertz = |hz: f64| format!("{:.0} MHz", hz / 1e6);
    let parts = [
        Some(&known.driver)
            .filter(|driver| !driver.is_empty())
            .map(|text| format!("driver {text}")),
        known.power_limit_watts.map(|watts| format!("power limit {watts:.0} W")),
        known.temperature_celsius.map(|celsius| format!("{celsius:.0} °C")),
        known.clock_hz.map(megahertz),
        known.memory_clock_hz.map(|hz| format!("memory {}", megahertz(hz))),
        Some(known.clocks_limited_by.join(" and "))
            .filter(|limits| !limits.is_empty())
            .map(|limits| format!("clocks limited by {limits}")),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
pub mod tests {
    use super::*;

    pub const ENTRY: &str = r#"{"key": {"environment": {"schema": 1, "device": "cpu", "name": "Some <CPU>", "threads": 2,
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
            "winner": 1, "default": 0, "roster": [], "technique": 4, "executions": 100, "seconds": 1.5,
            "host": "here", "date": "2026-01-01T00:00:00Z"}}"#;

    /// Puts this entry into a store, and returns the store's entries.
    pub fn stored(entry: &str) -> Vec<Entry> {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).unwrap();
        store.put(entry).unwrap();
        of(&store).unwrap()
    }

    #[test]
    fn an_entry_is_told_in_words() {
        let entry = &stored(ENTRY)[0];
        assert_eq!(
            entry.subject.name,
            "forward f32 x 8×3×224×224 w 64×3×7×7 stride 2 padding 3 channels-last bias, constant weights"
        );
        assert_eq!(entry.environment, "cpu: Some <CPU>, threads 2, oneDNN 3.2");
        assert_eq!(entry.subject.decision.choice, "onednn@3.2:blocked");
        assert_eq!(entry.subject.decision.gain().unwrap().ratio, 2.0);
        assert_eq!(entry.subject.decision.provisional(), None);
        assert_eq!(entry.subject.decision.candidates[0].outcome, atc::Outcome::Lost);
        assert_eq!(entry.subject.ceilings, None);
        assert_eq!(entry.subject.bytes, 4.0 * (8.0 * 150528.0 + 64.0 * 147.0 + 8.0 * 802816.0));
        assert_eq!(entry.subject.flops, 2.0 * 8.0 * 64.0 * 112.0 * 112.0 * 147.0);
    }

    #[test]
    fn the_default_is_what_the_program_runs_without_atc_where_that_took_part() {
        let marked = ENTRY.replacen("\"outcome\": 1", "\"outcome\": 1, \"original\": true", 1);
        let default = |text: &str| stored(text)[0].subject.decision.default;
        assert_eq!((default(ENTRY), default(&marked)), (Some(0), Some(1)));
    }

    #[test]
    fn conditions_are_told_where_they_are_known() {
        let details = |text: &str| stored(text)[0].subject.details.clone();
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
        let entry = &stored(&ENTRY.replace(r#""host": "here""#, loose))[0];
        assert_eq!(
            entry.subject.decision.provisional().as_deref(),
            Some("the choice may take 5.0 % more time than another one: noise")
        );
    }

    #[test]
    fn the_id_depends_on_the_key_alone() {
        let id = |text: &str| stored(text)[0].id.clone();
        assert_eq!(id(ENTRY), id(&ENTRY.replace("\"seconds\": 1.5", "\"seconds\": 2.5")));
        assert_ne!(id(ENTRY), id(&ENTRY.replace("\"groups\": 1", "\"groups\": 2")));
        assert_eq!(id(ENTRY), "460fc92918b7", "the same in every version");
    }

    #[test]
    fn entries_of_other_shapes_are_still_listed() {
        for value in [r#"{"choice": {}}"#, r#"{"choice": {}, "winner": "x", "conditions": 3}"#] {
            let text =
                format!(r#"{{"key": {{"environment": {{}}, "problem": {{}}}}, "value": {value}}}"#);
            let entries = stored(&text);
            assert_eq!(entries.len(), 1, "{text}");
            assert_eq!((&*entries[0].environment, &*entries[0].subject.name), ("?: ?", "?"));
            let decision = &entries[0].subject.decision;
            assert!(!decision.is_decided() && decision.why.contains("a recorded decision"));
        }
    }

    #[test]
    fn asymmetric_padding_shows_both_sides() {
        let text = ENTRY.replace("\"padding_high\": [3, 3]", "\"padding_high\": [2, 3]");
        let name = &stored(&text)[0].subject.name;
        assert!(name.contains("padding below 3 padding above 2,3"), "{name}");
    }
}
