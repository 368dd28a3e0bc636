//! Header -> bindgen -> cbindgen -> header -> bindgen.

use crate::Outcome;

pub fn check() -> Outcome {
    Ok(())
}
