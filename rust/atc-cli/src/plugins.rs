//! Plug-ins: shared libraries with engines.

use std::path::{Path, PathBuf};

use crate::cli::Plugins;
use crate::failure::{Failure, Result};

/// Loads the plug-ins that the command line names.
pub fn load(plugins: &Plugins) -> Result<()> {
    plugins.files.iter().try_for_each(|file| {
        let file = place(file)?;
        // SAFETY: the user names the file on the command line, whose help says that its code runs with the
        // user's rights; that the library keeps atc/extend.h's contract is its author's promise.
        let loaded = unsafe { atc::engine::load_plugin(&file) };
        loaded.map_err(|error| Failure::new(format!("{}: {error}", file.display())))
    })
}

/// The file with its folder: the loader would search for a bare name among the system's libraries.
fn place(file: &Path) -> Result<PathBuf> {
    file.canonicalize().map_err(|error| {
        Failure::new(format!("{}: no plug-in can be read there: {error}", file.display()))
    })
}
