//! `atc store pull`.

use std::ops::ControlFlow;

use atc::{ImportOptions, Store};
use serde::Serialize;

use super::bundles::{self, Joined};
use super::names::{self, Name};
use super::place::{Fetched, Got, Listing, Place};
use super::signature::PublicKey;
use crate::failure::{Failure, Result};

/// The result of a pull, in the form of its JSON.
#[derive(Debug, Serialize)]
pub struct Pulled {
    pub url: String,
    /// The number of bundles that were read into the store.
    pub bundles: u64,
    /// The number of decisions that were written to the store.
    pub added: u64,
    /// The number of decisions that the store had already.
    pub kept: u64,
    /// For each bundle or file that was left out: a sentence with the reason.
    pub faults: Vec<String>,
}

/// Imports all bundles of `place` (the folder that a URL names) into the store. If a transfer
/// fails, the store is not changed. A bundle with a fault is left out. If `key` is given, only
/// bundles with a signature by this key are imported, together with their compiled parts (kernels).
/// Without `key`, compiled parts are left out.
pub fn pull(place: &Place, store: &Store, key: Option<&PublicKey>) -> Result<Pulled> {
    let listing = place.list()?;
    let names: Vec<_> = listing.bundles.iter().map(String::as_str).collect();
    let read = read(place, &listing, &names, key)?;
    let mut pulled = Pulled {
        url: place.url().to_owned(),
        bundles: read.bundles,
        added: 0,
        kept: 0,
        faults: [listing.faults, read.faults].concat(),
    };
    if let Some(bundle) = read.joined.bundle()? {
        let options = ImportOptions::new().join(true).trust_compiled(key.is_some());
        let imported = store.import_with(&bundle, &options)?;
        (pulled.added, pulled.kept) = (imported.added, imported.kept);
    }
    Ok(pulled)
}

/// The bundles that were read from a place (the folder that a URL names), joined into one bundle.
pub struct Read {
    pub joined: Joined,
    bundles: u64,
    faults: Vec<String>,
}

pub fn read(
    place: &Place,
    listing: &Listing,
    names: &[&str],
    key: Option<&PublicKey>,
) -> Result<Read> {
    let mut read = Read { joined: Joined::new(key.is_some()), bundles: 0, faults: Vec::new() };
    let mut good = Vec::new();
    for name in names {
        if place.is_one_bundle() || Name::parse(name).is_some() {
            good.push(*name);
        } else {
            let named = place.named(name);
            read.faults.push(format!("{named}: is no ENVIRONMENT/SHA256.bundle; it was left out"));
        }
    }
    let key_id = key.map(PublicKey::id);
    place.fetch(good, listing, key_id.as_deref(), |fetched| {
        let named = place.named(fetched.name);
        match examine(place, fetched, key)? {
            ControlFlow::Continue(bundle) => {
                let joined = read.joined.add(bundle);
                joined.map_err(|error| Failure::new(format!("{named}: {error}")))?;
                read.bundles += 1;
            }
            ControlFlow::Break(fault) => {
                read.faults.push(format!("{named}: {fault}; it was left out"));
            }
        }
        Ok(())
    })?;
    Ok(read)
}

/// Checks a fetched bundle. Returns its bytes if it has no fault; otherwise returns a description
/// of the fault.
fn examine(
    place: &Place,
    fetched: Fetched,
    key: Option<&PublicKey>,
) -> Result<ControlFlow<String, Vec<u8>>> {
    let fault = |text: &str| Ok(ControlFlow::Break(text.to_owned()));
    let bundle = match fetched.bundle {
        Got::Bytes(bytes) => bytes,
        Got::Absent => return fault("is no file that can be fetched"),
        Got::TooLarge => return fault("is larger than 1 GiB"),
    };
    let name = Name::parse(fetched.name).filter(|_| !place.is_one_bundle());
    if name.as_ref().is_some_and(|name| name.sha256 != names::sha256(&bundle)) {
        return fault("does not have the SHA-256 of its name: it was cut off or changed");
    }
    if let Some(key) = key {
        let Some(signature) = fetched.signature else {
            return fault(&format!("has no signature by the key {}", key.id()));
        };
        if let Err(why) = key.check(&bundle, &signature) {
            return fault(&format!("its signature {why}"));
        }
    }
    if let Err(why) = bundles::check(&bundle, name.as_ref().map(|name| &*name.environment))? {
        return fault(&why);
    }
    Ok(ControlFlow::Continue(bundle))
}
