//! candle's convolution on CUDA. It reads atc's memory in place; the result is copied to atc's memory.

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
    /// The operands are those of the problem, on the device of this convolution.
    pub(super) unsafe fn execute(&self, operands: &sys::atc_engine_operands) -> Result<()> {
        let own = self.device.cuda_stream();
        // SAFETY: atc passes a live stream of the device, which is in the primary context, and keeps it for the call.
        let theirs = unsafe { own.context().wrap_borrowed_stream(operands.stream.cast()) };
        let status = theirs.capture_status().map_err(of_cuda)?;
        if status != CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_NONE {
            // candle copies sizes from memory of the host that lives only for the call.
            return Err(refused("candle's convolution cannot be captured".to_owned()));
        }
        own.join(&theirs).map_err(of_cuda)?;
        // SAFETY: the caller keeps the contract of this function.
        let queued = unsafe { self.queue(operands) };
        // This also happens after an error, because a part of the work may have been queued.
        theirs.join(&own).map_err(of_cuda)?;
        queued
    }

    /// Queues the convolution on the stream of candle's device.
    ///
    /// # Safety
    /// As for [`execute`](Self::execute), and the stream of the operands waits for the work before it does anything else.
    unsafe fn queue(&self, operands: &sys::atc_engine_operands) -> Result<()> {
        let (sources, target) = self.task.addresses(operands);
        let [first, second] = self.task.inputs();
        // SAFETY: the caller keeps the contract of this function.
        let first = unsafe { self.lend(sources[0], first) }?;
        // SAFETY: the caller keeps the contract of this function.
        let second = unsafe { self.lend(sources[1], second) }?;
        let bias = match self.task.bias() {
            // SAFETY: the caller keeps the contract of this function.
            Some(channels) => Some(unsafe { self.lend(operands.bias.cast_mut(), vec![channels]) }?),
            None => None,
        };
        let output = self.task.run(&first.0, &second.0, bias.as_ref().map(|bias| &bias.0))?;
        output.inplace_op1(&CopyTo(target))
    }

    /// A tensor over atc's memory.
    ///
    /// # Safety
    /// At `address` there are the elements of a tensor of this shape, on the device.
    unsafe fn lend(&self, address: *mut c_void, shape: Vec<usize>) -> Result<Lent> {
        let count = shape.iter().product();
        // SAFETY: the caller keeps the contract of this function, and `Lent` never frees the memory.
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
/// At `address` there are `count` elements on the device. Whoever gets the storage must not drop it.
unsafe fn wrap<T: CudaDType>(
    device: &CudaDevice,
    address: *mut c_void,
    count: usize,
) -> CudaStorage {
    // SAFETY: the caller keeps the contract of this function.
    let slice: CudaSlice<T> =
        unsafe { device.cuda_stream().upgrade_device_ptr(address as u64, count) };
    CudaStorage::wrap_cuda_slice(slice, device.clone())
}

/// A device of candle with a stream of its own, one for each index: candle's usual stream belongs to a thread.
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

/// Convolves an image of zeros, once for each kind of task. The driver compiles candle's kernels at their first use, which takes
/// seconds. If a race contained this time, it would put candle out as hopelessly slow, or its budget would be spent. So this is
/// called before the race begins.
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

/// A tensor over memory of atc, which is not freed.
struct Lent(Tensor);

impl Drop for Lent {
    fn drop(&mut self) {
        if self.0.inplace_op1(&GiveBack).is_err() {
            // A clone that is never dropped keeps the storage, and so the memory, forever.
            std::mem::forget(self.0.clone());
        }
    }
}

/// Takes the memory out of a tensor.
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
        // SAFETY: `OnCuda::execute` requires that the memory has the elements of the operand that is written, which are as many.
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
