//! Reads the rows of a JSON file. The error for an invalid row has the line number of the row.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::Row;
use super::columns::Columns;
use super::layer::Layer;
use super::request::{Arrangement, DType, Op};
use super::terms::Terms;
use super::text::Wrong;
use crate::document::{SCHEMA, VERSION, check_schema};

/// The members of the document that are read. All other members, such as the results of earlier
/// runs, are ignored.
#[derive(Deserialize)]
struct Rows<'a> {
    schema: String,
    version: u32,
    #[serde(borrow)]
    problems: Vec<&'a RawValue>,
}

#[derive(Deserialize)]
struct Problem {
    name: String,
    #[serde(default = "one")]
    count: u64,
    columns: Columns,
    #[serde(default)]
    bias: bool,
    op: Option<Op>,
    dtype: Option<DType>,
    layout: Option<Arrangement>,
    #[serde(default)]
    constant_weights: bool,
    original: Option<String>,
    #[serde(default)]
    terms: Terms,
}

fn one() -> u64 {
    1
}

/// Reads every row. The error describes the first invalid row.
pub fn parse(text: &str) -> Result<Vec<Row>, Wrong> {
    let document: Rows<'_> = serde_json::from_str(text).map_err(|error| Wrong {
        line: error.line().max(1),
        message: format!(
            "not the JSON that atc tune --json writes ({{\"schema\": {SCHEMA:?}, \"version\": {VERSION}, \
             \"problems\": [...]}}): {error}"
        ),
    })?;
    check_schema(&document.schema, document.version)
        .map_err(|message| Wrong { line: 1, message })?;
    if document.problems.is_empty() {
        return Err(Wrong {
            line: 1,
            message: "no problem in it: \"problems\" is empty".to_owned(),
        });
    }
    document
        .problems
        .into_iter()
        .enumerate()
        .map(|(index, raw)| row(text, index, raw.get()))
        .collect()
}

/// Reads one row. `raw` must be a part of `text`: its position gives the line for errors.
fn row(text: &str, index: usize, raw: &str) -> Result<Row, Wrong> {
    let offset = raw.as_ptr().addr().saturating_sub(text.as_ptr().addr());
    let before = text.get(..offset).unwrap_or_default();
    let first_line = 1 + before.bytes().filter(|byte| *byte == b'\n').count();
    let problem: Problem = serde_json::from_str(raw).map_err(|error| Wrong {
        line: first_line + error.line().max(1) - 1,
        message: format!("problem {} cannot be read: {error}", index + 1),
    })?;
    let layer = Layer {
        name: problem.name,
        count: problem.count,
        columns: problem.columns.normalized(),
        bias: problem.bias,
    };
    let fits = |layout: &Arrangement| layout.check(layer.columns.spatial_dims());
    layer.check().and_then(|()| problem.layout.as_ref().map_or(Ok(()), fits)).map_err(|wrong| {
        Wrong {
            line: first_line,
            message: format!("problem {} ({:?}): {wrong}", index + 1, layer.name),
        }
    })?;
    Ok(Row {
        layer,
        op: problem.op,
        dtype: problem.dtype,
        layout: problem.layout,
        constant_weights: problem.constant_weights,
        original: problem.original,
        terms: problem.terms,
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::layer;
    use super::*;
    use crate::document::tests::{document, tuned};
    use proptest::prelude::*;

    const GOOD: &str = r#"{"name": "a", "columns": {"N":1,"C":2,"H":8,"W":8,"K":4,"R":3,"S":3}}"#;

    fn file(problems: &str) -> String {
        format!("{{\"schema\": \"atc-tune\", \"version\": 1,\n\"problems\": [\n{problems}\n]}}")
    }

    #[test]
    fn columns_of_dimensions_that_a_layer_lacks_may_be_left_out() {
        let rows = parse(&file(GOOD)).unwrap();
        assert_eq!((rows[0].layer.count, rows[0].op), (1, None));
        assert_eq!((rows[0].layer.columns.stride_width, rows[0].layer.columns.groups), (1, 1));
    }

    #[test]
    fn errors_name_the_line_of_the_problem() {
        for (bad, line, words) in [
            (GOOD.replace("\"C\":2", "\"C\":0"), 4, ["problem 2", "C is 0"]),
            (GOOD.replace("\"C\":2", "\"Q\":2"), 4, ["problem 2", "Q"]),
            (GOOD.replace("\"C\":2", "\n\"C\":2.5"), 5, ["problem 2", "2.5"]),
            (GOOD.replace("\"a\"", "\"a b\""), 4, ["problem 2", "a b"]),
            ("{".to_owned(), 5, ["JSON", "key must"]),
        ] {
            let wrong = parse(&file(&format!("{GOOD},\n{bad}"))).unwrap_err();
            assert_eq!(wrong.line, line, "{wrong:?}");
            assert!(words.iter().all(|word| wrong.message.contains(word)), "{wrong:?}");
        }
    }

    #[test]
    fn recorded_rows_carry_what_columns_alone_cannot_say() {
        let row = r#"{"name": "conv_1", "count": 3, "constant_weights": true, "original": "aten", "op": "forward", "dtype": "f32",
            "layout": {"x": [128, 1, 16, 2], "w": [8, 4, 2, 1], "y": [512, 256, 16, 1]},
            "columns": {"N":4,"C":2,"H":8,"W":8,"K":2,"R":2,"S":2,"strideH":2,"strideW":2,"dilH":3,
                        "transposed":true,"outpadW":1}}"#;
        let row = parse(&file(row)).unwrap().remove(0);
        let columns = &row.layer.columns;
        assert!(row.constant_weights && columns.transposed);
        assert_eq!(row.original.as_deref(), Some("aten"));
        let extents: Vec<_> = columns.extents();
        assert_eq!((extents[0].dilation, extents[1].dilation), (3, 1));
        assert_eq!((extents[0].output_padding, extents[1].output_padding), (Some(0), Some(1)));
        let Some(Arrangement::Strides(strides)) = row.layout else { panic!("no strides") };
        assert_eq!(strides.x, [128, 1, 16, 2]);
    }

    #[test]
    fn noted_rows_carry_the_options_of_their_calls() {
        let with = |terms: &str| {
            parse(&file(&GOOD.replace("\"columns\"", &format!("\"terms\": {terms}, \"columns\""))))
        };
        let mut rows =
            with(r#"{"deterministic": true, "workspace_limit": 0, "use_store": false}"#).unwrap();
        let tuner = rows.remove(0).terms.apply(atc::Tuner::new(atc::Device::Cpu));
        let shown = format!("{tuner:?}");
        assert!(shown.contains("deterministic: true"), "{shown}");
        assert!(shown.contains("workspace_limit: AtMost(0)"), "{shown}");
        assert!(with(r#"{"quick": true}"#).unwrap_err().message.contains("quick"));
        assert_eq!(parse(&file(GOOD)).unwrap()[0].terms, Terms::default());
    }

    #[test]
    fn layouts_that_are_none_are_refused_with_what_they_may_be() {
        for (layout, words) in [
            (r#""sideways""#, vec!["\"channels-first\"", "strides"]),
            (r#"{"x": [1], "w": [1]}"#, vec!["\"channels-first\"", "strides"]),
            (r#"{"x": [1,2,3], "w": [1,2,3,4], "y": [1,2,3,4]}"#, vec!["3 strides of x", "4"]),
        ] {
            let row = GOOD.replace("\"columns\"", &format!("\"layout\": {layout}, \"columns\""));
            let wrong = parse(&file(&row)).unwrap_err();
            assert_eq!(wrong.line, 3);
            assert!(words.iter().all(|word| wrong.message.contains(word)), "{wrong:?}");
        }
    }

    #[test]
    fn other_documents_and_empty_ones_are_refused() {
        for (text, word) in [
            (file(""), "empty"),
            (file(GOOD).replace("atc-tune", "atc-other"), "atc-other"),
            (file(GOOD).replace(": 1,", ": 2,"), "version 2"),
            ("{}".to_owned(), "schema"),
        ] {
            let wrong = parse(&text).unwrap_err();
            assert!(wrong.message.contains(word), "{wrong:?}");
            assert!(wrong.line >= 1);
        }
    }

    proptest! {
        #[test]
        fn what_tune_writes_is_read_as_the_same_rows(layers in prop::collection::vec(layer(), 1..4)) {
            let written = document(layers.iter().map(|layer| crate::document::Tuned {
                name: layer.name.clone(),
                columns: layer.columns.clone(),
                bias: layer.bias,
                ..tuned("", layer.count, &[1.0], 0)
            }).collect());
            let rows = parse(&written.to_json().unwrap()).unwrap();
            prop_assert_eq!(rows.into_iter().map(|row| row.layer).collect::<Vec<_>>(), layers);
        }

        #[test]
        fn arbitrary_text_never_panics(text in "(?s)\\{.{0,200}") {
            let _ = parse(&text).is_ok();
        }
    }
}
