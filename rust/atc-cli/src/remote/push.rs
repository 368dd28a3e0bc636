//! `atc store push`.

use atc::Store;
use serde::Serialize;

use super::bundles::Staging;
use super::names::{self, Name};
use super::place::Place;
use super::pull::read;
use super::signature::Signer;
use crate::failure::Result;

/// The result of a push, in the form of its JSON.
#[derive(Debug, Serialize)]
pub struct Pushed {
    pub url: String,
    /// The names of the bundles that were written.
    pub bundles: Vec<String>,
    /// The number of environments (a device and the versions of its libraries) for which no bundle
    /// was written, because the folder of bundles already has their decisions.
    pub unchanged: u64,
}

/// Writes bundles to `place` (the folder that a URL names): one for each environment for which the
/// store has decisions that the place lacks. If `signer` is given, each written bundle gets a
/// signature, and bundles that the place has already count only if they have a signature by this
/// key. If `compiled` is true, compiled parts (kernels) are written, too.
pub fn push(
    place: &Place,
    store: &Store,
    signer: Option<&Signer>,
    compiled: bool,
) -> Result<Pushed> {
    let own = Staging::new(compiled)?;
    own.import(&store.export()?)?;
    let mut pushed = Pushed { url: place.url().to_owned(), bundles: Vec::new(), unchanged: 0 };
    let listing = place.list()?;
    for (environment, bundle) in own.into_environments()? {
        let of_environment =
            |name: &&str| Name::parse(name).is_some_and(|name| name.environment == environment);
        let present: Vec<_> =
            listing.bundles.iter().map(String::as_str).filter(of_environment).collect();
        let mut there = read(place, &listing, &present, signer.map(Signer::public))?.joined;
        let before = there.bundle()?;
        there.add(bundle.clone())?;
        if before.is_some() && there.bundle()? == before {
            pushed.unchanged += 1;
            continue;
        }
        let name = Name::of(&environment, &bundle).to_string();
        if let Some(signer) = signer {
            // The signature is written before the bundle, so that no reader finds a bundle without
            // its signature.
            let signature = names::signature(&name, &signer.public().id());
            place.put(&signature, signer.sign(&bundle, &name)?.into_bytes())?;
        }
        place.put(&name, bundle)?;
        pushed.bundles.push(name);
    }
    Ok(pushed)
}
