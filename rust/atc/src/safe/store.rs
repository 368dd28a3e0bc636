//! Stores: folders in which decisions are kept. A decision is the choice of an implementation for a problem. An entry
//! of a store is one decision; a bundle is an exported store, as bytes.

use std::path::{Path, PathBuf};

use crate::raw::c_enum::c_enum;
use crate::raw::call::{c_path, call, fixed_path, query, size_of_u32, switch};
use crate::raw::error::{Error, Result};
use crate::raw::handle::{Owned, bytes, create, string};
use crate::sys;

c_enum! {
    /// The mode of a store: whether the store is read and written.
    StoreMode ("store mode") {
        /// The store is neither read nor written.
        Off = ATC_STORE_OFF => "off",
        /// The store is only read.
        Read = ATC_STORE_READ => "read",
        /// The store is read and written. The default.
        ReadWrite = ATC_STORE_READ_WRITE => "read-write",
        /// The store is only read. If the store has no entry for a problem, the call fails with
        /// [`ErrorKind::NotTuned`](crate::ErrorKind::NotTuned).
        ReplayOnly = ATC_STORE_REPLAY_ONLY => "replay-only",
    }
}

/// A directory in which decisions are kept. Any number of processes and threads may use the directory at the same time.
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
    /// The number of decisions in the store.
    pub entries: u64,
}

/// The options of [`Store::import_with`]. The options say what happens to an entry (a stored decision) that both the
/// store and the bundle have.
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
    /// Makes options with the behaviour of [`Store::import`].
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes an entry of the bundle replace the store's entry with the same key. Exception: a provisional (uncertain)
    /// entry does not replace a firm one. Off by default.
    pub fn replace(mut self, enabled: bool) -> Self {
        self.replace = enabled;
        self
    }

    /// Joins an entry of the bundle with the store's entry with the same key. The joined entry keeps, for each set of
    /// engines and rewrites that were compared, the best decision of both entries. A firm decision is better than a
    /// provisional one. If both decisions are firm, or both are provisional, the decision with more engines and
    /// rewrites is better, and then the decision with the smaller risk. A hash decides between decisions that are equal
    /// in these points.
    ///
    /// Stores that join the same bundles have the same choices, whatever the order of the bundles. If this option is
    /// on, [`replace`](Self::replace) has no effect. Off by default.
    pub fn join(mut self, enabled: bool) -> Self {
        self.join = enabled;
        self
    }

    /// Keeps the compiled kernels of the bundle. With this option the author of the bundle decides which code runs in
    /// this process. Off by default.
    pub fn trust_compiled(mut self, enabled: bool) -> Self {
        self.trust_compiled = enabled;
        self
    }
}

/// The options of [`Store::merge_with`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[must_use = "each method returns the changed options and leaves these as they are"]
pub struct MergeOptions {
    trust_compiled: bool,
}

impl MergeOptions {
    /// Makes options with the behaviour of [`Store::merge`].
    pub fn new() -> Self {
        Self::default()
    }

    /// Keeps the compiled kernels of the bundles. With this option the authors of the bundles decide which code runs in
    /// a process that imports the result with [`ImportOptions::trust_compiled`]. Off by default.
    pub fn trust_compiled(mut self, enabled: bool) -> Self {
        self.trust_compiled = enabled;
        self
    }
}

/// The options of [`Store::put_with`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[must_use = "each method returns the changed options and leaves these as they are"]
pub struct PutOptions {
    replace_firm: bool,
    trust_compiled: bool,
}

impl PutOptions {
    /// Makes options with the behaviour of [`Store::put`].
    pub fn new() -> Self {
        Self::default()
    }

    /// Lets a provisional (uncertain) entry replace a firm one. Off by default.
    pub fn replace_firm(mut self, enabled: bool) -> Self {
        self.replace_firm = enabled;
        self
    }

    /// Keeps the compiled kernels of the entry. With this option the author of the entry decides which code runs in
    /// this process. Off by default.
    pub fn trust_compiled(mut self, enabled: bool) -> Self {
        self.trust_compiled = enabled;
        self
    }
}

/// How many entries of a bundle an import has written, and how many the import has not written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Imported {
    /// The number of entries that were written: new entries, and entries that replaced an entry of the store.
    pub added: u64,
    /// The number of entries that were not written, because the store has kept its own entry with the same key.
    pub kept: u64,
}

impl Store {
    /// Opens a store for reading and writing. The directory is made if it does not exist.
    pub fn open(directory: impl AsRef<Path>) -> Result<Self> {
        Self::open_with(directory, StoreMode::ReadWrite)
    }

    /// Opens a store in the given mode. Fails with [`ErrorKind::Io`](crate::ErrorKind::Io) if the directory cannot be
    /// used.
    pub fn open_with(directory: impl AsRef<Path>, mode: StoreMode) -> Result<Self> {
        let directory = c_path("store directory", directory.as_ref())?;
        // SAFETY: the string lives for the call, and the C function writes `out`.
        let handle =
            create(|out| unsafe { sys::atc_store_open(out, directory.as_ptr(), mode.to_raw()) })?;
        handle.map(|handle| Self { handle }).ok_or_else(|| {
            Error::new(sys::ATC_ERROR_INTERNAL, "libatc opened a store and gave none")
        })
    }

    /// Opens a store that consists of several directories (layers). The first directory is opened as by
    /// [`open_with`](Self::open_with). The other directories are only read, for example a folder that many machines
    /// share. A look-up joins the decisions of all layers. New decisions are written to the first layer. If one of the
    /// other directories cannot be used, it is left out with a warning; in mode `ReplayOnly` the call fails.
    pub fn open_layers(
        directories: impl IntoIterator<Item = impl AsRef<Path>>,
        mode: StoreMode,
    ) -> Result<Self> {
        let directories = directories.into_iter();
        let directories = directories.map(|one| c_path("store directory", one.as_ref()));
        let directories = directories.collect::<Result<Vec<_>>>()?;
        let pointers: Vec<_> = directories.iter().map(|one| one.as_ptr()).collect();
        // SAFETY: the strings and their pointers live for the call, and the C function writes `out`.
        let handle = create(|out| unsafe {
            sys::atc_store_open_layers(out, pointers.as_ptr(), pointers.len(), mode.to_raw())
        })?;
        handle.map(|handle| Self { handle }).ok_or_else(|| {
            Error::new(sys::ATC_ERROR_INTERNAL, "libatc opened a store and gave none")
        })
    }

    /// Makes this store the active store of the process. From now on, plan creation, calls without a plan and tuning
    /// use the store, even after this handle is dropped. Only the main program should call this function. A library
    /// should give its own store to each call, with [`PlanOptions::store`](crate::PlanOptions::store) or
    /// [`Tuner::store`](crate::Tuner::store).
    pub fn activate(&self) -> Result<()> {
        // SAFETY: the handle is live.
        call(|| unsafe { sys::atc_store_use(self.handle.shared()) })
    }

    /// Ends the use of the active store. From now on, calls of this process that are not given a store use no store.
    pub fn deactivate() -> Result<()> {
        // SAFETY: NULL means that there is no active store.
        call(|| unsafe { sys::atc_store_use(std::ptr::null()) })
    }

    /// Returns the active store; `None` if no store is active.
    pub fn active() -> Result<Option<Self>> {
        // SAFETY: the C function writes `out`.
        let handle = create(|out| unsafe { sys::atc_store_in_use(out) })?;
        Ok(handle.map(|handle| Self { handle }))
    }

    /// Makes a store from a C handle. The new store owns the handle.
    ///
    /// # Safety
    /// `handle` came from [`sys::atc_store_open`], [`sys::atc_store_in_use`] or
    /// [`into_raw`](Self::into_raw) and is not NULL, and nobody else closes it.
    pub unsafe fn from_raw(handle: *mut sys::atc_store) -> Self {
        // SAFETY: the caller keeps the contract of this function.
        Self { handle: unsafe { Owned::from_raw(handle) } }
    }

    /// Returns the store as a C handle. The caller must close the handle with [`sys::atc_store_close`].
    #[must_use = "the handle is never closed unless the caller does it"]
    pub fn into_raw(self) -> *mut sys::atc_store {
        self.handle.into_raw()
    }

    /// Returns the C handle, for functions of [`sys`]. The store still owns the handle: the pointer is valid as long as
    /// the store lives. Any thread may use the pointer.
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

    /// Writes an entry (a decision) to the store. `entry` is a JSON text in the form that [`get`](Self::get) returns. A
    /// provisional (uncertain) entry does not replace a firm one. Compiled kernels of the entry are left out. Fails
    /// with [`ErrorKind::Io`](crate::ErrorKind::Io) if the entry could not be written; then only this process has the
    /// entry.
    pub fn put(&self, entry: &str) -> Result<()> {
        self.put_with(entry, &PutOptions::new())
    }

    /// Like [`put`](Self::put), but with options.
    pub fn put_with(&self, entry: &str, options: &PutOptions) -> Result<()> {
        let raw = sys::atc_store_put_options {
            struct_size: size_of_u32::<sys::atc_store_put_options>(),
            replace_firm: switch(options.replace_firm),
            trust_compiled: switch(options.trust_compiled),
            reserved: 0,
        };
        // SAFETY: the handle is live. The text and the options live for the call.
        call(|| unsafe {
            sys::atc_store_put(self.handle.shared(), entry.as_ptr().cast(), entry.len(), &raw)
        })
    }

    /// Returns all valid entries of the store, as the text of a JSON array.
    pub fn list(&self) -> Result<String> {
        // SAFETY: the handle is live, and the C function may write to `out`.
        string(|out| unsafe { sys::atc_store_list(out, self.handle.shared()) })
    }

    /// Returns the number of valid entries that are provisional (uncertain). Reads every file of the store.
    pub fn provisional(&self) -> Result<u64> {
        // SAFETY: the handle is live, and the C function may write to `out`.
        query(|out| unsafe { sys::atc_store_provisional(out, self.handle.shared()) })
    }

    /// Removes the entry that has the same key as `entry`. Returns `false` if the store has no such entry.
    pub fn remove(&self, entry: &str) -> Result<bool> {
        // SAFETY: the handle is live. The text lives for the call, and the C function writes `out`.
        query(|out: *mut i32| unsafe {
            sys::atc_store_remove(out, self.handle.shared(), entry.as_ptr().cast(), entry.len())
        })
        .map(|removed| removed != 0)
    }

    /// Returns all valid entries as one bundle (bytes that [`import`](Self::import) accepts).
    pub fn export(&self) -> Result<Vec<u8>> {
        // SAFETY: the handle is live, and the C function may write to `out`.
        bytes(|out| unsafe { sys::atc_store_export(out, self.handle.shared()) })
    }

    /// Adds the entries of a bundle. If the store has an entry with the same key, this entry is kept, except that a
    /// firm entry of the bundle replaces a provisional (uncertain) entry of the store. Compiled kernels are left out.
    /// If the bundle is damaged, the call fails with [`ErrorKind::BadRecord`](crate::ErrorKind::BadRecord) and the
    /// store is unchanged.
    pub fn import(&self, bundle: &[u8]) -> Result<Imported> {
        self.import_with(bundle, &ImportOptions::new())
    }

    /// Like [`import`](Self::import), but with options.
    pub fn import_with(&self, bundle: &[u8], options: &ImportOptions) -> Result<Imported> {
        let raw = sys::atc_store_import_options {
            struct_size: size_of_u32::<sys::atc_store_import_options>(),
            replace: if options.join { sys::ATC_REPLACE_JOIN } else { switch(options.replace) },
            trust_compiled: switch(options.trust_compiled),
            reserved: 0,
        };
        let (mut added, mut kept) = (0, 0);
        // SAFETY: the handle is live. The bundle and the options live for the call, and the C function writes both
        // counts.
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

    /// Joins several bundles into one bundle, by the rules of [`ImportOptions::join`]. The order of the bundles does
    /// not change the result. Compiled kernels are left out.
    pub fn merge<B: AsRef<[u8]>>(bundles: &[B]) -> Result<Vec<u8>> {
        Self::merge_with(bundles, &MergeOptions::new())
    }

    /// Like [`merge`](Self::merge), but with options.
    pub fn merge_with<B: AsRef<[u8]>>(bundles: &[B], options: &MergeOptions) -> Result<Vec<u8>> {
        let raw = sys::atc_store_merge_options {
            struct_size: size_of_u32::<sys::atc_store_merge_options>(),
            trust_compiled: switch(options.trust_compiled),
        };
        // `as_ref` is called once for each bundle, because a second call may return another slice.
        let bundles: Vec<&[u8]> = bundles.iter().map(AsRef::as_ref).collect();
        let pointers: Vec<_> = bundles.iter().map(|bundle| bundle.as_ptr().cast()).collect();
        let sizes: Vec<_> = bundles.iter().map(|bundle| bundle.len()).collect();
        // SAFETY: `pointers` and `sizes` have one number for each bundle, and each bundle is a slice that lives for the
        // call. The options live for the call, too.
        bytes(|out| unsafe {
            sys::atc_store_merge(out, pointers.as_ptr(), sizes.as_ptr(), sizes.len(), &raw)
        })
    }

    /// Returns the digest of the store: a hash over the keys and the choices of the entries. Two stores with equal
    /// digests have equal choices for equal keys. If pins (choices that a user has fixed,
    /// [`set_pins`](crate::settings::set_pins)) are in force, the hash also depends on the pins.
    pub fn digest(&self) -> Result<u64> {
        // SAFETY: the handle is live, and the C function may write to `out`.
        query(|out| unsafe { sys::atc_store_digest(out, self.handle.shared()) })
    }

    /// Checks the store. Reads every file, and returns one line of text for each bad file.
    pub fn verify(&self) -> Result<Vec<String>> {
        // SAFETY: the handle is live, and the C function may write to `out`.
        let lines = string(|out| unsafe { sys::atc_store_verify(out, self.handle.shared()) })?;
        Ok(lines.lines().map(str::to_owned).collect())
    }

    /// Removes three kinds of files: bad files, all entries except the newest `keep`, and files with compiled kernels
    /// that no entry names and that are older than one hour. Returns the number of removed files. Files with compiled
    /// kernels that were removed together with their entry are not counted.
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
