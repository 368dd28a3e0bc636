//! A convolution layer as one row of a problem file describes it.

use super::columns::Columns;

/// A layer of a network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layer {
    pub name: String,
    /// How many convolutions of the network have this shape.
    pub count: u64,
    pub columns: Columns,
    /// Whether forward adds a bias.
    pub bias: bool,
}

impl Layer {
    /// Names that start with `tconv_` are transposed convolutions, written as the forward convolution that
    /// they are the input gradient of; unless the columns are a transposed convolution's own.
    pub fn is_written_as_adjoint(&self) -> bool {
        self.name.starts_with("tconv_") && !self.columns.transposed
    }

    /// Why this is no layer.
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
