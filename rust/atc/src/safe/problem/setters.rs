//! The methods that set the values of a problem.

use crate::safe::activation::Activation;
use crate::safe::extents::Extents;
use crate::safe::problem::{DType, Direction, Epilogue, Layout, Mistake, Problem};
use crate::sys;

impl Problem {
    /// Sets which of the tensors x, w and y is computed from the other two. The letters mean the same in every
    /// direction: x is the input of the forward convolution, w are its weights, and y is its output.
    pub fn direction(mut self, direction: Direction) -> Self {
        self.raw.direction = direction.to_raw();
        self
    }

    /// Sets whether the problem is a transposed convolution. A transposed convolution is the adjoint of an ordinary
    /// convolution, which maps y to x. Stride, dilation and padding of the problem are those of this ordinary
    /// convolution.
    pub fn transposed(mut self, transposed: bool) -> Self {
        self.raw.transposed = i32::from(transposed);
        self
    }

    /// Sets the number of images (or other samples) in the batch.
    pub fn batch(mut self, batch: i64) -> Self {
        self.raw.batch = batch;
        self
    }

    /// Sets the number of groups. The channels are divided into this number of equal parts, and each part is convolved
    /// independently of the others.
    pub fn groups(mut self, groups: i64) -> Self {
        self.raw.groups = groups;
        self
    }

    /// Sets the extents of the kernel, in elements.
    pub fn kernel(mut self, kernel: impl Into<Extents>) -> Self {
        self.raw.kernel = self.extents("kernel", kernel.into(), 1);
        self
    }

    /// Sets the distance in the input between neighbouring outputs, in elements.
    pub fn stride(mut self, stride: impl Into<Extents>) -> Self {
        self.raw.stride = self.extents("stride", stride.into(), 1);
        self
    }

    /// Sets the distance in the input between neighbouring taps of the kernel, in elements.
    pub fn dilation(mut self, dilation: impl Into<Extents>) -> Self {
        self.raw.dilation = self.extents("dilation", dilation.into(), 1);
        self
    }

    /// Sets the number of zeros on each side of the input: before the first element and after the
    /// last element of a dimension.
    pub fn padding(self, padding: impl Into<Extents>) -> Self {
        let padding = padding.into();
        self.padding_low(padding).padding_high(padding)
    }

    /// Sets the number of zeros before the first element of each spatial dimension of the input.
    pub fn padding_low(mut self, padding: impl Into<Extents>) -> Self {
        self.raw.padding_low = self.extents("padding_low", padding.into(), 0);
        self
    }

    /// Sets the number of zeros after the last element of each spatial dimension of the input.
    pub fn padding_high(mut self, padding: impl Into<Extents>) -> Self {
        self.raw.padding_high = self.extents("padding_high", padding.into(), 0);
        self
    }

    /// Sets the output padding: a number of elements by which each extent of the output is increased. Only
    /// transposed convolutions may have an output padding. With a stride above 1 several output extents are possible
    /// for one input extent, and the output padding selects one of them.
    pub fn output_padding(mut self, padding: impl Into<Extents>) -> Self {
        self.raw.output_padding = self.extents("output_padding", padding.into(), 0);
        self
    }

    /// Sets the type of the elements of x, w and y.
    pub fn dtype(self, dtype: DType) -> Self {
        self.dtypes(dtype, dtype, dtype)
    }

    /// Sets the types of the elements of x, w and y.
    pub fn dtypes(mut self, x: DType, w: DType, y: DType) -> Self {
        self.raw.x_dtype = x.to_raw();
        self.raw.w_dtype = w.to_raw();
        self.raw.y_dtype = y.to_raw();
        self
    }

    /// Sets how x, w and y lie in memory.
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

    /// Sets whether the result of the convolution is multiplied by a scale: one factor for each channel of the output
    /// ([`Operands::scale`](crate::Operands::scale)). Only forward convolutions may have a scale.
    pub fn scale(mut self, scale: bool) -> Self {
        self.raw.scale = i32::from(scale);
        self
    }

    /// Sets whether a residual is added to the result of the convolution: a tensor with the shape, strides and type of
    /// y ([`Operands::residual`](crate::Operands::residual)). Only forward convolutions may have a residual.
    pub fn residual(mut self, residual: bool) -> Self {
        self.raw.residual = i32::from(residual);
        self
    }

    /// Sets the function that is applied last: y = activation(scale * sum + bias + residual). Here `sum` is the result
    /// of the convolution alone. The epilogue must be [`Epilogue::None`] or [`Epilogue::Bias`]. Only forward
    /// convolutions may have an activation.
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

    /// Sets whether the result is added to the values that the output has before the call. Otherwise the result
    /// replaces them.
    pub fn accumulate(mut self, accumulate: bool) -> Self {
        self.raw.accumulate = i32::from(accumulate);
        self
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

    /// Notes in the problem that it was given a list of a wrong length. If there are several such lists, only the first
    /// one is noted and reported.
    fn note(&mut self, field: &'static str, given: usize, wanted: usize) {
        self.mistake.get_or_insert(Mistake { field, given, wanted });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
