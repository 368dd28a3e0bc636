//! Which store a command works on.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use atc::{Store, StoreMode};

use crate::failure::{Failure, Result};
use crate::output;

/// The environment's store, by name.
fn named_by_environment() -> Option<OsString> {
    std::env::var_os("ATC_STORE").filter(|directory| !directory.is_empty())
}

/// The store that decisions are read from and kept in, in use from now on; none: they are not kept, and
/// that is said.
pub fn for_tuning(given: Option<&Path>, quiet: bool) -> Result<Option<PathBuf>> {
    let say = |text: &str| {
        if !quiet {
            output::note(text);
        }
    };
    let store = match given {
        Some(directory) => {
            let store = Store::open_with(directory, mode())
                .map_err(|error| Failure::new(format!("--store: {error}")))?;
            store.activate()?;
            Some(store)
        }
        None => Store::active()?,
    };
    let Some(store) = store else {
        match named_by_environment() {
            Some(name) => say(&format!(
                "nothing is kept: the store {} that ATC_STORE names cannot be used",
                name.display()
            )),
            None => say(
                "nothing is kept: name a store with --store DIR or ATC_STORE=DIR to keep decisions",
            ),
        }
        return Ok(None);
    };
    let info = store.describe()?;
    if info.mode != StoreMode::ReadWrite {
        say(&format!(
            "new decisions are not kept: the store {} is open in mode {}",
            info.directory.display(),
            info.mode
        ));
    }
    Ok(Some(info.directory))
}

/// What ATC_MODE says; libatc itself applies it to ATC_STORE only.
fn mode() -> StoreMode {
    let named = std::env::var("ATC_MODE").ok().and_then(|name| name.parse().ok());
    named.filter(|mode| StoreMode::ALL.contains(mode)).unwrap_or(StoreMode::ReadWrite)
}

/// The directory a command on a store is about.
pub fn directory(given: Option<&Path>) -> Result<PathBuf> {
    given.map(Path::to_owned).or_else(|| named_by_environment().map(PathBuf::from)).ok_or_else(
        || Failure::Usage("which store? Name it with --store DIR or ATC_STORE=DIR".to_owned()),
    )
}

/// A store to look at: it has to be there, and nothing in it changes.
pub fn to_read(directory: &Path) -> Result<Store> {
    Ok(Store::open_with(directory, StoreMode::Read)?)
}

/// A store to change.
pub fn to_write(directory: &Path) -> Result<Store> {
    Ok(Store::open(directory)?)
}
