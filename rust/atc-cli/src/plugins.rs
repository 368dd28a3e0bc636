//! Loads plug-ins (shared libraries that contain engines).

use std::path::{Path, PathBuf};

use crate::cli::Plugins;
use crate::failure::{Failure, Result};

/// Loads the plug-ins that the command line names.
pub fn load(plugins: &Plugins) -> Result<()> {
    plugins.files.iter().try_for_each(|file| {
        let file = place(file)?;
        // SAFETY: the user names the file on the command line, and the help says that its code runs
        // with the user's rights. The author of the library is responsible for keeping the rules in
        // atc/extend.h.
        let loaded = unsafe { atc::engine::load_plugin(&file) };
        loaded.map_err(|error| Failure::new(format!("{}: {error}", file.display())))
    })
}

/// Returns the absolute path of a plug-in. If the path were only a file name, the loader would
/// search for it among the system's libraries.
fn place(file: &Path) -> Result<PathBuf> {
    file.canonicalize().map_err(|error| {
        Failure::new(format!("{}: no plug-in can be read there: {error}", file.display()))
    })
}
