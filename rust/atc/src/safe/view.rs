//! Borrowed tensors, and the traits of types that can be borrowed as tensors.

use std::ffi::c_void;
use std::fmt;
use std::marker::PhantomData;

use crate::raw::error::{Error, Result};
use crate::safe::device::Device;
use crate::safe::geometry::Geometry;
use crate::safe::problem::{DType, Operand, Problem};
use crate::sys;

/// A type that the elements of a tensor can have: `f32`, `bf16` or `f16`.
pub trait Element: Copy + sealed::Sealed + 'static {
    /// The value of [`DType`] that stands for this type.
    const DTYPE: DType;
    /// The value 0.
    const ZERO: Self;
    /// The value 1.
    const ONE: Self;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for half::bf16 {}
    impl Sealed for half::f16 {}
}

impl Element for f32 {
    const DTYPE: DType = DType::F32;
    const ZERO: Self = 0.0;
    const ONE: Self = 1.0;
}

impl Element for half::bf16 {
    const DTYPE: DType = DType::Bf16;
    const ZERO: Self = Self::ZERO;
    const ONE: Self = Self::ONE;
}

impl Element for half::f16 {
    const DTYPE: DType = DType::F16;
    const ZERO: Self = Self::ZERO;
    const ONE: Self = Self::ONE;
}

/// A type whose values can be read as a tensor.
///
/// A slice or a vector of elements is read as a tensor of one dimension (for example as a bias).
/// Views and [`Tensor`](crate::Tensor) are read with the shapes that they have.
pub trait AsTensor {
    /// Borrows the value as a tensor for reading.
    fn as_tensor(&self) -> TensorView<'_>;
}

/// A type whose values can be written as a tensor.
pub trait AsTensorMut: AsTensor {
    /// Borrows the value exclusively, as a tensor for writing.
    fn as_tensor_mut(&mut self) -> TensorViewMut<'_>;
}

/// The fields that [`TensorView`] and [`TensorViewMut`] have in common: address, device, type,
/// shape and strides.
#[derive(Clone, Copy)]
pub(crate) struct Parts {
    data: *mut c_void,
    device: Device,
    dtype: DType,
    geometry: Geometry,
}

impl fmt::Debug for Parts {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.print(formatter, "View")
    }
}

impl Parts {
    /// Returns the view as a C struct. The C struct points to the shape and the strides in `self`,
    /// so it must not be used after `self` was moved or dropped.
    pub(crate) fn to_raw(self: &Parts) -> sys::atc_tensor_view {
        let (code, bits) = match self.dtype {
            DType::F32 => (sys::ATC_CODE_FLOAT, 32),
            DType::Bf16 => (sys::ATC_CODE_BFLOAT, 16),
            DType::F16 => (sys::ATC_CODE_FLOAT, 16),
            // A type that this crate does not know is passed as the type code 0 with 0 bits. DLPack
            // has no such type, so libatc refuses it.
            DType::Other(_) => (0, 0),
        };
        sys::atc_tensor_view {
            data: self.data,
            device: self.device.to_raw(),
            ndim: self.geometry.shape().len() as i32,
            dtype: sys::atc_data_type { code: code as u8, bits, lanes: 1 },
            shape: self.geometry.shape().as_ptr(),
            strides: self.geometry.strides().as_ptr(),
            byte_offset: 0,
        }
    }

    pub(crate) fn device(&self) -> Device {
        self.device
    }

    fn print(&self, formatter: &mut fmt::Formatter<'_>, name: &str) -> fmt::Result {
        formatter
            .debug_struct(name)
            .field("shape", &self.geometry.shape())
            .field("strides", &self.geometry.strides())
            .field("dtype", &self.dtype)
            .field("device", &self.device)
            .field("data", &self.data)
            .finish()
    }

    /// # Safety
    /// The pointers `raw.shape` and `raw.strides` are null, or point to `raw.ndim` entries.
    unsafe fn from_raw(raw: &sys::atc_tensor_view) -> Result<Self> {
        let device = Device::from_raw(raw.device)?;
        let dtype = match (i32::from(raw.dtype.code), raw.dtype.bits, raw.dtype.lanes) {
            (sys::ATC_CODE_FLOAT, 32, 1) => DType::F32,
            (sys::ATC_CODE_BFLOAT, 16, 1) => DType::Bf16,
            (sys::ATC_CODE_FLOAT, 16, 1) => DType::F16,
            (code, bits, lanes) => {
                return Err(Error::invalid(format!(
                    "data type {{{code}, {bits}, {lanes}}}: use fp32, fp16 or bf16"
                )));
            }
        };
        // SAFETY: the caller of this function keeps the conditions that the section Safety states.
        let list =
            |start: *const i64| unsafe { std::slice::from_raw_parts(start, raw.ndim as usize) };
        let geometry = match (raw.ndim, raw.shape.is_null(), raw.strides.is_null()) {
            (0, ..) => Geometry::dense(&[])?,
            (1.., false, true) => Geometry::dense(list(raw.shape))?,
            (1.., false, false) => Geometry::strided(list(raw.shape), list(raw.strides))?,
            (dims, ..) => {
                return Err(Error::invalid(format!("{dims} dimensions without a shape")));
            }
        };
        let data = raw.data.wrapping_byte_add(raw.byte_offset as usize);
        Ok(Self { data, device, dtype, geometry })
    }

    fn on_cpu<T: Element>(data: *mut T, length: usize, geometry: Geometry) -> Result<Self> {
        if geometry.span() > length {
            return Err(Error::invalid(format!(
                "shape {:?} with strides {:?} reaches {} elements, the slice has {length}",
                geometry.shape(),
                geometry.strides(),
                geometry.span()
            )));
        }
        Ok(Self { data: data.cast(), device: Device::Cpu, dtype: T::DTYPE, geometry })
    }
}

/// A tensor borrowed for reading.
///
/// ```compile_fail,E0597
/// let view = {
///     let data = vec![0.0f32; 4];
///     atc::TensorView::new(&data, &[2, 2]).unwrap()
/// }; // the view would outlive its data
/// println!("{:?}", view.shape());
/// ```
#[derive(Clone, Copy)]
pub struct TensorView<'a> {
    parts: Parts,
    data: PhantomData<&'a [u8]>,
}

/// A tensor borrowed for writing.
///
/// ```compile_fail,E0499
/// let mut data = vec![0.0f32; 4];
/// let first = atc::TensorViewMut::new(&mut data, &[2, 2]).unwrap();
/// let second = atc::TensorViewMut::new(&mut data, &[2, 2]).unwrap();
/// drop((first, second)); // two exclusive borrows of the same data
/// ```
pub struct TensorViewMut<'a> {
    parts: Parts,
    data: PhantomData<&'a mut [u8]>,
}

/// Defines the methods that [`TensorView`] and [`TensorViewMut`] have in common.
macro_rules! view {
    ($view:ident, $slice:ty, $pointer:ident) => {
        impl<'a> $view<'a> {
            /// Makes a view of all elements of a slice. The tensor has no gaps, and its last
            /// dimension has stride 1. The call fails if the length of the slice is not the number
            /// of elements of the shape.
            pub fn new<T: Element>(data: $slice, shape: &[i64]) -> Result<Self> {
                let geometry = Geometry::dense(shape)?;
                if geometry.elements() != data.len() {
                    return Err(Error::invalid(format!(
                        "shape {shape:?} has {} elements, the slice {}",
                        geometry.elements(),
                        data.len()
                    )));
                }
                Self::with_geometry(data, geometry)
            }

            /// Makes a view of some elements of a slice. The first element of the tensor is the
            /// first element of the slice. Strides count elements. Shape and strides are in logical
            /// order (batch, channels, spatial dimensions). The call fails if an element of the
            /// tensor would be outside of the slice.
            pub fn strided<T: Element>(
                data: $slice,
                shape: &[i64],
                strides: &[i64],
            ) -> Result<Self> {
                Self::with_geometry(data, Geometry::strided(shape, strides)?)
            }

            /// Makes a view of one operand (tensor) of a problem. The elements are in the slice
            /// `data`. The problem determines the shape and the strides.
            pub fn of<T: Element>(
                data: $slice,
                problem: &Problem,
                operand: Operand,
            ) -> Result<Self> {
                let (shape, strides) = problem.geometry(operand)?;
                Self::strided(data, &shape, &strides)
            }

            /// Makes a view of memory that Rust does not manage. The memory may be on any device.
            ///
            /// # Errors
            /// The call fails if there are more than five dimensions, if an extent or a stride is
            /// negative, or if `shape` and `strides` have different lengths.
            ///
            /// # Safety
            /// The caller chooses the lifetime `'a`. During this lifetime:
            /// * `data` is the address of the tensor's first element. All elements that shape and
            ///   strides give are in one allocation on `device`, where they can be read and, for
            ///   [`TensorViewMut`], written;
            /// * the elements have type `dtype`;
            /// * on the CPU, the elements are initialised. For [`TensorView`], nobody writes the
            ///   elements. For [`TensorViewMut`], nobody else reads or writes the elements;
            /// * on CUDA, the conditions for the CPU hold while the work that uses the tensor runs
            ///   on its stream. Earlier and later work on the same stream may initialise, read and
            ///   write the elements.
            pub unsafe fn from_raw_parts(
                data: *$pointer c_void,
                device: Device,
                dtype: DType,
                shape: &[i64],
                strides: &[i64],
            ) -> Result<Self> {
                let geometry = Geometry::strided(shape, strides)?;
                // `dtype` may be `DType::Other` with the number of a named type. This line turns it
                // into the named type.
                let dtype = DType::from_raw(dtype.to_raw());
                let parts = Parts { data: data as *mut c_void, device, dtype, geometry };
                Ok(Self { parts, data: PhantomData })
            }

            /// Makes a view of one operand (tensor) of a problem. The elements are in memory that
            /// Rust does not manage, on any device (for example in memory that CUDA has allocated).
            /// The problem determines the shape, the strides and the type.
            ///
            /// # Errors
            /// The call fails if the problem is not valid.
            ///
            /// # Safety
            /// The conditions of [`from_raw_parts`](Self::from_raw_parts), for the shape, strides
            /// and type that [`Problem::shape`], [`Problem::strides_of`] and [`Problem::dtype_of`]
            /// return for `operand`.
            pub unsafe fn of_raw(
                data: *$pointer c_void,
                device: Device,
                problem: &Problem,
                operand: Operand,
            ) -> Result<Self> {
                let (shape, strides) = problem.geometry(operand)?;
                let dtype = problem.dtype_of(operand);
                // SAFETY: the caller of this function keeps the conditions that the section Safety
                // states.
                unsafe { Self::from_raw_parts(data, device, dtype, &shape, &strides) }
            }

            /// Makes a view of the tensor that a C struct describes. The struct may also be a
            /// `DLTensor` of DLPack: a `DLTensor*` may be cast to `atc_tensor_view*`, because both
            /// structs have the same layout.
            ///
            /// # Errors
            /// The errors of [`from_raw_parts`](Self::from_raw_parts). The call also fails if
            /// libatc does not support the device or the type.
            ///
            /// # Safety
            /// The conditions of [`from_raw_parts`](Self::from_raw_parts), for the memory at
            /// `data + byte_offset`. `shape` points to `ndim` entries. `strides` is null, or points
            /// to `ndim` entries.
            pub unsafe fn from_dlpack(raw: &sys::atc_tensor_view) -> Result<Self> {
                // SAFETY: the caller of this function keeps the conditions that the section Safety
                // states.
                let parts = unsafe { Parts::from_raw(raw) }?;
                Ok(Self { parts, data: PhantomData })
            }

            /// Returns the shape, in logical order (batch, channels, spatial dimensions).
            #[must_use]
            pub fn shape(&self) -> &[i64] {
                self.parts.geometry.shape()
            }

            /// Returns the strides in elements, in logical order (batch, channels, spatial
            /// dimensions).
            #[must_use]
            pub fn strides(&self) -> &[i64] {
                self.parts.geometry.strides()
            }

            /// Returns the type of the elements.
            #[must_use]
            pub fn dtype(&self) -> DType {
                self.parts.dtype
            }

            /// Returns the device on which the elements are.
            #[must_use]
            pub fn device(&self) -> Device {
                self.parts.device
            }

            pub(crate) fn parts(&self) -> Parts {
                self.parts
            }

            pub(crate) fn with_geometry<T: Element>(
                data: $slice,
                geometry: Geometry,
            ) -> Result<Self> {
                let parts = Parts::on_cpu(view!(@address $pointer data), data.len(), geometry)?;
                Ok(Self { parts, data: PhantomData })
            }
        }
    };
    (@debug $view:ident) => {
        impl fmt::Debug for $view<'_> {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.parts.print(formatter, stringify!($view))
            }
        }
    };
    (@address const $data:ident) => { $data.as_ptr().cast_mut() };
    (@address mut $data:ident) => { $data.as_mut_ptr() };
}

view!(TensorView, &'a [T], const);
view!(TensorViewMut, &'a mut [T], mut);
view!(@debug TensorView);
view!(@debug TensorViewMut);

impl AsTensor for TensorView<'_> {
    fn as_tensor(&self) -> TensorView<'_> {
        *self
    }
}

impl AsTensor for TensorViewMut<'_> {
    fn as_tensor(&self) -> TensorView<'_> {
        TensorView { parts: self.parts, data: PhantomData }
    }
}

impl AsTensorMut for TensorViewMut<'_> {
    fn as_tensor_mut(&mut self) -> TensorViewMut<'_> {
        TensorViewMut { parts: self.parts, data: PhantomData }
    }
}

impl<T: Element> AsTensor for [T] {
    fn as_tensor(&self) -> TensorView<'_> {
        let length = self.len() as i64;
        let geometry = Geometry::strided(&[length], &[1]).expect("one dimension of stride 1");
        TensorView::with_geometry(self, geometry).expect("the slice is as long as it is")
    }
}

impl<T: Element> AsTensor for Vec<T> {
    fn as_tensor(&self) -> TensorView<'_> {
        self.as_slice().as_tensor()
    }
}

impl<T: AsTensor + ?Sized> AsTensor for &T {
    fn as_tensor(&self) -> TensorView<'_> {
        (**self).as_tensor()
    }
}

impl<T: AsTensor + ?Sized> AsTensor for &mut T {
    fn as_tensor(&self) -> TensorView<'_> {
        (**self).as_tensor()
    }
}

impl<T: AsTensorMut + ?Sized> AsTensorMut for &mut T {
    fn as_tensor_mut(&mut self) -> TensorViewMut<'_> {
        (**self).as_tensor_mut()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_view_reaches_nothing_outside_its_slice() {
        let data = [0.0f32; 11];
        assert!(TensorView::new(&data, &[3, 4]).is_err());
        assert!(TensorView::new(&data, &[2, 5]).is_err());
        assert!(TensorView::strided(&data, &[3, 4], &[4, 1]).is_err());
        assert!(TensorView::strided(&data, &[3, 4], &[3, 1]).is_ok());
        assert!(TensorView::strided(&data[..0], &[3, 0], &[100, 1]).is_ok());
    }

    #[test]
    fn debug_prints_the_dimensions_that_there_are() {
        let mut data = [0.0f32; 6];
        let text = format!("{:?}", TensorViewMut::new(&mut data, &[3, 2]).unwrap());
        let expected = "TensorViewMut { shape: [3, 2], strides: [2, 1], dtype: F32, device: Cpu";
        assert!(text.starts_with(expected), "{text}");
        let tensor = crate::safe::tensor::Tensor::from_vec(vec![0.0f32], &[1, 1]).unwrap();
        assert_eq!(
            format!("{tensor:?}"),
            "Tensor { data: [0.0], geometry: Geometry { shape: [1, 1], strides: [1, 1] } }"
        );
    }

    #[test]
    fn libatc_sees_what_dlpack_would_say() {
        let data = [half::bf16::ZERO; 6];
        let view = TensorView::strided(&data, &[3, 2], &[1, 3]).unwrap();
        let parts = view.parts();
        let raw = parts.to_raw();
        assert_eq!((raw.dtype.code, raw.dtype.bits, raw.dtype.lanes), (4, 16, 1));
        assert_eq!((raw.ndim, raw.byte_offset), (2, 0));
        assert_eq!(raw.data.cast_const().cast(), data.as_ptr());
        assert_eq!(raw.shape, parts.geometry.shape().as_ptr());
    }

    #[test]
    fn raw_memory_of_a_problem_is_what_the_problem_says() {
        let problem = Problem::conv1d(1, 2, 3, 1).dtypes(DType::F16, DType::F32, DType::F32);
        let data = [half::f16::ZERO; 6];
        // SAFETY: x has six elements of two bytes.
        let view = unsafe {
            TensorView::of_raw(data.as_ptr().cast(), Device::Cuda(3), &problem, Operand::X)
        }
        .unwrap();
        let plain = TensorView::of(&data, &problem, Operand::X).unwrap();
        assert_eq!((view.shape(), view.strides()), (plain.shape(), plain.strides()));
        assert_eq!((view.dtype(), view.device()), (DType::F16, Device::Cuda(3)));
        assert_eq!(view.parts().data, plain.parts().data);
        // SAFETY: the problem is refused, so nothing is read.
        let refused = unsafe {
            TensorViewMut::of_raw(std::ptr::null_mut(), Device::Cpu, &problem.stride(0), Operand::Y)
        };
        assert!(refused.unwrap_err().message().contains("stride"));
    }

    #[test]
    fn a_dlpack_tensor_is_read_with_its_offset_and_its_missing_strides() {
        let data = [0.0f32; 8];
        let shape = [2, 3];
        let mut raw = TensorView::new(&data, &[8]).unwrap().parts().to_raw();
        raw.ndim = 2;
        raw.shape = shape.as_ptr();
        raw.strides = std::ptr::null();
        raw.byte_offset = 8;
        // SAFETY: `data` has eight floats. The view begins at the third of them and has six.
        // `raw.shape` points to `raw.ndim` = 2 entries.
        let view = unsafe { TensorView::from_dlpack(&raw) }.unwrap();
        assert_eq!((view.shape(), view.strides()), (&[2, 3][..], &[3, 1][..]));
        assert_eq!(view.parts().data.cast_const().cast(), &raw const data[2]);
        raw.dtype.lanes = 2;
        // SAFETY: the fields are those of the previous view, except that the type has two lanes
        // (SIMD elements). from_dlpack refuses such a type.
        let refused = unsafe { TensorView::from_dlpack(&raw) }.unwrap_err();
        assert!(refused.message().contains("{2, 32, 2}"), "{refused}");
    }
}
