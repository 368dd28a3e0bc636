//! The results of `atc tune`, in the form that `--json` writes and that `atc report` and `atc tune`
//! read.
//!
//! README.md describes the schema. Further fields may be added to a version of the schema. If the
//! meaning of a field changes, the version of the schema changes.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::account::Account;
use crate::decision::Decision;
use crate::failure::{Failure, Result};
use crate::file_kind;
use crate::json;
use crate::problems::{Arrangement, Columns, DType, Op, Terms};

pub const SCHEMA: &str = "atc-tune";
pub const VERSION: u32 = 1;

/// The results of a run of `atc tune`. The JSON also contains counts of the problems.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self")]
pub struct Document {
    pub schema: String,
    pub version: u32,
    /// The version of libatc.
    #[serde(default)]
    pub atc: String,
    #[serde(default)]
    pub command: String,
    /// The date of the run: RFC 3339, UTC.
    #[serde(default)]
    pub date: String,
    #[serde(default)]
    pub device: DeviceInfo,
    /// The names of the devices, if several devices measured. All these devices are of the same
    /// kind as `device`.
    #[serde(default, skip_serializing_if = "<[String]>::is_empty")]
    pub devices: Vec<String>,
    #[serde(default)]
    pub technique: String,
    /// The directory of the store; none if decisions were not stored.
    #[serde(default)]
    pub store: Option<String>,
    #[serde(default)]
    pub cancelled: bool,
    /// Wall time of the whole run, in seconds.
    #[serde(default)]
    pub seconds: f64,
    /// The ceilings (highest rates) of the device, for problems that have no ceilings of their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ceilings: Option<Ceilings>,
    pub problems: Vec<Tuned>,
}

impl Serialize for Document {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Written<'a> {
            #[serde(flatten, serialize_with = "Document::serialize")]
            document: &'a Document,
            account: Account,
        }
        Written { document: self, account: self.account() }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Document {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        Self::deserialize(deserializer)
    }
}

/// The ceilings of a device: its highest rates of memory and arithmetic.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Ceilings {
    pub bytes_per_second: f64,
    pub flops_per_second: f64,
}

impl Ceilings {
    /// Converts the ceilings that libatc has measured. Returns `None` unless both rates are known.
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
    /// On the CPU: the number of threads that a convolution uses. On a GPU: the number of SMs.
    pub compute_units: i32,
    pub cache_bytes: u64,
    pub memory_bytes: u64,
}

/// A convolution and its decision.
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
    /// Whether the weights were treated as constant: the time of packing them (rearranging them for
    /// a kernel) then does not count when candidates are compared.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub constant_weights: bool,
    /// In a recording of a program: the name of the engine that the program uses for this
    /// convolution without atc.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub original: Option<String>,
    /// In a recording of a program: the options with which the program called this convolution.
    #[serde(default, skip_serializing_if = "Terms::are_none")]
    pub terms: Terms,
    /// The ceilings (highest rates) of the device for products of this kind (such as fp32 or TF32),
    /// if the store has them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ceilings: Option<Ceilings>,
    #[serde(flatten)]
    pub decision: Decision,
}

fn one() -> u64 {
    1
}

impl Document {
    /// Makes a document of these problems. The fields about the run are empty.
    pub fn of(problems: Vec<Tuned>) -> Self {
        Self {
            schema: SCHEMA.to_owned(),
            version: VERSION,
            atc: String::new(),
            command: String::new(),
            date: String::new(),
            device: DeviceInfo::default(),
            devices: Vec::new(),
            technique: String::new(),
            store: None,
            cancelled: false,
            seconds: 0.0,
            ceilings: None,
            problems,
        }
    }

    /// Reads a document that `--json` wrote. `origin` names the document in errors.
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

    /// Returns the decisions that could not be written to the store.
    pub fn unwritten(&self) -> impl Iterator<Item = &Decision> {
        self.problems.iter().map(|problem| &problem.decision).filter(|decision| decision.unwritten)
    }
}

/// Checks that this program can read documents of this schema and version. The error is the reason
/// why it cannot.
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

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::problems::{Layout, tests::layer};
    use atc::{Candidate, Timing};
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
        let mut candidate = Candidate::default();
        (candidate.engine, candidate.version) = ("onednn".to_owned(), "3.2".to_owned());
        (candidate.configuration, candidate.timing) = (name.to_owned(), Some(timing));
        candidate
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
            atc: "0.1.0".to_owned(),
            command: "atc tune".to_owned(),
            date: "2026-01-01T00:00:00Z".to_owned(),
            technique: "interleaved".to_owned(),
            seconds: 1.5,
            ..Document::of(problems)
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
