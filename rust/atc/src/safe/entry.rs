//! The function [`Store::get`], which returns one entry (a stored decision) of a store: the entry
//! that a plan of a given problem would use.

use crate::raw::error::{ErrorKind, Result};
use crate::raw::handle::string;
use crate::safe::device::Device;
use crate::safe::options::PlanOptions;
use crate::safe::problem::Problem;
use crate::safe::store::Store;
use crate::sys;

impl Store {
    /// Returns the entry (the stored decision) that a plan of this problem with these options would
    /// use, as JSON text. Returns `None` if the store has no such entry.
    pub fn get(
        &self,
        device: Device,
        problem: &Problem,
        options: &PlanOptions<'_>,
    ) -> Result<Option<String>> {
        let raw = problem.checked()?;
        let options = options.for_call();
        // SAFETY: the store was not closed. The C function reads `raw` (the problem) and `options`,
        // writes `out`, and uses these pointers only during the call.
        let entry = string(|out| unsafe {
            sys::atc_store_get(out, self.as_raw(), device.to_raw(), raw, &options)
        });
        match entry {
            Err(error) if error.kind() == ErrorKind::NotTuned => Ok(None),
            other => other.map(Some),
        }
    }
}
