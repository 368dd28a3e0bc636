//! The ceilings (highest rates) of devices that `atc explain --measure` has kept with a store. They
//! are files in the store's directory: one for each device with the versions of its libraries.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use crate::document::Ceilings;
use crate::output;
use crate::problems::Request;

const SCHEMA: u32 = 1;

/// A file of ceilings.
#[derive(Debug, Clone, PartialEq, Deserialize)]
struct Kept {
    environment: Value,
    bytes_per_second: Option<f64>,
    /// By the kind of products.
    flops_per_second: BTreeMap<String, f64>,
}

/// The ceilings of all devices in a store.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct KeptCeilings(Vec<Kept>);

impl KeptCeilings {
    /// Reads the ceilings of the store in this directory. A file that cannot be read counts as absent, with a note, as
    /// in libatc.
    pub fn of(directory: &Path) -> Self {
        // If the directory cannot be read, there are no ceilings. The code that reads the decisions
        // reports the reason.
        let Ok(files) = fs::read_dir(directory) else { return Self::default() };
        let mut kept = Vec::new();
        for file in files.flatten() {
            let name = file.file_name();
            let name = name.to_string_lossy();
            if !(name.starts_with("ceilings-") && name.ends_with(".json")) {
                continue;
            }
            match read(&file.path()) {
                Ok(known) => kept.extend(known),
                Err(why) => {
                    let path = file.path();
                    output::note(&format!("{} is taken for absent: {why}", path.display()));
                }
            }
        }
        Self(kept)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the ceilings of an environment for products of this kind, if both ceilings are
    /// known.
    pub fn find(&self, environment: &Value, products: &str) -> Option<Ceilings> {
        let kept = self.0.iter().find(|kept| kept.environment == *environment)?;
        let ceilings = Ceilings {
            bytes_per_second: kept.bytes_per_second?,
            flops_per_second: *kept.flops_per_second.get(products)?,
        };
        ceilings.are_known().then_some(ceilings)
    }

    /// Returns the ceilings for the problem of an entry's key.
    pub fn for_key(&self, key: &Value) -> Option<Ceilings> {
        let problem = key.get("problem")?;
        let x = problem.get("x")?;
        let groups = problem.get("groups")?.as_i64()?;
        let depthwise = groups > 1 && x.get("shape")?.get(1)?.as_i64() == Some(groups);
        let tf32 = problem.get("allowed")?.get("tf32") == Some(&Value::Bool(true));
        self.find(key.get("environment")?, products(x.get("dtype")?.as_str()?, depthwise, tf32))
    }

    /// Returns the ceilings for a request in an environment. `tf32`: whether the request's products
    /// may be rounded to TF32.
    pub fn for_request(
        &self,
        environment: &Value,
        request: &Request,
        tf32: bool,
    ) -> Option<Ceilings> {
        let columns = &request.layer.columns;
        // libatc describes a transposed convolution as the ordinary one with input and output exchanged.
        let channels = if columns.transposed { columns.out_channels } else { columns.in_channels };
        let depthwise = columns.groups > 1 && columns.groups == channels;
        self.find(environment, products(&request.dtype.to_string(), depthwise, tf32))
    }
}

/// `None`: of another schema.
fn read(path: &Path) -> Result<Option<Kept>, String> {
    let text = fs::read_to_string(path).map_err(|error| error.to_string())?;
    let kept: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    if kept.get("schema") != Some(&Value::from(SCHEMA)) {
        return Ok(None);
    }
    Kept::deserialize(kept).map(Some).map_err(|error| error.to_string())
}

/// Returns the kind of products that the problem consists of, by libatc's name. Sums of few
/// products (for example with one group for each channel) cannot use units for matrix products, so
/// they count as f32.
fn products(dtype: &str, depthwise: bool, tf32: bool) -> &str {
    match dtype {
        _ if depthwise => "f32",
        "f32" if tf32 => "tf32",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problems::tests::request;
    use serde_json::json;

    fn kept(environment: &Value) -> Value {
        json!({"schema": 1, "environment": environment, "bytes_per_second": 1e9,
               "flops_per_second": {"f32": 1e10, "tf32": 2e10, "f16": 3e10}})
    }

    fn store(files: &[(&str, String)]) -> KeptCeilings {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            fs::write(folder.path().join(name), text).unwrap();
        }
        KeptCeilings::of(folder.path())
    }

    #[test]
    fn ceilings_are_those_of_the_device_and_of_the_products() {
        let (here, there) = (json!({"device": "cpu"}), json!({"device": "cuda"}));
        let store = store(&[
            ("ceilings-1.json", kept(&here).to_string()),
            ("other-1.json", kept(&there).to_string()),
        ]);
        let flops = |environment: &Value, products: &str| {
            store.find(environment, products).map(|found| found.flops_per_second)
        };
        assert_eq!((flops(&here, "f32"), flops(&here, "f16")), (Some(1e10), Some(3e10)));
        assert_eq!((flops(&here, "bf16"), flops(&there, "f32")), (None, None));
        let of_row = |row: &str, tf32: bool| {
            store.for_request(&here, &request(row), tf32).map(|found| found.flops_per_second)
        };
        assert_eq!(of_row("a 1 4 0 8 8 4 0 3 3 1 1 1 1", false), Some(1e10));
        assert_eq!(of_row("a 1 4 0 8 8 4 0 3 3 1 1 1 1", true), Some(2e10));
        assert_eq!(of_row("a 1 4 0 8 8 4 0 3 3 1 1 1 2", true), Some(2e10));
        assert_eq!(of_row("a 1 4 0 8 8 4 0 3 3 1 1 1 4", true), Some(1e10));
    }

    #[test]
    fn the_key_of_an_entry_says_which_products() {
        let here = json!({"device": "cuda"});
        let store = store(&[("ceilings-1.json", kept(&here).to_string())]);
        let flops = |dtype: &str, groups: i64, tf32: bool| {
            let key = json!({"environment": here, "problem": {"groups": groups,
                "x": {"dtype": dtype, "shape": [1, 8, 4, 4]}, "allowed": {"tf32": tf32}}});
            store.for_key(&key).map(|found| found.flops_per_second)
        };
        assert_eq!((flops("f32", 1, false), flops("f32", 1, true)), (Some(1e10), Some(2e10)));
        assert_eq!((flops("f16", 1, true), flops("f16", 8, true)), (Some(3e10), Some(1e10)));
        assert_eq!(flops("bf16", 2, true), None);
        assert_eq!(store.for_key(&json!({"environment": here})), None);
    }

    #[test]
    fn what_cannot_be_read_counts_as_absent() {
        let here = json!({"device": "cpu"});
        let mut newer = kept(&here);
        newer["schema"] = json!(2);
        let mut negative = kept(&here);
        negative["bytes_per_second"] = json!(-1.0);
        for text in ["{".to_owned(), "3".to_owned(), newer.to_string(), negative.to_string()] {
            assert_eq!(store(&[("ceilings-1.json", text.clone())]).find(&here, "f32"), None);
        }
        assert!(KeptCeilings::of(Path::new("/nowhere/at/all")).is_empty());
    }
}
