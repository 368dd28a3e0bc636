//! The ranks of a job, which share a store of LibTorch's c10d.

use std::ffi::CString;
use std::time::Duration;

use atc::{Group, GroupError, OpenedGroup, Result};

use crate::geometry::invalid;
use crate::raw::size_of_u32;
use crate::sys;

/// A rank of a job, for [`Tuner::group`](atc::Tuner::group): the ranks share a store of LibTorch's
/// c10d, and decide together.
///
/// If torchrun does not serve the store, rank 0 serves it until its process ends. So on rank 0 the
/// drop waits until the other ranks that have opened the group have dropped it, but no longer than
/// `timeout`.
///
/// ```
/// use std::time::Duration;
///
/// use atc::{Device, Problem, Tuner};
/// use atc_tch::TorchGroup;
///
/// # fn main() -> atc::Result<()> {
/// # let file = std::env::temp_dir().join(format!("atc-keys-{}", std::process::id()));
/// # let url = format!("file://{}", file.display());
/// // As rank 0 of 1. Under torchrun: TorchGroup::from_env(timeout).
/// let mut group = TorchGroup::open(&url, 0, 1, Duration::from_secs(60))?;
/// let problems = [Problem::conv2d(1, 8, 15, 14, 8).kernel(3).padding(1)];
/// let report = Tuner::new(Device::Cpu).group(&mut group).run(&problems)?;
/// println!("{}", report.agreement.expect("of a group").digest);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct TorchGroup(OpenedGroup);

impl TorchGroup {
    /// Opens the group whose ranks meet at `url`:
    ///
    /// * `env://`: at `MASTER_ADDR` and `MASTER_PORT`, as torchrun sets them
    /// * `tcp://HOST:PORT`: at this address, on the machine of rank 0
    /// * `file:///PATH`: in this file, on a disk that all ranks see. It must be new for each job
    ///
    /// Waits at most `timeout` for the server of the store. It is also the bound of the group: how
    /// long a rank waits without progress at most. Zero is 60 s.
    ///
    /// All ranks open the same number of groups at an address, in the same order.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidArgument`](atc::ErrorKind::InvalidArgument): the URL, a variable, the
    /// rank or the time is wrong. [`ErrorKind::Io`](atc::ErrorKind::Io): the store cannot be
    /// reached. [`ErrorKind::Library`](atc::ErrorKind::Library): LibTorch has no c10d.
    pub fn open(url: &str, rank: u32, size: u32, timeout: Duration) -> Result<Self> {
        let url = CString::new(url)
            .map_err(|_| invalid(format!("the URL {url:?} has a NUL byte: leave it out")))?;
        let mut raw = atc::sys::atc_group {
            struct_size: size_of_u32::<atc::sys::atc_group>(),
            ..Default::default()
        };
        let seconds = timeout.as_secs_f64();
        // SAFETY: the URL is read for the call, and `raw` may be written up to its struct_size.
        atc::call(|| unsafe {
            sys::atc_torch_group_open(&mut raw, url.as_ptr(), rank, size, seconds)
        })?;
        // SAFETY: the group was just opened, and only the new object has it.
        Ok(Self(unsafe { OpenedGroup::from_raw(raw) }))
    }

    /// Opens the group of this job by the variables that torchrun sets: `RANK`, `WORLD_SIZE`,
    /// `MASTER_ADDR` and `MASTER_PORT`.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open).
    pub fn from_env(timeout: Duration) -> Result<Self> {
        Self::open("env://", 0, 0, timeout)
    }
}

impl Group for TorchGroup {
    fn rank(&self) -> u32 {
        self.0.rank()
    }
    fn size(&self) -> u32 {
        self.0.size()
    }
    fn prefix(&self) -> &str {
        self.0.prefix()
    }
    fn bound(&self) -> Duration {
        self.0.bound()
    }
    fn create(&mut self, key: &str, value: &[u8]) -> std::result::Result<Vec<u8>, GroupError> {
        self.0.create(key, value)
    }
    fn get(
        &mut self,
        key: &str,
        timeout: Duration,
    ) -> std::result::Result<Option<Vec<u8>>, GroupError> {
        self.0.get(key, timeout)
    }
}
