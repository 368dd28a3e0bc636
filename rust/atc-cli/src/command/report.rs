//! `atc report`.

use std::fs;
use std::path::Path;

use crate::cli::ReportArgs;
use crate::document::Document;
use crate::failure::{Failure, Outcome, Result};
use crate::output::{self, Target};
use crate::report::{self, Page};
use crate::{entries, stores};

pub fn run(args: &ReportArgs) -> Result<Outcome> {
    let page = match (&args.json, &args.store) {
        (Some(file), _) => of_file(file)?,
        (None, Some(directory)) => of_store(directory)?,
        (None, None) => {
            return Err(Failure::Usage("a report of what? Name JSON or --store DIR".to_owned()));
        }
    };
    let page = match args.ceilings {
        Some(ceilings) => page.under(ceilings),
        None => page,
    };
    let target = Target::open(&args.output)?;
    let is_file = !target.is_standard_output();
    let account = page.account();
    target.write(report::render(page)?.as_bytes())?;
    if is_file {
        output::note(&format!("wrote {} ({})", args.output.display(), account.told()));
    }
    Ok(Outcome::Done)
}

fn of_file(file: &Path) -> Result<Page> {
    let name = file.display().to_string();
    let text = fs::read_to_string(file)
        .map_err(|error| Failure::new(format!("{name}: cannot be read: {error}")))?;
    Ok(Page::of_run(&Document::parse(&name, &text)?))
}

fn of_store(directory: &Path) -> Result<Page> {
    let store = stores::to_read(directory)?;
    let entries = entries::of(&store)?;
    Ok(Page::of_store(&directory.display().to_string(), entries))
}
