//! Numbers per spatial dimension.

/// One number per spatial dimension, or one for all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Extents {
    values: [i64; 3],
    /// How many numbers were given; `None` if one number was given for all dimensions.
    count: Option<usize>,
}

impl Extents {
    /// Returns the numbers for a problem of `dims` dimensions. libatc does not read the entries
    /// beyond `dims`; they are set to `rest`, so that equal problems compare equal. If a list was
    /// given whose length is not `dims`, the error is that length.
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
    /// One number for each dimension: `[depth, height, width]`, `[height, width]` or `[width]`.
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
