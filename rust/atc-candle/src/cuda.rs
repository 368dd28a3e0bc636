//! Runs atc's convolutions on candle's CUDA storages.

use std::ops::Range;

use atc::cudarc::driver::{CudaSlice, CudaView, DeviceRepr};
use atc::cudarc::{CudaOperands, CudaPlan};
use atc::{DType, Direction, Element, Operand, Problem};
use candle_core::cuda::{CudaDType, CudaDevice, CudaStorageSlice};
use candle_core::{CudaStorage, Error, Layout, Result};

use crate::cpu::operands_of;
use crate::failure::{failure, refused};

/// A contiguous input of a convolution: candle's storage, and the layout that says where in the storage the input lies.
pub(crate) type Input<'a> = (&'a CudaStorage, &'a Layout);

/// Queues a plan of `problem` on the stream of candle's device and returns the operand that the plan writes.
/// `direction` determines which two of x, w and y are read. `inputs` has these two operands, in the order x, w, y.
pub(crate) fn execute(
    plan: &mut CudaPlan,
    problem: &Problem,
    direction: Direction,
    inputs: [Input<'_>; 2],
    bias: Option<Input<'_>>,
) -> Result<CudaStorage> {
    match problem.dtype_of(Operand::X) {
        DType::F32 => typed::<f32>(plan, problem, direction, inputs, bias),
        DType::Bf16 => typed::<atc::half::bf16>(plan, problem, direction, inputs, bias),
        DType::F16 => typed::<atc::half::f16>(plan, problem, direction, inputs, bias),
        other => Err(refused(format!("{other} tensors in a convolution: use f32, bf16 or f16"))),
    }
}

fn typed<T: Element + CudaDType + DeviceRepr>(
    plan: &mut CudaPlan,
    problem: &Problem,
    direction: Direction,
    inputs: [Input<'_>; 2],
    bias: Option<Input<'_>>,
) -> Result<CudaStorage> {
    let [.., written] = operands_of(direction)?;
    let [first, second] = [elements::<T>(inputs[0])?, elements::<T>(inputs[1])?];
    let bias = bias.map(elements::<T>).transpose()?;
    let device = &inputs[0].0.device;
    let count = problem.shape(written).map_err(failure)?.iter().product::<i64>();
    let count = usize::try_from(count).map_err(Error::wrap)?;
    // SAFETY: the memory is uninitialized, but atc writes every element of the output. atc reads no element of the
    // output, because the problems of this crate do not add the result to the old output.
    let mut output: CudaSlice<T> = unsafe { device.alloc(count) }?;
    let stream = device.cuda_stream();
    let (a, b, out) = (&first, &second, &mut output);
    let operands = match direction {
        Direction::BackwardData => CudaOperands::backward_data(&stream, problem, a, b, out),
        Direction::BackwardWeight => CudaOperands::backward_weight(&stream, problem, a, b, out),
        _ => CudaOperands::forward(&stream, problem, a, b, out),
    };
    let operands = match &bias {
        Some(bias) => operands.and_then(|operands| operands.bias(bias)),
        None => operands,
    };
    operands.and_then(|operands| plan.execute(operands)).map_err(failure)?;
    Ok(CudaStorage::wrap_cuda_slice(output, device.clone()))
}

/// Returns the elements of a contiguous input.
fn elements<'a, T: CudaDType>((storage, layout): Input<'a>) -> Result<CudaView<'a, T>> {
    let all = storage.as_cuda_slice::<T>()?;
    let range = contiguous(layout)?;
    let length = all.len();
    all.try_slice(range).ok_or_else(|| {
        refused(format!(
            "the layout {layout:?} reaches beyond the {length} elements of its storage"
        ))
    })
}

fn contiguous(layout: &Layout) -> Result<Range<usize>> {
    let (start, end) = layout
        .contiguous_offsets()
        .ok_or_else(|| refused(format!("the layout {layout:?} is not contiguous")))?;
    Ok(start..end)
}

/// Returns `count` zeros of the same type as the elements of `like`.
pub(crate) fn zeros(like: &CudaStorage, count: usize) -> Result<CudaStorage> {
    let device: &CudaDevice = &like.device;
    // For 0 elements one element is allocated, because CUDA cannot allocate 0 bytes.
    let count = count.max(1);
    let slice = match &like.slice {
        CudaStorageSlice::F32(_) => CudaStorageSlice::F32(device.alloc_zeros(count)?),
        CudaStorageSlice::BF16(_) => CudaStorageSlice::BF16(device.alloc_zeros(count)?),
        CudaStorageSlice::F16(_) => CudaStorageSlice::F16(device.alloc_zeros(count)?),
        _ => return Err(refused("an empty convolution of a type that atc lacks".to_owned())),
    };
    Ok(CudaStorage { slice, device: device.clone() })
}

/// Moves the memory of a storage into a new storage. The old storage gets one unused byte as its memory, because a
/// storage cannot be without memory.
pub(crate) fn taken(storage: &mut CudaStorage) -> Result<CudaStorage> {
    let device = storage.device.clone();
    // SAFETY: the byte is uninitialized, but nothing reads it.
    let nothing = CudaStorageSlice::U8(unsafe { device.alloc::<u8>(1) }?);
    let slice = std::mem::replace(&mut storage.slice, nothing);
    Ok(CudaStorage { slice, device })
}

/// Returns the number of elements of a storage, or 0 if atc does not support the type of the elements.
pub(crate) fn elements_of(storage: &CudaStorage) -> usize {
    match &storage.slice {
        CudaStorageSlice::F32(data) => data.len(),
        CudaStorageSlice::BF16(data) => data.len(),
        CudaStorageSlice::F16(data) => data.len(),
        _ => 0,
    }
}
