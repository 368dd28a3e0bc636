//! candle's own convolutions.

use candle_core::{Result, Tensor};

use crate::failure::refused;
use crate::shapes::Shapes;

/// y, without bias and activation.
pub(crate) fn forward(shapes: &Shapes, x: &Tensor, kernel: &Tensor) -> Result<Tensor> {
    let dims = shapes.input.len();
    let (Some(stride), Some(dilation)) = (uniform(&shapes.stride), uniform(&shapes.dilation))
    else {
        return Err(lacking(shapes, x, "one stride and one dilation for all dimensions"));
    };
    if dims > 2 {
        return Err(lacking(shapes, x, "at most two spatial dimensions"));
    }
    // candle 0.11.1 reads a kernel that is not contiguous as if it were (huggingface/candle#3836).
    let kernel = &kernel.contiguous()?;
    if shapes.transposed {
        return transposed(shapes, x, kernel, stride, dilation);
    }
    let (x, padding) =
        match (uniform(&shapes.padding_low), shapes.padding_low == shapes.padding_high) {
            (Some(padding), true) => (x.clone(), padding),
            _ => (padded(x, &shapes.padding_low, &shapes.padding_high)?, 0),
        };
    match dims {
        1 => x.conv1d(kernel, padding, stride, dilation, shapes.groups),
        _ => x.conv2d(kernel, padding, stride, dilation, shapes.groups),
    }
}

fn transposed(
    shapes: &Shapes,
    x: &Tensor,
    kernel: &Tensor,
    stride: usize,
    dilation: usize,
) -> Result<Tensor> {
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

fn lacking(shapes: &Shapes, x: &Tensor, what: &str) -> candle_core::Error {
    refused(format!(
        "a convolution over {} dimensions of {:?} on {:?} is left to candle, which takes {what}: for atc, use f32, bf16 or \
         f16 on the CPU",
        shapes.input.len(),
        x.dtype(),
        x.device().location()
    ))
}
