//! The description of a convolution: shapes, types, layout.

use std::fmt;
use std::hash::{Hash, Hasher};

use crate::raw::c_enum::c_enum;
use crate::raw::call::{call, size_of_u32};
use crate::raw::error::{Error, Result};
use crate::raw::handle::string;
use crate::safe::activation::Activation;
use crate::safe::extents::Extents;
use crate::sys;

c_enum! {
    /// Which of the three tensors is computed.
    Direction ("direction") {
        /// y from x and w.
        Forward = ATC_FORWARD => "forward",
        /// x from w and y.
        BackwardData = ATC_BACKWARD_DATA => "backward-data",
        /// w from x and y.
        BackwardWeight = ATC_BACKWARD_WEIGHT => "backward-weight",
    }
}

c_enum! {
    /// The type of a tensor's elements.
    DType ("dtype") {
        /// IEEE single precision.
        F32 = ATC_DTYPE_F32 => "f32",
        /// bfloat16.
        Bf16 = ATC_DTYPE_BF16 => "bf16",
        /// IEEE half precision.
        F16 = ATC_DTYPE_F16 => "f16",
    }
}

c_enum! {
    /// How the elements of x, w and y lie in memory.
    Layout ("layout") {
        /// Dense, last dimension fastest.
        ChannelsFirst = ATC_LAYOUT_CHANNELS_FIRST => "channels-first",
        /// Dense, dimension 1 fastest.
        ChannelsLast = ATC_LAYOUT_CHANNELS_LAST => "channels-last",
        /// As [`Problem::strides`] says.
        Strided = ATC_LAYOUT_STRIDED => "strided",
    }
}

c_enum! {
    /// The operation that follows a forward convolution.
    Epilogue ("epilogue") {
        /// Nothing.
        None = ATC_EPILOGUE_NONE => "none",
        /// A bias is added.
        Bias = ATC_EPILOGUE_BIAS => "bias",
        /// A bias is added, then negative values become 0.
        BiasRelu = ATC_EPILOGUE_BIAS_RELU => "bias-relu",
    }
}

c_enum! {
    /// One tensor of a convolution.
    Operand ("operand") {
        /// `[batch, in_channels, input…]`
        X = ATC_OPERAND_X => "x",
        /// `[out_channels, in_channels / groups, kernel…]`; of a transposed convolution:
        /// `[in_channels, out_channels / groups, kernel…]`
        W = ATC_OPERAND_W => "w",
        /// `[channels of the output]`
        Bias = ATC_OPERAND_BIAS => "bias",
        /// `[batch, out_channels, output…]`
        Y = ATC_OPERAND_Y => "y",
        /// `[channels of the output]`
        Scale = ATC_OPERAND_SCALE => "scale",
        /// `[batch, out_channels, output…]`
        Residual = ATC_OPERAND_RESIDUAL => "residual",
    }
}

/// The description of a convolution, for plans, tuners and calls.
///
/// libatc checks the values when the problem is used. [`validate`](Self::validate) checks them at
/// once.
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
    /// The first list that has a wrong length. It is reported when the problem is used.
    mistake: Option<Mistake>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Mistake {
    field: &'static str,
    given: usize,
    wanted: usize,
}

impl Problem {
    /// The problem that libatc wrote, with the unused entries of lists as [`new`](Self::new) sets them.
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

    /// Like [`conv1d`](Self::conv1d), over two spatial dimensions.
    pub fn conv2d(
        batch: i64,
        in_channels: i64,
        height: i64,
        width: i64,
        out_channels: i64,
    ) -> Self {
        Self::new(batch, in_channels, &[height, width], out_channels)
    }

    /// Like [`conv1d`](Self::conv1d), over three spatial dimensions.
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

    /// Like [`conv1d`](Self::conv1d), over as many spatial dimensions as `input` has extents.
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
        // With more than three dimensions the list is not kept: libatc refuses the number of
        // dimensions itself.
        problem.raw.input.iter_mut().zip(input).for_each(|(value, given)| *value = *given);
        problem
    }

    /// Sets which of the three tensors is computed. x, w and y keep their roles.
    pub fn direction(mut self, direction: Direction) -> Self {
        self.raw.direction = direction.to_raw();
        self
    }

    /// Sets whether the problem is a transposed convolution, the adjoint of a convolution.
    pub fn transposed(mut self, transposed: bool) -> Self {
        self.raw.transposed = i32::from(transposed);
        self
    }

    /// The number of images (or other samples) in the batch.
    pub fn batch(mut self, batch: i64) -> Self {
        self.raw.batch = batch;
        self
    }

    /// The number of groups: independent convolutions, each of an equal share of the channels.
    pub fn groups(mut self, groups: i64) -> Self {
        self.raw.groups = groups;
        self
    }

    /// Extents of the kernel.
    pub fn kernel(mut self, kernel: impl Into<Extents>) -> Self {
        self.raw.kernel = self.extents("kernel", kernel.into(), 1);
        self
    }

    /// Distance in the input between neighbouring outputs.
    pub fn stride(mut self, stride: impl Into<Extents>) -> Self {
        self.raw.stride = self.extents("stride", stride.into(), 1);
        self
    }

    /// Distance in the input between neighbouring taps of the kernel.
    pub fn dilation(mut self, dilation: impl Into<Extents>) -> Self {
        self.raw.dilation = self.extents("dilation", dilation.into(), 1);
        self
    }

    /// Zeros before the first and after the last element.
    pub fn padding(self, padding: impl Into<Extents>) -> Self {
        let padding = padding.into();
        self.padding_low(padding).padding_high(padding)
    }

    /// Zeros before the first element.
    pub fn padding_low(mut self, padding: impl Into<Extents>) -> Self {
        self.raw.padding_low = self.extents("padding_low", padding.into(), 0);
        self
    }

    /// Zeros after the last element.
    pub fn padding_high(mut self, padding: impl Into<Extents>) -> Self {
        self.raw.padding_high = self.extents("padding_high", padding.into(), 0);
        self
    }

    /// Adds to the output's extents, to select one of the possible extents. Transposed convolutions
    /// only.
    pub fn output_padding(mut self, padding: impl Into<Extents>) -> Self {
        self.raw.output_padding = self.extents("output_padding", padding.into(), 0);
        self
    }

    /// The type of x, w and y.
    pub fn dtype(self, dtype: DType) -> Self {
        self.dtypes(dtype, dtype, dtype)
    }

    /// The types of x, w and y.
    pub fn dtypes(mut self, x: DType, w: DType, y: DType) -> Self {
        self.raw.x_dtype = x.to_raw();
        self.raw.w_dtype = w.to_raw();
        self.raw.y_dtype = y.to_raw();
        self
    }

    /// How x, w and y lie in memory.
    pub fn layout(mut self, layout: Layout) -> Self {
        self.raw.layout = layout.to_raw();
        self
    }

    /// Sets the strides of x, w and y in elements, in logical order. The layout becomes
    /// [`Layout::Strided`].
    pub fn strides(mut self, x: &[i64], w: &[i64], y: &[i64]) -> Self {
        self.raw.layout = sys::ATC_LAYOUT_STRIDED;
        self.raw.x_strides = self.five("x_strides", x);
        self.raw.w_strides = self.five("w_strides", w);
        self.raw.y_strides = self.five("y_strides", y);
        self
    }

    /// Sets the operation that follows a forward convolution.
    pub fn epilogue(mut self, epilogue: Epilogue) -> Self {
        self.raw.epilogue = epilogue.to_raw();
        self
    }

    /// Sets whether the sum is multiplied by a number for each channel of the output
    /// ([`Operands::scale`](crate::Operands::scale)). Forward convolutions on the CPU only.
    pub fn scale(mut self, scale: bool) -> Self {
        self.raw.scale = i32::from(scale);
        self
    }

    /// Sets whether a tensor of y's shape, strides and type is added
    /// ([`Operands::residual`](crate::Operands::residual)). Forward convolutions on the CPU only.
    pub fn residual(mut self, residual: bool) -> Self {
        self.raw.residual = i32::from(residual);
        self
    }

    /// Sets the function that is applied last: y = activation(scale * sum + bias + residual). It
    /// needs [`Epilogue::None`] or [`Epilogue::Bias`]. Forward convolutions on the CPU only.
    ///
    /// ```
    /// use atc::{Activation, Epilogue, Operand, Operands, Problem, Tensor};
    ///
    /// # fn main() -> atc::Result<()> {
    /// let problem = Problem::conv1d(1, 2, 5, 1)
    ///     .epilogue(Epilogue::Bias)
    ///     .scale(true)
    ///     .residual(true)
    ///     .activation(Activation::Clamp { low: 0.0, high: 6.5 });
    /// let ones = |operand| Tensor::<f32>::ones(&problem, operand);
    /// let (x, w, bias) = (ones(Operand::X)?, ones(Operand::W)?, ones(Operand::Bias)?);
    /// let (scale, residual) = (ones(Operand::Scale)?, ones(Operand::Residual)?);
    /// let mut y = Tensor::<f32>::zeros(&problem, Operand::Y)?;
    /// let operands =
    ///     Operands::forward(&x, &w, &mut y).bias(&bias).scale(&scale).residual(&residual);
    /// atc::convolution(&problem, operands)?;
    /// assert_eq!(y.as_slice(), [4.0; 5]); // two products, the bias and the residual
    /// # Ok(())
    /// # }
    /// ```
    pub fn activation(mut self, activation: Activation) -> Self {
        activation.write(&mut self.raw);
        self
    }

    /// Sets whether the result is added to the values in the output.
    pub fn accumulate(mut self, accumulate: bool) -> Self {
        self.raw.accumulate = i32::from(accumulate);
        self
    }

    /// Checks every value; the error names an invalid one.
    pub fn validate(&self) -> Result<()> {
        self.geometry(Operand::Y).map(drop)
    }

    /// Returns the problem in one line, as reports and messages have it.
    pub fn describe(&self) -> Result<String> {
        let raw = self.checked()?;
        // SAFETY: the problem is read for the call, `out` is written.
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

    /// The type of one tensor.
    #[must_use]
    pub fn dtype_of(&self, operand: Operand) -> DType {
        // Turns `Other` into a named type if it has the number of one.
        DType::from_raw(match Operand::from_raw(operand.to_raw()) {
            Operand::X => self.raw.x_dtype,
            Operand::W => self.raw.w_dtype,
            // Bias, scale and residual have the output's type, which is that of y: only forward
            // problems may have them.
            _ => self.raw.y_dtype,
        })
    }

    pub(crate) fn geometry(&self, operand: Operand) -> Result<(Vec<i64>, Vec<i64>)> {
        let raw = self.checked()?;
        let (mut shape, mut strides) = ([0; 5], [0; 5]);
        // SAFETY: both arrays have room for spatial_dims + 2 entries: libatc first checks that
        // spatial_dims is at most 3.
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

    /// Returns the problem for functions of [`sys`]. The only error is
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument), if the problem was given
    /// a list of a wrong length. libatc checks all other values.
    pub fn as_raw(&self) -> Result<&sys::atc_conv_problem> {
        self.checked()
    }

    /// For calls into libatc.
    pub(crate) fn checked(&self) -> Result<&sys::atc_conv_problem> {
        match self.mistake {
            None => Ok(&self.raw),
            Some(Mistake { field, given, wanted }) => Err(Error::invalid(format!(
                "{field} has {given} entries for a problem that needs {wanted}"
            ))),
        }
    }

    fn dims(&self) -> usize {
        self.raw.spatial_dims as usize
    }

    fn extents(&mut self, field: &'static str, given: Extents, rest: i64) -> [i64; 3] {
        let dims = self.dims();
        given.spread(dims, rest).unwrap_or_else(|count| {
            self.note(field, count, dims);
            [rest; 3]
        })
    }

    fn five(&mut self, field: &'static str, given: &[i64]) -> [i64; 5] {
        if given.len() != self.dims() + 2 {
            self.note(field, given.len(), self.dims() + 2);
        }
        let mut values = [0; 5];
        values.iter_mut().zip(given).for_each(|(value, given)| *value = *given);
        values
    }

    /// If several lists have a wrong length, only the first is kept and reported.
    fn note(&mut self, field: &'static str, given: usize, wanted: usize) {
        self.mistake.get_or_insert(Mistake { field, given, wanted });
    }
}

/// The parameters of an activation are compared by their bits, so that equality is an equivalence
/// relation.
impl PartialEq for Problem {
    fn eq(&self, other: &Self) -> bool {
        let without_activation = |problem: &Self| {
            let mut raw = problem.raw;
            Activation::None.write(&mut raw);
            raw
        };
        without_activation(self) == without_activation(other)
            && Activation::of(&self.raw) == Activation::of(&other.raw)
            && self.mistake == other.mistake
    }
}

impl Eq for Problem {}

impl Hash for Problem {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // The pattern has no `..`: a field that is added must be hashed, too.
        let sys::atc_conv_problem {
            struct_size: _,
            direction,
            spatial_dims,
            transposed,
            batch,
            in_channels,
            out_channels,
            groups,
            input,
            kernel,
            stride,
            dilation,
            padding_low,
            padding_high,
            output_padding,
            x_dtype,
            w_dtype,
            y_dtype,
            layout,
            epilogue,
            accumulate,
            x_strides,
            w_strides,
            y_strides,
            scale,
            residual,
            activation: _,
            activation_low: _,
            activation_high: _,
            activation_slope: _,
        } = self.raw;
        [direction, spatial_dims, transposed, x_dtype, w_dtype, y_dtype].hash(state);
        [layout, epilogue, accumulate].hash(state);
        [batch, in_channels, out_channels, groups].hash(state);
        [input, kernel, stride, dilation].hash(state);
        [padding_low, padding_high, output_padding].hash(state);
        [x_strides, w_strides, y_strides].hash(state);
        [scale, residual].hash(state);
        Activation::of(&self.raw).hash(state);
        self.mistake.hash(state);
    }
}

impl fmt::Debug for Problem {
    /// The fields of [`ProblemSpec`](crate::ProblemSpec), and the list of a wrong length if one was given.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let spec = self.fields();
        let mut fields = formatter.debug_struct("Problem");
        fields
            .field("direction", &spec.direction)
            .field("transposed", &spec.transposed)
            .field("batch", &spec.batch)
            .field("in_channels", &spec.in_channels)
            .field("out_channels", &spec.out_channels)
            .field("groups", &spec.groups)
            .field("input", &spec.input)
            .field("kernel", &spec.kernel)
            .field("stride", &spec.stride)
            .field("dilation", &spec.dilation)
            .field("padding_low", &spec.padding_low)
            .field("padding_high", &spec.padding_high)
            .field("output_padding", &spec.output_padding)
            .field("dtypes", &[spec.x_dtype, spec.w_dtype, spec.y_dtype])
            .field("layout", &spec.layout)
            .field("epilogue", &spec.epilogue)
            .field("accumulate", &spec.accumulate)
            .field("scale", &spec.scale)
            .field("residual", &spec.residual)
            .field("activation", &spec.activation);
        if let Some(strides) = &spec.strides {
            fields.field("strides", strides);
        }
        if let Some(mistake) = &self.mistake {
            fields.field("mistake", mistake);
        }
        fields.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_problems_have_equal_hashes_and_each_field_counts() {
        let hash = |problem: &Problem| {
            let mut state = std::hash::DefaultHasher::new();
            problem.hash(&mut state);
            state.finish()
        };
        let plain = Problem::conv2d(1, 2, 8, 8, 4).kernel(3);
        assert_eq!(hash(&plain), hash(&Problem::conv2d(1, 2, 8, 8, 4).kernel([3, 3])));
        for other in [
            plain.direction(Direction::BackwardData),
            plain.transposed(true),
            plain.batch(2),
            plain.groups(2),
            plain.kernel(2),
            plain.stride(2),
            plain.dilation(2),
            plain.padding_low(1),
            plain.padding_high(1),
            plain.output_padding(1),
            plain.dtypes(DType::F16, DType::F32, DType::F32),
            plain.dtypes(DType::F32, DType::F16, DType::F32),
            plain.dtypes(DType::F32, DType::F32, DType::F16),
            plain.layout(Layout::ChannelsLast),
            plain.strides(&[0; 4], &[0; 4], &[0; 4]),
            plain.strides(&[1; 4], &[0; 4], &[0; 4]),
            plain.epilogue(Epilogue::Bias),
            plain.accumulate(true),
            plain.stride([1]),
            Problem::conv2d(1, 2, 8, 9, 4).kernel(3),
            Problem::conv2d(1, 3, 8, 8, 4).kernel(3),
            Problem::conv2d(1, 2, 8, 8, 5).kernel(3),
        ] {
            assert_ne!(other, plain);
            assert_ne!(hash(&other), hash(&plain), "{other:?}");
        }
    }

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

    #[test]
    fn debug_names_the_fields_of_the_builder() {
        let text = format!("{:?}", Problem::conv1d(1, 2, 8, 4).kernel(3).dtype(DType::Bf16));
        for part in ["direction: Forward", "kernel: [3]", "dtypes: [Bf16, Bf16, Bf16]"] {
            assert!(text.contains(part), "{text}");
        }
        assert!(!text.contains("struct_size") && !text.contains("mistake"), "{text}");
        let wrong = format!("{:?}", Problem::conv1d(1, 2, 8, 4).stride([1, 2]));
        assert!(wrong.contains("given: 2"), "{wrong}");
    }

    #[test]
    fn one_number_stands_for_every_dimension_and_for_no_other() {
        let problem = Problem::conv2d(1, 1, 8, 8, 1).kernel(3).padding(1);
        assert_eq!(problem.raw.kernel, [3, 3, 1]);
        assert_eq!(problem.raw.padding_low, [1, 1, 0]);
        assert_eq!(problem.raw.padding_high, [1, 1, 0]);
        assert_eq!(problem, Problem::conv2d(1, 1, 8, 8, 1).kernel([3, 3]).padding([1, 1]));
    }

    #[test]
    fn a_list_of_the_wrong_length_is_named_and_the_first_one_wins() {
        let wrong = Problem::conv2d(1, 1, 8, 8, 1).stride([1, 2, 3]).kernel([1]);
        let message = wrong.checked().unwrap_err().to_string();
        assert_eq!(message, "stride has 3 entries for a problem that needs 2");
        let empty = Problem::conv1d(1, 1, 8, 1).dilation([]);
        assert!(empty.checked().unwrap_err().message().contains("dilation has 0"));
        let strides = Problem::conv1d(1, 1, 8, 1).strides(&[8, 8, 1], &[1, 1, 1], &[1]);
        assert!(strides.checked().unwrap_err().message().contains("y_strides has 1"));
    }
}
