//! The ranks of a job, and the store of keys that they share.

use std::ffi::{CStr, CString, c_char, c_void};
use std::time::Duration;

use crate::raw::call::{c_text, call, size_of_u32, text};
use crate::raw::error::{Error, Result};
use crate::raw::handle::Owned;
use crate::raw::panic;
use crate::safe::options::seconds;
use crate::sys;

/// The error of a group's own store of keys.
pub type GroupError = Box<dyn std::error::Error + Send + Sync>;

/// A rank of a job, for [`Tuner::group`](crate::Tuner::group): all ranks run their tuners, and
/// decide together.
///
/// The functions [`create`](Self::create) and [`get`](Self::get) are the store of keys that the
/// ranks share. atc calls them on the thread that runs the tuner. It uses keys of up to 512 ASCII
/// characters and values of up to 1 MiB, and changes or removes none.
pub trait Group {
    /// From 0 to `size` - 1.
    fn rank(&self) -> u32;
    /// How many ranks the job has.
    fn size(&self) -> u32;
    /// All keys begin with it: a text of this job and this attempt alone, of 1 to 380 bytes.
    fn prefix(&self) -> &str;
    /// How long a rank waits without progress at most.
    fn bound(&self) -> Duration {
        Duration::from_secs(60)
    }
    /// Writes the value if the key does not exist, and returns the value that the key has
    /// afterwards.
    fn create(&mut self, key: &str, value: &[u8]) -> std::result::Result<Vec<u8>, GroupError>;
    /// Returns the value of the key, or `None` if the key does not exist within `timeout` (1 s at
    /// most).
    fn get(
        &mut self,
        key: &str,
        timeout: Duration,
    ) -> std::result::Result<Option<Vec<u8>>, GroupError>;
}

/// A group as C takes it, for the length of one call.
pub(crate) struct RawGroup<'a> {
    pub(crate) raw: sys::atc_group,
    _prefix: CString,
    #[expect(
        clippy::redundant_allocation,
        reason = "callbacks get the address, which stays when the struct moves"
    )]
    group: Box<&'a mut dyn Group>,
}

impl<'a> RawGroup<'a> {
    pub(crate) fn new(group: &'a mut dyn Group) -> Result<Self> {
        let prefix = c_text("prefix", group.prefix())?;
        let mut this = Self {
            raw: sys::atc_group {
                struct_size: size_of_u32::<sys::atc_group>(),
                rank: group.rank(),
                size: group.size(),
                bound_seconds: seconds(group.bound()),
                prefix: prefix.as_ptr(),
                create: Some(create),
                get: Some(get),
                ..Default::default()
            },
            _prefix: prefix,
            group: Box::new(group),
        };
        this.raw.user = (&raw mut *this.group).cast();
        Ok(this)
    }
}

/// Runs a function of the group that `user` points to, and passes its value on.
///
/// # Safety
/// `user` points to the group of a [`RawGroup`], which nothing else uses. `key` ends with NUL.
unsafe fn answered(
    user: *mut c_void,
    key: *const c_char,
    answer: sys::atc_group_answer,
    payload: *mut c_void,
    function: impl FnOnce(&mut dyn Group, &str) -> std::result::Result<Option<Vec<u8>>, GroupError>,
) -> i32 {
    let result = panic::catch(|| {
        // SAFETY: by this function's contract.
        let key = unsafe { CStr::from_ptr(key) }.to_string_lossy();
        // SAFETY: by this function's contract.
        let group = unsafe { &mut **user.cast::<&mut dyn Group>() };
        function(group, &key)
    });
    let reason = match (result, answer) {
        (Some(Ok(None)), _) => return sys::ATC_OK,
        (Some(Ok(Some(value))), Some(answer)) => {
            // SAFETY: a function of libatc, which copies the value.
            return unsafe { answer(value.as_ptr().cast(), value.len(), payload) };
        }
        (Some(Err(error)), _) => error.to_string(),
        _ => "the group panicked".to_owned(),
    };
    if let Ok(reason) = CString::new(reason.replace('\0', " ")) {
        // SAFETY: the text is copied.
        unsafe { sys::atc_error_set(reason.as_ptr()) };
    }
    sys::ATC_ERROR_IO
}

/// # Safety
/// As `answered`; `value` points to `size` bytes.
unsafe extern "C" fn create(
    user: *mut c_void,
    key: *const c_char,
    value: *const c_void,
    size: usize,
    answer: sys::atc_group_answer,
    payload: *mut c_void,
) -> i32 {
    // SAFETY: by this function's contract.
    let value = unsafe { std::slice::from_raw_parts(value.cast::<u8>(), size) };
    // SAFETY: likewise.
    unsafe { answered(user, key, answer, payload, |group, key| group.create(key, value).map(Some)) }
}

/// # Safety
/// As `answered`.
unsafe extern "C" fn get(
    user: *mut c_void,
    key: *const c_char,
    timeout: f64,
    answer: sys::atc_group_answer,
    payload: *mut c_void,
) -> i32 {
    let timeout = Duration::try_from_secs_f64(timeout).unwrap_or_default();
    // SAFETY: by this function's contract.
    unsafe { answered(user, key, answer, payload, |group, key| group.get(key, timeout)) }
}

/// The agreement of the ranks of a job.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Agreement {
    /// The digest of the decisions of this rank's class, equal on all its ranks.
    pub digest: String,
    /// The classes of ranks.
    pub classes: Vec<RankClass>,
    /// The index of the class of this rank.
    pub own_class: usize,
}

/// Ranks that decided together, because they have equal environments.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct RankClass {
    /// In ascending order.
    pub ranks: Vec<u64>,
    /// Device and versions, engines and terms, as JSON.
    pub environment: String,
    /// The differences from the environment of the first class; empty for the first class.
    pub differences: String,
}

impl Agreement {
    /// Copies the agreement out of the report of a call with a group.
    pub(crate) fn from_handle(report: &Owned<sys::atc_tune_report>) -> Result<Self> {
        let struct_size = size_of_u32::<sys::atc_agreement>();
        let mut raw = sys::atc_agreement { struct_size, ..Default::default() };
        // SAFETY: a live handle, `raw` may be written for the call, up to its struct_size.
        call(|| unsafe { sys::atc_tune_report_agreement(&mut raw, report.shared()) })?;
        let count = usize::try_from(raw.classes)
            .map_err(|_| Error::new(sys::ATC_ERROR_INTERNAL, "too many classes"))?;
        Ok(Self {
            // SAFETY: the string is borrowed from the report, which outlives this function.
            digest: unsafe { text(raw.digest) }.to_owned(),
            classes: (0..count).map(|index| class(report, index)).collect::<Result<_>>()?,
            own_class: usize::try_from(raw.own_class).unwrap_or_default(),
        })
    }
}

fn class(report: &Owned<sys::atc_tune_report>, index: usize) -> Result<RankClass> {
    let struct_size = size_of_u32::<sys::atc_agreement_class>();
    let mut raw = sys::atc_agreement_class { struct_size, ..Default::default() };
    // SAFETY: a live handle, `raw` may be written for the call, up to its struct_size.
    call(|| unsafe { sys::atc_tune_report_class(&mut raw, report.shared(), index) })?;
    let count = usize::try_from(raw.count).unwrap_or_default();
    // SAFETY: the report has `count` numbers there.
    let ranks = unsafe { std::slice::from_raw_parts(raw.ranks, count) }.to_vec();
    // SAFETY: the strings are borrowed from the report, which outlives this function.
    let owned = |string| unsafe { text(string) }.to_owned();
    Ok(RankClass {
        ranks,
        environment: owned(raw.environment),
        differences: owned(raw.differences),
    })
}
