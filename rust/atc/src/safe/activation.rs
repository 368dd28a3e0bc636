//! The activation: the function that is applied to the output of a convolution.

use std::hash::{Hash, Hasher};

use crate::sys;

/// The function that is applied to each output element. In the formulas `t` is the value of the
/// element before that: the result of the convolution, multiplied by the scale, plus the bias and
/// the residual. If `t` is NaN, the result is NaN.
#[derive(Debug, Clone, Copy, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Activation {
    /// No function is applied, apart from the relu of the epilogue
    /// [`Epilogue::BiasRelu`](crate::Epilogue::BiasRelu).
    #[default]
    None,
    /// An element with the value t becomes max(t, 0).
    Relu,
    /// An element with the value t becomes min(max(t, 0), 6).
    Relu6,
    /// An element with the value t becomes min(max(t, low), high).
    #[allow(missing_docs, reason = "the line above names the fields")]
    Clamp { low: f32, high: f32 },
    /// An element with the value t becomes t / (1 + exp(-t)).
    Silu,
    /// An element with the value t becomes t / 2 * (1 + erf(t / sqrt(2))).
    Gelu,
    /// The approximation of GELU by tanh: an element with the value t becomes
    /// t / 2 * (1 + tanh(sqrt(2 / pi) * (t + 0.044715 * t^3))).
    GeluTanh,
    /// An element with the value t becomes t / 6 * min(max(t + 3, 0), 6).
    HardSwish,
    /// An element with the value t becomes 1 / (1 + exp(-t)).
    Sigmoid,
    /// An element with the value t remains t if t >= 0, else it becomes slope * t. The slope must be
    /// from 0 to 1.
    #[allow(missing_docs, reason = "the line above names the field")]
    LeakyRelu { slope: f32 },
    /// A number that this version of the crate does not know. It is from another version of libatc.
    #[cfg_attr(feature = "serde", serde(skip))]
    Other(i32),
}

/// The numbers that stand for an activation in the C struct of a problem, in types that can be
/// compared and hashed.
#[derive(PartialEq, Eq, Hash)]
struct Fields {
    activation: i32,
    // The bits of the fp32 numbers low, high and slope. Equal numbers have equal bits, because
    // `parameters` has replaced -0 by 0.
    parameters: [u32; 3],
}

impl Activation {
    /// Returns the activation of a problem.
    pub(crate) fn of(raw: &sys::atc_conv_problem) -> Self {
        match raw.activation {
            sys::ATC_ACTIVATION_NONE => Self::None,
            sys::ATC_ACTIVATION_RELU => Self::Relu,
            sys::ATC_ACTIVATION_RELU6 => Self::Relu6,
            sys::ATC_ACTIVATION_CLAMP => {
                Self::Clamp { low: raw.activation_low, high: raw.activation_high }
            }
            sys::ATC_ACTIVATION_SILU => Self::Silu,
            sys::ATC_ACTIVATION_GELU => Self::Gelu,
            sys::ATC_ACTIVATION_GELU_TANH => Self::GeluTanh,
            sys::ATC_ACTIVATION_HARD_SWISH => Self::HardSwish,
            sys::ATC_ACTIVATION_SIGMOID => Self::Sigmoid,
            sys::ATC_ACTIVATION_LEAKY_RELU => Self::LeakyRelu { slope: raw.activation_slope },
            other => Self::Other(other),
        }
    }

    /// Writes the activation into the fields of a problem.
    pub(crate) fn write(self, raw: &mut sys::atc_conv_problem) {
        let (low, high, slope) = self.parameters();
        (raw.activation_low, raw.activation_high, raw.activation_slope) = (low, high, slope);
        raw.activation = self.number();
    }

    fn number(self) -> i32 {
        match self {
            Self::None => sys::ATC_ACTIVATION_NONE,
            Self::Relu => sys::ATC_ACTIVATION_RELU,
            Self::Relu6 => sys::ATC_ACTIVATION_RELU6,
            Self::Clamp { .. } => sys::ATC_ACTIVATION_CLAMP,
            Self::Silu => sys::ATC_ACTIVATION_SILU,
            Self::Gelu => sys::ATC_ACTIVATION_GELU,
            Self::GeluTanh => sys::ATC_ACTIVATION_GELU_TANH,
            Self::HardSwish => sys::ATC_ACTIVATION_HARD_SWISH,
            Self::Sigmoid => sys::ATC_ACTIVATION_SIGMOID,
            Self::LeakyRelu { .. } => sys::ATC_ACTIVATION_LEAKY_RELU,
            Self::Other(number) => number,
        }
    }

    /// Returns the parameters low, high and slope. A parameter that the activation does not have is
    /// 0. The addition of 0 turns -0 into 0.
    fn parameters(self) -> (f32, f32, f32) {
        match self {
            Self::Clamp { low, high } => (low + 0.0, high + 0.0, 0.0),
            Self::LeakyRelu { slope } => (0.0, 0.0, slope + 0.0),
            _ => (0.0, 0.0, 0.0),
        }
    }

    fn fields(self) -> Fields {
        let (low, high, slope) = self.parameters();
        Fields { activation: self.number(), parameters: [low, high, slope].map(f32::to_bits) }
    }
}

/// Two activations are equal if they are the same function and the bits of their parameters are
/// equal. Bits are compared so that a NaN is equal to itself.
impl PartialEq for Activation {
    fn eq(&self, other: &Self) -> bool {
        self.fields() == other.fields()
    }
}

impl Eq for Activation {}

impl Hash for Activation {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.fields().hash(state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Problem;

    #[test]
    fn a_problem_gives_back_its_activation() {
        for activation in [
            Activation::None,
            Activation::Relu,
            Activation::Relu6,
            Activation::Clamp { low: -1.5, high: 2.0 },
            Activation::Silu,
            Activation::Gelu,
            Activation::GeluTanh,
            Activation::HardSwish,
            Activation::Sigmoid,
            Activation::LeakyRelu { slope: 0.25 },
            Activation::Other(1 << 20),
        ] {
            let problem = Problem::conv1d(1, 1, 8, 1).activation(activation);
            assert_eq!(Activation::of(&problem.raw), activation);
        }
    }

    #[test]
    fn equality_is_an_equivalence() {
        let nan = Activation::Clamp { low: f32::NAN, high: 1.0 };
        assert_eq!(nan, nan);
        let problem = Problem::conv1d(1, 1, 8, 1);
        assert_eq!(problem.activation(nan), problem.activation(nan));
        assert_eq!(Activation::LeakyRelu { slope: 0.0 }, Activation::LeakyRelu { slope: -0.0 });
        assert_ne!(Activation::LeakyRelu { slope: 0.0 }, Activation::Relu);
    }
}
