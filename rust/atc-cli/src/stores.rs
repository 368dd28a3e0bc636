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
            let store = Store::open_with(directory, mode()?)
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

/// What ATC_MODE says, which libatc itself applies to ATC_STORE only.
pub fn mode() -> Result<StoreMode> {
    let Some(name) = std::env::var_os("ATC_MODE").filter(|name| !name.is_empty()) else {
        return Ok(StoreMode::ReadWrite);
    };
    let known = StoreMode::ALL.iter().find(|mode| name == mode.to_string().as_str());
    known.copied().ok_or_else(|| {
        let modes: Vec<_> = StoreMode::ALL.iter().map(StoreMode::to_string).collect();
        Failure::Usage(format!(
            "ATC_MODE={} in the environment: use {}",
            name.display(),
            modes.join(", ")
        ))
    })
}

/// A mode that forbids what the command is about.
fn forbidden(directory: &Path, mode: StoreMode, what: &str) -> Failure {
    Failure::new(format!(
        "ATC_MODE={mode} in the environment: the store {} is not {what}; unset ATC_MODE for that",
        directory.display()
    ))
}

/// The directory a command on a store is about.
pub fn directory(given: Option<&Path>) -> Result<PathBuf> {
    given.map(Path::to_owned).or_else(|| named_by_environment().map(PathBuf::from)).ok_or_else(
        || Failure::Usage("which store? Name it with --store DIR or ATC_STORE=DIR".to_owned()),
    )
}

/// A store to look at: it has to be there, and nothing in it changes.
pub fn to_read(directory: &Path) -> Result<Store> {
    let mode = mode()?;
    if mode == StoreMode::Off {
        return Err(forbidden(directory, mode, "read"));
    }
    Ok(Store::open_with(directory, StoreMode::Read)?)
}

/// A store to change.
pub fn to_write(directory: &Path) -> Result<Store> {
    let mode = mode()?;
    if mode != StoreMode::ReadWrite {
        return Err(forbidden(directory, mode, "changed"));
    }
    Ok(Store::open(directory)?)
}
