//! The convolutions on which a command works. Files and built-in networks contain rows, one for
//! each layer. The options of the command line (such as `--op` and `--batch`) turn rows into
//! requests, one for each convolution.

mod activation;
mod by_name;
mod check;
mod columns;
mod extent;
mod json;
mod layer;
mod networks;
mod request;
mod source;
mod terms;
mod text;

#[cfg(test)]
pub use activation::ActivationName;
pub use by_name::meant;
pub use columns::Columns;
pub use extent::Extent;
pub use layer::Layer;
pub use request::{Arrangement, ConstantWeights, DType, Layout, Op, Request, Selection, spelling};
pub use source::{Input, parse, read_all, read_or_row};
pub use terms::Terms;

/// A row of a file: a layer, and how it is run (direction, type, layout, …). Only JSON files say
/// how it is run; in the text format a row is only a layer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    pub layer: Layer,
    pub op: Option<Op>,
    pub dtype: Option<DType>,
    pub layout: Option<Arrangement>,
    /// Whether the weights of the layer remained the same while the program was recorded.
    pub constant_weights: bool,
    /// In a recording of a program: the name of the engine that the program uses for this
    /// convolution without atc.
    pub original: Option<String>,
    /// In a recording of a program: the options with which the program called this convolution.
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

    /// Makes the request of one layer in the text format, without further options.
    pub fn request(text: &str) -> super::Request {
        let layers = super::text::parse(text).unwrap();
        let rows: Vec<_> = layers.into_iter().map(super::Row::from).collect();
        super::Selection::default().requests(&rows).unwrap().remove(0)
    }
}
