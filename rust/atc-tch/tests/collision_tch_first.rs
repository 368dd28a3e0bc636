//! The collision proof with torch-sys's archive before libatc on the link line: what a crate names
//! itself comes before what its dependencies bring.
#![allow(missing_docs)]

mod collision;

#[link(name = "tch", kind = "static")]
unsafe extern "C" {}

#[test]
fn both_do_their_own_work() {
    collision::both_do_their_own_work();
}
