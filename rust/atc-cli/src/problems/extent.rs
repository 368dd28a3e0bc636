//! The numbers of a layer in one spatial dimension, and the names of their columns.

/// The numbers of a layer in one spatial dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    pub input: i64,
    pub kernel: i64,
    pub pad: i64,
    pub stride: i64,
    pub dilation: i64,
    /// The output padding if the convolution is transposed, otherwise `None`.
    pub output_padding: Option<i64>,
}

impl Extent {
    /// Returns the extent of the output. Ordinary convolution: floor((input + 2*pad -
    /// dilation*(kernel-1) - 1) / stride) + 1, which is below 1 if the kernel does not fit.
    /// Transposed convolution: (input-1)*stride - 2*pad + dilation*(kernel-1) + output_padding + 1.
    pub fn output(self) -> i128 {
        let (input, pad) = (i128::from(self.input), i128::from(self.pad));
        let stride = i128::from(self.stride);
        let reach = i128::from(self.dilation) * (i128::from(self.kernel) - 1) + 1;
        if let Some(more) = self.output_padding {
            return (input - 1) * stride - 2 * pad + reach + i128::from(more);
        }
        let room = input + 2 * pad - reach;
        if room < 0 { 0 } else { room / stride + 1 }
    }

    /// The number of positions of the filter in this dimension.
    pub(super) fn steps(self) -> f64 {
        match self.output_padding {
            Some(_) => self.input as f64,
            None => self.output() as f64,
        }
    }
}

/// Returns an error if the value of the column `name` is less than `least`.
pub(super) fn at_least(name: &str, value: i64, least: i64) -> Result<(), String> {
    match value >= least {
        true => Ok(()),
        false => Err(format!("{name} is {value}: must be at least {least}")),
    }
}

/// The names of the columns of one spatial dimension, for errors.
pub(super) struct Axis {
    input: &'static str,
    kernel: &'static str,
    pad: &'static str,
    stride: &'static str,
    dilation: &'static str,
    output_padding: &'static str,
}

/// The columns of the three spatial dimensions, in the order D, H, W.
pub(super) const AXES: [Axis; 3] = [
    Axis {
        input: "D",
        kernel: "T",
        pad: "padD",
        stride: "strideD",
        dilation: "dilD",
        output_padding: "outpadD",
    },
    Axis {
        input: "H",
        kernel: "R",
        pad: "padH",
        stride: "strideH",
        dilation: "dilH",
        output_padding: "outpadH",
    },
    Axis {
        input: "W",
        kernel: "S",
        pad: "padW",
        stride: "strideW",
        dilation: "dilW",
        output_padding: "outpadW",
    },
];

impl Axis {
    /// Returns an error if these numbers are not valid in this dimension. The error names the column and its value.
    pub(super) fn check(&self, extent: Extent) -> Result<(), String> {
        at_least(self.input, extent.input, 1)?;
        at_least(self.kernel, extent.kernel, 1)?;
        at_least(self.pad, extent.pad, 0)?;
        at_least(self.stride, extent.stride, 1)?;
        at_least(self.dilation, extent.dilation, 1)?;
        if let Some(more) = extent.output_padding {
            at_least(self.output_padding, more, 0)?;
            if more > 0 && more >= extent.stride.max(extent.dilation) {
                return Err(format!(
                    "{} is {more}: must be less than the larger of stride {} and dilation {}",
                    self.output_padding, extent.stride, extent.dilation
                ));
            }
        }
        if extent.output() >= 1 {
            return Ok(());
        }
        if extent.output_padding.is_some() {
            return Err(format!(
                "nothing is left of the output: {} is {}, which takes away all of it on both sides",
                self.pad, extent.pad
            ));
        }
        Err(format!(
            "the filter does not fit: {} is {}, which with {} {} on both sides is less than {} {} spread by \
             dilation {}",
            self.input,
            extent.input,
            self.pad,
            extent.pad,
            self.kernel,
            extent.kernel,
            extent.dilation
        ))
    }
}
