//! Reads the entry of a store that a plan would use.

use crate::raw::error::{ErrorKind, Result};
use crate::raw::handle::string;
use crate::safe::device::Device;
use crate::safe::options::PlanOptions;
use crate::safe::problem::Problem;
use crate::safe::store::Store;
use crate::sys;

impl Store {
    /// Returns the entry that a plan would use, as JSON text. Returns `None` if the store has no
    /// such entry.
    pub fn get(
        &self,
        device: Device,
        problem: &Problem,
        options: &PlanOptions<'_>,
    ) -> Result<Option<String>> {
        let raw = problem.checked()?;
        let options = options.for_call();
        // SAFETY: a live handle; problem and options are read for the call, `out` is written.
        let entry = string(|out| unsafe {
            sys::atc_store_get(out, self.as_raw(), device.to_raw(), raw, &options)
        });
        match entry {
            Err(error) if error.kind() == ErrorKind::NotTuned => Ok(None),
            other => other.map(Some),
        }
    }
}
