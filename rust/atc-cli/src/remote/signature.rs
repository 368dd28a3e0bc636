//! Signatures of bundles, in the format of the program minisign.

use std::fs;
use std::io::Cursor;
use std::path::Path;

use minisign::{PublicKeyBox, SecretKeyBox, SignatureBox};

use crate::failure::{Failure, Result};

/// A public key, read from the file `minisign.pub` that `minisign -G` writes.
pub struct PublicKey {
    key: minisign::PublicKey,
}

impl PublicKey {
    pub fn read(file: &Path) -> Result<Self> {
        let text = text_of(file)?;
        let key = PublicKeyBox::from_string(&text).and_then(PublicKeyBox::into_public_key);
        let key = key.map_err(|_| {
            Failure::new(format!(
                "{}: is no public key of minisign (minisign -G makes one)",
                file.display()
            ))
        })?;
        Ok(Self { key })
    }

    /// The ID of the key: 16 hexadecimal digits, as minisign prints them.
    pub fn id(&self) -> String {
        self.key.keynum().iter().rev().map(|byte| format!("{byte:02X}")).collect()
    }

    /// Checks that `signature` is a signature of `bytes` by this key. The error is the end of a
    /// sentence that begins with "its signature".
    pub fn check(&self, bytes: &[u8], signature: &[u8]) -> std::result::Result<(), String> {
        let text = std::str::from_utf8(signature).map_err(|_| "is no signature".to_owned())?;
        let signature =
            SignatureBox::from_string(text).map_err(|_| "is no signature".to_owned())?;
        minisign::verify(&self.key, &signature, Cursor::new(bytes), true, false, false)
            .map_err(|_| format!("is no signature of the bundle by the key {}", self.id()))
    }
}

/// A secret key, read from the file `minisign.key` that `minisign -G` writes, and its public key.
pub struct Signer {
    secret: minisign::SecretKey,
    public: PublicKey,
}

impl Signer {
    /// Reads the key. If the key has a password, asks for the password on the terminal.
    pub fn read(file: &Path) -> Result<Self> {
        let refused = || {
            Failure::new(format!(
                "{}: is no secret key of minisign, or the password is another one",
                file.display()
            ))
        };
        let text = text_of(file)?;
        let parsed = || SecretKeyBox::from_string(&text).map_err(|_| refused());
        let secret = match parsed()?.into_unencrypted_secret_key() {
            Ok(secret) => secret,
            Err(_) => parsed()?.into_secret_key(None).map_err(|_| refused())?,
        };
        let key = minisign::PublicKey::from_secret_key(&secret).map_err(|_| refused())?;
        Ok(Self { secret, public: PublicKey { key } })
    }

    pub fn public(&self) -> &PublicKey {
        &self.public
    }

    /// Returns the signature of a bundle. `name`, the name of the bundle, becomes a comment of the
    /// signature; minisign signs this comment, too.
    pub fn sign(&self, bytes: &[u8], name: &str) -> Result<String> {
        minisign::sign(
            Some(&self.public.key),
            &self.secret,
            Cursor::new(bytes),
            Some(name),
            Some("decisions of atc"),
        )
        .map(SignatureBox::into_string)
        .map_err(|error| Failure::new(format!("{name}: cannot be signed: {error}")))
    }
}

fn text_of(file: &Path) -> Result<String> {
    fs::read_to_string(file)
        .map_err(|error| Failure::new(format!("{}: cannot be read: {error}", file.display())))
}
