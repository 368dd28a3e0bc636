//! The results of `atc tune`: the JSON of `--json`, which `atc report` and `atc tune` read again.
//!
//! README.md describes the schema. A version of the schema may get further fields; if the meaning
//! of a field changes, the version changes.

use atc::Timing;
use serde::{Deserialize, Serialize, Serializer};

use crate::account::{Account, Standing};
use crate::failure::{Failure, Result};
use crate::file_kind;
use crate::gain::{Certainty, Gain};
use crate::json;
use crate::problems::{Arrangement, Columns, DType, Op, Terms};
use crate::units;

pub const SCHEMA: &str = "atc-tune";
pub const VERSION: u32 = 1;

/// The source of a decision if the reference runs because no other engine has an offer.
const REFERENCE: &str = "reference";
/// The name of the source of decisions that a race of this run has made.
const TUNED: &str = "tuned";
/// The outcomes of candidates that were timed and whose result was right.
pub const RAN: [&str; 4] = ["won", "lost", "tied", "dropped"];

/// A whole run of `atc tune`. Its JSON also has the account of its problems.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Document {
    pub schema: String,
    pub version: u32,
    /// libatc's version.
    #[serde(default)]
    pub atc: String,
    #[serde(default)]
    pub command: String,
    /// RFC 3339, UTC.
    #[serde(default)]
    pub date: String,
    #[serde(default)]
    pub device: DeviceInfo,
    /// The devices that measured, if there were several, all like `device`.
    #[serde(default)]
    pub devices: Vec<String>,
    #[serde(default)]
    pub technique: String,
    /// The store's directory; none if no decision was kept.
    #[serde(default)]
    pub store: Option<String>,
    #[serde(default)]
    pub cancelled: bool,
    /// Wall time of the whole run.
    #[serde(default)]
    pub seconds: f64,
    /// The ceilings of the device, for problems that have none of their own.
    #[serde(default)]
    pub ceilings: Option<Ceilings>,
    pub problems: Vec<Tuned>,
}

impl Serialize for Document {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Written<'a> {
            schema: &'a str,
            version: u32,
            atc: &'a str,
            command: &'a str,
            date: &'a str,
            device: &'a DeviceInfo,
            #[serde(skip_serializing_if = "<[String]>::is_empty")]
            devices: &'a [String],
            technique: &'a str,
            store: &'a Option<String>,
            cancelled: bool,
            seconds: f64,
            #[serde(skip_serializing_if = "Option::is_none")]
            ceilings: &'a Option<Ceilings>,
            account: Account,
            problems: &'a [Tuned],
        }
        let written = Written {
            schema: &self.schema,
            version: self.version,
            atc: &self.atc,
            command: &self.command,
            date: &self.date,
            device: &self.device,
            devices: &self.devices,
            technique: &self.technique,
            store: &self.store,
            cancelled: self.cancelled,
            seconds: self.seconds,
            ceilings: &self.ceilings,
            account: self.account(),
            problems: &self.problems,
        };
        written.serialize(serializer)
    }
}

/// The highest rates of a device.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Ceilings {
    pub bytes_per_second: f64,
    pub flops_per_second: f64,
}

impl Ceilings {
    /// None unless both are known.
    pub fn of(measured: atc::Ceilings) -> Option<Self> {
        let ceilings = Self {
            bytes_per_second: measured.bytes_per_second?,
            flops_per_second: measured.flops_per_second?,
        };
        ceilings.are_known().then_some(ceilings)
    }

    pub fn are_known(&self) -> bool {
        [self.bytes_per_second, self.flops_per_second]
            .iter()
            .all(|ceiling| ceiling.is_finite() && *ceiling > 0.0)
    }
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct DeviceInfo {
    pub device: String,
    pub name: String,
    pub isa: String,
    /// On the CPU the number of threads that a convolution uses; on a GPU the number of SMs.
    pub compute_units: i32,
    pub cache_bytes: u64,
    pub memory_bytes: u64,
}

/// One convolution and its decision.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tuned {
    pub name: String,
    #[serde(default = "one")]
    pub count: u64,
    pub columns: Columns,
    #[serde(default)]
    pub bias: bool,
    pub op: Op,
    pub dtype: DType,
    pub layout: Arrangement,
    /// Whether candidates were ranked as if the weights never change.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub constant_weights: bool,
    /// In a recording: the engine that runs the convolution as the program does without atc.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub original: Option<String>,
    /// The options of the calls that noted it.
    #[serde(default, skip_serializing_if = "Terms::are_none")]
    pub terms: Terms,
    /// The device's ceilings for products of this kind, if the store has them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ceilings: Option<Ceilings>,
    #[serde(flatten)]
    pub decision: Decision,
}

/// A decision and its candidates.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Decision {
    /// The problem in libatc's description.
    pub description: String,
    /// "ok", or the kind of the error that `why` describes.
    pub status: String,
    /// The source of the decision: "tuned", "record", "memory", …; empty if nothing was decided.
    pub source: String,
    pub choice: String,
    /// Indices of `candidates`.
    pub winner: Option<usize>,
    pub default: Option<usize>,
    /// Index of libatc's default, if `default` is the program's own convolution and was not the
    /// default of the race.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub library_default: Option<usize>,
    /// The decision is provisional: the choice is not certain to be the fastest.
    pub unstable: bool,
    /// By how much the choice may be slower than another candidate, as a fraction, if the decision
    /// is provisional.
    #[serde(skip_serializing_if = "is_zero")]
    pub risk: f64,
    pub incomplete: bool,
    pub cancelled: bool,
    pub stored: bool,
    /// The store could not be written; `why` has the error.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unwritten: bool,
    pub why: String,
    pub executions: u64,
    /// Seconds that this run spent on this problem.
    pub seconds: f64,
    /// The most memory that the race held at once, in bytes.
    #[serde(skip_serializing_if = "is_nothing")]
    pub memory_bytes: u64,
    pub candidates: Vec<Candidate>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Candidate {
    /// The rewrites that the choice names before the engine: "nhwc@1>".
    #[serde(skip_serializing_if = "String::is_empty")]
    pub rewrites: String,
    pub engine: String,
    pub version: String,
    pub configuration: String,
    pub notes: String,
    pub outcome: String,
    /// Why it was not taken.
    pub reason: String,
    /// Bytes.
    pub workspace: u64,
    pub executions: u64,
    /// Plans that are made during a stream capture choose this candidate. It is not the winner.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub captured: bool,
    /// The result is right, but less precise than is allowed; `reason` says how.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub imprecise: bool,
    /// Number of kernels, copies and fills of one execution.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub launches: Option<u64>,
    pub timing: Option<Timing>,
}

impl Candidate {
    /// As libatc writes a choice.
    pub fn choice(&self) -> String {
        format!("{}{}@{}:{}", self.rewrites, self.engine, self.version, self.configuration)
    }
}

fn is_zero(value: &f64) -> bool {
    *value == 0.0
}

fn is_nothing(bytes: &u64) -> bool {
    *bytes == 0
}

fn one() -> u64 {
    1
}

impl Document {
    /// Reads a document that `--json` wrote; `origin` names it in errors.
    pub fn parse(origin: &str, text: &str) -> Result<Self> {
        let document: Self = serde_json::from_str(text).map_err(|error| {
            let why = match file_kind::told(text) {
                Some(kind) => kind,
                None => error.to_string(),
            };
            Failure::new(format!(
                "{origin}:{}: not what atc tune --json writes: {why}",
                error.line()
            ))
        })?;
        check_schema(&document.schema, document.version)
            .map_err(|wrong| Failure::new(format!("{origin}:1: {wrong}")))?;
        for (index, Tuned { name, columns, .. }) in document.problems.iter().enumerate() {
            columns.check().map_err(|wrong| {
                Failure::new(format!("{origin}: problem {} ({name:?}): {wrong}", index + 1))
            })?;
        }
        Ok(document)
    }

    pub fn to_json(&self) -> Result<String> {
        json::text("the results", self)
    }

    pub fn account(&self) -> Account {
        self.problems.iter().map(|problem| &problem.decision).collect()
    }

    /// Returns the number of decisions that could not be written to the store.
    pub fn unwritten(&self) -> impl Iterator<Item = &Decision> {
        self.problems.iter().map(|problem| &problem.decision).filter(|decision| decision.unwritten)
    }
}

/// Returns why this version of atc cannot read a document.
pub fn check_schema(schema: &str, version: u32) -> std::result::Result<(), String> {
    if schema != SCHEMA {
        return Err(format!("its schema is {schema:?}: must be {SCHEMA:?}"));
    }
    if version == 0 || version > VERSION {
        return Err(format!(
            "its schema has version {version}: this atc reads versions 1 to {VERSION}"
        ));
    }
    Ok(())
}

impl Decision {
    pub fn standing(&self) -> Standing {
        match (self.refused(), self.unstable) {
            (Some(_), _) => Standing::Undecided,
            (None, true) => Standing::Provisional,
            (None, false) => Standing::Firm,
        }
    }

    /// Whether a choice was made. There is none if only the slow reference can run the problem, if the race compared
    /// nothing, or if memory for a candidate ran out.
    pub fn is_decided(&self) -> bool {
        self.standing() != Standing::Undecided
    }

    /// Whether the race ended before it had timed two candidates, for want of time alone.
    pub fn wants_time(&self) -> bool {
        let is = |outcomes: &'static [&'static str]| {
            let candidates = self.candidates.iter();
            candidates.filter(|one| outcomes.contains(&&*one.outcome)).count()
        };
        let race_without_result = self.status == "ok" && self.source == TUNED && self.incomplete;
        race_without_result && !self.cancelled && is(&RAN) < 2 && is(&["out-of-memory"]) == 0
    }

    /// Says in a word why there is no decision.
    pub fn refused(&self) -> Option<&str> {
        match self.source.as_str() {
            _ if self.status != "ok" || self.choice.is_empty() => Some(&self.status),
            REFERENCE => Some("reference only"),
            _ if self.incomplete => Some("undecided"),
            _ => None,
        }
    }

    /// Returns the choice. If there is none, returns the reason in parentheses.
    pub fn told(&self) -> String {
        self.refused().map_or_else(|| self.choice.clone(), |why| format!("({why})"))
    }

    /// Joins the decision with that of a later race of the same problem. Takes the later decision,
    /// or keeps `self` if the later race decided nothing. Executions and seconds are the sums of
    /// both races.
    pub fn followed_by(self, later: Self) -> Self {
        let (executions, seconds) =
            (self.executions + later.executions, self.seconds + later.seconds);
        Self { executions, seconds, ..if later.status == "ok" { later } else { self } }
    }

    /// Makes the program's own engine, `original`, the default, so that the gain is over the engine
    /// that the program would run without atc. There is no gain if that engine was not timed.
    pub fn against(mut self, original: &str) -> Self {
        let is_original = |one: &Candidate| one.engine == original && one.rewrites.is_empty();
        let original = self.candidates.iter().position(is_original);
        // Decisions of earlier versions have libatc's default although the original took part.
        if self.default != original {
            self.library_default = self.library_default.or(self.default);
        }
        self.default = original;
        self
    }

    /// Seconds per execution of the choice, if it was measured.
    pub fn time(&self) -> Option<f64> {
        self.median_of(self.winner)
    }

    /// Seconds per execution of the candidate that would run without tuning, if it was measured.
    pub fn default_time(&self) -> Option<f64> {
        self.median_of(self.default)
    }

    /// How many times faster the choice is than the candidate that would run without tuning, if both were measured.
    pub fn gain(&self) -> Option<Gain> {
        self.gain_over(self.default)
    }

    /// How many times faster the choice is than the candidate `slower`, if both were measured.
    pub fn gain_over(&self, slower: Option<usize>) -> Option<Gain> {
        let (winner, default) = (self.timing_of(self.winner)?, self.timing_of(slower)?);
        if winner.median <= 0.0 {
            return None;
        }
        if self.winner == slower {
            return Some(Gain::new(1.0, []));
        }
        let parts = [winner, default].map(|timing| (1.0, Certainty::of(timing)));
        Some(Gain::new(default.median / winner.median, parts))
    }

    /// The times of the candidate, if it was measured.
    pub fn timing_of(&self, index: Option<usize>) -> Option<&Timing> {
        self.candidates.get(index?)?.timing.as_ref()
    }

    /// Why the decision is provisional, and by how much its choice may be slower; `None` if the
    /// decision is firm or there is none.
    pub fn provisional(&self) -> Option<String> {
        if !self.is_decided() || !self.unstable {
            return None;
        }
        let why = if self.why.is_empty() { "its race was unstable" } else { &self.why };
        Some(if self.risk > 0.0 {
            format!("the choice may take {} another one: {why}", units::compared(1.0 + self.risk))
        } else {
            why.to_owned()
        })
    }

    /// Returns how many of the candidates were timed: "3/14".
    pub fn timed(&self) -> String {
        let timed = self.candidates.iter().filter(|candidate| candidate.timing.is_some()).count();
        format!("{timed}/{}", self.candidates.len())
    }

    fn median_of(&self, index: Option<usize>) -> Option<f64> {
        self.timing_of(index).map(|timing| timing.median)
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::problems::{Layout, tests::layer};
    use proptest::prelude::*;

    pub fn timing(samples: u64, seconds: f64) -> Timing {
        let mut timing = Timing::default();
        timing.samples = samples;
        (timing.mean, timing.median) = (seconds, seconds);
        timing
    }

    pub fn candidate(name: &str, seconds: f64) -> Candidate {
        let mut timing = timing(8, seconds);
        (timing.min, timing.max) = (seconds, seconds);
        Candidate {
            engine: "onednn".to_owned(),
            version: "3.2".to_owned(),
            configuration: name.to_owned(),
            timing: Some(timing),
            ..Candidate::default()
        }
    }

    pub fn tuned(name: &str, count: u64, times: &[f64], winner: usize) -> Tuned {
        let numbers = r#"{"N":1,"C":2,"H":8,"W":8,"K":4,"R":3,"S":3,"padH":1,"padW":1}"#;
        Tuned {
            name: name.to_owned(),
            count,
            columns: serde_json::from_str(numbers).unwrap(),
            bias: false,
            op: Op::Forward,
            dtype: DType::F32,
            layout: Arrangement::Named(Layout::ChannelsFirst),
            constant_weights: false,
            original: None,
            terms: Terms::default(),
            ceilings: None,
            decision: Decision {
                status: "ok".to_owned(),
                source: "tuned".to_owned(),
                choice: "onednn@3.2:x".to_owned(),
                winner: Some(winner),
                default: Some(0),
                candidates: times.iter().map(|time| candidate("x", *time)).collect(),
                ..Decision::default()
            },
        }
    }

    pub fn document(problems: Vec<Tuned>) -> Document {
        Document {
            schema: SCHEMA.to_owned(),
            version: VERSION,
            atc: "0.1.0".to_owned(),
            command: "atc tune".to_owned(),
            date: "2026-01-01T00:00:00Z".to_owned(),
            device: DeviceInfo::default(),
            devices: Vec::new(),
            technique: "interleaved".to_owned(),
            store: None,
            cancelled: false,
            seconds: 1.5,
            ceilings: None,
            problems,
        }
    }

    #[test]
    fn documents_of_another_kind_or_a_newer_version_are_refused() {
        let good = document(vec![]);
        for (wrong, word) in [
            (Document { schema: "other".to_owned(), ..good.clone() }, "\"other\""),
            (Document { version: VERSION + 1, ..good.clone() }, "version 2"),
        ] {
            let error = Document::parse("file", &wrong.to_json().unwrap()).unwrap_err().to_string();
            assert!(error.starts_with("file:1: ") && error.contains(word), "{error}");
        }
    }

    #[test]
    fn indices_out_of_range_are_no_times() {
        let mut problem = tuned("a", 1, &[1.0], 0);
        problem.decision.winner = Some(9);
        assert_eq!((problem.decision.time(), problem.decision.gain()), (None, None));
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again(
            layers in prop::collection::vec(layer(), 0..4),
            times in prop::collection::vec(1e-6..10.0_f64, 1..4),
            text in "\\PC{0,12}",
        ) {
            let problems = layers.into_iter().map(|layer| Tuned {
                name: layer.name,
                columns: layer.columns,
                bias: layer.bias,
                ..tuned("", layer.count, &times, 0)
            });
            let mut before = document(problems.collect());
            before.command = text;
            prop_assert_eq!(Document::parse("", &before.to_json().unwrap()).unwrap(), before);
        }
    }
}
