//! The shapes of one convolution. `check` makes them from the arguments of a call and checks that they fit together.

use atc::{Extents, Problem, sys};
use candle_core::{Error, Result, Tensor};

use crate::convolution::Convolution;
use crate::failure::{failure, refused};

/// All sizes of a convolution. Lists have one entry for each spatial dimension.
#[derive(Debug, Clone)]
pub(crate) struct Shapes {
    pub(crate) transposed: bool,
    pub(crate) batch: usize,
    pub(crate) in_channels: usize,
    pub(crate) out_channels: usize,
    pub(crate) groups: usize,
    pub(crate) input: Vec<usize>,
    pub(crate) kernel: Vec<usize>,
    pub(crate) stride: Vec<usize>,
    pub(crate) dilation: Vec<usize>,
    pub(crate) padding_low: Vec<usize>,
    pub(crate) padding_high: Vec<usize>,
    pub(crate) output: Vec<usize>,
    output_padding: Vec<usize>,
}

impl Shapes {
    pub(crate) fn y(&self) -> Vec<usize> {
        [&[self.batch, self.out_channels], &self.output[..]].concat()
    }

    /// Whether x, the kernel or y has no elements. If so, nothing is multiplied, and all elements of y are 0 (before
    /// the bias is added).
    pub(crate) fn is_empty(&self) -> bool {
        let Self { batch, in_channels, out_channels, input, kernel, output, .. } = self;
        [batch, in_channels, out_channels]
            .into_iter()
            .chain(input)
            .chain(kernel)
            .chain(output)
            .any(|extent| *extent == 0)
    }

    /// The problem of the forward convolution, in fp32.
    pub(crate) fn problem(&self) -> Result<Problem> {
        let extents =
            |list: &[usize]| list.iter().map(|value| signed(*value)).collect::<Result<Vec<i64>>>();
        let (batch, input, output) =
            (signed(self.batch)?, signed(self.in_channels)?, signed(self.out_channels)?);
        let problem = Problem::new(batch, input, &extents(&self.input)?, output)
            .transposed(self.transposed)
            .groups(signed(self.groups)?)
            .kernel(&extents(&self.kernel)?[..])
            .stride(&extents(&self.stride)?[..])
            .dilation(&extents(&self.dilation)?[..])
            .padding_low(&extents(&self.padding_low)?[..])
            .padding_high(&extents(&self.padding_high)?[..])
            .output_padding(&extents(&self.output_padding)?[..]);
        problem.validate().map_err(failure)?;
        Ok(problem)
    }
}

impl Shapes {
    /// Returns the shapes of a problem that atc passes to an engine. Such a problem is never transposed.
    pub(crate) fn of_problem(problem: &sys::atc_conv_problem) -> Result<Self> {
        let dims = unsigned(i64::from(problem.spatial_dims))?;
        let list = |values: &[i64; 3]| {
            values.iter().take(dims).map(|value| unsigned(*value)).collect::<Result<Vec<usize>>>()
        };
        let mut shapes = Self {
            transposed: false,
            batch: unsigned(problem.batch)?,
            in_channels: unsigned(problem.in_channels)?,
            out_channels: unsigned(problem.out_channels)?,
            groups: unsigned(problem.groups)?,
            input: list(&problem.input)?,
            kernel: list(&problem.kernel)?,
            stride: list(&problem.stride)?,
            dilation: list(&problem.dilation)?,
            padding_low: list(&problem.padding_low)?,
            padding_high: list(&problem.padding_high)?,
            output: Vec::with_capacity(dims),
            output_padding: vec![0; dims],
        };
        for dim in 0..shapes.input.len() {
            shapes.output.push(output_extent("candle", &shapes, dim)?);
        }
        Ok(shapes)
    }

    /// Returns the shapes of the adjoint convolution, which computes the gradient of x from the gradient of y. It has
    /// the same kernel. Its input has the shape of y, and its output has the shape of x.
    pub(crate) fn adjoint(&self) -> Self {
        Self {
            transposed: !self.transposed,
            in_channels: self.out_channels,
            out_channels: self.in_channels,
            input: self.output.clone(),
            output: self.input.clone(),
            ..self.clone()
        }
    }

    pub(crate) fn x(&self) -> Vec<usize> {
        [&[self.batch, self.in_channels], &self.input[..]].concat()
    }

    pub(crate) fn w(&self) -> Vec<usize> {
        let (first, second) = if self.transposed {
            (self.in_channels, self.out_channels)
        } else {
            (self.out_channels, self.in_channels)
        };
        [&[first, second / self.groups], &self.kernel[..]].concat()
    }
}

fn unsigned(value: i64) -> Result<usize> {
    usize::try_from(value).map_err(Error::wrap)
}

fn signed(value: usize) -> Result<i64> {
    i64::try_from(value).map_err(|_| refused(format!("{value} is too large: use at most 2^63 - 1")))
}

/// Checks the arguments of one call and returns their shapes. If sizes do not fit together, the error names them.
pub(crate) fn check(
    convolution: &Convolution,
    x: &Tensor,
    kernel: &Tensor,
    bias: Option<&Tensor>,
) -> Result<Shapes> {
    let Convolution { spatial_dims: dims, transposed, groups, .. } = *convolution;
    let name = name_of(dims, transposed)?;
    for tensor in [x, kernel] {
        if tensor.rank() != dims + 2 {
            return Err(Error::UnexpectedNumberOfDims {
                expected: dims + 2,
                got: tensor.rank(),
                shape: tensor.shape().clone(),
            }
            .bt());
        }
    }
    for tensor in [Some(kernel), bias].into_iter().flatten() {
        expect_alike(x, tensor, name)?;
    }
    let (in_channels, out_channels) = channels(name, transposed, groups, x, kernel)?;
    if let Some(bias) = bias {
        let count = bias.dims1()?;
        if count != out_channels {
            return Err(refused(format!(
                "{name}: a bias of {count} elements for {out_channels} output channels: give one for each"
            )));
        }
    }
    let list = |field: &str, extents: Extents| spread(name, field, extents, dims);
    let mut shapes = Shapes {
        transposed,
        batch: x.dims()[0],
        in_channels,
        out_channels,
        groups,
        input: x.dims()[2..].to_vec(),
        kernel: kernel.dims()[2..].to_vec(),
        stride: list("stride", convolution.stride)?,
        dilation: list("dilation", convolution.dilation)?,
        padding_low: list("padding_low", convolution.padding_low)?,
        padding_high: list("padding_high", convolution.padding_high)?,
        output: Vec::with_capacity(dims),
        output_padding: list("output_padding", convolution.output_padding)?,
    };
    for dim in 0..dims {
        shapes.output.push(output_extent(name, &shapes, dim)?);
    }
    Ok(shapes)
}

fn name_of(dims: usize, transposed: bool) -> Result<&'static str> {
    match (dims, transposed) {
        (1, false) => Ok("conv1d"),
        (2, false) => Ok("conv2d"),
        (3, false) => Ok("conv3d"),
        (1, true) => Ok("conv_transpose1d"),
        (2, true) => Ok("conv_transpose2d"),
        (3, true) => Ok("conv_transpose3d"),
        _ => Err(refused(format!("{dims} spatial dimensions: use 1, 2 or 3"))),
    }
}

fn expect_alike(x: &Tensor, other: &Tensor, op: &'static str) -> Result<()> {
    if x.dtype() != other.dtype() {
        return Err(Error::DTypeMismatchBinaryOp { lhs: x.dtype(), rhs: other.dtype(), op }.bt());
    }
    if !x.device().same_device(other.device()) {
        let (lhs, rhs) = (x.device().location(), other.device().location());
        return Err(Error::DeviceMismatchBinaryOp { lhs, rhs, op }.bt());
    }
    Ok(())
}

fn channels(
    name: &str,
    transposed: bool,
    groups: usize,
    x: &Tensor,
    kernel: &Tensor,
) -> Result<(usize, usize)> {
    let in_channels = x.dims()[1];
    let [first, second] = [kernel.dims()[0], kernel.dims()[1]];
    if groups == 0 {
        return Err(refused(format!("{name}: groups is 0: use 1 or more")));
    }
    let (wanted, found) = if transposed {
        (Some(in_channels), first)
    } else {
        (Some(second).and_then(|channels| channels.checked_mul(groups)), in_channels)
    };
    if wanted != Some(found) {
        return Err(refused(format!(
            "{name}: in_channel mismatch between input ({in_channels}, groups {groups}) and kernel ({:?}): the kernel's \
             shape begins with {}",
            kernel.dims(),
            if transposed { "[in, out / groups]" } else { "[out, in / groups]" },
        )));
    }
    if first % groups != 0 {
        let which = if transposed { "in" } else { "out" };
        return Err(refused(format!(
            "{name}: {which}_channel {first} is not divisible by the number of groups, {groups}"
        )));
    }
    let out_channels = if transposed { second.checked_mul(groups) } else { Some(first) };
    match out_channels {
        Some(out_channels) => Ok((in_channels, out_channels)),
        None => Err(refused(format!(
            "{name}: {groups} groups of {second} output channels are too many"
        ))),
    }
}

fn spread(name: &str, field: &str, extents: Extents, dims: usize) -> Result<Vec<usize>> {
    let values = extents.spread(dims, 0).map_err(|count| {
        refused(format!(
            "{name}: {field} has {count} entries for {dims} spatial dimensions: give one for each, or one number for all"
        ))
    })?;
    values[..dims]
        .iter()
        .map(|value| {
            usize::try_from(*value)
                .map_err(|_| refused(format!("{name}: {field} is {value}: use 0 or more")))
        })
        .collect()
}

fn output_extent(name: &str, shapes: &Shapes, dim: usize) -> Result<usize> {
    let (input, kernel) = (shapes.input[dim], shapes.kernel[dim]);
    let (stride, dilation) = (shapes.stride[dim], shapes.dilation[dim]);
    for (field, value) in [("stride", stride), ("dilation", dilation), ("the kernel", kernel)] {
        if value == 0 {
            return Err(refused(format!(
                "{name}: {field} is 0 in spatial dimension {dim}: use 1 or more"
            )));
        }
    }
    // The sizes are computed in 128 bits, in which the product of two 64-bit sizes does not overflow.
    let wide = |value: usize| value as i128;
    let reach = wide(dilation) * (wide(kernel) - 1) + 1;
    let padding = wide(shapes.padding_low[dim]) + wide(shapes.padding_high[dim]);
    let (input, stride) = (wide(input), wide(stride));
    let output = if shapes.transposed {
        match input {
            0 => 0,
            _ => (input - 1) * stride + reach + wide(shapes.output_padding[dim]) - padding,
        }
    } else {
        match input + padding - reach {
            left if left < 0 => left,
            left => left / stride + 1,
        }
    };
    usize::try_from(output).map_err(|_| {
        refused(format!(
            "{name}: spatial dimension {dim} has {input} elements, with a padding of {padding} and a kernel that spans \
             {reach}: there is no output; use a smaller kernel or dilation, or another padding"
        ))
    })
}
