//! Reads the text format: one layer in each line, with 14 or 18 columns.

use super::columns::Columns;
use super::layer::Layer;

/// An error in a file, with the number of the line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wrong {
    pub line: usize,
    pub message: String,
}

const LONG: [&str; 18] = [
    "name", "N", "C", "D", "H", "W", "K", "T", "R", "S", "padD", "padH", "padW", "strideD",
    "strideH", "strideW", "dil", "groups",
];
const SHORT: [&str; 14] =
    ["name", "N", "C", "D", "H", "W", "K", "T", "R", "S", "pad", "stride", "dil", "groups"];

/// Reads every layer. The error describes the first invalid line.
pub fn parse(text: &str) -> Result<Vec<Layer>, Wrong> {
    let mut layers = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let (row, comment) = line.split_once('#').unwrap_or((line, ""));
        let fields: Vec<&str> = row.split_whitespace().collect();
        if fields.is_empty() {
            continue;
        }
        let layer = row_of(&fields, comment);
        layers.push(layer.map_err(|message| Wrong { line: index + 1, message })?);
    }
    if layers.is_empty() {
        let message =
            format!("no layer in it: a layer is a line of {} columns ({})", 14, SHORT.join(" "));
        return Err(Wrong { line: text.lines().count().max(1), message });
    }
    Ok(layers)
}

fn row_of(fields: &[&str], comment: &str) -> Result<Layer, String> {
    let columns = match fields.len() {
        14 => short(fields)?,
        18 => long(fields)?,
        other => {
            return Err(format!(
                "{other} columns: a layer has 14 ({}), or 18 with {} in place of pad and stride",
                SHORT.join(" "),
                LONG[10..16].join(" ")
            ));
        }
    };
    let (count, bias) = remark(comment)?;
    let layer = Layer { name: fields[0].to_owned(), count, columns: columns.normalized(), bias };
    layer.check()?;
    Ok(layer)
}

/// Reads a comment of the form `xCOUNT [bias]`. Any other comment is ignored.
fn remark(comment: &str) -> Result<(u64, bool), String> {
    let mut words = comment.split_whitespace();
    let count = words.next().and_then(|word| word.strip_prefix('x'));
    let Some(digits) = count.filter(|digits| digits.starts_with(|c: char| c.is_ascii_digit()))
    else {
        return Ok((1, false));
    };
    let count = digits.parse().map_err(|_| format!("the count x{digits} is no whole number"))?;
    Ok((count, words.next() == Some("bias")))
}

fn short(fields: &[&str]) -> Result<Columns, String> {
    let [
        batch,
        in_channels,
        depth,
        height,
        width,
        out_channels,
        t,
        r,
        s,
        pad,
        stride,
        dilation,
        groups,
    ] = numbers(fields, &SHORT)?;
    Ok(Columns {
        batch,
        in_channels,
        depth,
        height,
        width,
        out_channels,
        kernel_depth: t,
        kernel_height: r,
        kernel_width: s,
        pad_depth: pad,
        pad_height: pad,
        pad_width: pad,
        stride_depth: stride,
        stride_height: stride,
        stride_width: stride,
        dilation,
        groups,
        ..Columns::PLAIN
    })
}

fn long(fields: &[&str]) -> Result<Columns, String> {
    let [
        batch,
        in_channels,
        depth,
        height,
        width,
        out_channels,
        kernel_depth,
        kernel_height,
        kernel_width,
        pad_depth,
        pad_height,
        pad_width,
        stride_depth,
        stride_height,
        stride_width,
        dilation,
        groups,
    ] = numbers(fields, &LONG)?;
    Ok(Columns {
        batch,
        in_channels,
        depth,
        height,
        width,
        out_channels,
        kernel_depth,
        kernel_height,
        kernel_width,
        pad_depth,
        pad_height,
        pad_width,
        stride_depth,
        stride_height,
        stride_width,
        dilation,
        groups,
        ..Columns::PLAIN
    })
}

/// Reads all columns of a line except the first column (the name of the layer).
fn numbers<const COUNT: usize>(fields: &[&str], names: &[&str]) -> Result<[i64; COUNT], String> {
    let mut values = [0; COUNT];
    for (index, (value, field)) in values.iter_mut().zip(&fields[1..]).enumerate() {
        *value = field.parse().map_err(|_| {
            format!(
                "column {} ({}) is {field:?}: must be a whole number",
                index + 2,
                names[index + 1]
            )
        })?;
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::super::layer::tests::layer;
    use super::*;
    use proptest::prelude::*;

    fn long_row(layer: &Layer) -> String {
        let c = &layer.columns;
        let numbers = [
            c.batch,
            c.in_channels,
            c.depth,
            c.height,
            c.width,
            c.out_channels,
            c.kernel_depth,
            c.kernel_height,
            c.kernel_width,
            c.pad_depth,
            c.pad_height,
            c.pad_width,
            c.stride_depth,
            c.stride_height,
            c.stride_width,
            c.dilation,
            c.groups,
        ];
        let numbers: Vec<String> = numbers.iter().map(i64::to_string).collect();
        let bias = if layer.bias { " bias" } else { "" };
        format!("{} {}  # x{}{bias}", layer.name, numbers.join(" "), layer.count)
    }

    #[test]
    fn fourteen_columns_pad_and_stride_every_dimension() {
        let text = "# comment\n\nc3d_64 4 64 16 56 56 64 3 3 3 1 2 1 1\r\n";
        let layers = parse(text).unwrap();
        let c = &layers[0].columns;
        assert_eq!(layers[0].name, "c3d_64");
        assert_eq!((layers[0].count, layers[0].bias), (1, false));
        assert_eq!((c.pad_depth, c.pad_height, c.pad_width), (1, 1, 1));
        assert_eq!((c.stride_depth, c.stride_height, c.stride_width), (2, 2, 2));
    }

    #[test]
    fn one_dimensional_rows_pad_the_width_only() {
        let layers = parse("conv1d_512 8 512 0 1 8000 512 0 1 3 1 1 1 1").unwrap();
        let c = &layers[0].columns;
        assert_eq!((c.pad_depth, c.pad_height, c.pad_width), (0, 0, 1));
    }

    #[test]
    fn the_comment_of_a_row_may_tell_count_and_bias() {
        let row = "a 1 2 0 1 1 2 0 1 1 0 1 1 1";
        let parsed = |comment: &str| {
            parse(&format!("{row}{comment}")).map(|layers| (layers[0].count, layers[0].bias))
        };
        assert_eq!(parsed("  # x12 bias"), Ok((12, true)));
        assert_eq!(parsed("# x3"), Ok((3, false)));
        assert_eq!(parsed(" # no bias here"), Ok((1, false)));
        assert_eq!(parsed(" # xavier"), Ok((1, false)));
        assert_eq!(parsed(" # x0").unwrap_err().line, 1);
        assert!(parsed(" # x99999999999999999999").is_err());
    }

    #[test]
    fn errors_name_line_column_and_value() {
        let good = "a 1 2 0 8 8 2 0 3 3 1 1 1 1\n";
        for (line, words) in [
            ("b 1 2 0 8 8 2 0 3 3 1 1 1", vec!["13 columns", "14", "18"]),
            ("b 1 2 0 8 8 2 0 3 x3 1 1 1 1", vec!["column 10", "S", "\"x3\""]),
            ("b 1 2 0 8 8 2 0 3 3 1 1 1.5 1", vec!["column 13", "dil", "1.5"]),
            ("b 1 2 0 8 8 2 0 3 3 99999999999999999999 1 1 1", vec!["column 11", "pad"]),
            ("b 1 2 0 8 8 2 0 3 3 1 1 1 0", vec!["groups", "0"]),
            ("\u{1b}[31m 1 2 0 8 8 2 0 3 3 1 1 1 1", vec!["name", "control"]),
        ] {
            let wrong = parse(&format!("# head\n{good}{line}\n{good}")).unwrap_err();
            assert_eq!(wrong.line, 3, "{wrong:?}");
            assert!(words.iter().all(|word| wrong.message.contains(word)), "{wrong:?}");
        }
    }

    #[test]
    fn a_file_without_layers_is_an_error_at_its_end() {
        assert_eq!(parse("").unwrap_err().line, 1);
        let wrong = parse("# only\n# comments\n").unwrap_err();
        assert_eq!(wrong.line, 2);
        assert!(wrong.message.contains("no layer"), "{wrong:?}");
    }

    proptest! {
        #[test]
        fn eighteen_columns_come_back_as_they_were(layers in prop::collection::vec(layer(), 1..8)) {
            let text: Vec<String> = layers.iter().map(long_row).collect();
            prop_assert_eq!(parse(&text.join("\n")), Ok(layers));
        }

        #[test]
        fn arbitrary_text_never_panics(text in "(?s).{0,200}") {
            let _ = parse(&text).is_ok();
        }

        #[test]
        fn rows_of_arbitrary_words_never_panic(words in prop::collection::vec("[a-z0-9#.-]{1,6}", 12..20)) {
            let _ = parse(&words.join(" ")).is_ok();
        }
    }
}
