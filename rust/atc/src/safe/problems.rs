//! Lists of problems (convolutions) that a tuner shall measure. The problems of a list were noted by calls of this
//! process, or are from a recording (a file with the problems that an earlier run has used), or were added by the
//! program.

use std::fmt;

use crate::raw::call::{call, query, size_of_u32};
use crate::raw::error::{Error, Result};
use crate::raw::handle::{Owned, create, string};
use crate::safe::problem::Problem;
use crate::sys;

/// A list of problems without duplicates. A problem that a call has noted is listed with the device and the options of
/// that call, because its decision depends on them. [`Tuner::run_list`](crate::Tuner::run_list) decides the problems of
/// a list.
///
/// ```
/// use atc::{Device, Plan, PlanOptions, Problem, Problems, Tune, Tuner};
///
/// # fn main() -> atc::Result<()> {
/// let problem = Problem::conv2d(1, 8, 13, 17, 8).kernel(3).padding(1);
/// let options = PlanOptions::new().tune(Tune::Later);
/// let plan = Plan::with_options(Device::Cpu, &problem, &options)?; // nothing is measured
///
/// let noted = Problems::noted()?; // between steps
/// let report = Tuner::new(Device::Cpu).run_list(&noted)?;
/// assert_eq!(report.problems.len(), noted.len()?);
/// # drop(plan);
/// # Ok(())
/// # }
/// ```
pub struct Problems {
    handle: Owned<sys::atc_problems>,
}

impl Problems {
    /// Makes an empty list.
    pub fn new() -> Result<Self> {
        // SAFETY: the C function writes only `out`, and only during the call.
        let handle = create(|out| unsafe { sys::atc_problems_create(out) })?;
        let handle = handle.ok_or_else(|| {
            Error::new(sys::ATC_ERROR_INTERNAL, "libatc succeeded and gave no list")
        })?;
        Ok(Self { handle })
    }

    /// Makes a list of the problems that calls of this process have noted ([`Tune::Later`](crate::Tune::Later)). A call
    /// with [`Tune::Later`](crate::Tune::Later) notes its problem if there is no decision of the problem yet. The note
    /// is removed when a [`Tuner`](crate::Tuner) has decided the problem. At most 4,096 problems are noted at one time.
    pub fn noted() -> Result<Self> {
        let mut list = Self::new()?;
        list.add_noted()?;
        Ok(list)
    }

    /// Makes a list of the problems in a JSON text. The text has the form that recordings (`ATC_RECORD`),
    /// [`to_json`](Self::to_json) and `atc tune --json` write. If the text is not valid, the error names the problem
    /// and the member of its JSON object.
    pub fn from_json(text: &str) -> Result<Self> {
        let mut list = Self::new()?;
        list.add_json(text)?;
        Ok(list)
    }

    /// Adds the problems that calls of this process have noted and that no [`Tuner`](crate::Tuner) has measured yet.
    pub fn add_noted(&mut self) -> Result<()> {
        let handle = self.handle.exclusive();
        // SAFETY: the C list was not destroyed, and is borrowed exclusively.
        call(|| unsafe { sys::atc_problems_add_noted(handle) })
    }

    /// Adds the problems of a JSON text. If the call fails, it adds no problem.
    pub fn add_json(&mut self, text: &str) -> Result<()> {
        let handle = self.handle.exclusive();
        // SAFETY: the C list was not destroyed, and is borrowed exclusively. The text lives for the call.
        call(|| unsafe { sys::atc_problems_add_json(handle, text.as_ptr().cast(), text.len()) })
    }

    /// Adds a problem. `calls` says how often the program runs the problem: a number of calls, or 0 if it is not known.
    pub fn add(&mut self, problem: &Problem, calls: u64) -> Result<()> {
        let problem = problem.checked()?;
        let handle = self.handle.exclusive();
        let (device, options) = (std::ptr::null(), std::ptr::null());
        // SAFETY: the C list was not destroyed, and is borrowed exclusively. The problem lives for the call.
        call(|| unsafe { sys::atc_problems_add(handle, device, problem, options, calls) })
    }

    /// Returns the number of problems.
    pub fn len(&self) -> Result<usize> {
        // SAFETY: the object behind the C handle was not destroyed. The C function writes only `out`, and only during
        // the call.
        query(|out| unsafe { sys::atc_problems_count(out, self.handle.shared()) })
    }

    /// Returns whether the list is empty.
    pub fn is_empty(&self) -> Result<bool> {
        Ok(self.len()? == 0)
    }

    /// Returns the problems. All of them have explicit strides ([`Layout::Strided`](crate::Layout::Strided)).
    pub fn problems(&self) -> Result<Vec<Problem>> {
        (0..self.len()?).map(|index| self.problem(index)).collect()
    }

    fn problem(&self, index: usize) -> Result<Problem> {
        let struct_size = size_of_u32::<sys::atc_conv_problem>();
        let mut raw = sys::atc_conv_problem { struct_size, ..Default::default() };
        let handle = self.handle.shared();
        let (device, options, count) =
            (std::ptr::null_mut(), std::ptr::null_mut(), std::ptr::null_mut());
        // SAFETY: the object behind the C handle was not destroyed. The C function writes at most the `struct_size`
        // bytes of `raw`, and only during the call.
        call(|| unsafe { sys::atc_problems_get(device, &mut raw, options, count, handle, index) })?;
        Ok(Problem::from_raw(raw))
    }

    /// Returns the list as JSON, with one problem in each line. The command `atc tune` can read this text.
    pub fn to_json(&self) -> Result<String> {
        // SAFETY: the object behind the C handle was not destroyed. The C function writes only `out`, and only during
        // the call.
        string(|out| unsafe { sys::atc_problems_json(out, self.handle.shared()) })
    }

    /// Removes all problems that calls of this process have noted for later tuning.
    pub fn forget_noted() -> Result<()> {
        // SAFETY: the C function takes no arguments.
        call(|| unsafe { sys::atc_problems_forget_noted() })
    }

    pub(crate) fn as_raw(&self) -> *const sys::atc_problems {
        self.handle.shared()
    }
}

impl fmt::Debug for Problems {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Problems").field("len", &self.len()).finish()
    }
}
