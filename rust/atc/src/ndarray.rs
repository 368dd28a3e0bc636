//! Arrays of the crate `ndarray` as tensors. The feature `ndarray` supports arrays of ndarray 0.16; [`v0_16`] is a
//! re-export of this version. The feature `ndarray-0-17` supports arrays of ndarray 0.17; [`v0_17`] is a re-export of
//! this version.
//!
//! ```
//! # #[cfg(feature = "ndarray-0-17")]
//! use atc::ndarray::v0_17::Array4;
//! # #[cfg(not(feature = "ndarray-0-17"))]
//! # use atc::ndarray::v0_16::Array4;
//! use atc::{Device, Operands, Plan, Problem, TensorView, TensorViewMut};
//!
//! # fn main() -> atc::Result<()> {
//! let problem = Problem::conv2d(1, 3, 8, 8, 4).kernel(3).padding(1);
//! let x = Array4::<f32>::ones((1, 3, 8, 8));
//! let w = Array4::<f32>::ones((4, 3, 3, 3));
//! let mut y = Array4::<f32>::zeros((1, 4, 8, 8));
//! let mut plan = Plan::new(Device::Cpu, &problem)?;
//! let (x, w) = (TensorView::try_from(&x)?, TensorView::try_from(&w)?);
//! plan.execute(Operands::forward(&x, &w, &mut TensorViewMut::try_from(&mut y)?))?;
//! assert_eq!(y[[0, 0, 4, 4]], 27.0); // an inner output sums 3 channels of 3 x 3 ones
//! # Ok(())
//! # }
//! ```
//!
//! An array whose elements libatc does not support (here `f64`) does not compile:
//!
//! ```compile_fail,E0277
//! let x = atc::ndarray::v0_16::Array1::<f64>::zeros(3);
//! let view = atc::TensorView::try_from(&x);
//! ```
//!
//! A view that outlives its array does not compile either:
//!
//! ```compile_fail,E0505
//! let x = atc::ndarray::v0_16::Array1::<f32>::zeros(3);
//! let view = atc::TensorView::try_from(&x).unwrap();
//! drop(x);
//! println!("{:?}", view.shape());
//! ```

use crate::raw::error::{Error, Result};

#[cfg(feature = "ndarray")]
pub use ::ndarray as v0_16;
#[cfg(feature = "ndarray-0-17")]
pub use ::ndarray_0_17 as v0_17;

/// Converts the shape and the strides of an array to the integer type of libatc. Returns an error if a stride is
/// negative, because libatc does not accept negative strides.
fn shape_and_strides(shape: &[usize], strides: &[isize]) -> Result<(Vec<i64>, Vec<i64>)> {
    let shape: Vec<i64> = shape.iter().map(|extent| *extent as i64).collect();
    // An axis with at most one element may have a negative stride, which no access uses. Such a stride is replaced by
    // 0, so that it is not refused below.
    let taken = shape.iter().zip(strides);
    let strides: Vec<i64> =
        taken.map(|(extent, stride)| if *extent > 1 { *stride as i64 } else { 0 }).collect();
    match strides.iter().position(|stride| *stride < 0) {
        None => Ok((shape, strides)),
        Some(axis) => Err(Error::invalid(format!(
            "axis {axis} of the array is walked backwards: pass a copy in standard layout"
        ))),
    }
}

/// Defines the conversions for one version of ndarray, and their tests.
macro_rules! conversions {
    ($ndarray:ident) => {
        use $ndarray::{ArrayBase, Data, DataMut, Dimension};

        use super::shape_and_strides;
        use crate::safe::device::Device;
        use crate::raw::error::{Error, Result};
        use crate::safe::view::{Element, TensorView, TensorViewMut};

        impl<'a, T: Element, S: Data<Elem = T>, D: Dimension> TryFrom<&'a ArrayBase<S, D>>
            for TensorView<'a>
        {
            type Error = Error;

            /// Borrows an array or a view of an array for reading. The memory order and the strides may be any. The
            /// conversion fails if an axis has a negative stride, or if there are more than five dimensions.
            fn try_from(array: &'a ArrayBase<S, D>) -> Result<Self> {
                let (shape, strides) = shape_and_strides(array.shape(), array.strides())?;
                let data = array.as_ptr().cast();
                // SAFETY: the shape and the strides are those of the array, so they reach only its elements, which have
                // the type T. The array is borrowed for 'a.
                unsafe { Self::from_raw_parts(data, Device::Cpu, T::DTYPE, &shape, &strides) }
            }
        }

        impl<'a, T: Element, S: DataMut<Elem = T>, D: Dimension> TryFrom<&'a mut ArrayBase<S, D>>
            for TensorViewMut<'a>
        {
            type Error = Error;

            /// Borrows an array for writing. If the array shares its elements with other arrays (ndarray's `ArcArray`),
            /// the elements are copied first. Apart from this, the conversion is the same as the conversion to
            /// [`TensorView`].
            fn try_from(array: &'a mut ArrayBase<S, D>) -> Result<Self> {
                // `as_mut_ptr` must be called before the strides are read. If the array shares its elements with other
                // arrays, `as_mut_ptr` copies the elements. The copy has another address, and may have other strides.
                let data = array.as_mut_ptr().cast();
                let (shape, strides) = shape_and_strides(array.shape(), array.strides())?;
                // SAFETY: the shape and the strides are those of the array, so they reach only its elements, which have
                // the type T. The array is borrowed exclusively for 'a, and no two elements of a mutable array share
                // memory.
                unsafe { Self::from_raw_parts(data, Device::Cpu, T::DTYPE, &shape, &strides) }
            }
        }

        #[cfg(test)]
        mod tests {
            use $ndarray::{Array2, Array6, ArrayD, Axis, s};

            use super::*;

            #[test]
            fn a_view_has_the_steps_of_the_array() {
                let array = Array2::<f32>::zeros((4, 6));
                let seen = |view: TensorView<'_>| (view.shape().to_vec(), view.strides().to_vec());
                assert_eq!(seen((&array).try_into().unwrap()), (vec![4, 6], vec![6, 1]));
                assert_eq!(seen((&array.t()).try_into().unwrap()), (vec![6, 4], vec![1, 6]));
                let part = array.slice(s![1..;2, 2..5]);
                assert_eq!(seen((&part).try_into().unwrap()), (vec![2, 3], vec![12, 1]));
                let mut one = Array2::<f32>::zeros((1, 6));
                one.invert_axis(Axis(0));
                assert_eq!(seen((&one).try_into().unwrap()), (vec![1, 6], vec![0, 1]));
                let same = array.broadcast((3, 4, 6)).unwrap();
                assert_eq!(seen((&same).try_into().unwrap()), (vec![3, 4, 6], vec![0, 6, 1]));
                let none = ArrayD::<half::bf16>::from_elem(vec![0, 5], half::bf16::ONE);
                assert_eq!(TensorView::try_from(&none).unwrap().shape(), [0, 5]);
            }

            #[test]
            fn what_a_view_cannot_say_is_refused() {
                let array = Array2::<f32>::zeros((4, 6));
                let backwards = array.slice(s![.., ..;-1]);
                let refused = TensorView::try_from(&backwards).unwrap_err();
                assert!(refused.message().contains("axis 1"), "{refused}");
                let refused = TensorView::try_from(&Array6::<f32>::zeros([1; 6])).unwrap_err();
                assert!(refused.message().contains("at most 5"), "{refused}");
            }

            #[test]
            fn writing_to_shared_elements_copies_them_first() {
                let mut array = Array2::<f32>::zeros((2, 2)).into_shared();
                let other = array.clone();
                let written = TensorViewMut::try_from(&mut array).unwrap();
                let read = TensorView::try_from(&other).unwrap();
                assert_ne!(written.parts().to_raw().data, read.parts().to_raw().data);
            }
        }
    };
}

#[cfg(feature = "ndarray")]
mod of_0_16 {
    conversions!(ndarray);
}
#[cfg(feature = "ndarray-0-17")]
mod of_0_17 {
    conversions!(ndarray_0_17);
}
