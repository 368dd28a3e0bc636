//! Groups: the ranks (the processes of a job) decide together which implementations they run. The ranks communicate
//! through a store of keys and values, which all ranks can read and write. (This store is not the
//! [`Store`](crate::Store) of decisions.)

use std::ffi::{CStr, CString, c_char, c_void};
use std::time::Duration;

use crate::raw::call::{c_text, call, size_of_u32, text};
use crate::raw::error::{Error, Result};
use crate::raw::handle::Owned;
use crate::raw::panic;
use crate::safe::options::seconds;
use crate::sys;

/// An error of the store of keys and values that a group uses.
pub type GroupError = Box<dyn std::error::Error + Send + Sync>;

/// A rank (process) of a job, and its access to the store of keys and values that all ranks of the job share. If the
/// tuners of all ranks have their groups ([`Tuner::group`](crate::Tuner::group)), the ranks make their decisions
/// together.
///
/// The functions [`create`](Self::create) and [`get`](Self::get) give access to the store. atc
/// calls them on the thread that runs the tuner. A key has at most 512 ASCII characters, and a
/// value has at most 1 MiB. atc never changes the value of an existing key, and never removes a
/// key.
pub trait Group {
    /// Returns the number of this rank, from 0 to `size` - 1.
    fn rank(&self) -> u32;
    /// Returns the number of ranks of the job.
    fn size(&self) -> u32;
    /// Returns the prefix, a text of 1 to 380 bytes. All keys begin with this text. No other job that uses the same
    /// store may have the same prefix, and no other attempt to run this job either.
    fn prefix(&self) -> &str;
    /// Returns how long this rank waits for the other ranks if there is no progress. After this time the call fails.
    /// Default 60 s.
    fn bound(&self) -> Duration {
        Duration::from_secs(60)
    }
    /// Writes the value of a key if the key does not exist. If the key exists, its value is not
    /// changed. Returns the value that the key has afterwards.
    fn create(&mut self, key: &str, value: &[u8]) -> std::result::Result<Vec<u8>, GroupError>;
    /// Waits until the key exists, but not longer than `timeout`. atc passes at most 1 s. Returns the value of the key,
    /// or `None` if the key does not exist after this time.
    fn get(
        &mut self,
        key: &str,
        timeout: Duration,
    ) -> std::result::Result<Option<Vec<u8>>, GroupError>;
}

/// The C struct of a group, together with the objects to which the C struct points. A value of this type is made for
/// one call of libatc.
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

/// The common part of the callbacks `create` and `get`. Runs `function` on the group that `user` points to. If
/// `function` returns a value, passes this value to `answer`, a function of libatc. Returns the status that the
/// callback must return to libatc.
///
/// # Safety
/// `user` points to the field `group` of a [`RawGroup`], and nothing else uses this group during the call. `key` ends
/// with NUL. `answer` is NULL or a function of libatc, and `payload` is the last argument of this function.
unsafe fn answered(
    user: *mut c_void,
    key: *const c_char,
    answer: sys::atc_group_answer,
    payload: *mut c_void,
    function: impl FnOnce(&mut dyn Group, &str) -> std::result::Result<Option<Vec<u8>>, GroupError>,
) -> i32 {
    let result = panic::catch(|| {
        // SAFETY: by the `# Safety` section of this function, `key` is a string that ends with NUL.
        let key = unsafe { CStr::from_ptr(key) }.to_string_lossy();
        // SAFETY: by the `# Safety` section of this function, `user` points to the group, and
        // nothing else uses the group now.
        let group = unsafe { &mut **user.cast::<&mut dyn Group>() };
        function(group, &key)
    });
    let reason = match (result, answer) {
        (Some(Ok(None)), _) => return sys::ATC_OK,
        (Some(Ok(Some(value))), Some(answer)) => {
            // SAFETY: `answer` is a function of libatc. It reads the value only during the call, because it makes a
            // copy.
            return unsafe { answer(value.as_ptr().cast(), value.len(), payload) };
        }
        (Some(Err(error)), _) => error.to_string(),
        _ => "the group panicked".to_owned(),
    };
    if let Ok(reason) = CString::new(reason.replace('\0', " ")) {
        // SAFETY: the text lives for the call, and libatc copies it.
        unsafe { sys::atc_error_set(reason.as_ptr()) };
    }
    sys::ATC_ERROR_IO
}

/// # Safety
/// `user` and `key` meet the conditions of [`answered`]. `value` points to `size` bytes.
unsafe extern "C" fn create(
    user: *mut c_void,
    key: *const c_char,
    value: *const c_void,
    size: usize,
    answer: sys::atc_group_answer,
    payload: *mut c_void,
) -> i32 {
    // SAFETY: by the `# Safety` section of this function, `value` points to `size` bytes.
    let value = unsafe { std::slice::from_raw_parts(value.cast::<u8>(), size) };
    // SAFETY: by the `# Safety` section of this function, `user` and `key` meet the conditions of
    // `answered`.
    unsafe { answered(user, key, answer, payload, |group, key| group.create(key, value).map(Some)) }
}

/// # Safety
/// `user` and `key` meet the conditions of [`answered`].
unsafe extern "C" fn get(
    user: *mut c_void,
    key: *const c_char,
    timeout: f64,
    answer: sys::atc_group_answer,
    payload: *mut c_void,
) -> i32 {
    let timeout = Duration::try_from_secs_f64(timeout).unwrap_or_default();
    // SAFETY: by the `# Safety` section of this function, `user` and `key` meet the conditions of
    // `answered`.
    unsafe { answered(user, key, answer, payload, |group, key| group.get(key, timeout)) }
}

/// The result of a tuning run in which the ranks (processes) of a job decided together.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Agreement {
    /// A hash of the decisions of this rank's class (the ranks that have the same environment as this rank). All ranks
    /// of the class have the same hash.
    pub digest: String,
    /// The classes of the job. A class is the set of all ranks that have the same environment. The ranks of a class use
    /// the same decisions.
    pub classes: Vec<RankClass>,
    /// The index in `classes` of the class of this rank.
    pub own_class: usize,
}

/// A class: the ranks that have equal environments, and therefore use the same decisions.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct RankClass {
    /// The ranks of the class, in ascending order.
    pub ranks: Vec<u64>,
    /// The environment of the class as JSON: the device, the versions of the libraries, the engines, and the options
    /// that influence decisions.
    pub environment: String,
    /// How the environment of this class differs from the environment of the first class, as text; empty for the first
    /// class.
    pub differences: String,
}

impl Agreement {
    /// Copies the agreement of the ranks from `report`, the report that libatc has made of a tuning run with a group.
    pub(crate) fn from_handle(report: &Owned<sys::atc_tune_report>) -> Result<Self> {
        let struct_size = size_of_u32::<sys::atc_agreement>();
        let mut raw = sys::atc_agreement { struct_size, ..Default::default() };
        // SAFETY: the object behind the C handle was not destroyed. The C function writes at most the `struct_size`
        // bytes of `raw`, and only during the call.
        call(|| unsafe { sys::atc_tune_report_agreement(&mut raw, report.shared()) })?;
        let count = usize::try_from(raw.classes)
            .map_err(|_| Error::new(sys::ATC_ERROR_INTERNAL, "too many classes"))?;
        Ok(Self {
            // SAFETY: the string is valid as long as the report exists. The report outlives this function, which copies
            // the string.
            digest: unsafe { text(raw.digest) }.to_owned(),
            classes: (0..count).map(|index| class(report, index)).collect::<Result<_>>()?,
            own_class: usize::try_from(raw.own_class).unwrap_or_default(),
        })
    }
}

fn class(report: &Owned<sys::atc_tune_report>, index: usize) -> Result<RankClass> {
    let struct_size = size_of_u32::<sys::atc_agreement_class>();
    let mut raw = sys::atc_agreement_class { struct_size, ..Default::default() };
    // SAFETY: the object behind the C handle was not destroyed. The C function writes at most the `struct_size` bytes
    // of `raw`, and only during the call.
    call(|| unsafe { sys::atc_tune_report_class(&mut raw, report.shared(), index) })?;
    let count = usize::try_from(raw.count).unwrap_or_default();
    // SAFETY: `raw.ranks` points to `count` numbers, which are valid as long as the report exists. The report outlives
    // this function.
    let ranks = unsafe { std::slice::from_raw_parts(raw.ranks, count) }.to_vec();
    // SAFETY: the strings that `raw` points to are valid as long as the report exists. The report outlives this
    // function, which copies the strings.
    let owned = |string| unsafe { text(string) }.to_owned();
    Ok(RankClass {
        ranks,
        environment: owned(raw.environment),
        differences: owned(raw.differences),
    })
}
