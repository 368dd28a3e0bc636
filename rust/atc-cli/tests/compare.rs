//! Tests `atc compare-side`, which measures one of the libraries that `atc compare` compares. In
//! these tests the library is oneDNN on the CPU, in place of cuDNN.

mod common;

use common::{Folder, output};
use serde_json::Value;

/// Runs `atc compare-side` with the problems in the text `problems`, and returns its output.
fn side(folder: &Folder, problems: &str) -> Value {
    let words =
        ["compare-side", "--device", "cpu", "--engine", "onednn", "--technique", "once", "--quiet"];
    let mut command = folder.atc(&words);
    let text = output(command.write_stdin(std::fs::read(folder.path(problems)).unwrap()));
    serde_json::from_str(&text).unwrap()
}

#[test]
fn a_side_measures_its_engine_and_runs_its_choices_on_the_same_data() {
    let folder = Folder::new();
    let once = side(&folder, "layers.txt");
    let again = side(&folder, "layers.txt");
    assert!(once["file"].as_str().unwrap().contains("dnnl"), "{once}");
    assert_eq!(once["run"]["store"], Value::Null);
    for (problem, name) in ["plain", "point"].into_iter().enumerate() {
        let decided = &once["run"]["problems"][problem];
        assert_eq!((&decided["name"], &decided["status"]), (&name.into(), &"ok".into()));
        let candidates = decided["candidates"].as_array().unwrap();
        assert!(candidates.iter().all(|candidate| candidate["engine"] == "onednn"));
        for which in ["default", "best"] {
            let values = |side: &Value| -> Vec<f64> {
                let list = side["results"][problem][which].as_array().unwrap().clone();
                list.iter().map(|value| value.as_f64().unwrap()).collect()
            };
            let (first, second) = (values(&once), values(&again));
            assert!((1..=1024).contains(&first.len()), "{}", first.len());
            assert!(first.iter().any(|value| value.abs() > 1.0), "{first:?}");
            // An element is a sum of 72 products of numbers below 3.5. `bound` is the largest
            // difference that can occur if the products are added in two different orders.
            let bound = 2.0 * 75.0 * 72.0 * 3.5 * 3.5 * f64::from(f32::EPSILON);
            let apart = first.iter().zip(&second).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(apart < bound, "{apart}");
        }
    }
}

#[test]
fn a_side_without_its_engine_says_so() {
    let folder = Folder::new();
    let words = ["compare-side", "--device", "cpu", "--engine", "nobody"];
    let mut command = folder.atc(&words);
    let ended = command.write_stdin(common::LAYERS).assert().code(2).stdout("");
    let told = String::from_utf8(ended.get_output().stderr.clone()).unwrap();
    assert!(told.contains("nobody"), "{told}");
}
