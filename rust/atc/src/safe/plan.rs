//! Plans: a plan is a convolution whose implementation was chosen, and that can be executed any number of times.

use std::mem::MaybeUninit;

use crate::raw::call::{c_text, call, query, size_of_u32, text};
use crate::raw::error::{Error, Result};
use crate::raw::handle::{Owned, create};
use crate::safe::candidate::{Candidate, Source};
use crate::safe::device::{Device, run_and_wait};
use crate::safe::operands::Operands;
use crate::safe::options::PlanOptions;
use crate::safe::problem::{Direction, Problem};
use crate::safe::view::AsTensor;
use crate::sys;

/// A convolution that is ready to run on one device, any number of times. The implementation that runs it (the choice)
/// was decided when the plan was made.
///
/// A plan may move between threads, but only one thread at a time may use the plan.
///
/// ```
/// fn may_move<T: Send>() {}
/// may_move::<atc::Plan>();
/// ```
/// ```compile_fail,E0277
/// fn may_be_shared<T: Sync>() {}
/// may_be_shared::<atc::Plan>();
/// ```
pub struct Plan {
    pub(crate) handle: Owned<sys::atc_conv_plan>,
    direction: Direction,
    device: Device,
}

impl Plan {
    /// Makes a plan. All options have the values of the process's settings; they determine how the implementation is
    /// chosen.
    pub fn new(device: Device, problem: &Problem) -> Result<Self> {
        Self::with_options(device, problem, &PlanOptions::new())
    }

    /// Makes a plan. `options` determine how the implementation is chosen.
    pub fn with_options(
        device: Device,
        problem: &Problem,
        options: &PlanOptions<'_>,
    ) -> Result<Self> {
        #[cfg(feature = "tracing")]
        let _span = crate::safe::spans::planning(device, problem);
        let raw = problem.checked()?;
        let options = options.for_call();
        // SAFETY: the C function reads `raw` (the problem) and `options`, writes `out`, and uses these pointers only
        // during the call. It calls the closure for progress only during the call, on this thread.
        let handle = create(|out| unsafe {
            sys::atc_conv_plan_create(out, device.to_raw(), raw, &options)
        })?;
        Self::from_handle(handle, device, problem)
    }

    /// Makes a plan that runs the given implementation. `choice` is a text in the form that [`Plan::choice`] returns.
    /// If the choice cannot run the problem, the call fails with
    /// [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported). If a library or the device fails, the call fails with
    /// [`ErrorKind::Library`](crate::ErrorKind::Library) or [`ErrorKind::Device`](crate::ErrorKind::Device).
    pub fn with_choice(
        device: Device,
        problem: &Problem,
        options: &PlanOptions<'_>,
        choice: &str,
    ) -> Result<Self> {
        #[cfg(feature = "tracing")]
        let _span = crate::safe::spans::planning(device, problem);
        let raw = problem.checked()?;
        let choice = c_text("choice", choice)?;
        let options = options.for_call();
        // SAFETY: the C function reads `raw` (the problem), `options` and `choice`, writes `out`, and uses these
        // pointers only during the call.
        let handle = create(|out| unsafe {
            sys::atc_conv_plan_create_with_choice(
                out,
                device.to_raw(),
                raw,
                &options,
                choice.as_ptr(),
            )
        })?;
        Self::from_handle(handle, device, problem)
    }

    /// Takes a plan out of libatc's plan cache, which [`convolution`](crate::convolution()) also uses. If the cache has
    /// no plan of the problem, the plan is made. The caller owns the plan. If the caller drops the plan, the plan goes
    /// back into the cache, and a later call can use it.
    ///
    /// This function is for libraries that run many different problems. If a setting, the store or a known decision has
    /// changed since the cached plan was made, the implementation is chosen again. [`set_weights`](Self::set_weights)
    /// fails for a plan that this function has returned. If the function measures on CUDA, it first waits for the
    /// legacy default stream.
    ///
    /// ```
    /// use atc::{Device, Plan, PlanOptions, Problem};
    ///
    /// # fn main() -> atc::Result<()> {
    /// let problem = Problem::conv2d(1, 8, 13, 16, 8).kernel(3).padding(1);
    /// drop(Plan::acquire(Device::Cpu, &problem, &PlanOptions::new())?);
    /// let hits = atc::cache::statistics()?.hits;
    /// let again = Plan::acquire(Device::Cpu, &problem, &PlanOptions::new())?;
    /// assert!(atc::cache::statistics()?.hits > hits);
    /// # drop(again);
    /// # Ok(())
    /// # }
    /// ```
    pub fn acquire(device: Device, problem: &Problem, options: &PlanOptions<'_>) -> Result<Self> {
        // SAFETY: the null stream always exists.
        unsafe { Self::acquire_for(device, problem, options, std::ptr::null_mut()) }
    }

    /// Like [`acquire`](Self::acquire), for a plan that will be executed on `stream`. If the function measures, it
    /// first waits for `stream`.
    ///
    /// # Safety
    /// `stream` is null, or a stream of `device` that exists.
    pub(crate) unsafe fn acquire_for(
        device: Device,
        problem: &Problem,
        options: &PlanOptions<'_>,
        stream: sys::atc_stream,
    ) -> Result<Self> {
        let raw = problem.checked()?;
        let options = options.for_call();
        // SAFETY: the C function reads `raw` (the problem) and `options`, writes `out`, and uses these pointers only
        // during the call. The stream exists: this is a condition of this function's `# Safety` section.
        let handle = create(|out| unsafe {
            sys::atc_conv_plan_acquire(out, device.to_raw(), raw, &options, stream)
        })?;
        Self::owned(handle, device, problem)
    }

    fn from_handle(
        handle: Option<Owned<sys::atc_conv_plan>>,
        device: Device,
        problem: &Problem,
    ) -> Result<Self> {
        let plan = Self::owned(handle, device, problem)?;
        #[cfg(feature = "tracing")]
        crate::safe::spans::planned(|| Ok((plan.choice()?, plan.source()?)));
        Ok(plan)
    }

    fn owned(
        handle: Option<Owned<sys::atc_conv_plan>>,
        device: Device,
        problem: &Problem,
    ) -> Result<Self> {
        let handle = handle.ok_or_else(|| {
            Error::new(sys::ATC_ERROR_INTERNAL, "libatc created a plan and gave none")
        })?;
        Ok(Self { handle, direction: Direction::from_raw(problem.raw.direction), device })
    }

    /// Makes a plan from a C handle. The new plan owns the handle.
    ///
    /// # Safety
    /// * `handle` came from a function of [`sys`] whose name begins with `atc_conv_plan_create`, or from
    ///   [`into_raw`](Self::into_raw), and nobody else uses or destroys it;
    /// * the C plan was made for `device`, and for a problem with the direction `direction`;
    /// * if the C plan was made with an allocator of the caller, the allocator outlives the plan.
    pub unsafe fn from_raw(
        handle: *mut sys::atc_conv_plan,
        device: Device,
        direction: Direction,
    ) -> Self {
        // SAFETY: the caller of this function meets the conditions of its `# Safety` section.
        Self { handle: unsafe { Owned::from_raw(handle) }, direction, device }
    }

    /// Returns the plan as a C handle, which the caller owns. The caller must destroy the handle with
    /// [`sys::atc_conv_plan_destroy`].
    #[must_use = "the plan is never destroyed unless the caller does it"]
    pub fn into_raw(self) -> *mut sys::atc_conv_plan {
        self.handle.into_raw()
    }

    /// Returns the C handle, for functions of [`sys`] that read a plan. The plan still owns the handle: the pointer is
    /// valid as long as the plan lives.
    #[must_use]
    pub fn as_raw(&self) -> *const sys::atc_conv_plan {
        self.handle.shared()
    }

    /// Returns the C handle, for functions of [`sys`] that run or change a plan. The plan still owns the handle: the
    /// pointer is valid as long as the plan lives.
    #[must_use]
    pub fn as_raw_mut(&mut self) -> *mut sys::atc_conv_plan {
        self.handle.exclusive()
    }

    /// Runs the plan and returns when the output is written. If the implementation needs a workspace (scratch memory),
    /// libatc's allocator provides it.
    ///
    /// The operands must have the direction of the plan, and the shapes, strides and types of the problem. Otherwise
    /// the call fails, and the error names the operand.
    pub fn execute(&mut self, operands: Operands<'_>) -> Result<()> {
        run_and_wait(self.device, || {
            // SAFETY: `run_and_wait` returns only when the device has finished, and the operands
            // are borrowed until then.
            unsafe { self.queue(&operands, std::ptr::null_mut(), 0, std::ptr::null_mut()) }
        })
    }

    /// Like [`execute`](Self::execute), but with a workspace (scratch memory) of the caller. One workspace can be used
    /// for many executions. The function fails if the plan is not for the CPU.
    pub fn execute_with(
        &mut self,
        operands: Operands<'_>,
        workspace: &mut Workspace,
    ) -> Result<()> {
        if self.device != Device::Cpu {
            return Err(Error::invalid(format!(
                "a workspace in host memory for a plan on {}: use execute or execute_on_stream_with",
                self.device
            )));
        }
        let (pointer, size) = workspace.parts();
        // SAFETY: the plan is for the CPU (checked above), so the call returns only when the output is written. Until
        // then `workspace` is borrowed exclusively. It has `size` bytes at `pointer`.
        unsafe { self.queue(&operands, pointer, size, std::ptr::null_mut()) }
    }

    /// Runs the plan on a stream. On CUDA the call returns when the work is queued; on the CPU it returns when the
    /// output is written.
    ///
    /// # Safety
    /// * `stream` is null, or a stream of the plan's device that was not destroyed. On CUDA null stands for the default
    ///   stream. On the CPU `stream` must be null;
    /// * until the stream has finished the work, nobody writes the inputs, nobody else reads or writes the output, and
    ///   the memory of all operands stays allocated. This must hold even after the borrows in `operands` have ended;
    /// * until the stream has finished the work, the plan is not used on another stream.
    pub unsafe fn execute_on_stream(
        &mut self,
        operands: Operands<'_>,
        stream: sys::atc_stream,
    ) -> Result<()> {
        // SAFETY: the caller of this function meets the conditions of its `# Safety` section.
        unsafe { self.queue(&operands, std::ptr::null_mut(), 0, stream) }
    }

    /// Like [`execute_on_stream`](Self::execute_on_stream), but with a workspace of the caller. The workspace must have
    /// at least [`workspace_size`](Self::workspace_size) bytes. Its address must be a multiple of 64 bytes on the CPU,
    /// and of 256 bytes on CUDA. If `workspace` is null, libatc's allocator provides the workspace.
    ///
    /// # Safety
    /// The caller must meet the conditions of [`execute_on_stream`](Self::execute_on_stream), and
    /// this condition:
    /// * `workspace` is null, or points to `size` bytes on the plan's device. Until the stream has finished the work,
    ///   these bytes stay allocated, and nobody else reads or writes the bytes.
    pub unsafe fn execute_on_stream_with(
        &mut self,
        operands: Operands<'_>,
        workspace: *mut std::ffi::c_void,
        size: u64,
        stream: sys::atc_stream,
    ) -> Result<()> {
        // SAFETY: the caller of this function meets the conditions of its `# Safety` section.
        unsafe { self.queue(&operands, workspace, size, stream) }
    }

    /// # Safety
    /// The caller must meet the conditions of [`Plan::execute_on_stream_with`].
    unsafe fn queue(
        &mut self,
        operands: &Operands<'_>,
        workspace: *mut std::ffi::c_void,
        size: u64,
        stream: sys::atc_stream,
    ) -> Result<()> {
        operands.expect_direction(self.direction)?;
        let plan = self.handle.exclusive();
        operands.with_raw(|operands| {
            // SAFETY: the C plan was not destroyed, and is borrowed exclusively. libatc reads the views only during the
            // call. All elements that the shapes and strides of the views reach are inside the borrowed memory. The
            // direction determines which operand libatc writes. Plan and operands have the same direction (checked
            // above), so libatc writes the operand that is borrowed exclusively, and no other.
            call(|| unsafe {
                sys::atc_conv_plan_execute_v2(plan, operands, workspace, size, stream)
            })
        })
    }

    /// Gives the plan constant weights `w`. The function packs them: it copies them into the layout that the
    /// implementation needs. Later executions use the packed weights, with operands of [`Operands::forward_packed`] or
    /// [`Operands::backward_data_packed`]. The plan does not keep a reference to `w`. On CUDA `w` is read on the legacy
    /// default stream. If work on another stream writes `w`, this work must have finished before the call.
    pub fn set_weights(&mut self, w: &(impl AsTensor + ?Sized)) -> Result<()> {
        let view = w.as_tensor();
        let parts = view.parts();
        let raw = parts.to_raw();
        let plan = self.handle.exclusive();
        // SAFETY: the C plan was not destroyed, and is borrowed exclusively. libatc reads the view and its elements
        // before the call returns.
        call(|| unsafe { sys::atc_conv_plan_set_weights(plan, &raw) })
    }

    /// Returns the number of bytes of workspace that an execution needs.
    pub fn workspace_size(&self) -> Result<u64> {
        // SAFETY: the C plan was not destroyed. The C function writes only `out`, and only during the call.
        query(|out| unsafe { sys::atc_conv_plan_workspace_size(out, self.handle.shared()) })
    }

    /// Runs the plan once on tensors that libatc allocates and fills with normally distributed random numbers. `seed`
    /// determines these numbers. Returns the values of `count` elements, which are spread evenly over the output. Fails
    /// with [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the output has fewer than `count`
    /// elements. Equal seeds give equal inputs on every machine. So a program can compare the results of two libraries
    /// or two devices.
    pub fn sample(&mut self, seed: u64, count: usize) -> Result<Vec<f64>> {
        let mut values = Vec::<f64>::new();
        values.try_reserve_exact(count).map_err(|cause| {
            Error::invalid(format!(
                "count is {count}: there is no memory for so many numbers ({cause})"
            ))
        })?;
        let plan = self.handle.exclusive();
        // SAFETY: the C plan was not destroyed, and is borrowed exclusively. `values` has room for `count` numbers,
        // which the C function may write.
        call(|| unsafe { sys::atc_conv_plan_sample(values.as_mut_ptr(), count, plan, seed) })?;
        // SAFETY: the call has written all `count` values.
        unsafe { values.set_len(count) };
        Ok(values)
    }

    /// Returns the choice (the implementation that the plan runs): `engine@version:configuration`.
    pub fn choice(&self) -> Result<&str> {
        let mut out = std::ptr::null();
        // SAFETY: the C plan was not destroyed. The C function writes only `out`, and only during the call.
        call(|| unsafe { sys::atc_conv_plan_choice(&mut out, self.handle.shared()) })?;
        // SAFETY: the text is valid as long as the plan exists, and the returned text borrows the plan.
        Ok(unsafe { text(out) })
    }

    /// Returns the origin of the plan's decision.
    pub fn source(&self) -> Result<Source> {
        // SAFETY: the C plan was not destroyed. The C function writes only `out`, and only during the call.
        query(|out| unsafe { sys::atc_conv_plan_source(out, self.handle.shared()) })
            .map(Source::from_raw)
    }

    /// Returns whether the plan's decision is provisional: its measurement could not find the fastest candidate with
    /// certainty. If the decision is provisional, the result is a fraction: by how much the choice may be slower than
    /// another candidate (0.1 is 10 %). The fraction is 0 if the technique of the measurement gives no estimate. The
    /// result is `None` if the decision is firm (not provisional), or if nothing was measured.
    pub fn provisional(&self) -> Result<Option<f64>> {
        let mut risk = 0.0;
        let plan = self.handle.shared();
        // SAFETY: the C plan was not destroyed. The C function writes only `out` and `risk`, and only during the call.
        query(|out| unsafe { sys::atc_conv_plan_provisional(out, &mut risk, plan) })
            .map(|provisional: i32| (provisional != 0).then_some(risk))
    }

    /// Returns the candidates of the plan's decision: the implementations that were considered for the problem.
    /// Candidates that were measured have their times.
    pub fn candidates(&self) -> Result<Vec<Candidate>> {
        // SAFETY: the C plan was not destroyed. The C function writes only `out`, and only during the call.
        let count: usize =
            query(|out| unsafe { sys::atc_conv_plan_candidate_count(out, self.handle.shared()) })?;
        (0..count).map(|index| self.candidate(index)).collect()
    }

    fn candidate(&self, index: usize) -> Result<Candidate> {
        let struct_size = size_of_u32::<sys::atc_candidate>();
        let mut raw = sys::atc_candidate { struct_size, ..Default::default() };
        // SAFETY: the C plan was not destroyed. The C function writes at most the `struct_size` bytes of `raw`, and
        // only during the call.
        call(|| unsafe { sys::atc_conv_plan_candidate(&mut raw, self.handle.shared(), index) })?;
        // SAFETY: the strings that `raw` points to are valid as long as the plan exists, and they are copied here.
        Ok(unsafe { Candidate::from_raw(&raw) })
    }

    /// Returns the device on which the plan runs.
    #[must_use]
    pub fn device(&self) -> Device {
        self.device
    }
}

impl std::fmt::Debug for Plan {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Plan")
            .field("direction", &self.direction)
            .field("device", &self.device)
            .field("choice", &self.choice())
            .finish()
    }
}

/// A workspace (the scratch memory of an execution) in host memory, for plans on the CPU. Its address is a multiple of
/// 64 bytes.
#[derive(Default)]
pub struct Workspace {
    lines: Vec<MaybeUninit<Line>>,
}

#[repr(C, align(64))]
struct Line([u8; 64]);

impl Workspace {
    /// Makes a workspace of the size that the plan needs.
    pub fn new(plan: &Plan) -> Result<Self> {
        Self::with_size(plan.workspace_size()?)
    }

    /// Makes a workspace of at least `size` bytes. If several plans share a workspace, `size` must be the largest of
    /// their [workspace sizes](Plan::workspace_size).
    pub fn with_size(size: u64) -> Result<Self> {
        let refused = |_| {
            let message = format!("no memory for a workspace of {size} bytes");
            Error::new(sys::ATC_ERROR_OUT_OF_MEMORY, message)
        };
        let count = usize::try_from(size.div_ceil(size_of::<Line>() as u64)).unwrap_or(usize::MAX);
        let mut lines = Vec::new();
        lines.try_reserve_exact(count).map_err(refused)?;
        lines.resize_with(count, MaybeUninit::uninit);
        Ok(Self { lines })
    }

    /// Returns the size of the workspace in bytes.
    #[must_use]
    pub fn size(&self) -> u64 {
        size_of_val(self.lines.as_slice()) as u64
    }

    fn parts(&mut self) -> (*mut std::ffi::c_void, u64) {
        (self.lines.as_mut_ptr().cast(), self.size())
    }
}

impl std::fmt::Debug for Workspace {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Workspace").field("size", &self.size()).finish()
    }
}
