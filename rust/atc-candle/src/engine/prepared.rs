//! One convolution that candle runs for atc, on the device of the call.

use atc::sys;
use candle_core::Result;

use super::on_cpu::OnCpu;
#[cfg(feature = "cuda")]
use super::on_cuda::{self, OnCuda};
use super::task::Task;

pub(super) enum Prepared {
    Cpu(OnCpu),
    #[cfg(feature = "cuda")]
    Cuda(OnCuda),
}

impl Prepared {
    pub(super) fn new(problem: &sys::atc_conv_problem, device: sys::atc_device) -> Result<Self> {
        let task = Task::new(problem)?;
        match device.type_ {
            #[cfg(feature = "cuda")]
            sys::ATC_DEVICE_CUDA => OnCuda::new(task, device.index).map(Self::Cuda),
            _ => OnCpu::new(task).map(Self::Cpu),
        }
    }

    /// Loads the kernels of candle that the problem takes. There are none on the CPU.
    pub(super) fn load_kernels(
        problem: &sys::atc_conv_problem,
        device: sys::atc_device,
    ) -> Result<()> {
        match device.type_ {
            #[cfg(feature = "cuda")]
            sys::ATC_DEVICE_CUDA => on_cuda::load_kernels(&Task::new(problem)?, device.index),
            _ => Task::new(problem).map(drop),
        }
    }

    /// Convolves, and writes the result to the operand of atc that is written.
    ///
    /// # Safety
    /// The operands are those of the problem.
    pub(super) unsafe fn execute(&self, operands: &sys::atc_engine_operands) -> Result<()> {
        match self {
            // SAFETY: the caller keeps the contract of this function.
            Self::Cpu(prepared) => unsafe { prepared.execute(operands) },
            #[cfg(feature = "cuda")]
            // SAFETY: the caller keeps the contract of this function.
            Self::Cuda(prepared) => unsafe { prepared.execute(operands) },
        }
    }
}
