//! `atc man-pages`.

use std::fs;

use clap::CommandFactory;

use crate::cli::{Cli, ManPagesArgs};
use crate::failure::{Failure, Outcome, Result};

pub fn run(args: &ManPagesArgs) -> Result<Outcome> {
    let folder = &args.folder;
    fs::create_dir_all(folder)
        .and_then(|()| clap_mangen::generate_to(Cli::command(), folder))
        .map_err(|error| {
            Failure::new(format!("{}: cannot be written: {error}", folder.display()))
        })?;
    Ok(Outcome::Done)
}
