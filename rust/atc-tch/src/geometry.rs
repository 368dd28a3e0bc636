//! The geometry of a convolution: stride, padding, dilation, groups.

use atc::{Error, Extents, Result};

use crate::raw::size_of_u32;
use crate::sys;

/// Stride, padding, dilation and groups of a convolution over 1 to 3 spatial dimensions. Stride,
/// dilation and groups default to 1, padding to 0. A stride, a padding or a dilation is one number
/// for all spatial dimensions, or a list with one number for each.
///
/// ```
/// use atc_tch::Geometry;
///
/// let strided = Geometry::new(2).stride(2).padding([1, 0]);
/// let up = Geometry::new(2).transposed(true).stride(2).output_padding(1);
/// # let _ = (strided, up);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[must_use = "each method returns the changed geometry and leaves this one as it is"]
pub struct Geometry {
    spatial_dims: usize,
    transposed: bool,
    groups: i64,
    stride: Extents,
    padding: Extents,
    dilation: Extents,
    output_padding: Extents,
}

impl Geometry {
    /// Makes the geometry of a convolution over `spatial_dims` spatial dimensions.
    pub fn new(spatial_dims: usize) -> Self {
        Self {
            spatial_dims,
            transposed: false,
            groups: 1,
            stride: 1.into(),
            padding: 0.into(),
            dilation: 1.into(),
            output_padding: 0.into(),
        }
    }

    /// Sets whether the convolution is transposed ("deconvolution").
    pub fn transposed(mut self, transposed: bool) -> Self {
        self.transposed = transposed;
        self
    }

    /// Sets the number of groups into which the channels are divided.
    pub fn groups(mut self, groups: i64) -> Self {
        self.groups = groups;
        self
    }

    /// Sets the distance in the input between neighbouring outputs.
    pub fn stride(mut self, stride: impl Into<Extents>) -> Self {
        self.stride = stride.into();
        self
    }

    /// Sets the number of zeros on each side of the input.
    pub fn padding(mut self, padding: impl Into<Extents>) -> Self {
        self.padding = padding.into();
        self
    }

    /// Sets the distance between neighbouring elements of the kernel, measured in elements of the
    /// input.
    pub fn dilation(mut self, dilation: impl Into<Extents>) -> Self {
        self.dilation = dilation.into();
        self
    }

    /// Sets the number of elements that are added at the end of each dimension of the output. Only
    /// transposed convolutions may have output padding.
    pub fn output_padding(mut self, output_padding: impl Into<Extents>) -> Self {
        self.output_padding = output_padding.into();
        self
    }

    pub(crate) fn spatial_dims(&self) -> usize {
        self.spatial_dims
    }

    pub(crate) fn raw(&self) -> Result<sys::atc_torch_geometry> {
        let dims = self.spatial_dims;
        let spread = |name: &str, extents: Extents| {
            extents.spread(dims, 0).map_err(|count| {
                invalid(format!(
                    "{name} has {count} entries, the convolution has {dims} spatial dimensions: give one for each, \
                     or one number for all"
                ))
            })
        };
        if !(1..=3).contains(&dims) {
            return Err(invalid(format!("{dims} spatial dimensions: use 1, 2 or 3")));
        }
        Ok(sys::atc_torch_geometry {
            struct_size: size_of_u32::<sys::atc_torch_geometry>(),
            spatial_dims: dims as i32,
            transposed: i32::from(self.transposed),
            reserved: 0,
            groups: self.groups,
            stride: spread("stride", self.stride)?,
            padding: spread("padding", self.padding)?,
            dilation: spread("dilation", self.dilation)?,
            output_padding: spread("output_padding", self.output_padding)?,
        })
    }
}

pub(crate) fn invalid(message: impl Into<String>) -> Error {
    Error::new(atc::sys::ATC_ERROR_INVALID_ARGUMENT, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_another_length_is_named() {
        let error = Geometry::new(3).dilation([1, 2]).raw().unwrap_err();
        assert_eq!(error.kind(), atc::ErrorKind::InvalidArgument);
        for part in ["dilation", "2 entries", "3 spatial dimensions"] {
            assert!(error.message().contains(part), "{error}");
        }
        for dims in [0, 4] {
            assert!(Geometry::new(dims).raw().unwrap_err().message().contains("use 1, 2 or 3"));
        }
    }

    #[test]
    fn one_number_stands_for_all_and_entries_beyond_are_0() {
        let raw = Geometry::new(2).stride(3).padding([1, 2]).raw().unwrap();
        assert_eq!((raw.stride, raw.padding), ([3, 3, 0], [1, 2, 0]));
        assert_eq!((raw.dilation, raw.output_padding), ([1, 1, 0], [0, 0, 0]));
    }
}
