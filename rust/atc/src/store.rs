//! Remembered decisions.

use std::path::{Path, PathBuf};

use crate::c_enum::c_enum;
use crate::call::{c_path, call, fixed_text, query, size_of_u32};
use crate::device::Device;
use crate::error::{Error, ErrorKind, Result};
use crate::handle::{Owned, bytes, create, string};
use crate::options::PlanOptions;
use crate::problem::Problem;
use crate::sys;

c_enum! {
    /// What a store may be used for.
    StoreMode ("store mode") {
        /// Neither read nor written.
        Off = ATC_STORE_OFF => "off",
        /// Read.
        Read = ATC_STORE_READ => "read",
        /// Read and written. The default.
        ReadWrite = ATC_STORE_READ_WRITE => "read-write",
        /// Read; a problem without a record is [`ErrorKind::NotTuned`](crate::ErrorKind::NotTuned).
        ReplayOnly = ATC_STORE_REPLAY_ONLY => "replay-only",
    }
}

/// A directory of decisions. Any number of processes and threads may use it at once.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = std::env::temp_dir().join(format!("atc-doc-store-{}", std::process::id()));
/// let store = atc::Store::open(&folder)?;
/// store.activate()?; // plans of this process now read and write it
/// println!("{} decisions in {}", store.describe()?.entries, folder.display());
/// atc::Store::deactivate()?;
/// # std::fs::remove_dir_all(folder)?;
/// # Ok(())
/// # }
/// ```
pub struct Store {
    handle: Owned<sys::atc_store>,
}

/// What a store is.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct StoreInfo {
    /// Where it is.
    pub directory: PathBuf,
    /// What it may be used for.
    pub mode: StoreMode,
    /// Decisions in it.
    pub entries: u64,
}

/// What an import did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Imported {
    /// Entries that were new, or firm in place of provisional ones.
    pub added: u64,
    /// Entries whose key was there already; the local ones were kept.
    pub kept: u64,
}

impl Store {
    /// Opens or makes a directory, to read and to write.
    pub fn open(directory: impl AsRef<Path>) -> Result<Self> {
        Self::open_with(directory, StoreMode::ReadWrite)
    }

    /// Opens a directory. [`ErrorKind::Io`] when the place cannot be used.
    pub fn open_with(directory: impl AsRef<Path>, mode: StoreMode) -> Result<Self> {
        let directory = c_path("store directory", directory.as_ref())?;
        // SAFETY: a string that lives for the call, `out` is written.
        let handle =
            create(|out| unsafe { sys::atc_store_open(out, directory.as_ptr(), mode.to_raw()) })?;
        handle.map(|handle| Self { handle }).ok_or_else(|| {
            Error::new(sys::ATC_ERROR_INTERNAL, "libatc opened a store and gave none")
        })
    }

    /// Makes it the store that plan creation, eager calls and tuning of this process use, also after this
    /// handle is dropped. A library leaves that to the program and gives its store with each call:
    /// [`PlanOptions::store`], [`Tuner::store`](crate::Tuner::store).
    pub fn activate(&self) -> Result<()> {
        // SAFETY: a live handle.
        call(|| unsafe { sys::atc_store_use(self.handle.shared()) })
    }

    /// This process uses no store from now on.
    pub fn deactivate() -> Result<()> {
        // SAFETY: NULL means none.
        call(|| unsafe { sys::atc_store_use(std::ptr::null()) })
    }

    /// The store in use, if there is one.
    pub fn active() -> Result<Option<Self>> {
        // SAFETY: `out` is written.
        let handle = create(|out| unsafe { sys::atc_store_in_use(out) })?;
        Ok(handle.map(|handle| Self { handle }))
    }

    /// For options structs, which take `const atc_store*`.
    pub(crate) fn as_raw(&self) -> *const sys::atc_store {
        self.handle.shared()
    }

    /// Where it is, its mode, and how much is in it.
    pub fn describe(&self) -> Result<StoreInfo> {
        let struct_size = size_of_u32::<sys::atc_store_info>();
        let mut raw = sys::atc_store_info { struct_size, ..Default::default() };
        // SAFETY: a live handle, `raw` may be written for the call, up to its struct_size.
        call(|| unsafe { sys::atc_store_describe(&mut raw, self.handle.shared()) })?;
        Ok(StoreInfo {
            directory: fixed_text(&raw.directory).into(),
            mode: StoreMode::from_raw(raw.mode),
            entries: raw.entries,
        })
    }

    /// The entry that a plan would use, as JSON text; `None` when there is none.
    pub fn get(
        &self,
        device: Device,
        problem: &Problem,
        options: &PlanOptions<'_>,
    ) -> Result<Option<String>> {
        let raw = problem.checked()?;
        // SAFETY: a live handle; problem and options are read for the call, `out` is written.
        let entry = string(|out| unsafe {
            sys::atc_store_get(out, self.handle.shared(), device.to_raw(), raw, &options.raw)
        });
        match entry {
            Err(error) if error.kind() == ErrorKind::NotTuned => Ok(None),
            other => other.map(Some),
        }
    }

    /// Puts an entry of the form that [`get`](Self::get) gives; a provisional one changes nothing where the
    /// store has a firm one. [`ErrorKind::Io`]: it could not be written
    /// and is remembered by this process only.
    pub fn put(&self, entry: &str) -> Result<()> {
        // SAFETY: a live handle; the text is read for the call.
        call(|| unsafe {
            sys::atc_store_put(self.handle.shared(), entry.as_ptr().cast(), entry.len())
        })
    }

    /// All valid entries, as a JSON array.
    pub fn list(&self) -> Result<String> {
        // SAFETY: a live handle, `out` is written.
        string(|out| unsafe { sys::atc_store_list(out, self.handle.shared()) })
    }

    /// How many of the valid entries are provisional. Reads every file.
    pub fn provisional(&self) -> Result<u64> {
        // SAFETY: a live handle, `out` is written.
        query(|out| unsafe { sys::atc_store_provisional(out, self.handle.shared()) })
    }

    /// Removes the entry that has the key of this one. `false`: there was none.
    pub fn remove(&self, entry: &str) -> Result<bool> {
        // SAFETY: a live handle; the text is read for the call, `out` is written.
        query(|out: *mut i32| unsafe {
            sys::atc_store_remove(out, self.handle.shared(), entry.as_ptr().cast(), entry.len())
        })
        .map(|removed| removed != 0)
    }

    /// All valid entries as one bundle.
    pub fn export(&self) -> Result<Vec<u8>> {
        // SAFETY: a live handle, `out` is written.
        bytes(|out| unsafe { sys::atc_store_export(out, self.handle.shared()) })
    }

    /// Adds the entries of a bundle; local entries are kept, but for provisional ones where it has a firm one. [`ErrorKind::BadRecord`] changes nothing.
    pub fn import(&self, bundle: &[u8]) -> Result<Imported> {
        let (mut added, mut kept) = (0, 0);
        // SAFETY: a live handle; the bundle is read for the call, both counts are written.
        call(|| unsafe {
            sys::atc_store_import(
                &mut added,
                &mut kept,
                self.handle.shared(),
                bundle.as_ptr().cast(),
                bundle.len(),
            )
        })?;
        Ok(Imported { added, kept })
    }

    /// Joins bundles; the first that has a key wins, or the first whose entry of it is firm.
    pub fn merge<B: AsRef<[u8]>>(bundles: &[B]) -> Result<Vec<u8>> {
        let pointers: Vec<_> =
            bundles.iter().map(|bundle| bundle.as_ref().as_ptr().cast()).collect();
        let sizes: Vec<_> = bundles.iter().map(|bundle| bundle.as_ref().len()).collect();
        // SAFETY: as many addresses and sizes as said, each of a slice that lives for the call.
        bytes(|out| unsafe {
            sys::atc_store_merge(out, pointers.as_ptr(), sizes.as_ptr(), sizes.len())
        })
    }

    /// Equal digests = equal choices for equal keys.
    pub fn digest(&self) -> Result<u64> {
        // SAFETY: a live handle, `out` is written.
        query(|out| unsafe { sys::atc_store_digest(out, self.handle.shared()) })
    }

    /// Reads every file; a line for each bad one.
    pub fn verify(&self) -> Result<Vec<String>> {
        // SAFETY: a live handle, `out` is written.
        let lines = string(|out| unsafe { sys::atc_store_verify(out, self.handle.shared()) })?;
        Ok(lines.lines().map(str::to_owned).collect())
    }

    /// Removes bad files, all but the newest `keep` entries, and files beside entries that none of them names, an hour
    /// after they were written; returns how many, what was beside a removed entry not counted.
    pub fn prune(&self, keep: u64) -> Result<u64> {
        // SAFETY: a live handle, `out` is written.
        query(|out| unsafe { sys::atc_store_prune(out, self.handle.shared(), keep) })
    }
}

impl std::fmt::Debug for Store {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_tuple("Store").field(&self.describe()).finish()
    }
}
