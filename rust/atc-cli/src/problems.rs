//! The convolutions that a command works on: from files and built-in networks, through rows, to
//! requests.

mod by_name;
mod columns;
mod json;
mod layer;
mod networks;
mod request;
mod source;
mod terms;
mod text;

pub use by_name::meant;
pub use columns::{Columns, Extent};
pub use layer::Layer;
pub use request::{Arrangement, ConstantWeights, DType, Layout, Op, Request, Selection, spelling};
pub use source::{Input, parse, read_all, read_or_row};
pub use terms::Terms;

/// A layer, and the settings that its file gives for running it (the text format has none).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    pub layer: Layer,
    pub op: Option<Op>,
    pub dtype: Option<DType>,
    pub layout: Option<Arrangement>,
    /// Whether the weights stayed the same during the recording.
    pub constant_weights: bool,
    /// The engine that runs the convolution as the recorded program does without atc.
    pub original: Option<String>,
    /// The options of the calls that noted it.
    pub terms: Terms,
}

impl From<Layer> for Row {
    fn from(layer: Layer) -> Self {
        Self {
            layer,
            op: None,
            dtype: None,
            layout: None,
            constant_weights: false,
            original: None,
            terms: Terms::default(),
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    pub use super::columns::tests::columns;
    pub use super::layer::tests::layer;

    /// Makes a row of one layer in the text format, with no settings.
    pub fn request(text: &str) -> super::Request {
        let layers = super::text::parse(text).unwrap();
        let rows: Vec<_> = layers.into_iter().map(super::Row::from).collect();
        super::Selection::default().requests(&rows).unwrap().remove(0)
    }
}
