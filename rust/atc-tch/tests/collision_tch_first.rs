//! Runs the test of collision/mod.rs, in which functions of libatc and torch-sys have equal names, with torch-sys's
//! archive before libatc on the link line. `#[link]` below causes this order: libraries that a crate names itself come
//! before those of its dependencies.
#![allow(missing_docs)]

mod collision;

#[link(name = "tch", kind = "static")]
unsafe extern "C" {}

#[test]
fn both_do_their_own_work() {
    collision::both_do_their_own_work();
}
