//! The check of the numbers of a row: whether they are a valid layer.

use super::activation;
use super::columns::Columns;
use super::extent::{AXES, at_least};

impl Columns {
    /// Returns an error if these numbers are not a valid layer. The error names the column and its
    /// value.
    pub fn check(&self) -> Result<(), String> {
        if (self.depth == 0) != (self.kernel_depth == 0) {
            return Err(format!(
                "D is {} and T is {}: both are 0 for a 2-D layer, both at least 1 for a 3-D layer",
                self.depth, self.kernel_depth
            ));
        }
        self.check_dims()?;
        at_least("N", self.batch, 1)?;
        at_least("C", self.in_channels, 1)?;
        at_least("K", self.out_channels, 1)?;
        at_least("dil", self.dilation, 1)?;
        at_least("groups", self.groups, 1)?;
        at_least("D", self.depth, 0)?;
        let dims = self.spatial_dims();
        for (extent, axis) in self.extents().into_iter().zip(&AXES[3 - dims..]) {
            axis.check(extent)?;
        }
        for (name, channels) in [("C", self.in_channels), ("K", self.out_channels)] {
            if channels % self.groups != 0 {
                return Err(format!(
                    "{name} is {channels}: not a multiple of groups, which is {}",
                    self.groups
                ));
            }
        }
        if !self.transposed {
            let paddings = [
                ("outpadD", self.output_padding_depth),
                ("outpadH", self.output_padding_height),
                ("outpadW", self.output_padding_width),
            ];
            if let Some((name, value)) = paddings.into_iter().find(|(_, value)| *value != 0) {
                return Err(format!("{name} is {value}: must be 0 where transposed is not true"));
            }
        }
        activation::of(self)?;
        self.check_sizes()
    }

    fn check_dims(&self) -> Result<(), String> {
        match self.dims {
            None => Ok(()),
            Some(3) if self.depth > 0 => Ok(()),
            Some(2) if self.depth == 0 => Ok(()),
            Some(1) if (self.depth, self.height, self.kernel_height) == (0, 1, 1) => Ok(()),
            Some(dims) => Err(format!(
                "dims is {dims}: must be 3 where D is not 0, 2 where it is, 1 only where H and R are 1"
            )),
        }
    }

    /// Returns an error if a tensor is too large for any memory. The size is checked here and not
    /// later, because only errors that occur while the file is read are reported with the line of
    /// the row.
    fn check_sizes(&self) -> Result<(), String> {
        let product = |name: &str, shape: Vec<i128>| {
            shape
                .into_iter()
                .try_fold(1_i128, i128::checked_mul)
                .filter(|elements| *elements < (1 << 60))
                .map(|_| ())
                .ok_or_else(|| {
                    format!("{name} has 2^60 elements or more: too large for any memory")
                })
        };
        let [x, w, y] = self.shapes();
        product("the input [N, C, …]", x)?;
        product("the filter [K, C/groups, …]", w)?;
        product("the output [N, K, …]", y)
    }
}

#[cfg(test)]
mod tests {
    use super::super::columns::tests::{columns, resnet_first, upward};
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn each_wrong_number_is_named_with_its_value() {
        let good = resnet_first();
        assert_eq!(good.check(), Ok(()));
        for (wrong, words) in [
            (Columns { batch: 0, ..good.clone() }, ["N", "0"]),
            (Columns { in_channels: -3, ..good.clone() }, ["C", "-3"]),
            (Columns { kernel_width: 0, ..good.clone() }, ["S", "0"]),
            (Columns { pad_height: -1, ..good.clone() }, ["padH", "-1"]),
            (Columns { stride_width: 0, ..good.clone() }, ["strideW", "0"]),
            (Columns { depth: 4, ..good.clone() }, ["D is 4", "T is 0"]),
            (Columns { depth: -4, kernel_depth: 1, ..good.clone() }, ["D", "-4"]),
            (Columns { groups: 2, ..good.clone() }, ["C is 3", "groups, which is 2"]),
            (Columns { kernel_height: 231, ..good.clone() }, ["H is 224", "R 231"]),
            (Columns { batch: i64::MAX, ..good.clone() }, ["input", "2^60"]),
            (Columns { dims: Some(1), ..good.clone() }, ["dims is 1", "H and R"]),
            (Columns { dims: Some(9), ..good.clone() }, ["dims is 9", "3"]),
            (Columns { dilation_width: Some(0), ..good.clone() }, ["dilW", "0"]),
            (Columns { output_padding_width: 1, ..good.clone() }, ["outpadW is 1", "transposed"]),
            (Columns { output_padding_height: 2, ..upward() }, ["outpadH is 2", "stride 2"]),
            (Columns { output_padding_width: -1, ..upward() }, ["outpadW", "-1"]),
            (Columns { pad_height: 230, ..upward() }, ["output", "padH is 230"]),
        ] {
            let error = wrong.check().unwrap_err();
            assert!(words.iter().all(|word| error.contains(word)), "{error}");
        }
    }

    #[test]
    fn a_kernel_that_just_fits_is_accepted() {
        // The padded height is 224 + 2*3 = 230, so a filter of height 230 just fits.
        assert_eq!(Columns { kernel_height: 230, ..resnet_first() }.check(), Ok(()));
    }

    proptest! {
        #[test]
        fn generated_columns_are_valid_and_never_panic(columns in columns()) {
            prop_assert_eq!(columns.check(), Ok(()));
        }

        #[test]
        fn any_numbers_are_judged_without_overflow(numbers in prop::collection::vec(any::<i64>(), 17)) {
            let value = |i: usize| numbers[i];
            let columns = Columns {
                batch: value(0), in_channels: value(1), depth: value(2), height: value(3),
                width: value(4), out_channels: value(5), kernel_depth: value(6),
                kernel_height: value(7), kernel_width: value(8), pad_depth: value(9),
                pad_height: value(10), pad_width: value(11), stride_depth: value(12),
                stride_height: value(13), stride_width: value(14), dilation: value(15),
                groups: value(16), ..Columns::PLAIN
            };
            prop_assert!(columns.normalized().check().is_err(), "numbers around 2^62 fit no memory");
        }
    }
}
