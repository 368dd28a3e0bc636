//! atc's memory on CUDA devices, allocated by cudarc.

use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::{Arc, Mutex, PoisonError};

use ::cudarc::driver::{CudaContext, DriverError, result};

use crate::raw::call::{call, size_of_u32};
use crate::raw::error::Result;
use crate::raw::panic;
use crate::sys;

/// From now on cudarc allocates the memory that libatc needs on CUDA devices (workspaces, weights that are set, the memory of
/// races), in the primary contexts of the devices and in the order of the stream that uses the memory. On a device without
/// memory pools, where libatc's own allocator fails, the memory is allocated at once, and freed when its stream is idle.
///
/// Replaces the allocator that the process had. [`sys::atc_allocator_set`] with a null pointer restores libatc's own.
pub fn allocate_by_cudarc() -> Result<()> {
    let user = Box::into_raw(Box::new(Contexts::default()));
    let allocator = sys::atc_allocator {
        struct_size: size_of_u32::<sys::atc_allocator>(),
        device_type: sys::ATC_DEVICE_CUDA,
        user: user.cast(),
        alloc: Some(allocate),
        free: Some(free),
        destroy: Some(destroy),
    };
    // SAFETY: the struct is copied; the callbacks follow the contract of atc/extend.h, and `user` lives until `destroy`.
    let set = call(|| unsafe { sys::atc_allocator_set(&allocator) });
    if set.is_err() {
        // SAFETY: an allocator that was refused is not called, and its `user` remains the caller's.
        drop(unsafe { Box::from_raw(user) });
    }
    set
}

/// The primary contexts of the devices, by index.
#[derive(Default)]
struct Contexts(Mutex<HashMap<i32, Arc<CudaContext>>>);

impl Contexts {
    /// The context of a device, which is current on this thread then.
    fn current(&self, device: i32) -> std::result::Result<Arc<CudaContext>, DriverError> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(context) = known.get(&device) {
            context.bind_to_thread()?;
            return Ok(Arc::clone(context));
        }
        let context = CudaContext::new(usize::try_from(device).unwrap_or(usize::MAX))?;
        known.insert(device, Arc::clone(&context));
        Ok(context)
    }
}

/// # Safety
/// As atc/extend.h says of this callback.
unsafe extern "C" fn allocate(
    user: *mut c_void,
    size: u64,
    device: sys::atc_device,
    stream: sys::atc_stream,
) -> *mut c_void {
    let allocated = panic::catch(|| {
        // SAFETY: `user` lives as long as the allocator.
        let contexts = unsafe { &*user.cast::<Contexts>() };
        let context = contexts.current(device.index).ok()?;
        let size = usize::try_from(size.max(1)).ok()?;
        let address = if context.has_async_alloc() {
            // SAFETY: atc passes a live stream of the device, whose context is current.
            unsafe { result::malloc_async(stream.cast(), size) }
        } else {
            // SAFETY: the context is current.
            unsafe { result::malloc_sync(size) }
        };
        address.ok()
    });
    allocated.flatten().map_or(std::ptr::null_mut(), |address| address as *mut c_void)
}

/// # Safety
/// As atc/extend.h says of this callback.
unsafe extern "C" fn free(
    user: *mut c_void,
    pointer: *mut c_void,
    device: sys::atc_device,
    stream: sys::atc_stream,
) {
    panic::catch(|| {
        // SAFETY: `user` lives as long as the allocator.
        let contexts = unsafe { &*user.cast::<Contexts>() };
        // An error here has no one to go to: the memory is lost.
        let Ok(context) = contexts.current(device.index) else { return };
        if context.has_async_alloc() {
            // SAFETY: the memory came from `malloc_async`; atc passes a live stream of the device.
            let _ = unsafe { result::free_async(pointer as u64, stream.cast()) };
            return;
        }
        // SAFETY: a live stream of the device.
        let _ = unsafe { result::stream::synchronize(stream.cast()) };
        // SAFETY: the memory came from `malloc_sync`, and the stream that used it is idle.
        let _ = unsafe { result::free_sync(pointer as u64) };
    });
}

/// # Safety
/// As atc/extend.h says of this callback.
unsafe extern "C" fn destroy(user: *mut c_void) {
    // SAFETY: `allocate_by_cudarc` made it, and no other callback comes after this one.
    panic::catch(|| drop(unsafe { Box::from_raw(user.cast::<Contexts>()) }));
}
