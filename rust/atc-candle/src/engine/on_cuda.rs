//! Runs candle's convolution on CUDA for atc. candle reads atc's memory in place. The result is copied to atc's memory.

use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::{Arc, Mutex, PoisonError};

use atc::cudarc::driver::sys::CUstreamCaptureStatus;
use atc::cudarc::driver::{CudaSlice, CudaStream, DeviceRepr, DriverError};
use atc::sys;
use candle_core::cuda::{CudaDType, CudaDevice, CudaStorageSlice};
use candle_core::op::BackpropOp;
use candle_core::{
    CpuStorage, CudaStorage, DType, Device, Error, InplaceOp1, Layout, Result, Storage, Tensor,
};

use super::task::{Kind, Task};
use crate::failure::refused;

pub(super) struct OnCuda {
    task: Task,
    device: CudaDevice,
}

impl OnCuda {
    pub(super) fn new(task: Task, index: i32) -> Result<Self> {
        Ok(Self { task, device: device(index)? })
    }

    /// Queues the convolution on the stream of the operands.
    ///
    /// # Safety
    /// `operands` are the operands of the problem for which this object was made, and lie on the device of this
    /// convolution.
    pub(super) unsafe fn execute(&self, operands: &sys::atc_engine_operands) -> Result<()> {
        let own = self.device.cuda_stream();
        // SAFETY: atc passes a live stream of this device, in the device's primary context. The stream lives during the
        // call.
        let theirs = unsafe { own.context().wrap_borrowed_stream(operands.stream.cast()) };
        let status = theirs.capture_status().map_err(of_cuda)?;
        if status != CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_NONE {
            // A capture is refused for this reason: candle copies sizes from host memory to the device, and frees this
            // host memory after the call. A captured graph would read the freed memory at each replay.
            return Err(refused("candle's convolution cannot be captured".to_owned()));
        }
        own.join(&theirs).map_err(of_cuda)?;
        // SAFETY: the caller obeys the section "Safety" of this function.
        let queued = unsafe { self.queue(operands) };
        // The caller's stream waits for candle's stream even after an error, because a part of the work may have been
        // queued before the error.
        theirs.join(&own).map_err(of_cuda)?;
        queued
    }

    /// Queues the convolution on the stream of candle's device.
    ///
    /// # Safety
    /// `operands` must be as for [`execute`](Self::execute): the operands of the problem for which this object was
    /// made, on its device. The caller must make the stream of the operands wait for the queued work.
    unsafe fn queue(&self, operands: &sys::atc_engine_operands) -> Result<()> {
        let (sources, target) = self.task.addresses(operands);
        let [first, second] = self.task.inputs();
        // SAFETY: the caller obeys the section "Safety" of this function.
        let first = unsafe { self.lend(sources[0], first) }?;
        // SAFETY: the caller obeys the section "Safety" of this function.
        let second = unsafe { self.lend(sources[1], second) }?;
        let bias = match self.task.bias() {
            // SAFETY: the caller obeys the section "Safety" of this function.
            Some(channels) => Some(unsafe { self.lend(operands.bias.cast_mut(), vec![channels]) }?),
            None => None,
        };
        let output = self.task.run(&first.0, &second.0, bias.as_ref().map(|bias| &bias.0))?;
        output.inplace_op1(&CopyTo(target))
    }

    /// Returns a tensor that uses atc's memory.
    ///
    /// # Safety
    /// `address` points to the elements of a tensor of this shape, on the device.
    unsafe fn lend(&self, address: *mut c_void, shape: Vec<usize>) -> Result<Lent> {
        let count = shape.iter().product();
        // SAFETY: the caller obeys the section "Safety" of this function, and `Lent`, the type of the result, never
        // frees the memory.
        let storage = unsafe {
            match self.task.dtype() {
                DType::BF16 => wrap::<atc::half::bf16>(&self.device, address, count),
                DType::F16 => wrap::<atc::half::f16>(&self.device, address, count),
                _ => wrap::<f32>(&self.device, address, count),
            }
        };
        Ok(Lent(Tensor::from_storage(Storage::Cuda(storage), shape, BackpropOp::none(), false)))
    }
}

/// # Safety
/// `address` points to `count` elements on the device. The caller must not drop the storage, because the drop would
/// free atc's memory.
unsafe fn wrap<T: CudaDType>(
    device: &CudaDevice,
    address: *mut c_void,
    count: usize,
) -> CudaStorage {
    // SAFETY: the caller obeys the section "Safety" of this function.
    let slice: CudaSlice<T> =
        unsafe { device.cuda_stream().upgrade_device_ptr(address as u64, count) };
    CudaStorage::wrap_cuda_slice(slice, device.clone())
}

/// Returns the candle device for the CUDA device with this index. The device is made once and has a stream of its own.
/// candle's usual devices use the stream of the current thread, so calls from two threads would use different streams.
fn device(index: i32) -> Result<CudaDevice> {
    static KNOWN: Mutex<Option<HashMap<i32, CudaDevice>>> = Mutex::new(None);
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let known = known.get_or_insert_default();
    if let Some(device) = known.get(&index) {
        return Ok(device.clone());
    }
    let ordinal = usize::try_from(index).map_err(Error::wrap)?;
    let Device::Cuda(device) = Device::new_cuda_with_stream(ordinal)? else {
        return Err(refused(format!("candle has no CUDA device {index}")));
    };
    known.insert(index, device.clone());
    Ok(device)
}

/// Convolves one image of zeros, so that the kernels that candle uses for this kind of task are loaded. Each kind
/// (direction, type and so on) is loaded only once. The driver compiles a kernel when it is first used, which takes
/// seconds. If this happened during a race (the timing of candidates), the race would reject candle as too slow or use
/// up its time limit. So this function is called before a race begins.
pub(super) fn load_kernels(task: &Task, index: i32) -> Result<()> {
    static LOADED: Mutex<Vec<(i32, Kind)>> = Mutex::new(Vec::new());
    let kind = (index, task.kind());
    let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
    if loaded.contains(&kind) {
        return Ok(());
    }
    let task = task.of_one_image();
    let device = Device::Cuda(device(index)?);
    let zeros = |shape: Vec<usize>| Tensor::zeros(shape, task.dtype(), &device);
    let [first, second] = task.inputs();
    let bias = task.bias().map(|channels| zeros(vec![channels])).transpose()?;
    task.run(&zeros(first)?, &zeros(second)?, bias.as_ref())?;
    device.synchronize()?;
    loaded.push(kind);
    Ok(())
}

/// A tensor that uses memory of atc. If the tensor is dropped, the memory is not freed.
struct Lent(Tensor);

impl Drop for Lent {
    fn drop(&mut self) {
        if self.0.inplace_op1(&GiveBack).is_err() {
            // The memory could not be taken out of the tensor, so dropping its storage would free atc's memory. A clone
            // of the tensor that is never dropped keeps the storage alive.
            std::mem::forget(self.0.clone());
        }
    }
}

/// Takes atc's memory out of a tensor, so that dropping the tensor does not free the memory.
struct GiveBack;

impl InplaceOp1 for GiveBack {
    fn name(&self) -> &'static str {
        "atc-give-back"
    }

    fn cpu_fwd(&self, _: &mut CpuStorage, _: &Layout) -> Result<()> {
        Err(refused("memory of the CPU in a convolution on CUDA".to_owned()))
    }

    fn cuda_fwd(&self, storage: &mut CudaStorage, _: &Layout) -> Result<()> {
        match crate::cuda::taken(storage)?.slice {
            CudaStorageSlice::F32(slice) => drop_without_freeing(slice),
            CudaStorageSlice::BF16(slice) => drop_without_freeing(slice),
            CudaStorageSlice::F16(slice) => drop_without_freeing(slice),
            _ => {}
        }
        Ok(())
    }
}

fn drop_without_freeing<T>(slice: CudaSlice<T>) {
    slice.leak();
}

/// Copies the elements of a contiguous tensor to memory of atc.
struct CopyTo(*mut c_void);

impl CopyTo {
    fn run<T: CudaDType + DeviceRepr>(&self, storage: &CudaStorage, layout: &Layout) -> Result<()> {
        let stream: Arc<CudaStream> = storage.device.cuda_stream();
        let (start, end) = layout
            .contiguous_offsets()
            .ok_or_else(|| refused(format!("{layout:?} is not contiguous")))?;
        let part = storage.as_cuda_slice::<T>()?.try_slice(start..end);
        let part = part.ok_or_else(|| refused(format!("{layout:?} leaves its storage")))?;
        // SAFETY: `OnCuda::execute` requires that atc's memory has room for the elements of the operand that is
        // written. The tensor has the same number of elements as this operand.
        let mut target: CudaSlice<T> =
            unsafe { stream.upgrade_device_ptr(self.0 as u64, end - start) };
        let copied = stream.memcpy_dtod(&part, &mut target);
        target.leak();
        copied.map_err(of_cuda)
    }
}

impl InplaceOp1 for CopyTo {
    fn name(&self) -> &'static str {
        "atc-copy"
    }

    fn cpu_fwd(&self, _: &mut CpuStorage, _: &Layout) -> Result<()> {
        Err(refused("memory of the CPU in a convolution on CUDA".to_owned()))
    }

    fn cuda_fwd(&self, storage: &mut CudaStorage, layout: &Layout) -> Result<()> {
        match &storage.slice {
            CudaStorageSlice::F32(_) => self.run::<f32>(storage, layout),
            CudaStorageSlice::BF16(_) => self.run::<atc::half::bf16>(storage, layout),
            CudaStorageSlice::F16(_) => self.run::<atc::half::f16>(storage, layout),
            _ => Err(refused("an operand of a type that atc lacks".to_owned())),
        }
    }
}

fn of_cuda(error: DriverError) -> Error {
    Error::wrap(error)
}
