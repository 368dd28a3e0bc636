//! Joins, splits and checks bundles (files of decisions). Joining is done in memory. Splitting and checking import the
//! bundles into a store in a temporary folder.

use std::fs;
use std::path::Path;

use atc::{ImportOptions, MergeOptions, Store, StoreMode};
use tempfile::TempDir;

use super::names::is_hex;
use crate::failure::{Failure, Result};

/// Joins bundles in memory. As in a merge sort, two intermediate results are joined when both consist of the same
/// number of bundles. So the decisions of each of N bundles are read only about log2(N) times.
pub struct Joined {
    /// The intermediate results. Each has the logarithm (base 2) of the number of bundles of which it consists, and the
    /// bytes of the joined bundle. The logarithms decrease along the list.
    parts: Vec<(u32, Vec<u8>)>,
    options: MergeOptions,
}

impl Joined {
    /// Makes a value to which no bundle has been added. `compiled` says whether the compiled parts of the bundles
    /// (kernels) are kept.
    pub fn new(compiled: bool) -> Self {
        Self { parts: Vec::new(), options: MergeOptions::new().trust_compiled(compiled) }
    }

    pub fn add(&mut self, bundle: Vec<u8>) -> atc::Result<()> {
        let mut part = (0, bundle);
        while let Some(last) = self.parts.pop_if(|last| last.0 == part.0) {
            part = (part.0 + 1, Store::merge_with(&[last.1, part.1], &self.options)?);
        }
        self.parts.push(part);
        Ok(())
    }

    /// Returns all added bundles as one bundle; `None` if none was added. The same decisions always give the same
    /// bytes.
    pub fn bundle(&self) -> atc::Result<Option<Vec<u8>>> {
        if self.parts.is_empty() {
            return Ok(None);
        }
        let parts: Vec<_> = self.parts.iter().map(|part| &*part.1).collect();
        Store::merge_with(&parts, &self.options).map(Some)
    }
}

/// A store in a temporary folder, into which bundles are imported.
pub struct Staging {
    folder: TempDir,
    store: Store,
    options: ImportOptions,
}

impl Staging {
    /// Makes an empty store. `compiled` says whether the compiled parts of the bundles (kernels) are kept.
    pub fn new(compiled: bool) -> Result<Self> {
        let folder = tempfile::Builder::new().prefix("atc-").tempdir().map_err(|error| {
            Failure::new(format!(
                "no temporary folder can be made (TMPDIR names another place): {error}"
            ))
        })?;
        let store = Store::open(folder.path())?;
        let options = ImportOptions::new().join(true).trust_compiled(compiled);
        Ok(Self { folder, store, options })
    }

    pub fn import(&self, bundle: &[u8]) -> atc::Result<()> {
        self.store.import_with(bundle, &self.options).map(|_| ())
    }

    /// The names of the folders of environments in the store, sorted.
    pub fn environments(&self) -> Result<Vec<String>> {
        let failed = |error| unreadable(self.folder.path(), &error);
        let mut names = Vec::new();
        for entry in fs::read_dir(self.folder.path()).map_err(failed)? {
            let name = entry.map_err(failed)?.file_name().to_string_lossy().into_owned();
            if is_hex(&name, 16) {
                names.push(name);
            }
        }
        names.sort();
        Ok(names)
    }

    /// Returns for each environment its name and a bundle with its decisions. The same decisions always give the same
    /// bytes.
    pub fn into_environments(self) -> Result<Vec<(String, Vec<u8>)>> {
        let names = self.environments()?;
        let Self { folder, store, .. } = self;
        drop(store);
        let mut bundles = Vec::new();
        for name in names {
            // To export one environment alone, its folder is moved into a new folder, which is then opened as a store.
            // The new folder is inside the temporary folder, because a rename works only within one file system.
            let alone = folder.path().join(format!("alone-{name}"));
            let from = folder.path().join(&name);
            fs::create_dir(&alone)
                .and_then(|()| fs::rename(&from, alone.join(&name)))
                .map_err(|error| unreadable(&from, &error))?;
            bundles.push((name, Store::open_with(&alone, StoreMode::Read)?.export()?));
        }
        Ok(bundles)
    }
}

fn unreadable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::new(format!("{}: cannot be used: {error}", path.display()))
}

/// Checks that a bundle can be read and contains decisions. If `environment` is given, the bundle must not contain
/// decisions of another environment. If the bundle has a fault, the inner error describes it.
pub fn check(bundle: &[u8], environment: Option<&str>) -> Result<std::result::Result<(), String>> {
    let staging = Staging::new(false)?;
    if let Err(error) = staging.import(bundle) {
        return Ok(Err(error.to_string()));
    }
    let found = staging.environments()?;
    Ok(match found.as_slice() {
        [] => Err("has no decision".to_owned()),
        _ if environment.is_none() => Ok(()),
        [one] if Some(one.as_str()) == environment => Ok(()),
        _ => Err(format!("has decisions of the environment {}", found.join(", "))),
    })
}
