//! Lets cudarc allocate the memory that libatc needs on CUDA devices.

use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::{Arc, Mutex, PoisonError};

use ::cudarc::driver::{CudaContext, DriverError, result};

use crate::raw::call::{call, size_of_u32};
use crate::raw::error::Result;
use crate::raw::panic;
use crate::sys;

/// Makes cudarc the allocator of the memory that libatc needs on CUDA devices: workspaces, packed weights of plans, and
/// the operands of races (measurements of candidates). The memory is allocated in the primary CUDA context of the
/// device, by stream-ordered allocation (`cuMemAllocAsync`) on the stream that uses the memory.
///
/// Stream-ordered allocation needs memory pools, which some devices do not have. On such a device libatc's own
/// allocator fails. The allocator that this function sets works there, too: it allocates the memory with `cuMemAlloc`.
/// Before it frees the memory, it waits until the stream that used the memory is idle.
///
/// The call replaces the previous allocator of the process. To use libatc's own allocator again, call
/// [`sys::atc_allocator_set`] with a null pointer.
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
    // SAFETY: libatc copies the struct. The callbacks do what atc/extend.h demands of them. `user` (the argument of the
    // callbacks) is freed only by the callback `destroy`, which libatc calls last.
    let set = call(|| unsafe { sys::atc_allocator_set(&allocator) });
    if set.is_err() {
        // SAFETY: libatc does not call an allocator that it has refused, so nothing else uses or frees `user`.
        drop(unsafe { Box::from_raw(user) });
    }
    set
}

/// The primary CUDA contexts of the devices that have been used so far. The key is the index of the device.
#[derive(Default)]
struct Contexts(Mutex<HashMap<i32, Arc<CudaContext>>>);

impl Contexts {
    /// Returns the primary context of a device. Also makes this context the current CUDA context of the thread.
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
/// The caller calls this function as atc/extend.h describes it for the callback of the same name in `atc_allocator`.
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
            // SAFETY: libatc passes a stream of this device that exists, and the device's context is the current
            // context of this thread.
            unsafe { result::malloc_async(stream.cast(), size) }
        } else {
            // SAFETY: the device's primary context is the current context of this thread.
            unsafe { result::malloc_sync(size) }
        };
        address.ok()
    });
    allocated.flatten().map_or(std::ptr::null_mut(), |address| address as *mut c_void)
}

/// # Safety
/// The caller calls this function as atc/extend.h describes it for the callback of the same name in `atc_allocator`.
unsafe extern "C" fn free(
    user: *mut c_void,
    pointer: *mut c_void,
    device: sys::atc_device,
    stream: sys::atc_stream,
) {
    panic::catch(|| {
        // SAFETY: `user` lives as long as the allocator.
        let contexts = unsafe { &*user.cast::<Contexts>() };
        // If there is no context for the device, the memory is leaked, because this callback cannot return an error.
        let Ok(context) = contexts.current(device.index) else { return };
        if context.has_async_alloc() {
            // SAFETY: `allocate` has allocated the memory with `malloc_async`, and libatc passes a stream of this
            // device that exists.
            let _ = unsafe { result::free_async(pointer as u64, stream.cast()) };
            return;
        }
        // SAFETY: atc passes a live stream of the device.
        let _ = unsafe { result::stream::synchronize(stream.cast()) };
        // SAFETY: `allocate` has allocated the memory with `malloc_sync`, and the stream that used the memory is idle.
        let _ = unsafe { result::free_sync(pointer as u64) };
    });
}

/// # Safety
/// The caller calls this function as atc/extend.h describes it for the callback of the same name in `atc_allocator`.
unsafe extern "C" fn destroy(user: *mut c_void) {
    // SAFETY: `allocate_by_cudarc` has made the pointer `user` from a box, and libatc calls no other callback of the
    // allocator after this one.
    panic::catch(|| drop(unsafe { Box::from_raw(user.cast::<Contexts>()) }));
}
