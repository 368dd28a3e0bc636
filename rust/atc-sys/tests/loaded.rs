//! Tests that the bindings can call libatc. With the feature `dlopen` libatc is opened when the
//! program starts; without the feature libatc is linked.
#![allow(missing_docs)]

#[test]
fn libatc_answers() {
    assert!(atc_sys::is_loaded());
    // SAFETY: the C function takes no arguments and returns a number.
    assert_eq!(unsafe { atc_sys::atc_version() }, atc_sys::ATC_VERSION);
}
