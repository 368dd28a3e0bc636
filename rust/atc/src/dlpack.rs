//! Exchange of tensors with other libraries by [DLPack](https://dmlc.github.io/dlpack/latest/), the format of Python's
//! `__dlpack__` and LibTorch's `toDLPack`. This module needs the feature `dlpack`.
//!
//! ```
//! use atc::dlpack::{DLManagedTensor, ManagedTensor};
//! use atc::{AsTensor, Tensor};
//!
//! # fn main() -> atc::Result<()> {
//! // One library gives a tensor away, another takes it.
//! let given: *mut DLManagedTensor = atc::dlpack::export(Tensor::from_vec(vec![1.0f32; 6], &[2, 3])?);
//! // SAFETY: a tensor that nobody else has taken.
//! let taken = unsafe { ManagedTensor::from_raw(given) }?;
//! assert_eq!(taken.as_tensor().shape(), [2, 3]);
//! # Ok(())
//! # } // its deleter is called here
//! ```

use std::ffi::c_void;
use std::ptr::NonNull;

use crate::raw::error::{Error, Result};
use crate::safe::tensor::Tensor;
use crate::safe::view::{AsTensor, AsTensorMut, Element, TensorView, TensorViewMut};
use crate::sys;

/// DLPack's `DLTensor`. `atc_tensor_view` has the same layout.
pub type DLTensor = sys::atc_tensor_view;

/// DLPack's `DLManagedTensor`: a tensor, and the function that frees the tensor.
#[repr(C)]
#[derive(Debug)]
pub struct DLManagedTensor {
    /// The tensor.
    pub dl_tensor: DLTensor,
    /// A pointer that only the library that has made the tensor may use. The meaning of the pointer is known only
    /// to that library.
    pub manager_ctx: *mut c_void,
    /// The function that frees the tensor and this struct; `None` if nothing has to be freed.
    pub deleter: Option<unsafe extern "C" fn(*mut DLManagedTensor)>,
}

/// DLPack 1's `DLManagedTensorVersioned`: a tensor with flags and a version, and the function that frees the tensor.
#[repr(C)]
#[derive(Debug)]
pub struct DLManagedTensorVersioned {
    /// The version of DLPack, as `[major, minor]`, that the tensor's library follows.
    pub version: [u32; 2],
    /// A pointer that only the library that has made the tensor may use. The meaning of the pointer is known only
    /// to that library.
    pub manager_ctx: *mut c_void,
    /// The function that frees the tensor and this struct; `None` if nothing has to be freed.
    pub deleter: Option<unsafe extern "C" fn(*mut DLManagedTensorVersioned)>,
    /// DLPack's flags of the tensor. Bit 0 is set if the tensor must not be written.
    pub flags: u64,
    /// The tensor.
    pub dl_tensor: DLTensor,
}

const MAJOR: u32 = 1;
const READ_ONLY: u64 = 1;

/// A tensor that another library has made, and that this crate now owns. Dropping the `ManagedTensor` calls the
/// tensor's deleter. A `ManagedTensor` cannot be sent to another thread, because DLPack does not define on which
/// threads a deleter may run.
///
/// ```compile_fail,E0277
/// fn moved<T: Send>() {}
/// moved::<atc::dlpack::ManagedTensor>();
/// ```
///
/// ```compile_fail,E0277
/// fn shared<T: Sync>() {}
/// shared::<atc::dlpack::ManagedTensor>();
/// ```
#[derive(Debug)]
pub struct ManagedTensor {
    view: TensorViewMut<'static>,
    writable: bool,
    /// The owner of the memory that `view` borrows. Dropping the owner frees the memory.
    _owner: Owner,
}

#[derive(Debug)]
enum Owner {
    Plain(NonNull<DLManagedTensor>),
    Versioned(NonNull<DLManagedTensorVersioned>),
}

impl Drop for Owner {
    fn drop(&mut self) {
        match self {
            Self::Plain(tensor) => {
                // SAFETY: the struct is valid until its deleter has run, and only the call of `give_back` below runs
                // the deleter.
                let deleter = unsafe { (*tensor.as_ptr()).deleter };
                // SAFETY: `deleter` is the deleter of this tensor, and nothing uses the tensor any more, because its
                // owner is being dropped.
                unsafe { give_back(*tensor, deleter) }
            }
            Self::Versioned(tensor) => {
                // SAFETY: the struct lives until its deleter runs, and only the call of `give_back` below runs the
                // deleter. The field `deleter` has the same offset in every version of DLPack's struct.
                let deleter = unsafe { (*tensor.as_ptr()).deleter };
                // SAFETY: `deleter` is the deleter of this tensor, and nothing uses the tensor any more, because its
                // owner is being dropped.
                unsafe { give_back(*tensor, deleter) }
            }
        }
    }
}

/// # Safety
///
/// `deleter` is the deleter of `tensor`, and nobody uses `tensor` any more.
unsafe fn give_back<T>(tensor: NonNull<T>, deleter: Option<unsafe extern "C" fn(*mut T)>) {
    if let Some(deleter) = deleter {
        // SAFETY: by DLPack's contract a deleter is called once, with the struct that has the deleter as its field.
        unsafe { deleter(tensor.as_ptr()) }
    }
}

impl ManagedTensor {
    /// Takes ownership of a tensor.
    ///
    /// # Errors
    /// The call fails if `tensor` is null, if the tensor has more than five dimensions, or if libatc does not support
    /// the type or the device of the tensor. If the call fails, the tensor's deleter is called.
    ///
    /// # Safety
    /// * `tensor` is null, or points to a struct that follows DLPack's rules, and nobody else calls the struct's
    ///   deleter;
    /// * until the deleter is called, the memory of the tensor's elements meets the conditions of
    ///   [`TensorViewMut::from_raw_parts`]. If the tensor is read-only, the conditions of
    ///   [`TensorView::from_raw_parts`] suffice.
    pub unsafe fn from_raw(tensor: *mut DLManagedTensor) -> Result<Self> {
        let tensor = NonNull::new(tensor).ok_or_else(missing)?;
        let owner = Owner::Plain(tensor);
        // SAFETY: the caller of this function meets the conditions of its `# Safety` section.
        let raw = unsafe { &tensor.as_ref().dl_tensor };
        // SAFETY: the caller of this function meets the conditions of its `# Safety` section. The memory is freed
        // only when `owner` is dropped. Every view that this type returns borrows the `ManagedTensor`, and so
        // `owner` outlives the view.
        let view = unsafe { TensorViewMut::from_dlpack(raw) }?;
        Ok(Self { view, writable: true, _owner: owner })
    }

    /// Takes ownership of a tensor of DLPack 1. Differs from [`from_raw`](Self::from_raw) in that the tensor may be
    /// read-only.
    ///
    /// # Errors
    /// The call fails in the same cases as [`from_raw`](Self::from_raw). It also fails if the struct has another
    /// major version of DLPack than 1.
    ///
    /// # Safety
    /// The caller must meet the conditions of [`from_raw`](Self::from_raw). If the struct has another major version
    /// than 1, only its fields `version`, `manager_ctx` and `deleter` have to exist.
    pub unsafe fn from_raw_versioned(tensor: *mut DLManagedTensorVersioned) -> Result<Self> {
        let tensor = NonNull::new(tensor).ok_or_else(missing)?;
        let owner = Owner::Versioned(tensor);
        // The field is read through a pointer and not through a reference, because the struct of another major version
        // may be smaller than this type. SAFETY: by the `# Safety` section of this function, the struct has the field
        // `version`, whatever its version is.
        let [major, minor] = unsafe { (*tensor.as_ptr()).version };
        if major != MAJOR {
            return Err(Error::invalid(format!(
                "a tensor of DLPack {major}.{minor}: ask its library for one of version {MAJOR}"
            )));
        }
        // SAFETY: the caller of this function meets the conditions of its `# Safety` section. The struct has all
        // fields of this type, because its major version was checked above.
        let raw = unsafe { tensor.as_ref() };
        // SAFETY: the caller of this function meets the conditions of its `# Safety` section. The memory is freed
        // only when `owner` is dropped. Every view that this type returns borrows the `ManagedTensor`, and so
        // `owner` outlives the view.
        let view = unsafe { TensorViewMut::from_dlpack(&raw.dl_tensor) }?;
        Ok(Self { view, writable: raw.flags & READ_ONLY == 0, _owner: owner })
    }

    /// Returns the tensor as a view for writing.
    ///
    /// # Errors
    /// The call fails if the tensor is read-only.
    pub fn try_mut(&mut self) -> Result<TensorViewMut<'_>> {
        if !self.writable {
            return Err(Error::invalid(
                "the tensor must not be written: copy it, or ask for one that may",
            ));
        }
        Ok(self.view.as_tensor_mut())
    }
}

impl AsTensor for ManagedTensor {
    fn as_tensor(&self) -> TensorView<'_> {
        self.view.as_tensor()
    }
}

fn missing() -> Error {
    Error::invalid("no tensor of DLPack: the pointer is null")
}

/// An exported tensor. `tensor` owns the elements, the shape and the strides. `raw` is the DLPack struct that the other
/// library gets. The pointers in `raw` point to the data of `tensor`.
struct Exported<T> {
    raw: DLManagedTensor,
    tensor: Tensor<T>,
}

/// Makes a DLPack tensor that the program can give to another library. That library then owns the tensor, and frees it
/// by a call of the deleter, on any thread.
///
/// If nobody calls the deleter, the memory is leaked.
#[must_use = "the memory is lost if nobody takes the tensor"]
pub fn export<T: Element>(tensor: Tensor<T>) -> *mut DLManagedTensor {
    let raw = DLManagedTensor {
        dl_tensor: tensor.as_tensor().parts().to_raw(),
        manager_ctx: std::ptr::null_mut(),
        deleter: Some(delete::<T>),
    };
    let exported = Box::into_raw(Box::new(Exported { raw, tensor }));
    // SAFETY: the pointer came from a box that was made in the line above, and no other reference into the box exists.
    let Exported { raw, tensor } = unsafe { &mut *exported };
    let parts = tensor.as_tensor_mut().parts();
    // The other library reads the shape and the strides after this function has returned. So the pointers must point to
    // the lists in the boxed tensor. The lists in `parts` are dropped at the end of this function.
    let (shape, strides) = (tensor.shape().as_ptr(), tensor.strides().as_ptr());
    raw.dl_tensor = DLTensor { shape, strides, ..parts.to_raw() };
    raw.manager_ctx = exported.cast();
    raw
}

/// # Safety
/// [`export`] has returned the pointer `tensor` for a tensor with elements of type `T`, and the deleter was not called
/// before.
unsafe extern "C" fn delete<T>(tensor: *mut DLManagedTensor) {
    // SAFETY: the caller of this function meets the conditions of its `# Safety` section.
    let exported = unsafe { (*tensor).manager_ctx }.cast::<Exported<T>>();
    // SAFETY: by the `# Safety` section of this function, `exported` is the pointer that `export` has
    // made from a box.
    drop(unsafe { Box::from_raw(exported) });
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn an_exported_tensor_keeps_its_shape_and_its_elements() -> Result<()> {
        let given =
            export(Tensor::from_vec_channels_last(vec![1.0f32, 2.0, 3.0, 4.0], &[1, 2, 2])?);
        // SAFETY: nothing else has taken this tensor.
        let mut taken = unsafe { ManagedTensor::from_raw(given) }?;
        assert_eq!(
            (taken.as_tensor().shape(), taken.as_tensor().strides()),
            (&[1, 2, 2][..], &[4, 1, 2][..])
        );
        assert_eq!(taken.try_mut()?.shape(), [1, 2, 2]);
        // SAFETY: the pointer points to four floats, which live as long as `taken`.
        let elements = unsafe {
            std::slice::from_raw_parts(taken.as_tensor().parts().to_raw().data.cast::<f32>(), 4)
        };
        assert_eq!(elements, [1.0, 2.0, 3.0, 4.0]);
        Ok(())
    }

    static DELETED: AtomicUsize = AtomicUsize::new(0);

    unsafe extern "C" fn count(_: *mut DLManagedTensorVersioned) {
        DELETED.fetch_add(1, Ordering::Relaxed);
    }

    #[test]
    fn a_tensor_is_given_back_once_also_where_it_is_refused() {
        let shape = [3i64];
        let mut data = [0.0f32; 3];
        let raw = TensorViewMut::new(&mut data, &shape).unwrap().parts().to_raw();
        let mut tensor = DLManagedTensorVersioned {
            version: [1, 1],
            manager_ctx: std::ptr::null_mut(),
            deleter: Some(count),
            flags: READ_ONLY,
            dl_tensor: DLTensor { shape: shape.as_ptr(), strides: std::ptr::null(), ..raw },
        };
        // SAFETY: the tensor has three floats, which outlive the tensor.
        let mut taken = unsafe { ManagedTensor::from_raw_versioned(&raw mut tensor) }.unwrap();
        assert!(taken.try_mut().unwrap_err().message().contains("must not be written"));
        assert_eq!(DELETED.load(Ordering::Relaxed), 0);
        drop(taken);
        assert_eq!(DELETED.load(Ordering::Relaxed), 1);
        tensor.dl_tensor.dtype.bits = 64;
        // SAFETY: the tensor has three floats, which outlive the tensor.
        let refused = unsafe { ManagedTensor::from_raw_versioned(&raw mut tensor) };
        assert!(refused.unwrap_err().message().contains("use fp32, fp16 or bf16"));
        tensor.version = [2, 0];
        // SAFETY: the tensor has three floats, which outlive the tensor.
        let refused = unsafe { ManagedTensor::from_raw_versioned(&raw mut tensor) };
        assert!(refused.unwrap_err().message().contains("DLPack 2.0"));
        assert_eq!(DELETED.load(Ordering::Relaxed), 3);
        // SAFETY: `from_raw` accepts null, and returns an error for it.
        let refused = unsafe { ManagedTensor::from_raw(std::ptr::null_mut()) };
        assert!(refused.is_err());
    }

    #[test]
    fn the_structs_are_laid_out_as_dlpack_says() {
        assert_eq!(size_of::<DLManagedTensor>(), 64);
        assert_eq!(std::mem::offset_of!(DLManagedTensor, manager_ctx), 48);
        assert_eq!(size_of::<DLManagedTensorVersioned>(), 80);
        assert_eq!(std::mem::offset_of!(DLManagedTensorVersioned, flags), 24);
        assert_eq!(std::mem::offset_of!(DLManagedTensorVersioned, dl_tensor), 32);
    }
}
