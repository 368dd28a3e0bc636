//! A group: the ranks (processes) of a job, which exchange data through a store of LibTorch's c10d.

use std::ffi::CString;
use std::time::Duration;

use atc::{Group, GroupError, OpenedGroup, Result};

use crate::geometry::invalid;
use crate::raw::size_of_u32;
use crate::sys;

/// A rank (process) of a job, for [`Tuner::group`](atc::Tuner::group). The ranks exchange data
/// through a key-value store of LibTorch's c10d, and make their decisions together.
///
/// If torchrun is not the server of the key-value store, rank 0 is its server until the process of
/// rank 0 ends. So if rank 0 drops the group, the drop waits until all other ranks that have opened
/// the group have dropped it, but at most `timeout`.
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
    /// Opens the group whose ranks share the key-value store at `url`. Three forms of `url` are
    /// allowed:
    ///
    /// * `env://`: the address in the variables `MASTER_ADDR` and `MASTER_PORT`, as torchrun sets
    ///   them
    /// * `tcp://HOST:PORT`: this address, on the machine of rank 0
    /// * `file:///PATH`: this file, on a disk that all ranks see. The file must be new for each job
    ///
    /// The call waits at most `timeout` for the server of the key-value store. `timeout` is also
    /// the longest time that a rank waits for the others without progress. [`Duration::ZERO`] means
    /// 60 s.
    ///
    /// All ranks must open the same number of groups at an address, in the same order.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidArgument`](atc::ErrorKind::InvalidArgument): the URL, a variable, the
    /// rank or the time is wrong. [`ErrorKind::Io`](atc::ErrorKind::Io): the key-value store cannot
    /// be reached. [`ErrorKind::Library`](atc::ErrorKind::Library): LibTorch has no c10d.
    pub fn open(url: &str, rank: u32, size: u32, timeout: Duration) -> Result<Self> {
        let url = CString::new(url)
            .map_err(|_| invalid(format!("the URL {url:?} has a NUL byte: leave it out")))?;
        let mut raw = atc::sys::atc_group {
            struct_size: size_of_u32::<atc::sys::atc_group>(),
            ..Default::default()
        };
        let seconds = timeout.as_secs_f64();
        // SAFETY: the URL is only read during the call, and the call may write to `raw` up to its
        // struct_size.
        atc::call(|| unsafe {
            sys::atc_torch_group_open(&mut raw, url.as_ptr(), rank, size, seconds)
        })?;
        // SAFETY: the group was just opened, and nothing else owns it.
        Ok(Self(unsafe { OpenedGroup::from_raw(raw) }))
    }

    /// Opens the group of this job by the variables that torchrun sets: `RANK`, `WORLD_SIZE`,
    /// `MASTER_ADDR` and `MASTER_PORT`.
    ///
    /// # Errors
    ///
    /// The call fails in the same cases as [`open`](Self::open).
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
