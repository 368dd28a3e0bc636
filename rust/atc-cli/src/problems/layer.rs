//! A convolution layer: one row of a problem file.

use super::columns::Columns;

/// A layer of a network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layer {
    pub name: String,
    /// The number of convolutions of the network that have this shape.
    pub count: u64,
    pub columns: Columns,
    /// Whether a bias is added in the forward direction.
    pub bias: bool,
}

impl Layer {
    /// Whether the name of the layer starts with `tconv_` and `transposed` is not set. Such a layer
    /// is a transposed convolution, but the row has the numbers of its adjoint: of the ordinary
    /// convolution whose input gradient the layer computes.
    pub fn is_written_as_adjoint(&self) -> bool {
        self.name.starts_with("tconv_") && !self.columns.transposed
    }

    /// Returns the layer for a backward direction: without bias, scale, residual and activation,
    /// which exist only in the forward direction.
    pub fn of_gradient(&self) -> Self {
        Self { columns: self.columns.clone().of_gradient(), bias: false, ..self.clone() }
    }

    /// Returns an error if the name or the numbers of the row are not those of a valid layer.
    pub fn check(&self) -> Result<(), String> {
        if self.name.is_empty() || self.name.contains(|c: char| c.is_whitespace() || c.is_control())
        {
            return Err(format!(
                "the name {:?} is empty or has white space or control characters in it",
                self.name
            ));
        }
        if self.count == 0 {
            return Err("the count is 0: must be at least 1".to_owned());
        }
        self.columns.check()
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::columns::tests::columns;
    use super::*;
    use proptest::prelude::*;

    pub fn layer() -> impl Strategy<Value = Layer> {
        ("[a-zA-Z0-9_.<&\"-]{1,12}", 1..20_u64, columns(), any::<bool>())
            .prop_map(|(name, count, columns, bias)| Layer { name, count, columns, bias })
    }

    proptest! {
        #[test]
        fn generated_layers_are_valid_and_never_panic(layer in layer()) {
            prop_assert_eq!(layer.check(), Ok(()));
        }
    }
}
