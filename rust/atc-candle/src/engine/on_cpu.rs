//! Runs candle's convolution on the CPU for atc. candle can only compute on tensors that own their memory, so atc's
//! operands are copied into such tensors.

use std::ffi::c_void;

use atc::sys;
use candle_core::{CpuStorage, Device, InplaceOp1, Layout, Result, Tensor};

use super::task::Task;
use crate::failure::refused;

pub(super) struct OnCpu {
    task: Task,
    inputs: [Tensor; 2],
    bias: Option<Tensor>,
}

impl OnCpu {
    pub(super) fn new(task: Task) -> Result<Self> {
        let dtype = task.dtype();
        let zeros = |shape: Vec<usize>| Tensor::zeros(shape, dtype, &Device::Cpu);
        let [first, second] = task.inputs();
        let inputs = [zeros(first)?, zeros(second)?];
        let bias = task.bias().map(|channels| zeros(vec![channels])).transpose()?;
        Ok(Self { task, inputs, bias })
    }

    /// Convolves, and copies the result to the operand that the problem writes.
    ///
    /// # Safety
    /// `operands` are the operands of the problem for which this object was made.
    pub(super) unsafe fn execute(&self, operands: &sys::atc_engine_operands) -> Result<()> {
        let (sources, target) = self.task.addresses(operands);
        for (tensor, source) in self.inputs.iter().zip(sources) {
            tensor.inplace_op1(&Copy(source, Way::In))?;
        }
        if let Some(bias) = &self.bias {
            bias.inplace_op1(&Copy(operands.bias.cast_mut(), Way::In))?;
        }
        let [first, second] = &self.inputs;
        let output = self.task.run(first, second, self.bias.as_ref())?;
        output.inplace_op1(&Copy(target, Way::Out))
    }
}

enum Way {
    In,
    Out,
}

/// Copies elements between memory of atc and a tensor of candle: `Way::In` is into the tensor, `Way::Out` is out of it.
struct Copy(*mut c_void, Way);

impl Copy {
    /// Copies between memory of atc and `data`, the storage of the tensor. `layout` says where in the storage the
    /// tensor's elements lie.
    fn run<T: std::marker::Copy>(&self, data: &mut [T], layout: &Layout) -> Result<()> {
        let part = layout.contiguous_offsets().and_then(|(start, end)| data.get_mut(start..end));
        let part = part.ok_or_else(|| refused(format!("{layout:?} is not contiguous")))?;
        let (theirs, count) = (self.0.cast::<T>(), part.len());
        match self.1 {
            // SAFETY: `OnCpu::execute` requires that atc's memory holds the elements of the operand. The tensor has the
            // same number and type of elements. atc's memory does not overlap candle's memory.
            Way::In => unsafe { std::ptr::copy_nonoverlapping(theirs, part.as_mut_ptr(), count) },
            // SAFETY: `OnCpu::execute` requires that atc's memory has room for the elements of the operand that is
            // written. The tensor has the same number and type of elements.
            Way::Out => unsafe { std::ptr::copy_nonoverlapping(part.as_ptr(), theirs, count) },
        }
        Ok(())
    }
}

impl InplaceOp1 for Copy {
    fn name(&self) -> &'static str {
        "atc-copy"
    }

    fn cpu_fwd(&self, storage: &mut CpuStorage, layout: &Layout) -> Result<()> {
        match storage {
            CpuStorage::F32(data) => self.run(data, layout),
            CpuStorage::BF16(data) => self.run(data, layout),
            CpuStorage::F16(data) => self.run(data, layout),
            _ => Err(refused("an operand of a type that atc lacks".to_owned())),
        }
    }
}
