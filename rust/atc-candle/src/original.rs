//! candle's own convolutions, in all three directions.

use std::cell::Cell;

use atc::Direction;
use candle_core::{CpuStorage, InplaceOp1, Layout, Result, Storage, Tensor};

use crate::failure::refused;
use crate::shapes::Shapes;

/// The text by which error messages name the devices on which atc computes.
const PLACES: &str = if cfg!(feature = "cuda") {
    "on the CPU or CUDA"
} else {
    "on the CPU (with the feature `cuda` also on CUDA)"
};

/// Computes y by candle's own convolution, without bias and activation.
pub(crate) fn forward(shapes: &Shapes, x: &Tensor, kernel: &Tensor) -> Result<Tensor> {
    if let Some(what) = lacks(shapes) {
        return Err(refused(format!(
            "a convolution over {} dimensions of {:?} on {:?} is left to candle, which takes {what}: for atc, use f32, bf16 \
             or f16 {PLACES}",
            shapes.input.len(),
            x.dtype(),
            x.device().location()
        )));
    }
    // The kernel is made contiguous, because candle 0.11.1 reads every kernel as if it were contiguous
    // (huggingface/candle#3836).
    let kernel = &kernel.contiguous()?;
    if shapes.transposed {
        return transposed(shapes, x, kernel);
    }
    let (x, padding) = match uniform(&shapes.padding_low) {
        Some(padding) if shapes.padding_low == shapes.padding_high => (x.clone(), padding),
        _ => (padded(x, &shapes.padding_low, &shapes.padding_high)?, 0),
    };
    one(&x, kernel, padding, shapes.stride[0], shapes.dilation[0], shapes.groups)
}

/// Runs a convolution in one direction, without bias and activation. The two inputs are given in the order x, w, y.
pub(crate) fn in_direction(
    shapes: &Shapes,
    direction: Direction,
    first: &Tensor,
    second: &Tensor,
) -> Result<Tensor> {
    match direction {
        Direction::BackwardData => forward(&shapes.adjoint(), second, first),
        Direction::BackwardWeight if shapes.transposed => {
            backward_weight(&shapes.adjoint(), second, first)
        }
        Direction::BackwardWeight => backward_weight(shapes, first, second),
        _ => forward(shapes, first, second),
    }
}

/// Computes the gradient of the kernel of an ordinary convolution. The gradient is a convolution of x whose kernel is
/// y, after the dimensions of batch and channels have been exchanged.
fn backward_weight(shapes: &Shapes, x: &Tensor, y: &Tensor) -> Result<Tensor> {
    let x = padded(x, &shapes.padding_low, &shapes.padding_high)?;
    let (x, y) = (x.chunk(shapes.groups, 1)?, y.chunk(shapes.groups, 1)?);
    let (stride, dilation) = (shapes.dilation[0], shapes.stride[0]);
    let of_group = |x: &Tensor, y: &Tensor| {
        let (x, y) = (x.transpose(0, 1)?, y.transpose(0, 1)?.contiguous()?);
        let whole = one(&x, &y, 0, stride, dilation, 1)?.transpose(0, 1);
        let extents = shapes.kernel.iter().enumerate();
        extents.fold(whole, |all, (dim, extent)| all?.narrow(dim + 2, 0, *extent))
    };
    let groups: Vec<Tensor> =
        x.iter().zip(&y).map(|(x, y)| of_group(x, y)).collect::<Result<_>>()?;
    Tensor::cat(&groups, 0)?.contiguous()
}

/// Runs a convolution by candle's `conv1d` or `conv2d`, depending on the number of spatial dimensions.
fn one(
    x: &Tensor,
    kernel: &Tensor,
    padding: usize,
    stride: usize,
    dilation: usize,
    groups: usize,
) -> Result<Tensor> {
    match x.rank() {
        3 => x.conv1d(kernel, padding, stride, dilation, groups),
        _ => x.conv2d(kernel, padding, stride, dilation, groups),
    }
}

/// Returns `None` if candle supports a convolution of these shapes. Otherwise returns the condition that the
/// convolution would have to meet.
pub(crate) fn lacks(shapes: &Shapes) -> Option<&'static str> {
    if shapes.input.len() > 2 {
        return Some("at most two spatial dimensions");
    }
    let alike = uniform(&shapes.stride).is_some() && uniform(&shapes.dilation).is_some();
    (!alike).then_some("one stride and one dilation for all dimensions")
}

fn transposed(shapes: &Shapes, x: &Tensor, kernel: &Tensor) -> Result<Tensor> {
    let (stride, dilation) = (shapes.stride[0], shapes.dilation[0]);
    let one = |x: &Tensor, kernel: &Tensor| match shapes.input.len() {
        // candle 0.11.1 computes wrong results for every image of a batch except the first. So each image is convolved
        // by itself.
        1 if shapes.batch > 1 => {
            let images = x.chunk(shapes.batch, 0)?;
            let each = images.iter().map(|x| x.conv_transpose1d(kernel, 0, 0, stride, dilation, 1));
            Tensor::cat(&each.collect::<Result<Vec<_>>>()?, 0)
        }
        1 => x.conv_transpose1d(kernel, 0, 0, stride, dilation, 1),
        _ => x.conv_transpose2d(kernel, 0, 0, stride, dilation),
    };
    let whole = match shapes.groups {
        1 => one(x, kernel)?,
        groups => {
            let (x, kernel) = (x.chunk(groups, 1)?, kernel.chunk(groups, 0)?);
            let each = x.iter().zip(&kernel).map(|(x, kernel)| one(x, kernel));
            Tensor::cat(&each.collect::<Result<Vec<_>>>()?, 1)?
        }
    };
    // The padding of a transposed convolution removes elements at both ends of the output. candle can remove only the
    // same number at all ends and in all dimensions. So candle computes the output without padding, and the elements
    // are removed here.
    let mut y = whole;
    for (dim, (low, wanted)) in shapes.padding_low.iter().zip(&shapes.output).enumerate() {
        let missing = (low + wanted).saturating_sub(y.dims()[dim + 2]);
        if missing > 0 {
            y = y.pad_with_zeros(dim + 2, 0, missing)?;
        }
        y = y.narrow(dim + 2, *low, *wanted)?;
    }
    y.contiguous()
}

/// Takes the storage out of a result of candle, without a copy if possible. No other tensor may share this storage.
pub(crate) fn taken(result: Tensor) -> Result<Storage> {
    struct Take(Cell<Option<Storage>>);
    impl InplaceOp1 for Take {
        fn name(&self) -> &'static str {
            "atc-take"
        }
        fn cpu_fwd(&self, storage: &mut CpuStorage, _: &Layout) -> Result<()> {
            let taken = std::mem::replace(storage, CpuStorage::U8(Vec::new()));
            self.0.set(Some(Storage::Cpu(taken)));
            Ok(())
        }
        #[cfg(feature = "cuda")]
        fn cuda_fwd(&self, storage: &mut candle_core::CudaStorage, _: &Layout) -> Result<()> {
            self.0.set(Some(Storage::Cuda(crate::cuda::taken(storage)?)));
            Ok(())
        }
    }
    let take = Take(Cell::new(None));
    let result = if is_whole(&result) { result } else { result.force_contiguous()? };
    result.inplace_op1(&take)?;
    take.0.take().ok_or_else(|| refused("candle's result has no memory".to_owned()))
}

/// Returns whether the tensor is contiguous and consists of all elements of its storage.
fn is_whole(tensor: &Tensor) -> bool {
    let (storage, layout) = tensor.storage_and_layout();
    let elements = match &*storage {
        Storage::Cpu(CpuStorage::F32(data)) => data.len(),
        Storage::Cpu(CpuStorage::BF16(data)) => data.len(),
        Storage::Cpu(CpuStorage::F16(data)) => data.len(),
        #[cfg(feature = "cuda")]
        Storage::Cuda(storage) => crate::cuda::elements_of(storage),
        _ => return false,
    };
    layout.contiguous_offsets() == Some((0, elements))
}

/// Adds the bias to the result of a convolution, and applies the activation.
pub(crate) fn finish(y: Tensor, bias: Option<&Tensor>, relu: bool) -> Result<Tensor> {
    let y = match bias {
        Some(bias) => {
            let mut shape = vec![1; y.rank()];
            shape[1] = bias.elem_count();
            y.broadcast_add(&bias.reshape(shape)?)?
        }
        None => y,
    };
    if relu { y.relu() } else { Ok(y) }
}

fn padded(x: &Tensor, low: &[usize], high: &[usize]) -> Result<Tensor> {
    let ends = low.iter().zip(high).enumerate();
    ends.filter(|(_, (low, high))| **low + **high > 0)
        .try_fold(x.clone(), |x, (dim, (low, high))| x.pad_with_zeros(dim + 2, *low, *high))
}

/// Returns the value that all elements of the list have, or `None` if they are not all equal.
fn uniform(list: &[usize]) -> Option<usize> {
    list.iter().all(|value| *value == list[0]).then(|| list[0])
}
