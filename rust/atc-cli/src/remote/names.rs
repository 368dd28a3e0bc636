//! The names of bundles, and of the signatures of bundles.

use sha2::{Digest, Sha256};

const BUNDLE: &str = ".bundle";

/// The name of a bundle, relative to the URL of its place: `ENVIRONMENT/SHA256.bundle`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Name {
    /// The name of the environment's folder: 16 hexadecimal digits.
    pub environment: String,
    /// The SHA-256 of the bundle: 64 hexadecimal digits.
    pub sha256: String,
}

impl Name {
    pub fn of(environment: &str, bundle: &[u8]) -> Self {
        Self { environment: environment.to_owned(), sha256: sha256(bundle) }
    }

    /// Reads the name of a bundle. Returns `None` if the text is not a valid name.
    pub fn parse(text: &str) -> Option<Self> {
        let (environment, file) = text.split_once('/')?;
        let sha256 = file.strip_suffix(BUNDLE)?;
        let good = is_hex(environment, 16) && is_hex(sha256, 64);
        good.then(|| Self { environment: environment.to_owned(), sha256: sha256.to_owned() })
    }
}

impl std::fmt::Display for Name {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}/{}{BUNDLE}", self.environment, self.sha256)
    }
}

/// Whether the text ends like the name of a bundle. The name need not be valid.
pub fn is_bundle(text: &str) -> bool {
    text.ends_with(BUNDLE)
}

/// The name of a bundle's signature by the key with the ID `key_id`. The name contains the ID, so a signature by
/// another key never replaces this signature.
pub fn signature(bundle: &str, key_id: &str) -> String {
    format!("{bundle}.{key_id}.minisig")
}

/// The name that the program minisign gives to a signature.
pub fn signature_of_minisign(bundle: &str) -> String {
    format!("{bundle}.minisig")
}

pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

pub fn is_hex(text: &str, digits: usize) -> bool {
    text.len() == digits && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_an_environment_and_a_hash() {
        let name = Name::of("0123456789abcdef", b"bundle");
        assert_eq!(Name::parse(&name.to_string()), Some(name));
    }

    #[test]
    fn no_other_text_is_a_name() {
        let hash = sha256(b"bundle");
        for text in [
            format!("{hash}.bundle"),
            format!("../{hash}.bundle"),
            format!("0123456789abcdeF/{hash}.bundle"),
            format!("0123456789abcde/{hash}.bundle"),
            format!("0123456789abcdef/x/{hash}.bundle"),
            format!("0123456789abcdef/{}.bundle", &hash[1..]),
            format!("0123456789abcdef/{hash}"),
            format!("0123456789abcdef/{hash}.bundle.minisig"),
            format!("0123456789abcdef\u{1b}/{hash}.bundle"),
        ] {
            assert_eq!(Name::parse(&text), None, "{text}");
        }
    }
}
