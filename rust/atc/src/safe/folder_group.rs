//! A group whose ranks communicate through files in a shared folder. (A rank is a process of a job.
//! The ranks of a group decide together which implementations they run.)

use std::path::Path;
use std::time::Duration;

use crate::raw::call::{c_path, c_text, call, size_of_u32};
use crate::raw::error::Result;
use crate::safe::group::{Group, GroupError};
use crate::safe::opened_group::OpenedGroup;
use crate::sys;

/// A group of ranks that communicate through files in a folder, which all ranks can read and write.
/// This group is for jobs without LibTorch. atc does not remove the files: remove the folder after
/// the job.
///
/// ```
/// use atc::{Device, FolderGroup, Problem, Tuner};
///
/// # fn main() -> atc::Result<()> {
/// # let folder = std::env::temp_dir().join(format!("atc-group-{}", std::process::id()));
/// let mut group = FolderGroup::open(&folder, 0, 1, "attempt-0")?; // rank 0 of 1
/// let problems = [Problem::conv2d(1, 8, 15, 14, 8).kernel(3).padding(1)];
/// let report = Tuner::new(Device::Cpu).group(&mut group).run(&problems)?;
/// println!("{}", report.agreement.expect("of a group").digest);
/// # let _ = std::fs::remove_dir_all(&folder);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct FolderGroup(OpenedGroup);

impl FolderGroup {
    /// Opens the group, and makes the folder if it does not exist. `rank` is the number of this
    /// process, from 0 to `size` - 1, and `size` is the number of ranks. `prefix` is a text that no
    /// other job, and no other attempt to run this job, uses with this folder.
    pub fn open(path: impl AsRef<Path>, rank: u32, size: u32, prefix: &str) -> Result<Self> {
        let path = c_path("path", path.as_ref())?;
        let prefix = c_text("prefix", prefix)?;
        let struct_size = size_of_u32::<sys::atc_group>();
        let mut raw = sys::atc_group { struct_size, ..Default::default() };
        // SAFETY: the strings and `raw` live for the call. The C function writes at most the
        // `struct_size` bytes of `raw`.
        call(|| unsafe {
            sys::atc_group_open_folder(&mut raw, path.as_ptr(), rank, size, prefix.as_ptr())
        })?;
        // SAFETY: the C function has just opened the group, and nothing else uses or closes it.
        Ok(Self(unsafe { OpenedGroup::from_raw(raw) }))
    }
}

impl Group for FolderGroup {
    fn rank(&self) -> u32 {
        self.0.rank()
    }
    fn size(&self) -> u32 {
        self.0.size()
    }
    fn prefix(&self) -> &str {
        self.0.prefix()
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
