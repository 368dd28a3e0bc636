//! Stores that a fleet of machines shares by bundles in an object store: `atc store push` and
//! `atc store pull`.
//!
//! A bundle has the decisions of one environment. Its name is `ENVIRONMENT/SHA256.bundle`:
//! `ENVIRONMENT` is the name of the environment's folder in a store, and `SHA256` is the hash of the
//! bundle. So a name has one content for ever, and no two machines ever write different bytes to the
//! same name.

mod bundles;
mod names;
mod place;
mod pull;
mod push;
mod signature;
#[cfg(test)]
mod tests;

pub use place::{Access, Place};
pub use pull::pull;
pub use push::push;
pub use signature::{PublicKey, Signer};
