//! A decided convolution that can be run again and again.

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

/// A decided convolution, prepared to run on one device.
///
/// A plan may move between threads, but only one thread may use it at a time.
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
    /// Decides by the settings in force, and prepares the plan.
    pub fn new(device: Device, problem: &Problem) -> Result<Self> {
        Self::with_options(device, problem, &PlanOptions::new())
    }

    /// Decides by these options, and prepares the plan.
    pub fn with_options(
        device: Device,
        problem: &Problem,
        options: &PlanOptions<'_>,
    ) -> Result<Self> {
        #[cfg(feature = "tracing")]
        let _span = crate::safe::spans::planning(device, problem);
        let raw = problem.checked()?;
        let options = options.for_call();
        // SAFETY: the problem and the options are read for the call, and `out` is written. The
        // options' closure is called only during the call, on this thread.
        let handle = create(|out| unsafe {
            sys::atc_conv_plan_create(out, device.to_raw(), raw, &options)
        })?;
        Self::from_handle(handle, device, problem)
    }

    /// Makes a plan of exactly this choice, a text from [`Plan::choice`]. If the choice cannot run
    /// the problem, the call fails with [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported).
    /// If a library or the device is the cause, it fails with
    /// [`ErrorKind::Library`](crate::ErrorKind::Library) or
    /// [`ErrorKind::Device`](crate::ErrorKind::Device).
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
        // SAFETY: problem, options and choice are read for the call, `out` is written.
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

    /// Takes a plan from the cache of [`convolution`](crate::convolution()), which makes it if there is none. The plan is
    /// the caller's until it is dropped, and is then kept for the next call. It is for front ends, which run many
    /// problems in turn: if a switch, the store or a known decision has changed since, the decision is made anew.
    /// [`set_weights`](Self::set_weights) is refused. On CUDA a race waits for the legacy stream.
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

    /// Like [`acquire`](Self::acquire), for executions on `stream`, for which a race waits.
    ///
    /// # Safety
    /// `stream` is a live stream of `device`, or null.
    pub(crate) unsafe fn acquire_for(
        device: Device,
        problem: &Problem,
        options: &PlanOptions<'_>,
        stream: sys::atc_stream,
    ) -> Result<Self> {
        let raw = problem.checked()?;
        let options = options.for_call();
        // SAFETY: problem and options are read for the call, `out` is written; the stream lives by this function's contract.
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

    /// Makes a plan of a C handle. The new plan owns the handle.
    ///
    /// # Safety
    /// * `handle` came from a function of [`sys`] whose name begins with `atc_conv_plan_create`, or from
    ///   [`into_raw`](Self::into_raw), and nobody else uses or destroys it;
    /// * the C plan was made for `device`, and for a problem of `direction`;
    /// * if the C plan was made with an allocator of the caller, the allocator outlives the plan.
    pub unsafe fn from_raw(
        handle: *mut sys::atc_conv_plan,
        device: Device,
        direction: Direction,
    ) -> Self {
        // SAFETY: the caller keeps the contract of this function.
        Self { handle: unsafe { Owned::from_raw(handle) }, direction, device }
    }

    /// Returns the plan as a C handle. The caller must destroy it with
    /// [`sys::atc_conv_plan_destroy`].
    #[must_use = "the plan is never destroyed unless the caller does it"]
    pub fn into_raw(self) -> *mut sys::atc_conv_plan {
        self.handle.into_raw()
    }

    /// Returns the C handle for functions of [`sys`] that read a plan. The pointer is valid as long
    /// as this plan, which remains its owner.
    #[must_use]
    pub fn as_raw(&self) -> *const sys::atc_conv_plan {
        self.handle.shared()
    }

    /// Like [`as_raw`](Self::as_raw), for functions that run or change a plan.
    #[must_use]
    pub fn as_raw_mut(&mut self) -> *mut sys::atc_conv_plan {
        self.handle.exclusive()
    }

    /// Runs the plan and returns when the output is written. libatc's allocator provides the
    /// workspace.
    ///
    /// The operands must be those of the plan's direction and have the problem's shapes, strides and types; otherwise
    /// the error names the operand.
    pub fn execute(&mut self, operands: Operands<'_>) -> Result<()> {
        run_and_wait(self.device, || {
            // SAFETY: `run_and_wait` returns only when the device has finished, and the operands
            // are borrowed until then.
            unsafe { self.queue(&operands, std::ptr::null_mut(), 0, std::ptr::null_mut()) }
        })
    }

    /// Like [`execute`](Self::execute), with a workspace that several executions share.
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
        // SAFETY: on the CPU the call returns when the output is written. `workspace` has `size`
        // bytes at `pointer` and is borrowed exclusively.
        unsafe { self.queue(&operands, pointer, size, std::ptr::null_mut()) }
    }

    /// Runs the plan on a stream: on CUDA the call only queues the work.
    ///
    /// # Safety
    /// * `stream` is a live stream of the plan's device, or null (the default stream, and the CPU);
    /// * until the stream has passed the work, nobody writes the inputs, nobody else reads or writes the
    ///   output, and their memory stays allocated, whatever happens to the borrows in `operands`;
    /// * the plan is not used on another stream before the stream has passed the work.
    pub unsafe fn execute_on_stream(
        &mut self,
        operands: Operands<'_>,
        stream: sys::atc_stream,
    ) -> Result<()> {
        // SAFETY: the caller keeps the contract of this function.
        unsafe { self.queue(&operands, std::ptr::null_mut(), 0, stream) }
    }

    /// Like [`execute_on_stream`](Self::execute_on_stream), with a workspace of the caller. It must
    /// have at least [`workspace_size`](Self::workspace_size) bytes, aligned to 64 on the CPU and
    /// to 256 on CUDA. If `workspace` is null, the allocator provides the workspace.
    ///
    /// # Safety
    /// As for [`execute_on_stream`](Self::execute_on_stream), and:
    /// * `workspace` is null, or points to `size` bytes on the plan's device. Until the stream has
    ///   passed the work, these bytes stay allocated, and nobody else reads or writes them.
    pub unsafe fn execute_on_stream_with(
        &mut self,
        operands: Operands<'_>,
        workspace: *mut std::ffi::c_void,
        size: u64,
        stream: sys::atc_stream,
    ) -> Result<()> {
        // SAFETY: the caller keeps the contract of this function.
        unsafe { self.queue(&operands, workspace, size, stream) }
    }

    /// # Safety
    /// As for [`Plan::execute_on_stream_with`].
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
            // SAFETY: the plan is live and borrowed exclusively. The views are read for the call,
            // and their shapes and strides lie inside the borrowed memory. libatc writes only the
            // operand that is borrowed exclusively, because the direction was compared above.
            call(|| unsafe {
                sys::atc_conv_plan_execute_v2(plan, operands, workspace, size, stream)
            })
        })
    }

    /// Packs weights that do not change for this plan. They are packed once; executions then use
    /// [`Operands::forward_packed`], which takes no weights. The plan does not keep the tensor. On
    /// CUDA the tensor is read in the order of the legacy stream: if another stream writes the
    /// tensor, that work must be complete.
    pub fn set_weights(&mut self, w: &(impl AsTensor + ?Sized)) -> Result<()> {
        let view = w.as_tensor();
        let parts = view.parts();
        let raw = parts.to_raw();
        let plan = self.handle.exclusive();
        // SAFETY: the plan is live and borrowed exclusively; the view is read before the call returns.
        call(|| unsafe { sys::atc_conv_plan_set_weights(plan, &raw) })
    }

    /// Returns the bytes of workspace that an execution needs.
    pub fn workspace_size(&self) -> Result<u64> {
        // SAFETY: the plan is live, and the C function may write to `out` during the call.
        query(|out| unsafe { sys::atc_conv_plan_workspace_size(out, self.handle.shared()) })
    }

    /// Runs the plan once on operands that libatc allocates and fills with normally distributed
    /// numbers from `seed`. Returns `count` elements of the output, evenly spread (or all elements
    /// if there are fewer). Equal seeds give equal operands on every machine, so the results of two
    /// libraries or devices can be compared.
    pub fn sample(&mut self, seed: u64, count: usize) -> Result<Vec<f64>> {
        let mut values = Vec::<f64>::new();
        values.try_reserve_exact(count).map_err(|cause| {
            Error::invalid(format!(
                "count is {count}: there is no memory for so many numbers ({cause})"
            ))
        })?;
        let plan = self.handle.exclusive();
        // SAFETY: the plan is live and borrowed exclusively; `count` values may be written for the call.
        call(|| unsafe { sys::atc_conv_plan_sample(values.as_mut_ptr(), count, plan, seed) })?;
        // SAFETY: the call has written all `count` values.
        unsafe { values.set_len(count) };
        Ok(values)
    }

    /// The choice: `engine@version:configuration`.
    pub fn choice(&self) -> Result<&str> {
        let mut out = std::ptr::null();
        // SAFETY: the plan is live, and the C function may write to `out` during the call.
        call(|| unsafe { sys::atc_conv_plan_choice(&mut out, self.handle.shared()) })?;
        // SAFETY: the text is borrowed from the plan, and so is the result.
        Ok(unsafe { text(out) })
    }

    /// How it was decided.
    pub fn source(&self) -> Result<Source> {
        // SAFETY: the plan is live, and the C function may write to `out` during the call.
        query(|out| unsafe { sys::atc_conv_plan_source(out, self.handle.shared()) })
            .map(Source::from_raw)
    }

    /// Returns by how much the choice may be slower than another candidate, as a fraction, if the
    /// decision is provisional (its race could not separate the choice from other candidates with
    /// certainty). The number is 0 if the technique of the race does not estimate it. Returns
    /// `None` if the decision is firm or nothing was measured.
    pub fn provisional(&self) -> Result<Option<f64>> {
        let mut risk = 0.0;
        let plan = self.handle.shared();
        // SAFETY: the plan is live, both places may be written for the call.
        query(|out| unsafe { sys::atc_conv_plan_provisional(out, &mut risk, plan) })
            .map(|provisional: i32| (provisional != 0).then_some(risk))
    }

    /// The candidates of the decision.
    pub fn candidates(&self) -> Result<Vec<Candidate>> {
        // SAFETY: the plan is live, and the C function may write to `out` during the call.
        let count: usize =
            query(|out| unsafe { sys::atc_conv_plan_candidate_count(out, self.handle.shared()) })?;
        (0..count).map(|index| self.candidate(index)).collect()
    }

    fn candidate(&self, index: usize) -> Result<Candidate> {
        let struct_size = size_of_u32::<sys::atc_candidate>();
        let mut raw = sys::atc_candidate { struct_size, ..Default::default() };
        // SAFETY: the plan is live, `raw` may be written for the call, up to its struct_size.
        call(|| unsafe { sys::atc_conv_plan_candidate(&mut raw, self.handle.shared(), index) })?;
        // SAFETY: the strings are borrowed from the plan, and they are copied here.
        Ok(unsafe { Candidate::from_raw(&raw) })
    }

    /// Where the plan runs.
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

/// Host memory that executions of plans on the CPU use, aligned to 64 bytes.
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

    /// Makes a workspace of at least `size` bytes. Plans that share a workspace need the largest of
    /// their sizes.
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

    /// Bytes.
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
