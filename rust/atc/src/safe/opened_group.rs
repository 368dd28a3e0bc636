//! The type of groups that a C function has opened. (A group consists of ranks: processes of a job
//! that decide together which implementations they run.)

use std::ffi::c_void;
use std::time::Duration;

use crate::raw::call::{c_text, call, text};
use crate::safe::group::{Group, GroupError};
use crate::sys;

/// A [`Group`] that a C function has opened. The group is closed on drop. This type is for other
/// crates, whose ranks communicate by other means than files in a folder. Such a crate has a C
/// function of its own that opens a group.
#[derive(Debug)]
pub struct OpenedGroup {
    raw: sys::atc_group,
    prefix: String,
}

impl OpenedGroup {
    /// Takes ownership of the group.
    ///
    /// # Safety
    ///
    /// A C function has opened the group `raw`, and nothing else uses or closes it.
    #[must_use]
    pub unsafe fn from_raw(raw: sys::atc_group) -> Self {
        // SAFETY: the prefix of an open group is a string that ends with NUL.
        let prefix = unsafe { text(raw.prefix) }.to_owned();
        Self { raw, prefix }
    }
}

impl Drop for OpenedGroup {
    fn drop(&mut self) {
        // SAFETY: a C function has opened the group, and nothing but this line closes it.
        unsafe { sys::atc_group_close(&mut self.raw) }
    }
}

impl Group for OpenedGroup {
    fn rank(&self) -> u32 {
        self.raw.rank
    }
    fn size(&self) -> u32 {
        self.raw.size
    }
    fn prefix(&self) -> &str {
        &self.prefix
    }
    fn bound(&self) -> Duration {
        match self.raw.bound_seconds {
            0.0 => Duration::from_secs(60),
            seconds => Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX),
        }
    }
    fn create(&mut self, key: &str, value: &[u8]) -> std::result::Result<Vec<u8>, GroupError> {
        let key = c_text("key", key)?;
        let mut standing: Option<Vec<u8>> = None;
        let create = self.raw.create.ok_or("the group is closed")?;
        // SAFETY: `raw.user` is the pointer that belongs to the group's callbacks. The key, the
        // value and `standing` live for the call. The callback passes the address of `standing` to
        // `take`.
        call(|| unsafe {
            create(
                self.raw.user,
                key.as_ptr(),
                value.as_ptr().cast(),
                value.len(),
                Some(take),
                (&raw mut standing).cast(),
            )
        })?;
        standing.ok_or_else(|| "the group's store gave no value".into())
    }
    fn get(
        &mut self,
        key: &str,
        timeout: Duration,
    ) -> std::result::Result<Option<Vec<u8>>, GroupError> {
        let key = c_text("key", key)?;
        let mut value: Option<Vec<u8>> = None;
        let get = self.raw.get.ok_or("the group is closed")?;
        // SAFETY: `raw.user` is the pointer that belongs to the group's callbacks. The key and
        // `value` live for the call. The callback passes the address of `value` to `take`.
        call(|| unsafe {
            get(
                self.raw.user,
                key.as_ptr(),
                timeout.as_secs_f64(),
                Some(take),
                (&raw mut value).cast(),
            )
        })?;
        Ok(value)
    }
}

/// Copies the value of a key (`size` bytes) into the vector that `payload` points to.
///
/// # Safety
/// `value` points to `size` bytes, and `payload` to an `Option<Vec<u8>>`.
unsafe extern "C" fn take(value: *const c_void, size: usize, payload: *mut c_void) -> i32 {
    let bytes = if size == 0 {
        Vec::new()
    } else {
        // SAFETY: by the `# Safety` section of this function, `value` points to `size` bytes.
        unsafe { std::slice::from_raw_parts(value.cast::<u8>(), size) }.to_vec()
    };
    // SAFETY: by the `# Safety` section of this function, `payload` points to an `Option<Vec<u8>>`.
    unsafe { *payload.cast::<Option<Vec<u8>>>() = Some(bytes) };
    sys::ATC_OK
}
