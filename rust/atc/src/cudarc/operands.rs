//! The tensors (operands) of one call, in memory that cudarc has allocated.

use std::ffi::c_void;
use std::fmt;

use ::cudarc::driver::{CudaStream, DevicePtr, DevicePtrMut, SyncOnDrop};

use super::{device_of, failed};
use crate::convolution::convolution_on_stream;
use crate::raw::error::{Error, Result};
use crate::safe::device::Device;
use crate::safe::geometry::Geometry;
use crate::safe::operands::Operands;
use crate::safe::problem::{DType, Direction, Operand, Problem};
use crate::safe::view::{Element, Parts, TensorView};

/// The tensors of one call on a stream. Each tensor is a `CudaSlice`, `CudaView` or `CudaViewMut` of cudarc. The
/// problem determines the shapes and the strides of the tensors. The inputs are borrowed shared, and the output is
/// borrowed exclusively.
///
/// The functions that take the memory of a tensor fail with
/// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) in three cases: the memory has elements of another
/// type than the tensor has in the problem; the memory has fewer elements than the shape and the strides of the tensor
/// need; the memory is on another device than the stream, or not in the device's primary CUDA context.
#[must_use = "nothing is computed before the operands are used"]
pub struct CudaOperands<'a> {
    stream: &'a CudaStream,
    problem: &'a Problem,
    device: Device,
    operands: Operands<'a>,
    /// cudarc's guards, one for each operand. If a guard is dropped, cudarc records an event on the stream, and takes
    /// the memory as used until this event. So the guards must be dropped after the work was queued, and not before.
    in_use: Vec<SyncOnDrop<'a>>,
}

impl<'a> CudaOperands<'a> {
    /// Makes the operands of a forward convolution, which reads x and w and writes y.
    pub fn forward<X: Element, W: Element, Y: Element>(
        stream: &'a CudaStream,
        problem: &'a Problem,
        x: &'a impl DevicePtr<X>,
        w: &'a impl DevicePtr<W>,
        y: &'a mut impl DevicePtrMut<Y>,
    ) -> Result<Self> {
        let mut lender = Lender::new(stream, problem)?;
        let x = lender.read(Operand::X, x)?;
        let w = lender.read(Operand::W, w)?;
        let y = lender.write(Operand::Y, y)?;
        Ok(lender.operands(Direction::Forward, [x, w, y]))
    }

    /// Makes the operands of a backward-data convolution, which reads w and y and writes x.
    pub fn backward_data<W: Element, Y: Element, X: Element>(
        stream: &'a CudaStream,
        problem: &'a Problem,
        w: &'a impl DevicePtr<W>,
        y: &'a impl DevicePtr<Y>,
        x: &'a mut impl DevicePtrMut<X>,
    ) -> Result<Self> {
        let mut lender = Lender::new(stream, problem)?;
        let w = lender.read(Operand::W, w)?;
        let y = lender.read(Operand::Y, y)?;
        let x = lender.write(Operand::X, x)?;
        Ok(lender.operands(Direction::BackwardData, [x, w, y]))
    }

    /// Makes the operands of a backward-weight convolution, which reads x and y and writes w.
    pub fn backward_weight<X: Element, Y: Element, W: Element>(
        stream: &'a CudaStream,
        problem: &'a Problem,
        x: &'a impl DevicePtr<X>,
        y: &'a impl DevicePtr<Y>,
        w: &'a mut impl DevicePtrMut<W>,
    ) -> Result<Self> {
        let mut lender = Lender::new(stream, problem)?;
        let x = lender.read(Operand::X, x)?;
        let y = lender.read(Operand::Y, y)?;
        let w = lender.write(Operand::W, w)?;
        Ok(lender.operands(Direction::BackwardWeight, [x, w, y]))
    }

    /// Adds the bias to the operands. The bias is needed if the problem's epilogue is
    /// [`Epilogue::Bias`](crate::Epilogue::Bias) or [`Epilogue::BiasRelu`](crate::Epilogue::BiasRelu).
    pub fn bias<B: Element>(self, bias: &'a impl DevicePtr<B>) -> Result<Self> {
        let Self { stream, problem, device, operands, in_use } = self;
        let mut lender = Lender { stream, problem, device, in_use };
        let bias = lender.read(Operand::Bias, bias)?;
        Ok(Self {
            operands: operands.with_bias(bias),
            in_use: lender.in_use,
            stream,
            problem,
            device,
        })
    }

    /// Queues the convolution on the stream, with a plan from libatc's plan cache. If the cache has no plan of the
    /// problem, the plan is made first.
    pub fn convolve(self) -> Result<()> {
        let problem = self.problem;
        self.queue(|operands, stream| {
            // SAFETY: `queue` makes cudarc keep the memory allocated until the stream has finished the work. Until then
            // cudarc also makes other streams wait before they use the memory in conflict with the work.
            unsafe { convolution_on_stream(problem, operands, stream.cu_stream().cast()) }
        })
    }

    pub(super) fn stream(&self) -> &'a CudaStream {
        self.stream
    }

    /// Runs `call`, which queues work with the operands on the stream. Then makes cudarc record that the stream uses
    /// the memory of the operands. cudarc frees the memory only after the recorded work. cudarc also makes other
    /// streams wait for the recorded work before they use the memory in conflict with the work, for example before
    /// they write an input.
    pub(super) fn queue(
        self,
        call: impl FnOnce(Operands<'a>, &CudaStream) -> Result<()>,
    ) -> Result<()> {
        // When the operands were made, cudarc made the stream wait for other streams. If this failed, cudarc has kept
        // the error in the context, because the functions of cudarc that make the stream wait return no errors. The
        // error is returned here.
        self.stream.context().check_err().map_err(failed)?;
        let result = call(self.operands, self.stream);
        drop(self.in_use);
        let noted = self.stream.context().check_err().map_err(failed);
        result.and(noted)
    }
}

impl fmt::Debug for CudaOperands<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("CudaOperands")
            .field("device", &self.device)
            .field("operands", &self.operands)
            .finish_non_exhaustive()
    }
}

/// Borrows memory of cudarc for one call on one stream. For each memory cudarc returns a guard,
/// which ends the use of the memory when it is dropped. The guards become the field
/// [`CudaOperands::in_use`].
struct Lender<'a> {
    stream: &'a CudaStream,
    problem: &'a Problem,
    device: Device,
    in_use: Vec<SyncOnDrop<'a>>,
}

impl<'a> Lender<'a> {
    fn new(stream: &'a CudaStream, problem: &'a Problem) -> Result<Self> {
        Ok(Self { stream, problem, device: device_of(stream)?, in_use: Vec::with_capacity(4) })
    }

    fn read<T: Element>(
        &mut self,
        operand: Operand,
        memory: &'a impl DevicePtr<T>,
    ) -> Result<Parts> {
        let tensor = self.check::<T>(operand, memory.len(), memory.stream())?;
        let (address, in_use) = memory.device_ptr(self.stream);
        self.in_use.push(in_use);
        tensor.at(address)
    }

    fn write<T: Element>(
        &mut self,
        operand: Operand,
        memory: &'a mut impl DevicePtrMut<T>,
    ) -> Result<Parts> {
        let tensor = self.check::<T>(operand, memory.len(), memory.stream())?;
        let (address, in_use) = memory.device_ptr_mut(self.stream);
        self.in_use.push(in_use);
        tensor.at(address)
    }

    fn check<T: Element>(
        &self,
        operand: Operand,
        length: usize,
        memory_of: &CudaStream,
    ) -> Result<Checked> {
        let dtype = self.problem.dtype_of(operand);
        if dtype != T::DTYPE {
            return Err(Error::invalid(format!(
                "{operand}: the memory has elements of type {}, the problem of type {dtype}",
                T::DTYPE
            )));
        }
        let (shape, strides) = self.problem.geometry(operand)?;
        let reached = Geometry::strided(&shape, &strides)?.span();
        if reached > length {
            return Err(Error::invalid(format!(
                "{operand}: shape {shape:?} with strides {strides:?} reaches {reached} elements, the memory has {length}"
            )));
        }
        let device = device_of(memory_of)?;
        if device != self.device {
            return Err(Error::invalid(format!(
                "{operand}: the memory is on {device}, the stream on {}: copy the memory, or use a stream of {device}",
                self.device
            )));
        }
        Ok(Checked { device, dtype, shape, strides })
    }

    fn operands(self, direction: Direction, [x, w, y]: [Parts; 3]) -> CudaOperands<'a> {
        let Self { stream, problem, device, in_use } = self;
        let operands = Operands::new(direction, x, Some(w), y);
        CudaOperands { stream, problem, device, operands, in_use }
    }
}

/// The device, type, shape and strides of a tensor. A value of this type is made only if the tensor's memory has enough
/// elements.
struct Checked {
    device: Device,
    dtype: DType,
    shape: Vec<i64>,
    strides: Vec<i64>,
}

impl Checked {
    fn at(&self, address: u64) -> Result<Parts> {
        let data = address as *const c_void;
        // SAFETY: the memory has all elements of the tensor, because only `Lender::check` makes a value of this type.
        // The caller borrows the memory as long as it uses the result. It uses the address only for work on the stream
        // for which cudarc has returned the address.
        let view = unsafe {
            TensorView::from_raw_parts(data, self.device, self.dtype, &self.shape, &self.strides)
        }?;
        Ok(view.parts())
    }
}
