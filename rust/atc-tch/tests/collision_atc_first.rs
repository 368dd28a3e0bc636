//! The collision proof with libatc before torch-sys's archive on the link line: what a crate names
//! itself comes before what its dependencies bring.
#![allow(missing_docs)]

mod collision;

#[link(name = "atc", kind = "dylib")]
unsafe extern "C" {}

#[test]
fn both_do_their_own_work() {
    collision::both_do_their_own_work();
}
