//! Arithmetic with shapes and strides. With it this crate checks that a view accesses only elements
//! of its own memory. The code of this file does not call libatc.

use std::fmt;

use crate::raw::error::{Error, Result};

/// The largest number of dimensions of a view: batch, channels and three spatial dimensions.
pub const MAX_DIMS: usize = 5;

/// The shape and the strides of a tensor. Strides count elements. Both lists are in logical order
/// (batch, channels, spatial dimensions).
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Geometry {
    shape: [i64; MAX_DIMS],
    strides: [i64; MAX_DIMS],
    dims: usize,
}

impl fmt::Debug for Geometry {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Geometry")
            .field("shape", &self.shape())
            .field("strides", &self.strides())
            .finish()
    }
}

impl Geometry {
    /// Makes the geometry of a tensor without gaps. Its last dimension has stride 1.
    pub(crate) fn dense(shape: &[i64]) -> Result<Self> {
        let mut order: Vec<usize> = (0..shape.len()).rev().collect();
        Self::in_order(shape, &mut order)
    }

    /// Makes the geometry of a tensor without gaps, with the channels last: dimension 1 (the
    /// channels) has stride 1.
    pub(crate) fn channels_last(shape: &[i64]) -> Result<Self> {
        let mut order: Vec<usize> = (0..shape.len()).rev().collect();
        if shape.len() > 1 {
            order.retain(|dim| *dim != 1);
            order.insert(0, 1);
        }
        Self::in_order(shape, &mut order)
    }

    /// Makes a geometry with the given strides, which must not be negative.
    pub(crate) fn strided(shape: &[i64], strides: &[i64]) -> Result<Self> {
        if shape.len() > MAX_DIMS {
            return Err(Error::invalid(format!(
                "a shape of {} dimensions: a view has at most {MAX_DIMS}",
                shape.len()
            )));
        }
        if shape.len() != strides.len() {
            return Err(Error::invalid(format!(
                "{} strides for a shape of {} dimensions",
                strides.len(),
                shape.len()
            )));
        }
        if let Some(negative) = shape.iter().chain(strides).find(|value| **value < 0) {
            return Err(Error::invalid(format!(
                "{negative} in shape {shape:?} with strides {strides:?}: neither may be negative"
            )));
        }
        let mut geometry = Self { shape: [0; MAX_DIMS], strides: [0; MAX_DIMS], dims: shape.len() };
        geometry.shape[..shape.len()].copy_from_slice(shape);
        geometry.strides[..shape.len()].copy_from_slice(strides);
        // If the number of elements or the span (the length of the memory from the first to the
        // last element) overflows, the function returns an error here. So `elements` and `span`
        // cannot overflow later.
        match (geometry.checked_elements(), geometry.checked_span()) {
            (Some(_), Some(_)) => Ok(geometry),
            _ => Err(Error::invalid(format!(
                "shape {shape:?} with strides {strides:?} reaches beyond 2^63 elements"
            ))),
        }
    }

    /// Makes the geometry of a tensor without gaps. `order` lists the indices of the dimensions,
    /// from the smallest stride to the largest.
    fn in_order(shape: &[i64], order: &mut [usize]) -> Result<Self> {
        let mut strides = vec![0; shape.len()];
        let mut step = 1i64;
        for dim in order {
            strides[*dim] = step;
            // An extent of 0 is treated as 1 here, so that the strides of the other dimensions do
            // not become 0.
            step = step.checked_mul(shape[*dim].max(1)).ok_or_else(|| {
                Error::invalid(format!("shape {shape:?} has more than 2^63 elements"))
            })?;
        }
        Self::strided(shape, &strides)
    }

    pub(crate) fn shape(&self) -> &[i64] {
        &self.shape[..self.dims]
    }

    pub(crate) fn strides(&self) -> &[i64] {
        &self.strides[..self.dims]
    }

    /// Returns the number of elements.
    pub(crate) fn elements(&self) -> usize {
        self.checked_elements().unwrap_or(usize::MAX)
    }

    /// Returns the number of elements in the memory from the first to the last element of the view,
    /// both included. Gaps between the elements of the view count, too.
    pub(crate) fn span(&self) -> usize {
        self.checked_span().unwrap_or(usize::MAX)
    }

    fn checked_elements(&self) -> Option<usize> {
        if self.shape().contains(&0) {
            return Some(0);
        }
        let elements =
            self.shape().iter().try_fold(1i64, |all, extent| all.checked_mul(*extent))?;
        usize::try_from(elements).ok()
    }

    fn checked_span(&self) -> Option<usize> {
        if self.shape().contains(&0) {
            return Some(0);
        }
        let last =
            self.shape().iter().zip(self.strides()).try_fold(0i64, |sum, (extent, stride)| {
                sum.checked_add((extent - 1).checked_mul(*stride)?)
            })?;
        usize::try_from(last.checked_add(1)?).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn dense_strides_are_those_of_the_two_layouts() {
        let first = Geometry::dense(&[2, 3, 4, 5]).unwrap();
        assert_eq!(first.strides(), [60, 20, 5, 1]);
        let last = Geometry::channels_last(&[2, 3, 4, 5]).unwrap();
        assert_eq!(last.strides(), [60, 1, 15, 3]);
        assert_eq!(Geometry::channels_last(&[7]).unwrap().strides(), [1]);
        assert_eq!(Geometry::dense(&[]).unwrap().span(), 1);
    }

    #[test]
    fn what_cannot_be_addressed_is_refused() {
        assert!(Geometry::dense(&[1 << 32, 1 << 32]).is_err());
        assert!(Geometry::strided(&[2, 2], &[i64::MAX, 1]).is_err());
        assert!(Geometry::strided(&[2], &[1, 1]).is_err());
        assert!(Geometry::strided(&[-1], &[1]).is_err());
        assert!(Geometry::strided(&[2], &[-1]).is_err());
        assert!(Geometry::dense(&[1; MAX_DIMS + 1]).is_err());
    }

    proptest! {
        #[test]
        fn the_span_is_one_more_than_the_last_offset(
            dims in prop::collection::vec((0i64..6, 0i64..40), 0..=MAX_DIMS)
        ) {
            let (shape, strides): (Vec<_>, Vec<_>) = dims.into_iter().unzip();
            let geometry = Geometry::strided(&shape, &strides).unwrap();
            // Computes the offset of each element separately, by enumerating all indices. The
            // results of `elements` and `span` must agree with these offsets.
            let mut offsets = vec![0i64];
            for (extent, stride) in shape.iter().zip(&strides) {
                offsets = offsets
                    .iter()
                    .flat_map(|offset| (0..*extent).map(move |index| offset + index * stride))
                    .collect();
            }
            prop_assert_eq!(geometry.elements(), offsets.len());
            prop_assert_eq!(geometry.span() as i64, offsets.iter().max().map_or(0, |last| last + 1));
        }

        #[test]
        fn dense_geometries_have_no_gaps(shape in prop::collection::vec(1i64..7, 1..=MAX_DIMS)) {
            for geometry in [Geometry::dense(&shape).unwrap(), Geometry::channels_last(&shape).unwrap()] {
                prop_assert_eq!(geometry.span(), geometry.elements());
            }
        }
    }
}
