//! The fields of a problem as a plain struct, which programs can read, print and store in files.

use crate::raw::error::{Error, Result};
use crate::safe::activation::Activation;
use crate::safe::problem::{DType, Direction, Epilogue, Layout, Problem};

/// The values of a [`Problem`], as public fields. Each list (apart from [`Strides`]) has one entry
/// for each spatial dimension.
///
/// ```
/// use atc::Problem;
///
/// # fn main() -> atc::Result<()> {
/// let problem = Problem::conv2d(8, 64, 56, 56, 64).kernel(3).padding(1);
/// let spec = problem.spec()?;
/// assert_eq!((spec.in_channels, &spec.kernel[..]), (64, &[3, 3][..]));
/// assert_eq!(Problem::from(&spec), problem);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
#[allow(missing_docs, reason = "each field is the builder method of its name")]
pub struct ProblemSpec {
    pub direction: Direction,
    pub transposed: bool,
    pub batch: i64,
    pub in_channels: i64,
    pub out_channels: i64,
    pub groups: i64,
    pub input: Vec<i64>,
    pub kernel: Vec<i64>,
    pub stride: Vec<i64>,
    pub dilation: Vec<i64>,
    pub padding_low: Vec<i64>,
    pub padding_high: Vec<i64>,
    pub output_padding: Vec<i64>,
    pub x_dtype: DType,
    pub w_dtype: DType,
    pub y_dtype: DType,
    pub layout: Layout,
    pub epilogue: Epilogue,
    pub accumulate: bool,
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "is_default"))]
    pub scale: bool,
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "is_default"))]
    pub residual: bool,
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "is_default"))]
    pub activation: Activation,
    /// The strides of the operands if the layout is [`Layout::Strided`]; else `None`.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub strides: Option<Strides>,
}

#[cfg(feature = "serde")]
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// The strides of x, w and y, counted in elements. Each list is in logical order (batch, channels,
/// spatial dimensions).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[allow(missing_docs, reason = "each field is the operand of its name")]
pub struct Strides {
    pub x: Vec<i64>,
    pub w: Vec<i64>,
    pub y: Vec<i64>,
}

impl Problem {
    /// Returns the values of the problem. Fails with
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the problem was given a
    /// list of a wrong length, because the problem cannot hold such a list, or if it has more than
    /// three spatial dimensions. Other values are not checked.
    pub fn spec(&self) -> Result<ProblemSpec> {
        let raw = self.checked()?;
        let dims = raw.spatial_dims;
        if dims > 3 {
            return Err(Error::invalid(format!("input has {dims} entries: use 1 to 3")));
        }
        Ok(self.fields())
    }

    /// Returns the values of the problem without a check. If the problem was given a list of a
    /// wrong length, the result has the default values in place of this list. If this list was a
    /// list of strides, the result has as many of its entries as fit.
    pub(crate) fn fields(&self) -> ProblemSpec {
        let raw = &self.raw;
        let dims = raw.spatial_dims.clamp(0, 3) as usize;
        let list = |values: &[i64]| values[..dims].to_vec();
        let strides = |values: &[i64; 5]| values[..dims + 2].to_vec();
        let layout = Layout::from_raw(raw.layout);
        ProblemSpec {
            direction: Direction::from_raw(raw.direction),
            transposed: raw.transposed != 0,
            batch: raw.batch,
            in_channels: raw.in_channels,
            out_channels: raw.out_channels,
            groups: raw.groups,
            input: list(&raw.input),
            kernel: list(&raw.kernel),
            stride: list(&raw.stride),
            dilation: list(&raw.dilation),
            padding_low: list(&raw.padding_low),
            padding_high: list(&raw.padding_high),
            output_padding: list(&raw.output_padding),
            x_dtype: DType::from_raw(raw.x_dtype),
            w_dtype: DType::from_raw(raw.w_dtype),
            y_dtype: DType::from_raw(raw.y_dtype),
            layout,
            epilogue: Epilogue::from_raw(raw.epilogue),
            accumulate: raw.accumulate != 0,
            scale: raw.scale != 0,
            residual: raw.residual != 0,
            activation: Activation::of(raw),
            strides: (layout == Layout::Strided).then(|| Strides {
                x: strides(&raw.x_strides),
                w: strides(&raw.w_strides),
                y: strides(&raw.y_strides),
            }),
        }
    }
}

impl From<&ProblemSpec> for Problem {
    /// Makes a problem that has the values of `spec`. The values are checked when a call uses the
    /// problem, and not here.
    fn from(spec: &ProblemSpec) -> Self {
        let problem = Self::new(spec.batch, spec.in_channels, &spec.input, spec.out_channels)
            .direction(spec.direction)
            .transposed(spec.transposed)
            .groups(spec.groups)
            .kernel(&spec.kernel[..])
            .stride(&spec.stride[..])
            .dilation(&spec.dilation[..])
            .padding_low(&spec.padding_low[..])
            .padding_high(&spec.padding_high[..])
            .output_padding(&spec.output_padding[..])
            .dtypes(spec.x_dtype, spec.w_dtype, spec.y_dtype)
            .layout(spec.layout)
            .epilogue(spec.epilogue)
            .accumulate(spec.accumulate)
            .scale(spec.scale)
            .residual(spec.residual)
            .activation(spec.activation);
        match &spec.strides {
            Some(strides) => problem.strides(&strides.x, &strides.w, &strides.y),
            None => problem,
        }
    }
}

impl TryFrom<ProblemSpec> for Problem {
    type Error = Error;

    /// Makes a problem that has the values of `spec`. Fails if a value is invalid.
    fn try_from(spec: ProblemSpec) -> Result<Self> {
        let problem = Self::from(&spec);
        problem.validate()?;
        Ok(problem)
    }
}

/// Serializes the result of [`Problem::spec`]. If `spec` fails, the serialization fails.
#[cfg(feature = "serde")]
impl serde::Serialize for Problem {
    fn serialize<S: serde::Serializer>(
        &self,
        serializer: S,
    ) -> std::result::Result<S::Ok, S::Error> {
        self.spec().map_err(serde::ser::Error::custom)?.serialize(serializer)
    }
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for Problem {
    fn deserialize<D: serde::Deserializer<'de>>(
        deserializer: D,
    ) -> std::result::Result<Self, D::Error> {
        ProblemSpec::deserialize(deserializer)?.try_into().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_give_back_the_problem() {
        let plain = Problem::conv3d(2, 4, 5, 6, 7, 8)
            .kernel([1, 2, 3])
            .stride([3, 2, 1])
            .dilation(2)
            .padding_low([0, 1, 2])
            .padding_high(1)
            .groups(2)
            .dtypes(DType::F16, DType::F16, DType::F32)
            .layout(Layout::ChannelsLast)
            .epilogue(Epilogue::BiasRelu)
            .accumulate(true);
        let turned = Problem::conv1d(2, 4, 5, 8)
            .transposed(true)
            .output_padding(1)
            .stride(2)
            .direction(Direction::BackwardWeight)
            .strides(&[20, 5, 1], &[8, 1, 1], &[72, 9, 1]);
        let ended = plain
            .epilogue(Epilogue::Bias)
            .accumulate(false)
            .scale(true)
            .residual(true)
            .activation(Activation::Clamp { low: -1.0, high: 0.5 });
        for problem in [plain, turned, ended] {
            let spec = problem.spec().unwrap();
            assert_eq!(Problem::from(&spec), problem);
            #[cfg(feature = "serde")]
            {
                let text = serde_json::to_string(&spec).unwrap();
                assert_eq!(serde_json::from_str::<ProblemSpec>(&text).unwrap(), spec, "{text}");
                assert_eq!(text.contains("activation"), problem == ended, "{text}");
            }
        }
    }
    #[test]
    fn a_list_of_the_wrong_length_is_not_forgotten() {
        for (wrong, part) in [
            (Problem::conv2d(1, 1, 8, 8, 1).stride([2, 2, 2]), "stride has 3 entries"),
            (Problem::conv1d(1, 1, 8, 1).strides(&[8, 8, 1], &[1], &[8, 8, 1]), "w_strides has 1"),
            (Problem::new(1, 1, &[8, 8, 8, 8], 1), "input has 4 entries"),
        ] {
            let error = wrong.spec().unwrap_err();
            assert!(error.message().contains(part), "{error}");
            #[cfg(feature = "serde")]
            assert!(serde_json::to_string(&wrong).unwrap_err().to_string().contains(part));
        }
    }
}
