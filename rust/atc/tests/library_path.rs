//! Tests `settings::set_library_path`, which sets the folders in which atc searches for CUDA's libraries. The test has
//! a process of its own, because the folders can be set only before atc has searched for one of these libraries.
#![allow(missing_docs)]

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use atc::{ErrorKind, settings};

#[test]
fn library_folders_are_read_back() {
    let before = settings::library_path().unwrap();
    let folders =
        [&b"/opt/one"[..], b"/opt/tw\xf6"].map(|name| PathBuf::from(OsStr::from_bytes(name)));
    settings::set_library_path(&folders).unwrap();
    assert_eq!(settings::library_path().unwrap(), folders);
    let nul = settings::set_library_path(&["/opt/\0"]).unwrap_err();
    assert_eq!(nul.kind(), ErrorKind::InvalidArgument);
    let two = settings::set_library_path(&["/a", "/b:c"]).unwrap_err();
    assert_eq!(two.kind(), ErrorKind::InvalidArgument);
    assert!(two.message().contains("library_path") && two.message().contains(':'), "{two}");
    settings::set_library_path(&before).unwrap();
    assert_eq!(settings::library_path(), Ok(before));
}
