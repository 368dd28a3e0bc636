//! The tensors (operands) of one call.

use std::marker::PhantomData;

use crate::raw::call::size_of_u32;
use crate::raw::error::{Error, Result};
use crate::safe::device::Device;
use crate::safe::problem::Direction;
use crate::safe::view::{AsTensor, AsTensorMut, Parts};
use crate::sys;

/// The tensors of one call. The inputs are borrowed shared, and the output is borrowed exclusively. Each direction
/// writes another tensor: forward writes y, backward data writes x, and backward weight writes w.
///
/// ```compile_fail,E0502
/// let mut x = atc::Tensor::from_vec(vec![0.0f32; 4], &[1, 1, 2, 2]).unwrap();
/// let w = atc::Tensor::from_vec(vec![1.0f32], &[1, 1, 1, 1]).unwrap();
/// let operands = atc::Operands::forward(&x, &w, &mut x); // input and output in one
/// ```
#[derive(Debug)]
#[must_use = "nothing is computed before a plan executes them"]
pub struct Operands<'a> {
    direction: Direction,
    x: Parts,
    w: Option<Parts>,
    bias: Option<Parts>,
    y: Parts,
    scale: Option<Parts>,
    residual: Option<Parts>,
    borrows: PhantomData<(&'a [u8], &'a mut [u8])>,
}

impl<'a> Operands<'a> {
    /// Makes the operands of a forward convolution, which reads x and w and writes y.
    pub fn forward(
        x: &'a (impl AsTensor + ?Sized),
        w: &'a (impl AsTensor + ?Sized),
        y: &'a mut (impl AsTensorMut + ?Sized),
    ) -> Self {
        let (x, w) = (x.as_tensor().parts(), Some(w.as_tensor().parts()));
        Self::new(Direction::Forward, x, w, y.as_tensor_mut().parts())
    }

    /// Makes the operands of a forward convolution that uses the packed weights of
    /// [`Plan::set_weights`](crate::Plan::set_weights). The convolution reads x and writes y.
    pub fn forward_packed(
        x: &'a (impl AsTensor + ?Sized),
        y: &'a mut (impl AsTensorMut + ?Sized),
    ) -> Self {
        Self::new(Direction::Forward, x.as_tensor().parts(), None, y.as_tensor_mut().parts())
    }

    /// Makes the operands of a backward-data convolution, which reads w and y and writes x.
    pub fn backward_data(
        w: &'a (impl AsTensor + ?Sized),
        y: &'a (impl AsTensor + ?Sized),
        x: &'a mut (impl AsTensorMut + ?Sized),
    ) -> Self {
        let (w, y) = (Some(w.as_tensor().parts()), y.as_tensor().parts());
        Self::new(Direction::BackwardData, x.as_tensor_mut().parts(), w, y)
    }

    /// Makes the operands of a backward-data convolution that uses the packed weights of
    /// [`Plan::set_weights`](crate::Plan::set_weights). The convolution reads y and writes x.
    pub fn backward_data_packed(
        y: &'a (impl AsTensor + ?Sized),
        x: &'a mut (impl AsTensorMut + ?Sized),
    ) -> Self {
        let y = y.as_tensor().parts();
        Self::new(Direction::BackwardData, x.as_tensor_mut().parts(), None, y)
    }

    /// Makes the operands of a backward-weight convolution, which reads x and y and writes w.
    pub fn backward_weight(
        x: &'a (impl AsTensor + ?Sized),
        y: &'a (impl AsTensor + ?Sized),
        w: &'a mut (impl AsTensorMut + ?Sized),
    ) -> Self {
        let (x, y) = (x.as_tensor().parts(), y.as_tensor().parts());
        Self::new(Direction::BackwardWeight, x, Some(w.as_tensor_mut().parts()), y)
    }

    /// Adds the bias to the operands. The bias is needed if the problem's epilogue is
    /// [`Epilogue::Bias`](crate::Epilogue::Bias) or [`Epilogue::BiasRelu`](crate::Epilogue::BiasRelu).
    pub fn bias(self, bias: &'a (impl AsTensor + ?Sized)) -> Self {
        self.with_bias(bias.as_tensor().parts())
    }

    /// Adds the scale (one factor for each channel of the output) to the operands. The scale is needed if the problem
    /// was made with [`Problem::scale`](crate::Problem::scale).
    pub fn scale(mut self, scale: &'a (impl AsTensor + ?Sized)) -> Self {
        self.scale = Some(scale.as_tensor().parts());
        self
    }

    /// Adds the residual (a tensor that is added to the result) to the operands. The residual is needed if the problem
    /// was made with [`Problem::residual`](crate::Problem::residual).
    pub fn residual(mut self, residual: &'a (impl AsTensor + ?Sized)) -> Self {
        self.residual = Some(residual.as_tensor().parts());
        self
    }

    pub(crate) fn with_bias(mut self, bias: Parts) -> Self {
        self.bias = Some(bias);
        self
    }

    pub(crate) fn new(direction: Direction, x: Parts, w: Option<Parts>, y: Parts) -> Self {
        Self { direction, x, w, bias: None, y, scale: None, residual: None, borrows: PhantomData }
    }

    /// Returns the device on which the call runs. This is the device of x, because libatc refuses operands on
    /// different devices.
    pub(crate) fn device(&self) -> Device {
        self.x.device()
    }

    /// Returns an error if the operands were made for another direction than `wanted`, the direction of the problem.
    /// The direction determines which operand libatc writes. So after this check libatc writes only the operand that is
    /// borrowed exclusively.
    pub(crate) fn expect_direction(&self, wanted: Direction) -> Result<()> {
        if self.direction == wanted {
            return Ok(());
        }
        Err(Error::invalid(format!("operands of a {} call for a {wanted} problem", self.direction)))
    }

    /// Converts the operands to a C struct and calls `function` with it. The C struct is valid only during this call.
    pub(crate) fn with_raw<R>(&self, function: impl FnOnce(&sys::atc_conv_operands) -> R) -> R {
        let (x, y) = (self.x.to_raw(), self.y.to_raw());
        let [w, bias, scale, residual] = [&self.w, &self.bias, &self.scale, &self.residual]
            .map(|parts| parts.as_ref().map(Parts::to_raw));
        let optional = |view: &Option<sys::atc_tensor_view>| {
            view.as_ref().map_or(std::ptr::null(), std::ptr::from_ref)
        };
        function(&sys::atc_conv_operands {
            struct_size: size_of_u32::<sys::atc_conv_operands>(),
            reserved: 0,
            x: &x,
            w: optional(&w),
            bias: optional(&bias),
            y: &y,
            scale: optional(&scale),
            residual: optional(&residual),
        })
    }
}
