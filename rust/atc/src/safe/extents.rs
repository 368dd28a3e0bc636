//! Parameters of a convolution that have one number for each spatial dimension, such as kernel
//! sizes and strides.

/// One number for each spatial dimension, or one number for all spatial dimensions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Extents {
    values: [i64; 3],
    /// The length of the list that was given; `None` if one number was given for all dimensions.
    count: Option<usize>,
}

impl Extents {
    /// Returns the numbers for a problem with `dims` spatial dimensions. The entries beyond `dims`
    /// are set to `rest`. libatc does not read these entries, but they must have a fixed value so
    /// that equal problems compare equal. If a list was given and its length is not `dims`, the
    /// error is the length of the list.
    pub fn spread(self, dims: usize, rest: i64) -> Result<[i64; 3], usize> {
        match self.count {
            Some(count) if count != dims => Err(count),
            _ => Ok(std::array::from_fn(|dim| if dim < dims { self.values[dim] } else { rest })),
        }
    }
}

impl From<i64> for Extents {
    /// Makes extents that have the same number for every spatial dimension.
    fn from(value: i64) -> Self {
        Self { values: [value; 3], count: None }
    }
}

impl<const N: usize> From<[i64; N]> for Extents {
    /// Makes extents of a list that has one number for each spatial dimension: `[depth, height,
    /// width]`, `[height, width]` or `[width]`.
    fn from(given: [i64; N]) -> Self {
        given.as_slice().into()
    }
}

impl From<&[i64]> for Extents {
    fn from(given: &[i64]) -> Self {
        let mut values = [0; 3];
        values.iter_mut().zip(given).for_each(|(value, given)| *value = *given);
        Self { values, count: Some(given.len()) }
    }
}
