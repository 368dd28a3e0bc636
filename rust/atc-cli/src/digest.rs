//! Computes the SHA-256 of results, as hexadecimal digits.

use sha2::{Digest, Sha256};

/// Returns the SHA-256 of the bits of the numbers. Equal numbers with different bits (-0 and 0)
/// give different digests.
pub fn of_numbers(values: &[f64]) -> String {
    let mut hasher = Sha256::new();
    for value in values {
        hasher.update(value.to_bits().to_le_bytes());
    }
    hexadecimal(hasher)
}

pub fn of_text(text: &str) -> String {
    hexadecimal(Sha256::new().chain_update(text))
}

fn hexadecimal(hasher: Sha256) -> String {
    hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_bit_is_another_digest() {
        assert!(of_text("abc").starts_with("ba7816bf8f01cfea"));
        assert_eq!(of_numbers(&[]), of_text(""));
        assert_ne!(of_numbers(&[0.0]), of_numbers(&[-0.0]));
        assert_ne!(of_numbers(&[1.0, 2.0]), of_numbers(&[2.0, 1.0]));
        assert_ne!(of_numbers(&[1.0]), of_numbers(&[1.0 + f64::EPSILON]));
    }
}
