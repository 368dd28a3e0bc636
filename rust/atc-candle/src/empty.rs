//! Convolutions in which x, the kernel or y has no elements. All elements of the result are 0,
//! because each one is a sum of no products.

use candle_core::{CpuStorage, CustomOp2, Layout, Result, Shape, Tensor};

use crate::cpu::zeros;
use crate::shapes::Shapes;

/// Returns zeros of the shape of y. The gradients of `x` and `kernel` are zeros, too.
pub(crate) fn convolve(shapes: &Shapes, x: &Tensor, kernel: &Tensor) -> Result<Tensor> {
    x.apply_op2(kernel, Nothing { y: shapes.y().into() })
}

struct Nothing {
    y: Shape,
}

impl CustomOp2 for Nothing {
    fn name(&self) -> &'static str {
        "atc-convolution-of-nothing"
    }

    fn cpu_fwd(
        &self,
        x: &CpuStorage,
        _: &Layout,
        _: &CpuStorage,
        _: &Layout,
    ) -> Result<(CpuStorage, Shape)> {
        Ok((zeros(x, self.y.elem_count())?, self.y.clone()))
    }

    #[cfg(feature = "cuda")]
    fn cuda_fwd(
        &self,
        x: &candle_core::CudaStorage,
        _: &Layout,
        _: &candle_core::CudaStorage,
        _: &Layout,
    ) -> Result<(candle_core::CudaStorage, Shape)> {
        Ok((crate::cuda::zeros(x, self.y.elem_count())?, self.y.clone()))
    }

    fn bwd(
        &self,
        x: &Tensor,
        kernel: &Tensor,
        _: &Tensor,
        _: &Tensor,
    ) -> Result<(Option<Tensor>, Option<Tensor>)> {
        Ok((Some(x.zeros_like()?), Some(kernel.zeros_like()?)))
    }
}
