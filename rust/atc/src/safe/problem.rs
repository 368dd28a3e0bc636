//! The description of a convolution: shapes, types, layout.

mod enums;
mod identity;
mod setters;

use crate::raw::call::{call, size_of_u32};
use crate::raw::error::{Error, Result};
use crate::raw::handle::string;
use crate::sys;

pub use enums::{DType, Direction, Epilogue, Layout, Operand};

/// The description of a convolution, for plans, tuners and calls.
///
/// The methods that set a value do not check it. The values are checked when a call uses the problem, or before that by
/// [`validate`](Self::validate).
///
/// ```
/// use atc::{DType, Direction, Operand, Problem};
///
/// # fn main() -> atc::Result<()> {
/// let problem = Problem::conv2d(8, 64, 56, 56, 128)
///     .kernel(3)
///     .padding(1)
///     .stride([2, 1])
///     .dtype(DType::Bf16)
///     .direction(Direction::BackwardWeight);
/// assert_eq!(problem.shape(Operand::Y)?, [8, 128, 28, 56]);
/// assert_eq!(problem.shape(Operand::W)?, [128, 64, 3, 3]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy)]
#[must_use = "each method returns the changed problem and leaves this one as it is"]
pub struct Problem {
    pub(crate) raw: sys::atc_conv_problem,
    /// The name and the length of a list (such as strides) of a wrong length that a method was given; `None` if all
    /// lists had the right lengths. If several lists had wrong lengths, the first of them is stored. Calls that use
    /// the problem return this mistake as an error.
    mistake: Option<Mistake>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Mistake {
    field: &'static str,
    given: usize,
    wanted: usize,
}

impl Problem {
    /// Makes a problem of a C struct that libatc has written. The lists of the C struct have three entries, of which a
    /// problem with fewer spatial dimensions does not use the last ones. The unused entries get the same values as in
    /// [`new`](Self::new).
    pub(crate) fn from_raw(mut raw: sys::atc_conv_problem) -> Self {
        let dims = usize::try_from(raw.spatial_dims).unwrap_or(0).min(3);
        for ones in [&mut raw.input, &mut raw.kernel, &mut raw.stride, &mut raw.dilation] {
            ones[dims..].fill(1);
        }
        for zeros in [&mut raw.padding_low, &mut raw.padding_high, &mut raw.output_padding] {
            zeros[dims..].fill(0);
        }
        Self { raw, mistake: None }
    }

    /// Makes a forward fp32 convolution over one spatial dimension. Kernel, stride, dilation and
    /// groups are 1.
    pub fn conv1d(batch: i64, in_channels: i64, width: i64, out_channels: i64) -> Self {
        Self::new(batch, in_channels, &[width], out_channels)
    }

    /// Like [`conv1d`](Self::conv1d), but over two spatial dimensions.
    pub fn conv2d(
        batch: i64,
        in_channels: i64,
        height: i64,
        width: i64,
        out_channels: i64,
    ) -> Self {
        Self::new(batch, in_channels, &[height, width], out_channels)
    }

    /// Like [`conv1d`](Self::conv1d), but over three spatial dimensions.
    pub fn conv3d(
        batch: i64,
        in_channels: i64,
        depth: i64,
        height: i64,
        width: i64,
        out_channels: i64,
    ) -> Self {
        Self::new(batch, in_channels, &[depth, height, width], out_channels)
    }

    /// Like [`conv1d`](Self::conv1d), but with one spatial dimension for each extent in `input`.
    pub fn new(batch: i64, in_channels: i64, input: &[i64], out_channels: i64) -> Self {
        let raw = sys::atc_conv_problem {
            struct_size: size_of_u32::<sys::atc_conv_problem>(),
            direction: sys::ATC_FORWARD,
            spatial_dims: i32::try_from(input.len()).unwrap_or(i32::MAX),
            transposed: 0,
            batch,
            in_channels,
            out_channels,
            groups: 1,
            input: [1; 3],
            kernel: [1; 3],
            stride: [1; 3],
            dilation: [1; 3],
            padding_low: [0; 3],
            padding_high: [0; 3],
            output_padding: [0; 3],
            x_dtype: sys::ATC_DTYPE_F32,
            w_dtype: sys::ATC_DTYPE_F32,
            y_dtype: sys::ATC_DTYPE_F32,
            layout: sys::ATC_LAYOUT_CHANNELS_FIRST,
            epilogue: sys::ATC_EPILOGUE_NONE,
            accumulate: 0,
            x_strides: [0; 5],
            w_strides: [0; 5],
            y_strides: [0; 5],
            scale: 0,
            residual: 0,
            activation: sys::ATC_ACTIVATION_NONE,
            activation_low: 0.0,
            activation_high: 0.0,
            activation_slope: 0.0,
        };
        let mut problem = Self { raw, mistake: None };
        // If `input` has more than three extents, only the first three are kept. libatc refuses such a problem when it
        // is used, because of the number of dimensions.
        problem.raw.input.iter_mut().zip(input).for_each(|(value, given)| *value = *given);
        problem
    }

    /// Checks every value. If a value is invalid, the error names the value.
    pub fn validate(&self) -> Result<()> {
        self.geometry(Operand::Y).map(drop)
    }

    /// Returns a description of the problem in one line. Reports and error texts describe problems in the same form.
    pub fn describe(&self) -> Result<String> {
        let raw = self.checked()?;
        // SAFETY: the C function reads the problem during the call, and writes `out`.
        string(|out| unsafe { sys::atc_conv_problem_describe(out, raw) })
    }

    /// Returns the shape of one tensor, in logical order.
    pub fn shape(&self, operand: Operand) -> Result<Vec<i64>> {
        self.geometry(operand).map(|(shape, _)| shape)
    }

    /// Returns the strides of one tensor, in elements, in logical order.
    pub fn strides_of(&self, operand: Operand) -> Result<Vec<i64>> {
        self.geometry(operand).map(|(_, strides)| strides)
    }

    /// Returns the type of the elements of one tensor.
    #[must_use]
    pub fn dtype_of(&self, operand: Operand) -> DType {
        // A problem may have been given `DType::Other` with the number of a named type. `from_raw` turns it into the
        // named type.
        DType::from_raw(match Operand::from_raw(operand.to_raw()) {
            Operand::X => self.raw.x_dtype,
            Operand::W => self.raw.w_dtype,
            // Bias, scale and residual have the same type as the output. Only forward problems may have these three
            // tensors, so the output is y.
            _ => self.raw.y_dtype,
        })
    }

    pub(crate) fn geometry(&self, operand: Operand) -> Result<(Vec<i64>, Vec<i64>)> {
        let raw = self.checked()?;
        let (mut shape, mut strides) = ([0; 5], [0; 5]);
        // SAFETY: libatc writes spatial_dims + 2 entries into both arrays, which have room for 5. Before that libatc
        // checks that spatial_dims is at most 3.
        call(|| unsafe {
            sys::atc_conv_operand_shape(
                shape.as_mut_ptr(),
                strides.as_mut_ptr(),
                raw,
                operand.to_raw(),
            )
        })?;
        let is_list = matches!(Operand::from_raw(operand.to_raw()), Operand::Bias | Operand::Scale);
        let count = if is_list { 1 } else { raw.spatial_dims as usize + 2 };
        Ok((shape[..count].to_vec(), strides[..count].to_vec()))
    }

    /// Returns the C struct of the problem, for functions of [`sys`]. Fails with
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the problem was given a list of a wrong
    /// length. All other values are not checked here, but by the C functions.
    pub fn as_raw(&self) -> Result<&sys::atc_conv_problem> {
        self.checked()
    }

    /// Returns the C struct of the problem, for calls of libatc. Returns an error if the problem was given a list of a
    /// wrong length.
    pub(crate) fn checked(&self) -> Result<&sys::atc_conv_problem> {
        match self.mistake {
            None => Ok(&self.raw),
            Some(Mistake { field, given, wanted }) => Err(Error::invalid(format!(
                "{field} has {given} entries for a problem that needs {wanted}"
            ))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_that_has_a_name_means_the_same() {
        let problem = Problem::conv1d(1, 2, 8, 4)
            .dtypes(DType::F16, DType::Bf16, DType::F32)
            .epilogue(Epilogue::Bias);
        for named in Operand::ALL {
            let number = Operand::Other(named.to_raw());
            assert_eq!(problem.shape(number), problem.shape(*named));
            assert_eq!(problem.dtype_of(number), problem.dtype_of(*named));
            assert_eq!(number, *named);
            assert!(std::collections::HashSet::from([*named]).contains(&number));
        }
        assert_ne!(Operand::X, Operand::Y);
    }
}
