//! Parameters of a convolution that have one number for each spatial dimension, such as kernel
//! sizes and strides.

/// One number for each spatial dimension, or one number for all spatial dimensions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Extents {
    values: [i64; 3],
    /// The length of the list that the caller has given; `None` if the caller has given one number
    /// for all dimensions.
    count: Option<usize>,
}

impl Extents {
    /// Returns the three entries of the C struct for a problem with `dims` spatial dimensions. The
    /// entries after the first `dims` have the value `rest`. libatc does not read them, but
    /// problems are compared with these entries, so they need a fixed value. Fails if the caller
    /// has given a list whose length is not `dims`. The error is the length of this list.
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
