//! Tests that the bindings reach libatc, whether it is opened when the program starts (feature
//! `dlopen`) or linked.
#![allow(missing_docs)]

#[test]
fn libatc_answers() {
    assert!(atc_sys::is_loaded());
    // SAFETY: the C function takes no arguments and returns a number.
    assert_eq!(unsafe { atc_sys::atc_version() }, atc_sys::ATC_VERSION);
}
