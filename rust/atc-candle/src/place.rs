//! The place where a convolution runs: the CPU, or a CUDA device with one of its streams.

#[cfg(feature = "cuda")]
use std::sync::Arc;

#[cfg(feature = "cuda")]
use atc::cudarc::{CudaPlan, driver::CudaStream};
use atc::{Plan, PlanOptions, Problem};
use candle_core::{Device, Result, Tensor};

/// A device on which atc computes. On CUDA: with the stream of candle's device.
#[derive(Clone)]
pub(crate) enum Place {
    Cpu,
    #[cfg(feature = "cuda")]
    Cuda(Arc<CudaStream>),
}

/// A plan of atc that is ready to run on the CPU or on a CUDA device.
pub(crate) enum Ready {
    Cpu(Plan),
    #[cfg(feature = "cuda")]
    Cuda(CudaPlan),
}

impl Place {
    /// Returns the place for a device of candle, or `None` if atc does not compute on the device.
    pub(crate) fn of(device: &Device) -> Option<Self> {
        match device {
            Device::Cpu => Some(Self::Cpu),
            #[cfg(feature = "cuda")]
            Device::Cuda(device) => Some(Self::Cuda(device.cuda_stream())),
            _ => None,
        }
    }

    pub(crate) fn device(&self) -> atc::Device {
        match self {
            Self::Cpu => atc::Device::Cpu,
            #[cfg(feature = "cuda")]
            Self::Cuda(stream) => {
                // The number of a device always fits into an i32, so the value of `unwrap_or` is never used.
                atc::Device::Cuda(i32::try_from(stream.context().ordinal()).unwrap_or(i32::MAX))
            }
        }
    }

    /// The stream as an argument for C functions. It is null on the CPU.
    pub(crate) fn stream(&self) -> atc::sys::atc_stream {
        match self {
            Self::Cpu => std::ptr::null_mut(),
            #[cfg(feature = "cuda")]
            Self::Cuda(stream) => stream.cu_stream().cast(),
        }
    }

    /// Returns a contiguous tensor with the same elements. On CUDA the tensor is also aligned to 16 bytes, because
    /// cuDNN has few implementations for memory with a smaller alignment.
    pub(crate) fn dense(&self, tensor: &Tensor) -> Result<Tensor> {
        let tensor = tensor.contiguous()?;
        match self {
            Self::Cpu => Ok(tensor),
            #[cfg(feature = "cuda")]
            Self::Cuda(_) => {
                let start = tensor.layout().start_offset() * tensor.dtype().size_in_bytes();
                if start.is_multiple_of(16) { Ok(tensor) } else { tensor.force_contiguous() }
            }
        }
    }

    /// Returns a plan of the problem from atc's cache of plans.
    pub(crate) fn acquire(
        &self,
        problem: &Problem,
        options: &PlanOptions<'_>,
    ) -> atc::Result<Ready> {
        match self {
            Self::Cpu => Plan::acquire(atc::Device::Cpu, problem, options).map(Ready::Cpu),
            #[cfg(feature = "cuda")]
            Self::Cuda(stream) => CudaPlan::acquire(problem, options, stream).map(Ready::Cuda),
        }
    }
}

impl Ready {
    pub(crate) fn plan(&self) -> &Plan {
        match self {
            Self::Cpu(plan) => plan,
            #[cfg(feature = "cuda")]
            Self::Cuda(plan) => plan.plan(),
        }
    }
}
