//! A group whose store of keys is a folder.

use std::path::Path;
use std::time::Duration;

use crate::raw::call::{c_path, c_text, call, size_of_u32};
use crate::raw::error::Result;
use crate::safe::group::{Group, GroupError};
use crate::safe::opened_group::OpenedGroup;
use crate::sys;

/// Ranks that share a folder, for jobs without LibTorch. Remove the folder after the job.
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
    /// Makes the folder if it does not exist. `prefix` is a text of this job and this attempt
    /// alone.
    pub fn open(path: impl AsRef<Path>, rank: u32, size: u32, prefix: &str) -> Result<Self> {
        let path = c_path("path", path.as_ref())?;
        let prefix = c_text("prefix", prefix)?;
        let struct_size = size_of_u32::<sys::atc_group>();
        let mut raw = sys::atc_group { struct_size, ..Default::default() };
        // SAFETY: the strings are read for the call, and `raw` may be written up to its
        // struct_size.
        call(|| unsafe {
            sys::atc_group_open_folder(&mut raw, path.as_ptr(), rank, size, prefix.as_ptr())
        })?;
        // SAFETY: the group was just opened, and only the new object has it.
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
