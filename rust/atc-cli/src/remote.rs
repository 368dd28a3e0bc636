//! `atc store push` and `atc store pull`: machines share decisions through bundles (files of
//! decisions) in an object store or a folder.
//!
//! A bundle contains the decisions of one environment (a device and the versions of its libraries).
//! Its name is `ENVIRONMENT/SHA256.bundle`. `ENVIRONMENT` is the name of the environment's folder
//! in a store, and `SHA256` is the hash of the bundle's bytes. So the bytes of a file with a
//! certain name never change, and two machines never write different bytes under the same name.

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
