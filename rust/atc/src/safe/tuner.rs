//! Tuning: measures the candidates (implementations) of problems, and stores the decisions.

mod setters;

use std::ffi::{CString, c_void};
use std::fmt;
use std::ops::ControlFlow;

use crate::raw::call::{c_text, call, size_of_u32, switch};
use crate::raw::error::{Error, ErrorKind, Result};
use crate::raw::handle::create_even_if_failing;
use crate::raw::panic;
use crate::safe::device::Device;
use crate::safe::group::{Group, RawGroup};
use crate::safe::options::Said;
use crate::safe::problem::Problem;
use crate::safe::problems::Problems;
use crate::safe::progress::Progress;
use crate::safe::report::Report;
use crate::safe::store::Store;
use crate::sys;

type OnProgress<'a> = dyn FnMut(&Progress<'_>) -> ControlFlow<()> + 'a;

/// A tuner decides problems: it measures the candidates (implementations) of each problem, and chooses one of them. The
/// decisions are kept in this process and in the store. If the decision of a problem is known already, the problem is
/// not measured again.
///
/// A plan that is made later uses the decision in its store, if the mode of the store allows
/// reading. A decision that only this process has, and not the store, is used by a plan if tuning
/// is on for the plan ([`PlanOptions::tune`](crate::PlanOptions::tune)).
///
/// ```
/// use std::ops::ControlFlow;
/// use std::time::Duration;
/// use atc::{Device, Problem, Tuner};
///
/// # fn main() -> atc::Result<()> {
/// let problems = [Problem::conv2d(1, 8, 14, 14, 8).kernel(3).padding(1)];
/// let report = Tuner::new(Device::Cpu)
///     .problem_budget(Duration::from_millis(200))
///     .on_progress(|progress| {
///         eprintln!("{}/{} {}", progress.problem + 1, progress.problems, progress.description);
///         ControlFlow::Continue(())
///     })
///     .run(&problems)?;
/// println!("{}", report.problems[0].choice);
/// # Ok(())
/// # }
/// ```
#[must_use = "nothing is measured before `run`"]
pub struct Tuner<'a> {
    device: Device,
    raw: sys::atc_tune_options,
    engines_allowed: Option<String>,
    engines_barred: Option<String>,
    on_progress: Option<Box<OnProgress<'a>>>,
    group: Option<&'a mut dyn Group>,
}

impl<'a> Tuner<'a> {
    /// Makes a tuner whose options are all inherited from the process's settings.
    pub fn new(device: Device) -> Self {
        let struct_size = size_of_u32::<sys::atc_tune_options>();
        let raw = sys::atc_tune_options { struct_size, ..Default::default() };
        Self {
            device,
            raw,
            engines_allowed: None,
            engines_barred: None,
            on_progress: None,
            group: None,
        }
    }

    /// Makes the tuner read and write this store instead of the [active](Store::active) store. Calls of this process
    /// use the new decisions only if they are given the same `Store`.
    pub fn store(mut self, store: &'a Store) -> Self {
        self.raw.store = store.as_raw();
        self.raw.use_store = 0;
        self
    }

    /// Makes the tuner use no store, not even the [active](Store::active) store of the process.
    pub fn without_store(mut self) -> Self {
        self.raw.store = std::ptr::null();
        self.raw.use_store = switch(false);
        self
    }

    /// If `enabled` is true, problems are measured even if their decisions are known already.
    pub fn retune(mut self, enabled: bool) -> Self {
        self.raw.retune = switch(enabled);
        self
    }

    /// Makes the tuner measure a problem again if the store's decision is provisional (uncertain). Without this option
    /// the problem is measured again only if its time limit is now larger than in the earlier measurement.
    pub fn retune_provisional(mut self) -> Self {
        self.raw.retune = sys::ATC_RETUNE_PROVISIONAL;
        self
    }

    /// Sets the seed of the random numbers in the tensors with which candidates are measured. If the seed is 0 or not
    /// set, the seed of the last call of [`manual_seed`](crate::device::manual_seed) is used. If there was no such
    /// call, a fixed seed is used.
    pub fn seed(mut self, seed: u64) -> Self {
        self.raw.seed = seed;
        self
    }

    /// Sets how many calls are expected to use a decision. A candidate is measured only if it is expected to save more
    /// time in these calls than its measurement takes. If the number is infinite, every candidate is measured. The
    /// default is the value of the environment variable `ATC_EXPECTED_CALLS`, or 30,000 if the variable is not set.
    ///
    /// [`run`](Self::run) fails if the number of expected calls is 0 or negative.
    pub fn expected_calls(mut self, calls: f64) -> Self {
        // In the C struct 0 calls means the default number, but for this method 0 is an invalid
        // number. So 0 is passed as -0, which libatc refuses.
        self.raw.expected_calls = if calls == 0.0 { -0.0 } else { calls };
        self
    }

    /// Sets the tie margin, as a fraction: a candidate is chosen instead of the default candidate (the one that runs
    /// without tuning) only if it is faster by more than this margin. The default is 0.01 (1 %). If the margin is 0,
    /// any faster candidate is chosen.
    pub fn tie_margin(mut self, margin: f64) -> Self {
        // In the C struct 0 means the default margin. So a margin of 0 is passed as the smallest positive number.
        self.raw.tie_margin = if margin == 0.0 { f64::MIN_POSITIVE } else { margin };
        self
    }

    /// Allows only candidates of these engines: all other engines are excluded. [`run`](Self::run) fails if the list is
    /// empty or contains an empty name.
    pub fn engines_allowed<S: AsRef<str>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        self.engines_allowed = Some(joined(names));
        self
    }

    /// Excludes the candidates of these engines.
    pub fn engines_barred<S: AsRef<str>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        self.engines_barred = Some(joined(names));
        self
    }

    /// Sets a closure that is called between measurements, on the thread that called [`run`](Self::run). If the closure
    /// returns [`ControlFlow::Break`], the run is cancelled. Decisions that the run made before the cancellation are
    /// kept.
    ///
    /// A panic in the closure also cancels the run. The panic is resumed when libatc has returned.
    pub fn on_progress(
        mut self,
        closure: impl FnMut(&Progress<'_>) -> ControlFlow<()> + 'a,
    ) -> Self {
        self.on_progress = Some(Box::new(closure));
        self
    }

    /// Makes this process refuse an implementation (`choice`) of a problem, as if the implementation had computed wrong
    /// results. Later measurements with the options of this tuner do not run it, and list it as refused, with `reason`.
    /// Plans do not run it either. The refusal lasts until the process ends or an engine is unregistered.
    ///
    /// This function is for programs that tune in a child process. If a candidate ([`Progress::candidate`] names it)
    /// makes the child process crash, the program starts a new child process, and refuses this candidate there.
    ///
    /// The call fails if the problem or an option is invalid, if `choice` is not the text of a choice, or if `reason`
    /// is empty.
    pub fn refuse(&self, problem: &Problem, choice: &str, reason: &str) -> Result<()> {
        let raw = problem.checked()?;
        let (choice, reason) = (c_text("choice", choice)?, c_text("reason", reason)?);
        let (device, options) = (self.device.to_raw(), self.raw);
        // SAFETY: the C function reads the problem, the options and the strings only during the call.
        call(|| unsafe {
            sys::atc_tune_refuse(device, raw, &options, choice.as_ptr(), reason.as_ptr())
        })
    }

    /// Makes [`run`](Self::run) a collective call: all ranks (processes) of the group must call `run`, and they decide
    /// their problems together. If this does not succeed on every rank, `run` fails with [`ErrorKind::NotAgreed`] on
    /// all ranks, and no rank uses a new decision. The error names the rank that is the cause.
    pub fn group(mut self, group: &'a mut dyn Group) -> Self {
        self.group = Some(group);
        self
    }

    /// Decides the problems: measures each problem whose decision is not known yet. If a problem fails, the report has
    /// its error, and the run continues with the next problem.
    pub fn run(&mut self, problems: &[Problem]) -> Result<Report> {
        self.raw.problems = std::ptr::null();
        self.decide(problems, problems)
    }

    /// Decides the problems of a list. If a call has noted a problem of the list, this problem is decided with the
    /// device, the options and the store of that call, and not with those of the tuner.
    pub fn run_list(&mut self, list: &Problems) -> Result<Report> {
        let problems = list.problems()?;
        self.raw.problems = list.as_raw();
        let report = self.decide(&[], &problems);
        self.raw.problems = std::ptr::null();
        report
    }

    /// Decides the problems in `problems`, and then the problems of the C list in `self.raw.problems`, which may be
    /// null. `reported` must contain the problems of both lists, in this order, because the report has the same order.
    fn decide(&mut self, problems: &[Problem], reported: &[Problem]) -> Result<Report> {
        let raw_problems = problems
            .iter()
            .map(|problem| problem.checked().copied())
            .collect::<Result<Vec<_>>>()?;
        // A list without a name is refused here, because libatc would take an empty list as "all engines are allowed".
        if self.engines_allowed.as_ref().is_some_and(|names| names.split(',').any(str::is_empty)) {
            return Err(Error::invalid(
                "engines_allowed has no name, or an empty one: name the engines that may take part, or leave it out \
                 for all of them",
            ));
        }
        let allowed = self.engines_allowed.as_deref().map(|names| c_text("engines_allowed", names));
        let barred = self.engines_barred.as_deref().map(|names| c_text("engines_barred", names));
        let (allowed, barred) = (allowed.transpose()?, barred.transpose()?);
        let mut options = self.raw;
        options.engines_allowed = pointer(&allowed);
        options.engines_barred = pointer(&barred);
        let group = match &mut self.group {
            Some(group) => Some(RawGroup::new(&mut **group)?),
            None => None,
        };
        options.group = group.as_ref().map_or(std::ptr::null(), |group| &raw const group.raw);

        #[cfg(feature = "tracing")]
        let _span = crate::safe::spans::tuning(self.device, reported.len());
        let device = self.device.to_raw();
        let callback: sys::atc_tune_callback = match self.on_progress {
            Some(_) => Some(progress),
            None => None,
        };
        let payload = (&raw mut self.on_progress).cast();
        // SAFETY: the C function reads the problems, the options and the strings of the options only during the call.
        // It also calls the callback `progress` only during the call, and on this thread. During the call nothing else
        // uses the closure that `payload` points to.
        let (checked, handle) = create_even_if_failing(|out| unsafe {
            sys::atc_tune(
                out,
                device,
                raw_problems.as_ptr(),
                raw_problems.len(),
                &options,
                callback,
                payload,
            )
        })?;
        let cancelled = checked.as_ref().is_err_and(|error| error.kind() == ErrorKind::Cancelled);
        match handle {
            Some(handle) if checked.is_ok() || cancelled => {
                let report =
                    Report::from_handle(&handle, self.device, reported, cancelled, group.is_some());
                #[cfg(feature = "tracing")]
                let report = report.inspect(crate::safe::spans::tuned);
                report
            }
            _ => Err(checked.err().unwrap_or_else(|| {
                Error::new(sys::ATC_ERROR_INTERNAL, "libatc tuned and gave no report")
            })),
        }
    }
}

impl fmt::Debug for Tuner<'_> {
    /// Prints the options of this tuner that were set. Options that are inherited from the
    /// process's settings are not printed.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let raw = &self.raw;
        let mut fields = formatter.debug_struct("Tuner");
        fields.field("device", &self.device);
        let said = Said(fields)
            .field(
                "retune",
                raw.retune != 0 && raw.retune != sys::ATC_RETUNE_PROVISIONAL,
                &(raw.retune == sys::ATC_ON),
            )
            .field("retune_provisional", raw.retune == sys::ATC_RETUNE_PROVISIONAL, &true);
        setters::said(said, raw)
            .field("without_store", raw.use_store == sys::ATC_OFF, &true)
            .field("store", !raw.store.is_null(), &raw.store)
            .number("seed", raw.seed)
            .field("tie_margin", raw.tie_margin != 0.0, &raw.tie_margin)
            .field("expected_calls", raw.expected_calls != 0.0, &raw.expected_calls)
            .field("engines_allowed", self.engines_allowed.is_some(), &self.engines_allowed)
            .field("engines_barred", self.engines_barred.is_some(), &self.engines_barred)
            .field("group", self.group.is_some(), &format_args!("a group"))
            .field("on_progress", self.on_progress.is_some(), &format_args!("a closure"))
            .0
            .finish()
    }
}

fn joined<S: AsRef<str>>(names: impl IntoIterator<Item = S>) -> String {
    names.into_iter().map(|name| name.as_ref().to_owned()).collect::<Vec<_>>().join(",")
}

fn pointer(text: &Option<CString>) -> *const std::ffi::c_char {
    text.as_ref().map_or(std::ptr::null(), |text| text.as_ptr())
}

/// # Safety
/// `payload` points to the field `on_progress` of a tuner, and nothing else uses this field during the call. `raw` is
/// valid for the call.
unsafe extern "C" fn progress(raw: *const sys::atc_tune_progress, payload: *mut c_void) -> i32 {
    let flow = panic::catch(|| {
        // SAFETY: the caller of this function keeps the conditions that the section Safety states.
        let raw = unsafe { &*raw };
        // SAFETY: by this function's contract `payload` points to a field of this type. Everything that the closure
        // borrows outlives the call.
        let closure = unsafe { &mut *payload.cast::<Option<Box<OnProgress<'_>>>>() };
        // SAFETY: the strings of `raw` are valid during the callback.
        let seen = unsafe { Progress::from_raw(raw) };
        closure.as_mut().map_or(ControlFlow::Continue(()), |closure| closure(&seen))
    });
    // If the closure has panicked, `flow` is `None`, which also cancels the run.
    i32::from(!matches!(flow, Some(ControlFlow::Continue(()))))
}
