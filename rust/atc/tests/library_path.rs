//! The library path of CUDA's libraries. In a process of its own, because it can be set only before the first search.
#![allow(missing_docs)]

use atc::{ErrorKind, settings};

#[test]
fn library_folders_are_read_back() {
    let before = settings::library_path().unwrap();
    settings::set_library_path(&["/opt/one", "/opt/two"]).unwrap();
    let set = settings::library_path().unwrap();
    assert_eq!(set, ["/opt/one", "/opt/two"].map(std::path::PathBuf::from));
    let nul = settings::set_library_path(&["/opt/\0"]).unwrap_err();
    assert_eq!(nul.kind(), ErrorKind::InvalidArgument);
    settings::set_library_path(&before).unwrap();
    assert_eq!(settings::library_path(), Ok(before));
}
