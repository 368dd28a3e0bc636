//! Requests: the convolutions on which a command works. Requests are made from rows and the options
//! of the command line.

use std::collections::HashSet;

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

use super::Row;
use super::columns::Columns;
use super::layer::Layer;
use super::terms::Terms;

/// The direction of a layer's convolution.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Op {
    /// Compute y from x and w
    Forward,
    /// Compute the gradient of x from y's gradient and w
    BackwardData,
    /// Compute the gradient of w from x and y's gradient
    BackwardWeight,
}

/// The type of the elements of x, w and y.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DType {
    /// 32-bit floating point
    F32,
    /// bfloat16
    Bf16,
    /// 16-bit floating point (IEEE half)
    F16,
}

impl DType {
    /// The size of one element in bytes.
    pub fn bytes(self) -> u64 {
        match self {
            Self::F32 => 4,
            Self::Bf16 | Self::F16 => 2,
        }
    }
}

/// How tensors lie in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Layout {
    /// Layout N C H W: neighbours in the last dimension (W) are adjacent in memory
    ChannelsFirst,
    /// Layout N H W C: the channels of a pixel are adjacent in memory
    ChannelsLast,
}

/// The arrangement of a row's tensors in memory: a named layout, or strides.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(
    untagged,
    expecting = "must be \"channels-first\", \"channels-last\", or the strides of each \
                               tensor, {\"x\": [...], \"w\": [...], \"y\": [...]}"
)]
pub enum Arrangement {
    /// All three tensors (x, w and y) have this layout.
    Named(Layout),
    /// The strides of each tensor, in elements. The strides are listed in the order batch,
    /// channels, depth, height, width, whatever the order in memory is.
    Strides(atc::Strides),
}

impl Arrangement {
    /// Returns an error if the strides do not fit a layer of `spatial_dims` spatial dimensions.
    pub fn check(&self, spatial_dims: usize) -> Result<(), String> {
        let Self::Strides(strides) = self else { return Ok(()) };
        for (name, given) in [("x", &strides.x), ("w", &strides.w), ("y", &strides.y)] {
            if given.len() != spatial_dims + 2 {
                return Err(format!(
                    "the layout has {} strides of {name}: must be {}",
                    given.len(),
                    spatial_dims + 2
                ));
            }
        }
        Ok(())
    }
}

impl std::fmt::Display for Arrangement {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Named(layout) => layout.fmt(formatter),
            Self::Strides(_) => formatter.pad("strided"),
        }
    }
}

/// The problems whose weights are treated as constant: the time of packing the weights then does
/// not count when candidates are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ConstantWeights {
    /// The weights of all problems that read weights are treated as constant
    Always,
    /// Only weights that stayed the same during the recording are treated as constant
    Recorded,
}

/// Returns the name of an enum's value, as the command line and the JSON write it: for example
/// "channels-last".
pub fn spelling(value: &impl ValueEnum) -> String {
    value.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
}

macro_rules! display_as_spelt {
    ($($name:ident),+) => {$(
        impl std::fmt::Display for $name {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.pad(&spelling(self))
            }
        }
    )+};
}
display_as_spelt!(Op, DType, Layout);

/// Options of the command line that apply to every row. If an option is `None`, the value of the
/// row is used, or else the default.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selection {
    pub batch: Option<i64>,
    pub dtype: Option<DType>,
    pub layout: Option<Layout>,
    pub ops: Vec<Op>,
    pub constant_weights: Option<ConstantWeights>,
}

/// A convolution on which a command works.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    pub layer: Layer,
    pub op: Op,
    pub dtype: DType,
    pub layout: Arrangement,
    /// Whether the weights are treated as constant: the time of packing them (rearranging them for
    /// a kernel) then does not count when candidates are compared.
    pub constant_weights: bool,
    /// In a recording of a program: the name of the engine that the program uses for this
    /// convolution without atc.
    pub original: Option<String>,
    /// In a recording of a program: the options with which the program called this convolution.
    /// Only `atc tune`, `atc select` and `atc advise` use these options.
    pub terms: Terms,
}

impl Selection {
    /// Returns the convolutions that are requested for these rows, in the order of the rows. Of
    /// equal requests only the first is returned.
    pub fn requests(&self, rows: &[Row]) -> Result<Vec<Request>, String> {
        let mut seen = HashSet::new();
        let mut requests = Vec::new();
        for row in rows {
            let layer = self.layer(row)?;
            let given = self.layout.map(Arrangement::Named).or_else(|| row.layout.clone());
            for op in self.ops_of(row) {
                let request = Request {
                    op,
                    dtype: self.dtype.or(row.dtype).unwrap_or(DType::F32),
                    layout: given.clone().unwrap_or(Arrangement::Named(Layout::ChannelsFirst)),
                    constant_weights: match self.constant_weights {
                        None => false,
                        Some(ConstantWeights::Always) => true,
                        Some(ConstantWeights::Recorded) => row.constant_weights,
                    },
                    original: row.original.clone(),
                    terms: row.terms.clone(),
                    layer: if op == Op::Forward { layer.clone() } else { layer.of_gradient() },
                };
                if seen.insert(format!("{request:?}")) {
                    requests.push(request);
                }
            }
        }
        Ok(requests)
    }

    fn layer(&self, row: &Row) -> Result<Layer, String> {
        let layer = &row.layer;
        if let (Some(Arrangement::Strides(_)), Some(_), None) =
            (&row.layout, self.batch, self.layout)
        {
            return Err(format!(
                "{} with --batch: its file gives strides, which hold for its own batch size only; give \
                 --layout too, or leave out --batch",
                layer.name
            ));
        }
        let batch = self.batch.unwrap_or(layer.columns.batch);
        let layer = Layer { columns: Columns { batch, ..layer.columns.clone() }, ..layer.clone() };
        layer.columns.check().map_err(|wrong| format!("{} with --batch: {wrong}", layer.name))?;
        Ok(layer)
    }

    /// Returns the directions that are requested for a row. If the row has the numbers of a
    /// transposed layer's adjoint (an ordinary convolution), forward is replaced by backward-data:
    /// the layer's output is the input gradient of the adjoint.
    fn ops_of(&self, row: &Row) -> Vec<Op> {
        let stated = [row.op.unwrap_or(Op::Forward)];
        let ops = if self.ops.is_empty() { &stated[..] } else { &self.ops[..] };
        ops.iter()
            .map(|op| match op {
                Op::Forward if row.layer.is_written_as_adjoint() => Op::BackwardData,
                other => *other,
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::text::parse;
    use super::*;

    fn rows(text: &str) -> Vec<Row> {
        parse(text).unwrap().into_iter().map(Row::from).collect()
    }

    #[test]
    fn the_command_line_goes_before_the_file_and_the_file_before_the_default() {
        let mut rows = rows("a 4 2 0 8 8 2 0 3 3 1 1 1 1");
        let plain = Selection::default().requests(&rows).unwrap();
        assert_eq!((plain[0].op, plain[0].dtype), (Op::Forward, DType::F32));
        assert_eq!(plain[0].layout, Arrangement::Named(Layout::ChannelsFirst));
        assert_eq!(plain[0].layer.columns.batch, 4);
        rows[0].dtype = Some(DType::F16);
        rows[0].op = Some(Op::BackwardWeight);
        rows[0].layout = Some(Arrangement::Named(Layout::ChannelsLast));
        let from_file = Selection::default().requests(&rows).unwrap();
        assert_eq!((from_file[0].op, from_file[0].dtype), (Op::BackwardWeight, DType::F16));
        assert_eq!(from_file[0].layout, Arrangement::Named(Layout::ChannelsLast));
        let selection = Selection {
            batch: Some(16),
            dtype: Some(DType::Bf16),
            layout: Some(Layout::ChannelsFirst),
            ops: vec![Op::Forward, Op::BackwardData],
            ..Selection::default()
        };
        let given = selection.requests(&rows).unwrap();
        assert_eq!(given.iter().map(|r| r.op).collect::<Vec<_>>(), [Op::Forward, Op::BackwardData]);
        assert_eq!(given[0].dtype, DType::Bf16);
        assert_eq!(given[0].layout, Arrangement::Named(Layout::ChannelsFirst));
        assert_eq!(given[1].layer.columns.batch, 16);
    }

    #[test]
    fn a_transposed_row_runs_as_backward_data_once() {
        let rows = rows("tconv_a 4 2 0 8 8 2 0 4 4 1 2 1 1\nb 4 2 0 8 8 2 0 4 4 1 2 1 1");
        let selection =
            Selection { ops: vec![Op::Forward, Op::BackwardData], ..Selection::default() };
        let requests = selection.requests(&rows).unwrap();
        let told: Vec<_> = requests.iter().map(|r| (r.layer.name.as_str(), r.op)).collect();
        assert_eq!(
            told,
            [("tconv_a", Op::BackwardData), ("b", Op::Forward), ("b", Op::BackwardData)]
        );
    }

    #[test]
    fn only_forward_adds_a_bias() {
        let rows = rows("a 4 2 0 8 8 2 0 3 3 1 1 1 1 # x2 bias");
        let ops = vec![Op::Forward, Op::BackwardData, Op::BackwardWeight];
        let requests = Selection { ops, ..Selection::default() }.requests(&rows).unwrap();
        assert_eq!(requests.iter().map(|r| r.layer.bias).collect::<Vec<_>>(), [true, false, false]);
    }

    #[test]
    fn only_forward_has_scale_residual_and_activation() {
        let mut rows = rows("a 4 2 0 8 8 2 0 3 3 1 1 1 1");
        let columns = &mut rows[0].layer.columns;
        (columns.scale, columns.residual) = (true, true);
        columns.activation = Some(crate::problems::ActivationName::LeakyRelu);
        columns.activation_slope = serde_json::Number::from_f64(0.5);
        let plain = columns.clone().of_gradient();
        let given = columns.clone();
        let ops = vec![Op::Forward, Op::BackwardData];
        let requests = Selection { ops, ..Selection::default() }.requests(&rows).unwrap();
        assert_eq!(requests[0].layer.columns, given);
        assert_eq!(requests[1].layer.columns, plain);
        assert!(!plain.scale && plain.activation.is_none() && plain.activation_slope.is_none());
    }

    #[test]
    fn strides_hold_for_their_own_batch_size_only() {
        let mut rows = rows("a 4 2 0 8 8 2 0 1 1 0 1 1 1");
        let strides =
            atc::Strides { x: vec![128, 1, 16, 2], w: vec![2, 1, 1, 1], y: vec![128, 64, 8, 1] };
        rows[0].layout = Some(Arrangement::Strides(strides));
        assert_eq!(Selection::default().requests(&rows).unwrap()[0].layout.to_string(), "strided");
        let batch = Selection { batch: Some(8), ..Selection::default() };
        let error = batch.requests(&rows).unwrap_err();
        assert!(error.starts_with("a with --batch") && error.contains("--layout"), "{error}");
        let both = Selection { layout: Some(Layout::ChannelsLast), ..batch };
        let request = &both.requests(&rows).unwrap()[0];
        assert_eq!(request.layout, Arrangement::Named(Layout::ChannelsLast));
        assert_eq!(request.layer.columns.batch, 8);
    }

    #[test]
    fn weights_are_constant_where_it_is_asked_for() {
        let mut rows = rows("a 4 2 0 8 8 2 0 3 3 1 1 1 1\nb 4 2 0 8 8 2 0 3 3 1 1 1 1");
        rows[1].constant_weights = true;
        for (constant_weights, expected) in [
            (None, [false, false]),
            (Some(ConstantWeights::Always), [true, true]),
            (Some(ConstantWeights::Recorded), [false, true]),
        ] {
            let selection = Selection { constant_weights, ..Selection::default() };
            let requests = selection.requests(&rows).unwrap();
            let found: Vec<_> = requests.iter().map(|request| request.constant_weights).collect();
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn a_batch_that_makes_a_layer_impossible_is_refused_by_name() {
        let rows = rows("wide 4 2 0 8 8 2 0 3 3 1 1 1 1");
        let selection = Selection { batch: Some(i64::MAX), ..Selection::default() };
        let error = selection.requests(&rows).unwrap_err();
        assert!(error.contains("wide") && error.contains("--batch"), "{error}");
    }
}
