//! A convolution that candle runs for atc, prepared for the device of the call.

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

    /// Loads candle's kernels for the problem. Does nothing on the CPU.
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

    /// Convolves, and writes the result to the operand that the problem writes.
    ///
    /// # Safety
    /// `operands` are the operands of the problem for which this object was made.
    pub(super) unsafe fn execute(&self, operands: &sys::atc_engine_operands) -> Result<()> {
        match self {
            // SAFETY: the caller obeys the section "Safety" of this function.
            Self::Cpu(prepared) => unsafe { prepared.execute(operands) },
            #[cfg(feature = "cuda")]
            // SAFETY: the caller obeys the section "Safety" of this function.
            Self::Cuda(prepared) => unsafe { prepared.execute(operands) },
        }
    }
}
