//! candle's own convolutions.

use std::cell::Cell;

use atc::Direction;
use candle_core::{CpuStorage, InplaceOp1, Layout, Result, Storage, Tensor};

use crate::failure::refused;
use crate::shapes::Shapes;

/// Where atc computes, for messages.
const PLACES: &str = if cfg!(feature = "cuda") {
    "on the CPU or CUDA"
} else {
    "on the CPU (with the feature `cuda` also on CUDA)"
};

/// y, without bias and activation.
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
    // candle 0.11.1 reads a kernel that is not contiguous as if it were (huggingface/candle#3836).
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

/// One direction, whose inputs come in the order x, w, y; without bias and activation.
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

/// The gradient of the kernel of an ordinary convolution: y is the kernel with which x is convolved, and batch and channels
/// change places.
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

/// A convolution for which candle has the name.
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

/// What candle takes where it does not take a convolution of these shapes.
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
        // candle 0.11.1 computes wrong results for all images of a batch but the first.
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
    // Padding cuts off the whole output; candle's own padding is the same for both ends and all dimensions.
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

/// The memory of a result that nobody else has.
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

/// Whether a tensor has all elements of its memory, one behind the other.
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

/// The bias and the activation of a convolution that had neither.
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

/// The only value of a list.
fn uniform(list: &[usize]) -> Option<usize> {
    list.iter().all(|value| *value == list[0]).then(|| list[0])
}
