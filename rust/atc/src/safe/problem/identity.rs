//! Equality, hash and debug output of a problem.

use std::fmt;
use std::hash::{Hash, Hasher};

use crate::safe::activation::Activation;
use crate::safe::problem::Problem;
use crate::sys;

/// The parameters of an activation are compared by their bits. So a NaN is equal to itself, and equality is an
/// equivalence relation.
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
        // The pattern lists all fields and has no `..`. So if a field is added to the C struct, this code does not
        // compile until the field is listed here. Then the field must also be hashed below.
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
    /// Prints the values of the problem under the names of [`ProblemSpec`](crate::ProblemSpec). If the problem was
    /// given a list of a wrong length, prints this mistake, too.
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
    use crate::safe::problem::{DType, Direction, Epilogue, Layout};

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
    fn debug_names_the_fields_of_the_builder() {
        let text = format!("{:?}", Problem::conv1d(1, 2, 8, 4).kernel(3).dtype(DType::Bf16));
        for part in ["direction: Forward", "kernel: [3]", "dtypes: [Bf16, Bf16, Bf16]"] {
            assert!(text.contains(part), "{text}");
        }
        assert!(!text.contains("struct_size") && !text.contains("mistake"), "{text}");
        let wrong = format!("{:?}", Problem::conv1d(1, 2, 8, 4).stride([1, 2]));
        assert!(wrong.contains("given: 2"), "{wrong}");
    }
}
