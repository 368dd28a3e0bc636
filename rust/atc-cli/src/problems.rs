//! Which convolutions a command is about: files, built-in networks, and how they become requests.

mod columns;
mod json;
mod layer;
mod networks;
mod request;
mod source;
mod text;

pub use columns::{Columns, Extent};
pub use layer::Layer;
pub use request::{Arrangement, ConstantWeights, DType, Layout, Op, Request, Selection, spelling};
pub use source::read_all;

/// A layer, and what its file says about how to run it (the text format says nothing).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    pub layer: Layer,
    pub op: Option<Op>,
    pub dtype: Option<DType>,
    pub layout: Option<Arrangement>,
    /// Whether the weights stayed the same while it was recorded.
    pub constant_weights: bool,
    /// The engine that runs what the recorded program runs without atc.
    pub original: Option<String>,
}

impl From<Layer> for Row {
    fn from(layer: Layer) -> Self {
        Self { layer, op: None, dtype: None, layout: None, constant_weights: false, original: None }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    pub use super::columns::tests::columns;
    pub use super::layer::tests::layer;

    /// One layer in the text format, asked for as it is.
    pub fn request(text: &str) -> super::Request {
        let layers = super::text::parse(text).unwrap();
        let rows: Vec<_> = layers.into_iter().map(super::Row::from).collect();
        super::Selection::default().requests(&rows).unwrap().remove(0)
    }
}
