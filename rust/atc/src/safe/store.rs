//! Stores: folders in which decisions are kept. A decision says which implementation runs a problem (a convolution). An
//! entry is the file of a store that has the decision of one problem. A bundle is an exported store, as a sequence of
//! bytes.

use std::path::{Path, PathBuf};

use crate::raw::c_enum::c_enum;
use crate::raw::call::{c_path, call, fixed_path, query, size_of_u32, switch};
use crate::raw::error::{Error, Result};
use crate::raw::handle::{Owned, bytes, create, string};
use crate::sys;

c_enum! {
    /// The mode of a store: whether calls read it, and whether they write new decisions to it.
    StoreMode ("store mode") {
        /// The store is neither read nor written.
        Off = ATC_STORE_OFF => "off",
        /// The store is only read.
        Read = ATC_STORE_READ => "read",
        /// The store is read and written. The default.
        ReadWrite = ATC_STORE_READ_WRITE => "read-write",
        /// The store is only read. If a call needs a decision and the store has no entry for its problem, the call
        /// fails with [`ErrorKind::NotTuned`](crate::ErrorKind::NotTuned).
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

/// The options of [`Store::import_with`]. They say what happens if the store and the bundle (an exported store) both
/// have an entry (a stored decision) with the same key, and whether compiled kernels are imported.
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

    /// If the store has an entry with the same key as an entry of the bundle, the entry of the bundle replaces it.
    /// Exception: a provisional (uncertain) entry does not replace a firm (certain) one. Off by default.
    pub fn replace(mut self, enabled: bool) -> Self {
        self.replace = enabled;
        self
    }

    /// If the store has an entry with the same key as an entry of the bundle, both are joined into one entry. An entry
    /// can have several decisions, one for each set of engines and rewrites that a measurement has compared. For each
    /// such set the joined entry has the better of the two decisions. A firm (certain) decision is better than a
    /// provisional (uncertain) one. Between two firm or two provisional decisions, the one that compared more engines
    /// and rewrites is better; if these are equal, the one with the smaller risk. If the risks are equal, too, a hash
    /// decides.
    ///
    /// If two stores join the same bundles, they have the same choices afterwards, whatever the order of the bundles
    /// was. If the option `join` is on, the option [`replace`](Self::replace) has no effect. `join` is off by
    /// default.
    pub fn join(mut self, enabled: bool) -> Self {
        self.join = enabled;
        self
    }

    /// Imports the compiled kernels of the bundle, too. This process may run these kernels later. So turn this option
    /// on only if you trust the author of the bundle. Off by default.
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

    /// Copies the compiled kernels of the bundles into the merged bundle. A process that imports the merged bundle with
    /// [`ImportOptions::trust_compiled`] may run these kernels. So turn this option on only if you trust the authors of
    /// the bundles. Off by default.
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

    /// Lets a provisional (uncertain) entry replace a firm (certain) entry with the same key. Off by default.
    pub fn replace_firm(mut self, enabled: bool) -> Self {
        self.replace_firm = enabled;
        self
    }

    /// Stores the compiled kernels of the entry, too. This process may run these kernels later. So turn this option on
    /// only if you trust the author of the entry. Off by default.
    pub fn trust_compiled(mut self, enabled: bool) -> Self {
        self.trust_compiled = enabled;
        self
    }
}

/// The result of an import: how many entries of the bundle were written to the store, and how many were not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Imported {
    /// The number of entries that were written to the store: new entries, and entries that replaced an entry with the
    /// same key.
    pub added: u64,
    /// The number of entries of the bundle that were not written, because the store's own entry with the same key was
    /// kept.
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
    /// [`open_with`](Self::open_with). The other directories are only read; such a directory may be one that many
    /// machines share. If several layers have a decision of a problem, the best one is used (by the rules of
    /// [`ImportOptions::join`]). New decisions are written to the first layer. If one of the other directories cannot
    /// be used, it is left out, and a warning is logged. In mode `ReplayOnly` the call fails instead.
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

    /// Makes this store the active store of the process. From now on, all calls of the process that are not given
    /// another store read and write this store, even after this `Store` is dropped. Only the main program should call
    /// this function. A library should instead give its own store to each of its calls, with
    /// [`PlanOptions::store`](crate::PlanOptions::store) or [`Tuner::store`](crate::Tuner::store).
    pub fn activate(&self) -> Result<()> {
        // SAFETY: the object behind the C handle was not destroyed.
        call(|| unsafe { sys::atc_store_use(self.handle.shared()) })
    }

    /// Ends the use of the active store. From now on, the calls of this process use a store only if they are given one.
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
    /// `handle` came from [`sys::atc_store_open`], [`sys::atc_store_in_use`] or [`into_raw`](Self::into_raw) and is not
    /// NULL. Nobody else closes it.
    pub unsafe fn from_raw(handle: *mut sys::atc_store) -> Self {
        // SAFETY: the caller of this function meets the conditions of its `# Safety` section.
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
        // SAFETY: the object behind the C handle was not destroyed. The C function writes at most the `struct_size`
        // bytes of `raw`, and only during the call.
        call(|| unsafe { sys::atc_store_describe(&mut raw, self.handle.shared()) })?;
        Ok(StoreInfo {
            directory: fixed_path(&raw.directory),
            mode: StoreMode::from_raw(raw.mode),
            entries: raw.entries,
        })
    }

    /// Writes an entry (a decision) to the store. `entry` is a JSON text in the form that [`get`](Self::get) returns.
    /// It replaces an entry with the same key, except that a provisional (uncertain) entry does not replace a firm
    /// (certain) one. Compiled kernels of the entry are not stored. Fails with [`ErrorKind::Io`](crate::ErrorKind::Io)
    /// if the file could not be written; then this process nevertheless uses the entry until it ends.
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
        // SAFETY: the store was not closed. The text and the options live for the call.
        call(|| unsafe {
            sys::atc_store_put(self.handle.shared(), entry.as_ptr().cast(), entry.len(), &raw)
        })
    }

    /// Returns all valid entries of the store, as the text of a JSON array.
    pub fn list(&self) -> Result<String> {
        // SAFETY: the object behind the C handle was not destroyed. The C function writes only `out`, and only during
        // the call.
        string(|out| unsafe { sys::atc_store_list(out, self.handle.shared()) })
    }

    /// Returns the number of valid entries whose decision is provisional (uncertain). Reads every file of the store.
    pub fn provisional(&self) -> Result<u64> {
        // SAFETY: the object behind the C handle was not destroyed. The C function writes only `out`, and only during
        // the call.
        query(|out| unsafe { sys::atc_store_provisional(out, self.handle.shared()) })
    }

    /// Removes the entry that has the same key as `entry`. Returns `false` if the store has no such entry.
    pub fn remove(&self, entry: &str) -> Result<bool> {
        // SAFETY: the store was not closed. The text lives for the call, and the C function writes only `out`.
        query(|out: *mut i32| unsafe {
            sys::atc_store_remove(out, self.handle.shared(), entry.as_ptr().cast(), entry.len())
        })
        .map(|removed| removed != 0)
    }

    /// Returns all valid entries as one bundle (bytes that [`import`](Self::import) accepts).
    pub fn export(&self) -> Result<Vec<u8>> {
        // SAFETY: the object behind the C handle was not destroyed. The C function writes only `out`, and only during
        // the call.
        bytes(|out| unsafe { sys::atc_store_export(out, self.handle.shared()) })
    }

    /// Adds the entries of a bundle (the result of [`export`](Self::export)). If the store has an entry with the same
    /// key as an entry of the bundle, the store's entry is kept. Exception: a firm (certain) entry of the bundle
    /// replaces a provisional (uncertain) entry of the store. Compiled kernels are not imported. If the bundle is
    /// damaged, the call fails with [`ErrorKind::BadRecord`](crate::ErrorKind::BadRecord) and the store is unchanged.
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
        // SAFETY: the store was not closed. The bundle and the options live for the call, and the C function writes
        // only `added` and `kept`.
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

    /// Merges several bundles into one bundle. Entries with the same key are joined by the rules of
    /// [`ImportOptions::join`]. The order of the bundles does not change the result. The merged bundle has no compiled
    /// kernels.
    pub fn merge<B: AsRef<[u8]>>(bundles: &[B]) -> Result<Vec<u8>> {
        Self::merge_with(bundles, &MergeOptions::new())
    }

    /// Like [`merge`](Self::merge), but with options.
    pub fn merge_with<B: AsRef<[u8]>>(bundles: &[B], options: &MergeOptions) -> Result<Vec<u8>> {
        let raw = sys::atc_store_merge_options {
            struct_size: size_of_u32::<sys::atc_store_merge_options>(),
            trust_compiled: switch(options.trust_compiled),
        };
        // `as_ref` is called only once for each bundle, because a second call might return another slice. So address
        // and size are of the same slice.
        let bundles: Vec<&[u8]> = bundles.iter().map(AsRef::as_ref).collect();
        let pointers: Vec<_> = bundles.iter().map(|bundle| bundle.as_ptr().cast()).collect();
        let sizes: Vec<_> = bundles.iter().map(|bundle| bundle.len()).collect();
        // SAFETY: `pointers` and `sizes` have the address and the size of each bundle. The bundles and the options live
        // for the call.
        bytes(|out| unsafe {
            sys::atc_store_merge(out, pointers.as_ptr(), sizes.as_ptr(), sizes.len(), &raw)
        })
    }

    /// Returns the digest of the store: a hash over the keys and the choices of its entries. If two stores have equal
    /// digests, they have equal choices for equal keys. If pins (choices that a user has fixed by
    /// [`set_pins`](crate::settings::set_pins)) are in force, they are part of the hash, too.
    pub fn digest(&self) -> Result<u64> {
        // SAFETY: the object behind the C handle was not destroyed. The C function writes only `out`, and only during
        // the call.
        query(|out| unsafe { sys::atc_store_digest(out, self.handle.shared()) })
    }

    /// Checks the store. Reads every file, and returns one line of text for each damaged file.
    pub fn verify(&self) -> Result<Vec<String>> {
        // SAFETY: the object behind the C handle was not destroyed. The C function writes only `out`, and only during
        // the call.
        let lines = string(|out| unsafe { sys::atc_store_verify(out, self.handle.shared()) })?;
        Ok(lines.lines().map(str::to_owned).collect())
    }

    /// Removes three kinds of files: damaged files; all entries except the `keep` newest ones; and files with compiled
    /// kernels that are older than one hour and to which no entry refers. Returns the number of removed files. If an
    /// entry was removed together with the file of its compiled kernels, only the entry counts.
    pub fn prune(&self, keep: u64) -> Result<u64> {
        // SAFETY: the object behind the C handle was not destroyed. The C function writes only `out`, and only during
        // the call.
        query(|out| unsafe { sys::atc_store_prune(out, self.handle.shared(), keep) })
    }
}

impl std::fmt::Debug for Store {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_tuple("Store").field(&self.describe()).finish()
    }
}
