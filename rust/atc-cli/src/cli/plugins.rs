//! The option that names plug-ins (shared libraries with engines).

use std::path::PathBuf;

use clap::Args;

/// Plug-ins to load.
#[derive(Debug, Args)]
pub struct Plugins {
    /// A shared library with engines (it exports atc1_plugin_init); may be given several times.
    /// Its code runs with your rights: load only libraries that you trust
    #[arg(long = "plugin", value_name = "LIB")]
    pub files: Vec<PathBuf>,
}
