//! Stores: decisions kept on disk.

use std::path::{Path, PathBuf};

use crate::raw::c_enum::c_enum;
use crate::raw::call::{c_path, call, fixed_path, query, size_of_u32, switch};
use crate::raw::error::{Error, Result};
use crate::raw::handle::{Owned, bytes, create, string};
use crate::sys;

c_enum! {
    /// How a store may be used.
    StoreMode ("store mode") {
        /// Neither read nor written.
        Off = ATC_STORE_OFF => "off",
        /// Read.
        Read = ATC_STORE_READ => "read",
        /// Read and written. The default.
        ReadWrite = ATC_STORE_READ_WRITE => "read-write",
        /// Read. A problem without a record is the error
        /// [`ErrorKind::NotTuned`](crate::ErrorKind::NotTuned).
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

/// The properties of a store.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct StoreInfo {
    /// The store's directory.
    pub directory: PathBuf,
    /// The mode in which the store was opened.
    pub mode: StoreMode,
    /// Decisions in it.
    pub entries: u64,
}

/// How [`Store::import_with`] treats local entries.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = std::env::temp_dir().join(format!("atc-doc-import-{}", std::process::id()));
/// # let store = atc::Store::open(&folder)?;
/// # let bundle = store.export()?;
/// store.import_with(&bundle, &atc::ImportOptions::new().replace(true))?; // what was measured last wins
/// # std::fs::remove_dir_all(folder)?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[must_use = "each method returns the changed options and leaves these as they are"]
pub struct ImportOptions {
    replace: bool,
    join: bool,
    trust_compiled: bool,
}

impl ImportOptions {
    /// As [`Store::import`].
    pub fn new() -> Self {
        Self::default()
    }

    /// Entries of the bundle replace local ones, except that a provisional entry does not replace a
    /// firm one. Off by default.
    pub fn replace(mut self, enabled: bool) -> Self {
        self.replace = enabled;
        self
    }

    /// An entry of the bundle and a local one with the same key are joined: of the decisions of both, the best for each
    /// set of engines and rewrites that were compared. Firm is better than provisional, then more engines and rewrites,
    /// then the smaller risk; a hash decides between equal ones. Stores that join the same bundles have the same
    /// choices, in whatever order they join them. Outranks [`replace`](Self::replace). Off by default.
    pub fn join(mut self, enabled: bool) -> Self {
        self.join = enabled;
        self
    }

    /// Compiled parts of the bundle are kept. Then whoever wrote the bundle decides which code runs
    /// in this process. Off by default.
    pub fn trust_compiled(mut self, enabled: bool) -> Self {
        self.trust_compiled = enabled;
        self
    }
}

/// How [`Store::merge_with`] joins bundles.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[must_use = "each method returns the changed options and leaves these as they are"]
pub struct MergeOptions {
    trust_compiled: bool,
}

impl MergeOptions {
    /// As [`Store::merge`].
    pub fn new() -> Self {
        Self::default()
    }

    /// Compiled parts of the bundles are kept. Then whoever wrote the bundles decides which code
    /// runs in a process that imports the result with the same option. Off by default.
    pub fn trust_compiled(mut self, enabled: bool) -> Self {
        self.trust_compiled = enabled;
        self
    }
}

/// How [`Store::put_with`] treats an existing entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[must_use = "each method returns the changed options and leaves these as they are"]
pub struct PutOptions {
    replace_firm: bool,
    trust_compiled: bool,
}

impl PutOptions {
    /// As [`Store::put`].
    pub fn new() -> Self {
        Self::default()
    }

    /// A provisional entry also replaces a firm one. Off by default.
    pub fn replace_firm(mut self, enabled: bool) -> Self {
        self.replace_firm = enabled;
        self
    }

    /// Compiled parts of the entry are kept. Then whoever wrote the entry decides which code runs
    /// in this process. Off by default.
    pub fn trust_compiled(mut self, enabled: bool) -> Self {
        self.trust_compiled = enabled;
        self
    }
}

/// The counts of an import.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Imported {
    /// Number of entries that were written, new ones and ones that replaced a local entry.
    pub added: u64,
    /// Number of entries that were not written, because the store had an entry with the same key
    /// and kept it.
    pub kept: u64,
}

impl Store {
    /// Opens a directory for reading and writing, and makes it if it does not exist.
    pub fn open(directory: impl AsRef<Path>) -> Result<Self> {
        Self::open_with(directory, StoreMode::ReadWrite)
    }

    /// Opens a directory in a mode. [`ErrorKind::Io`](crate::ErrorKind::Io) if the directory cannot
    /// be used.
    pub fn open_with(directory: impl AsRef<Path>, mode: StoreMode) -> Result<Self> {
        let directory = c_path("store directory", directory.as_ref())?;
        // SAFETY: the string lives for the call, and `out` is written.
        let handle =
            create(|out| unsafe { sys::atc_store_open(out, directory.as_ptr(), mode.to_raw()) })?;
        handle.map(|handle| Self { handle }).ok_or_else(|| {
            Error::new(sys::ATC_ERROR_INTERNAL, "libatc opened a store and gave none")
        })
    }

    /// Opens a store in layers: the first directory as [`open_with`](Self::open_with) does, the others
    /// for reading, such as a folder that a fleet of machines shares. A look-up joins the decisions of
    /// all layers, and new decisions are written to the first one. A further directory that cannot be
    /// used is left out, with a warning; in mode `ReplayOnly` it is an error.
    pub fn open_layers(
        directories: impl IntoIterator<Item = impl AsRef<Path>>,
        mode: StoreMode,
    ) -> Result<Self> {
        let directories = directories.into_iter();
        let directories = directories.map(|one| c_path("store directory", one.as_ref()));
        let directories = directories.collect::<Result<Vec<_>>>()?;
        let pointers: Vec<_> = directories.iter().map(|one| one.as_ptr()).collect();
        // SAFETY: the strings and their pointers live for the call, and `out` is written.
        let handle = create(|out| unsafe {
            sys::atc_store_open_layers(out, pointers.as_ptr(), pointers.len(), mode.to_raw())
        })?;
        handle.map(|handle| Self { handle }).ok_or_else(|| {
            Error::new(sys::ATC_ERROR_INTERNAL, "libatc opened a store and gave none")
        })
    }

    /// Makes this the active store: plan creation, eager calls and tuning of this process use it
    /// from now on, also after this handle is dropped. Only the program should call this. A library
    /// should pass its own store with each call: [`PlanOptions::store`](crate::PlanOptions::store),
    /// [`Tuner::store`](crate::Tuner::store).
    pub fn activate(&self) -> Result<()> {
        // SAFETY: the handle is live.
        call(|| unsafe { sys::atc_store_use(self.handle.shared()) })
    }

    /// Ends the use of the active store: from now on this process uses no store.
    pub fn deactivate() -> Result<()> {
        // SAFETY: NULL means none.
        call(|| unsafe { sys::atc_store_use(std::ptr::null()) })
    }

    /// Returns the active store; `None` if there is none.
    pub fn active() -> Result<Option<Self>> {
        // SAFETY: the C function writes `out`.
        let handle = create(|out| unsafe { sys::atc_store_in_use(out) })?;
        Ok(handle.map(|handle| Self { handle }))
    }

    /// Makes a store of a C handle. The new store owns the handle.
    ///
    /// # Safety
    /// `handle` came from [`sys::atc_store_open`], [`sys::atc_store_in_use`] or
    /// [`into_raw`](Self::into_raw) and is not NULL, and nobody else closes it.
    pub unsafe fn from_raw(handle: *mut sys::atc_store) -> Self {
        // SAFETY: the caller keeps the contract of this function.
        Self { handle: unsafe { Owned::from_raw(handle) } }
    }

    /// Returns the store as a C handle. The caller must close it with [`sys::atc_store_close`].
    #[must_use = "the handle is never closed unless the caller does it"]
    pub fn into_raw(self) -> *mut sys::atc_store {
        self.handle.into_raw()
    }

    /// Returns the C handle for functions of [`sys`]. The pointer is valid as long as this store,
    /// which remains its owner. Any thread may use it.
    #[must_use]
    pub fn as_raw(&self) -> *const sys::atc_store {
        self.handle.shared()
    }

    /// Returns the store's directory, mode and number of entries.
    pub fn describe(&self) -> Result<StoreInfo> {
        let struct_size = size_of_u32::<sys::atc_store_info>();
        let mut raw = sys::atc_store_info { struct_size, ..Default::default() };
        // SAFETY: the handle is live, and the C function may write to `raw` during the call, up to its struct_size.
        call(|| unsafe { sys::atc_store_describe(&mut raw, self.handle.shared()) })?;
        Ok(StoreInfo {
            directory: fixed_path(&raw.directory),
            mode: StoreMode::from_raw(raw.mode),
            entries: raw.entries,
        })
    }

    /// Writes an entry, a JSON text in the form that [`get`](Self::get) returns. A provisional
    /// entry does not replace a firm one. Compiled parts are left out.
    /// [`ErrorKind::Io`](crate::ErrorKind::Io) if the entry could not be written; then only this
    /// process remembers it.
    pub fn put(&self, entry: &str) -> Result<()> {
        self.put_with(entry, &PutOptions::new())
    }

    /// The same with options.
    pub fn put_with(&self, entry: &str, options: &PutOptions) -> Result<()> {
        let raw = sys::atc_store_put_options {
            struct_size: size_of_u32::<sys::atc_store_put_options>(),
            replace_firm: switch(options.replace_firm),
            trust_compiled: switch(options.trust_compiled),
            reserved: 0,
        };
        // SAFETY: the handle is live. The text and the options are read for the call.
        call(|| unsafe {
            sys::atc_store_put(self.handle.shared(), entry.as_ptr().cast(), entry.len(), &raw)
        })
    }

    /// Returns all valid entries, as a JSON array.
    pub fn list(&self) -> Result<String> {
        // SAFETY: the handle is live, and the C function may write to `out`.
        string(|out| unsafe { sys::atc_store_list(out, self.handle.shared()) })
    }

    /// Returns how many of the valid entries are provisional. Reads every file of the store.
    pub fn provisional(&self) -> Result<u64> {
        // SAFETY: the handle is live, and the C function may write to `out`.
        query(|out| unsafe { sys::atc_store_provisional(out, self.handle.shared()) })
    }

    /// Removes the stored entry with the key of `entry`. Returns `false` if there was none.
    pub fn remove(&self, entry: &str) -> Result<bool> {
        // SAFETY: the handle is live. The text is read for the call, and `out` is written.
        query(|out: *mut i32| unsafe {
            sys::atc_store_remove(out, self.handle.shared(), entry.as_ptr().cast(), entry.len())
        })
        .map(|removed| removed != 0)
    }

    /// Returns all valid entries as one bundle.
    pub fn export(&self) -> Result<Vec<u8>> {
        // SAFETY: the handle is live, and the C function may write to `out`.
        bytes(|out| unsafe { sys::atc_store_export(out, self.handle.shared()) })
    }

    /// Adds the entries of a bundle. An existing entry is kept, unless it is provisional and the bundle's is firm.
    /// After [`ErrorKind::BadRecord`](crate::ErrorKind::BadRecord) the store is unchanged. Compiled parts are left out.
    pub fn import(&self, bundle: &[u8]) -> Result<Imported> {
        self.import_with(bundle, &ImportOptions::new())
    }

    /// The same with options.
    pub fn import_with(&self, bundle: &[u8], options: &ImportOptions) -> Result<Imported> {
        let raw = sys::atc_store_import_options {
            struct_size: size_of_u32::<sys::atc_store_import_options>(),
            replace: if options.join { sys::ATC_REPLACE_JOIN } else { switch(options.replace) },
            trust_compiled: switch(options.trust_compiled),
            reserved: 0,
        };
        let (mut added, mut kept) = (0, 0);
        // SAFETY: the handle is live. Bundle and options are read for the call, and both counts are
        // written.
        call(|| unsafe {
            sys::atc_store_import(
                &mut added,
                &mut kept,
                self.handle.shared(),
                bundle.as_ptr().cast(),
                bundle.len(),
                &raw,
            )
        })?;
        Ok(Imported { added, kept })
    }

    /// Joins bundles into one, as [`ImportOptions::join`] does. The order of the bundles has no influence.
    /// Compiled parts are left out.
    pub fn merge<B: AsRef<[u8]>>(bundles: &[B]) -> Result<Vec<u8>> {
        Self::merge_with(bundles, &MergeOptions::new())
    }

    /// The same with options.
    pub fn merge_with<B: AsRef<[u8]>>(bundles: &[B], options: &MergeOptions) -> Result<Vec<u8>> {
        let raw = sys::atc_store_merge_options {
            struct_size: size_of_u32::<sys::atc_store_merge_options>(),
            trust_compiled: switch(options.trust_compiled),
        };
        // `as_ref` is called once for each bundle, because a second call may return another slice.
        let bundles: Vec<&[u8]> = bundles.iter().map(AsRef::as_ref).collect();
        let pointers: Vec<_> = bundles.iter().map(|bundle| bundle.as_ptr().cast()).collect();
        let sizes: Vec<_> = bundles.iter().map(|bundle| bundle.len()).collect();
        // SAFETY: there are as many addresses and sizes as the count says, each for a slice that
        // lives for the call. The options live for the call, too.
        bytes(|out| unsafe {
            sys::atc_store_merge(out, pointers.as_ptr(), sizes.as_ptr(), sizes.len(), &raw)
        })
    }

    /// Returns a hash over keys and choices. Two stores with equal digests have equal choices for
    /// equal keys. If pins are in force ([`set_pins`](crate::settings::set_pins)), the hash also
    /// covers the pins.
    pub fn digest(&self) -> Result<u64> {
        // SAFETY: the handle is live, and the C function may write to `out`.
        query(|out| unsafe { sys::atc_store_digest(out, self.handle.shared()) })
    }

    /// Checks the store: reads every file and returns a line for each bad one.
    pub fn verify(&self) -> Result<Vec<String>> {
        // SAFETY: the handle is live, and the C function may write to `out`.
        let lines = string(|out| unsafe { sys::atc_store_verify(out, self.handle.shared()) })?;
        Ok(lines.lines().map(str::to_owned).collect())
    }

    /// Removes bad files, all but the newest `keep` entries, and sidecars (files with compiled
    /// parts) that no entry names and that are older than an hour. Returns the number of removed
    /// files, without the sidecars of removed entries.
    pub fn prune(&self, keep: u64) -> Result<u64> {
        // SAFETY: the handle is live, and the C function may write to `out`.
        query(|out| unsafe { sys::atc_store_prune(out, self.handle.shared(), keep) })
    }
}

impl std::fmt::Debug for Store {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_tuple("Store").field(&self.describe()).finish()
    }
}
