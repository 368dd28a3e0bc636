//! The device to train on. This module has all code that differs between the CPU and a GPU.

use std::error::Error;

use atc_tch::atc;
use tch::Device;

/// Returns the device as a value of tch. This function must be called before all functions of
/// LibTorch. LibTorch checks only once whether CUDA is available, and remembers the answer.
pub fn prepare(device: atc::Device) -> Result<Device, Box<dyn Error>> {
    let index = match device {
        atc::Device::Cpu => return Ok(Device::Cpu),
        atc::Device::Cuda(index) => index,
        _ => return Err(format!("--device {device}: tch trains on cpu and cuda:INDEX").into()),
    };
    // SAFETY: no other thread uses LibTorch yet.
    unsafe { atc_tch::load_cuda() }.map_err(|error| format!("--device {device}: {error}"))?;
    let count = tch::Cuda::device_count();
    if i64::from(index) >= count {
        return Err(format!("--device {device}: LibTorch sees {count} CUDA devices").into());
    }
    Ok(Device::Cuda(usize::try_from(index)?))
}

/// Waits until all queued work has run, so that the measured time of a training step includes the work of the step on
/// the GPU.
pub fn finish(device: Device) -> atc_tch::Result<()> {
    match device {
        Device::Cuda(index) => atc::device::synchronize(i32::try_from(index).ok()),
        _ => Ok(()),
    }
}
