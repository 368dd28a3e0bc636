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
}

impl From<Layer> for Row {
    fn from(layer: Layer) -> Self {
        Self { layer, op: None, dtype: None, layout: None, constant_weights: false }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    pub use super::columns::tests::columns;
    pub use super::layer::tests::layer;
}
