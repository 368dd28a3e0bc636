//! The commands `atc store push` and `atc store pull`, which copy decisions from a store to an
//! object store or a folder, and back.

use std::path::Path;

use crate::failure::{Outcome, Result};

#[cfg(feature = "remote")]
pub fn push(
    directory: &Path,
    url: &str,
    sign: Option<&Path>,
    compiled: bool,
    json: bool,
) -> Result<Outcome> {
    use crate::remote::{self, Access, Place, Signer};
    use crate::{output, stores, units};

    let store = stores::to_read(directory)?;
    let signer = sign.map(Signer::read).transpose()?;
    let place = Place::open(url, Access::Push)?;
    let pushed = remote::push(&place, &store, signer.as_ref(), compiled)?;
    if json {
        output::print_json(&pushed)?;
        return Ok(Outcome::Done);
    }
    for name in &pushed.bundles {
        output::print(&output::printable(&format!("{}\n", place.named(name))))?;
    }
    output::note(&format!(
        "{} written; nothing new of {}",
        units::count(pushed.bundles.len() as u64, "bundle"),
        units::count(pushed.unchanged, "environment")
    ));
    Ok(Outcome::Done)
}

#[cfg(feature = "remote")]
pub fn pull(directory: &Path, url: &str, key: Option<&Path>, json: bool) -> Result<Outcome> {
    use crate::remote::{self, Access, Place, PublicKey};
    use crate::{output, stores, units};

    let key = key.map(PublicKey::read).transpose()?;
    let place = Place::open(url, Access::Pull)?;
    let store = stores::to_write(directory)?;
    let pulled = remote::pull(&place, &store, key.as_ref())?;
    for fault in &pulled.faults {
        output::note(fault);
    }
    if json {
        output::print_json(&pulled)?;
    } else {
        output::print(&output::printable(&format!(
            "{}: {} read; {} added, {} known already and kept as they were\n",
            place.url(),
            units::count(pulled.bundles, "bundle"),
            pulled.added,
            pulled.kept
        )))?;
    }
    Ok(if pulled.faults.is_empty() { Outcome::Done } else { Outcome::Partly })
}

#[cfg(not(feature = "remote"))]
pub fn push(_: &Path, _: &str, _: Option<&Path>, _: bool, _: bool) -> Result<Outcome> {
    Err(without_it())
}

#[cfg(not(feature = "remote"))]
pub fn pull(_: &Path, _: &str, _: Option<&Path>, _: bool) -> Result<Outcome> {
    Err(without_it())
}

#[cfg(not(feature = "remote"))]
fn without_it() -> crate::failure::Failure {
    crate::failure::Failure::new(
        "this atc was built without object stores: build it with the feature `remote` (cargo install --locked \
         --path rust/atc-cli --features remote), or copy bundles with atc store export and import --join",
    )
}
