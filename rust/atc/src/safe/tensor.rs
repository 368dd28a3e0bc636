//! An owned tensor in host memory.

use crate::raw::error::{Error, Result};
use crate::safe::geometry::Geometry;
use crate::safe::problem::{Operand, Problem};
use crate::safe::view::{AsTensor, AsTensorMut, Element, TensorView, TensorViewMut};

/// A tensor in host memory that owns its elements in a vector. It is for programs that have no
/// tensor type of their own.
///
/// The order of the elements in the vector is the order in memory, which the strides determine. If
/// the layout is channels first, this is the same as the logical order (batch, channels, spatial
/// dimensions).
#[derive(Debug, Clone, PartialEq)]
pub struct Tensor<T> {
    data: Vec<T>,
    geometry: Geometry,
}

impl<T: Element> Tensor<T> {
    /// Makes the tensor of one operand of a problem, filled with zeros. Fails with
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if `T` is not the type of
    /// this operand in the problem.
    pub fn zeros(problem: &Problem, operand: Operand) -> Result<Self> {
        Self::filled(problem, operand, T::ZERO)
    }

    /// Makes the tensor of one operand of a problem, filled with ones. Fails like
    /// [`zeros`](Self::zeros) if `T` is not the type of this operand in the problem.
    pub fn ones(problem: &Problem, operand: Operand) -> Result<Self> {
        Self::filled(problem, operand, T::ONE)
    }

    /// Makes the tensor of one operand of a problem, and gives each element the value `value`.
    /// Fails like [`zeros`](Self::zeros) if `T` is not the type of this operand in the problem.
    pub fn filled(problem: &Problem, operand: Operand, value: T) -> Result<Self> {
        if problem.dtype_of(operand) != T::DTYPE {
            return Err(Error::invalid(format!(
                "the problem's {operand} has elements of type {}, not {}",
                problem.dtype_of(operand),
                T::DTYPE
            )));
        }
        let (shape, strides) = problem.geometry(operand)?;
        let geometry = Geometry::strided(&shape, &strides)?;
        let mut data = Vec::new();
        data.try_reserve_exact(geometry.span()).map_err(|_| {
            Error::new(
                crate::sys::ATC_ERROR_OUT_OF_MEMORY,
                format!("no memory for {operand} of shape {shape:?}"),
            )
        })?;
        data.resize(geometry.span(), value);
        Ok(Self { data, geometry })
    }

    /// Makes a tensor without gaps. Its last dimension has stride 1. The call fails if the length
    /// of `data` is not the number of elements of the shape.
    pub fn from_vec(data: Vec<T>, shape: &[i64]) -> Result<Self> {
        TensorView::new(&data, shape)?;
        Ok(Self { data, geometry: Geometry::dense(shape)? })
    }

    /// Makes a tensor without gaps in the layout channels last: dimension 1 (the channels) has
    /// stride 1. The call fails if the length of `data` is not the number of elements of the shape.
    pub fn from_vec_channels_last(data: Vec<T>, shape: &[i64]) -> Result<Self> {
        TensorView::new(&data, shape)?;
        Ok(Self { data, geometry: Geometry::channels_last(shape)? })
    }

    /// Returns the shape, in logical order (batch, channels, spatial dimensions).
    #[must_use]
    pub fn shape(&self) -> &[i64] {
        self.geometry.shape()
    }

    /// Returns the strides in elements, in logical order (batch, channels, spatial dimensions).
    #[must_use]
    pub fn strides(&self) -> &[i64] {
        self.geometry.strides()
    }

    /// Returns the elements in the order in which they lie in memory.
    #[must_use]
    pub fn as_slice(&self) -> &[T] {
        &self.data
    }

    /// Returns the elements in the order in which they lie in memory.
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        &mut self.data
    }

    /// Returns the elements in the order in which they lie in memory.
    #[must_use]
    pub fn into_vec(self) -> Vec<T> {
        self.data
    }
}

impl<T: Element> AsTensor for Tensor<T> {
    fn as_tensor(&self) -> TensorView<'_> {
        TensorView::with_geometry(&self.data, self.geometry).expect("checked when it was made")
    }
}

impl<T: Element> AsTensorMut for Tensor<T> {
    fn as_tensor_mut(&mut self) -> TensorViewMut<'_> {
        TensorViewMut::with_geometry(&mut self.data, self.geometry)
            .expect("checked when it was made")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shape_must_fit_its_elements() {
        assert!(Tensor::from_vec(vec![1.0f32; 6], &[2, 3]).is_ok());
        let error = Tensor::from_vec(vec![1.0f32; 6], &[2, 4]).unwrap_err();
        assert!(error.message().contains("8 elements"), "{error}");
        let last = Tensor::from_vec_channels_last(vec![1.0f32; 6], &[1, 3, 2]).unwrap();
        assert_eq!(last.strides(), [6, 1, 3]);
    }
}
