//! Finds and opens the store that a command uses.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use atc::{Store, StoreMode};

use crate::failure::{Failure, Result};
use crate::output;

/// Returns the store that the environment names (ATC_STORE).
fn named_by_environment() -> Option<OsString> {
    std::env::var_os("ATC_STORE").filter(|directory| !directory.is_empty())
}

/// Opens a store. `directory` may name several folders, separated by colons as in ATC_STORE.
/// Several folders are opened together as one store, and are called the layers of the store.
fn open(directory: &Path, mode: StoreMode) -> atc::Result<Store> {
    match layers_of(directory).as_slice() {
        [_] => Store::open_with(directory, mode),
        layers => Store::open_layers(layers, mode),
    }
}

/// Splits `directory` at colons, and returns the parts as folders. If a folder exists whose name is
/// the whole text, only this folder is returned.
fn layers_of(directory: &Path) -> Vec<PathBuf> {
    if directory.is_dir() {
        return vec![directory.to_owned()];
    }
    let parts = directory.as_os_str().as_bytes().split(|byte| *byte == b':');
    parts.map(|part| PathBuf::from(OsStr::from_bytes(part))).collect()
}

/// Whether a command prints a note if its decisions are not stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unkept {
    /// A note is printed, even with `--quiet`, so that the user knows that the measurements will be
    /// lost.
    Told,
    /// No note is printed, because the decisions are stored elsewhere.
    Expected,
}

/// Opens the store for a command that measures, and makes it the active store (the one that libatc
/// uses). Returns the store's directory, or `None` if there is no store; decisions are then not
/// stored.
pub fn for_tuning(given: Option<&Path>, unkept: Unkept) -> Result<Option<PathBuf>> {
    let say = |text: &str| output::note_unless(unkept == Unkept::Expected, text);
    let store = match given {
        Some(directory) => {
            let store = open(directory, mode()?)
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

/// Returns the store of a command that can also run without a store: the store `given` by
/// `--store`, which must exist, or else the active store (that of ATC_STORE). Returns `None` if
/// there is neither. If `writes` is true, the store `given` is opened in the mode of ATC_MODE,
/// otherwise for reading.
pub fn if_any(given: Option<&Path>, writes: bool) -> Result<Option<Store>> {
    let Some(directory) = given else { return Ok(Store::active()?) };
    let store = to_read(directory).and_then(|store| match writes {
        true => Ok(open(directory, mode()?)?),
        false => Ok(store),
    });
    store.map(Some).map_err(|error| Failure::new(format!("--store: {error}")))
}

/// Returns the mode in the variable ATC_MODE. libatc applies this mode only to the store that
/// ATC_STORE names, so this program must apply it to the store that --store names.
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

/// Returns the error for a value of ATC_MODE that does not allow the work of the command.
fn forbidden(directory: &Path, mode: StoreMode, what: &str) -> Failure {
    Failure::new(format!(
        "ATC_MODE={mode} in the environment: the store {} is not {what}; unset ATC_MODE for that",
        directory.display()
    ))
}

/// Returns the directory of the store on which a command works. It is an error if neither --store
/// nor ATC_STORE names one.
pub fn directory(given: Option<&Path>) -> Result<PathBuf> {
    given.map(Path::to_owned).or_else(|| named_by_environment().map(PathBuf::from)).ok_or_else(
        || Failure::Usage("which store? Name it with --store DIR or ATC_STORE=DIR".to_owned()),
    )
}

/// Opens an existing store for reading.
pub fn to_read(directory: &Path) -> Result<Store> {
    let mode = mode()?;
    if mode == StoreMode::Off {
        return Err(forbidden(directory, mode, "read"));
    }
    Ok(open(directory, StoreMode::Read)?)
}

/// Opens a store for changes. It is an error if ATC_MODE does not allow changes.
pub fn to_write(directory: &Path) -> Result<Store> {
    let mode = mode()?;
    if mode != StoreMode::ReadWrite {
        return Err(forbidden(directory, mode, "changed"));
    }
    Ok(open(directory, StoreMode::ReadWrite)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_separated_by_colons_unless_the_whole_name_is_a_folder() {
        let folder = tempfile::tempdir().unwrap();
        let whole = folder.path().join("a:b");
        let parts = [folder.path().join("a"), PathBuf::from("b")];
        assert_eq!(layers_of(&whole), parts);
        std::fs::create_dir(&whole).unwrap();
        assert_eq!(layers_of(&whole), [whole]);
        assert_eq!(layers_of(Path::new("a")), [PathBuf::from("a")]);
    }
}
