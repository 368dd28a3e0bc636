//! Which convolutions a command is about: files, built-in networks, and how they become requests.

mod json;
mod layer;
mod networks;
mod request;
mod source;
mod text;

pub use layer::{Columns, Extent, Layer};
pub use request::{DType, Layout, Op, Request, Selection};
pub use source::read_all;

/// A layer, and what its file says about how to run it (the text format says nothing).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    pub layer: Layer,
    pub op: Option<Op>,
    pub dtype: Option<DType>,
    pub layout: Option<Layout>,
}

impl From<Layer> for Row {
    fn from(layer: Layer) -> Self {
        Self { layer, op: None, dtype: None, layout: None }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    pub use super::layer::tests::{columns, layer};
}
