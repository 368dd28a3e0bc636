//! Tests that `init` logs a warning in a program that was linked without libtorch_cuda, and that the remedy in the
//! warning works. A stub takes the place of libtorch_cuda, in a folder with links to LibTorch's other libraries.
#![allow(missing_docs)]

mod support;

use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};

use atc::log::Level;
use atc_tch::{CudaState, ErrorKind};
use support::Folder;

const CHILD: &str = "ATC_TEST_CUDA_DROPPED";

/// Fills `folder` with links to all files of LibTorch's folder, and with a stub of libtorch_cuda.
fn libtorch_with_a_stub(folder: &Path) {
    let libtorch = atc_tch::describe().unwrap().file;
    for entry in std::fs::read_dir(libtorch.parent().unwrap()).unwrap() {
        let path = entry.unwrap().path();
        std::os::unix::fs::symlink(&path, folder.join(path.file_name().unwrap())).unwrap();
    }
    let source = folder.join("stub.rs");
    std::fs::write(&source, "#[unsafe(no_mangle)] pub extern \"C\" fn stub() {}").unwrap();
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let status = Command::new(rustc)
        .args([
            "--edition=2024",
            "--crate-type=cdylib",
            "-C",
            "link-arg=-Wl,-soname,libtorch_cuda.so",
        ])
        .arg(&source)
        .arg("-o")
        .arg(folder.join("libtorch_cuda.so"))
        .status()
        .unwrap();
    assert!(status.success());
}

#[test]
fn a_dropped_libtorch_cuda_is_reported_and_can_be_loaded() {
    if std::env::var_os(CHILD).is_some() {
        return child();
    }
    if atc_tch::describe().unwrap().cuda != CudaState::Absent {
        eprintln!("skipped: this LibTorch has a libtorch_cuda of its own");
        return;
    }
    let folder = Folder::new("cuda-dropped");
    libtorch_with_a_stub(folder.path());
    // libtorch_cpu needs libraries of CUDA. They lie near the real file of libtorch_cpu, and not near the
    // link in `folder`. So their folders are put into LD_LIBRARY_PATH.
    let real = atc_tch::describe().unwrap().file.canonicalize().unwrap();
    let mut folders = vec![folder.path().to_owned()];
    if let Ok(cuda) = std::fs::read_dir(real.parent().unwrap().join("../../nvidia")) {
        folders.extend(cuda.map(|entry| entry.unwrap().path().join("lib")));
    }
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "a_dropped_libtorch_cuda_is_reported_and_can_be_loaded", "--nocapture"])
        .env(CHILD, "1")
        .env("LD_LIBRARY_PATH", std::env::join_paths(folders).unwrap())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stdout));
}

fn child() {
    let lines = Arc::new(Mutex::new(Vec::new()));
    let heard = lines.clone();
    atc::log::set_sink(move |level, line| heard.lock().unwrap().push((level, line.to_owned())))
        .unwrap();
    // SAFETY: no other thread uses LibTorch.
    let info = unsafe { atc_tch::init() }.unwrap();
    assert_eq!(info.cuda, CudaState::NotLoaded, "{info:?}");
    assert!(info.cuda_file.as_deref().is_some_and(Path::is_file), "{info:?}");
    let advice = info.advice().unwrap();
    atc_tch::install().unwrap();
    let warnings = lines.lock().unwrap().clone();
    assert_eq!(warnings, [(Level::Warning, advice)], "told once, by the log");

    // The stub registers nothing. So LibTorch has no CUDA even after the stub was loaded, and `load_cuda` returns an
    // error.
    // SAFETY: no other thread uses LibTorch.
    let error = unsafe { atc_tch::load_cuda() }.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Library);
    let info = atc_tch::describe().unwrap();
    assert_eq!((info.cuda, info.cuda_available), (CudaState::Loaded, false));
    assert_eq!(info.advice(), None);

    // `install` must fail, because it would have to put hooks for CUDA into LibTorch while convolutions may be running.
    // Only `init` may put hooks.
    let error = atc_tch::install().unwrap_err();
    assert!(error.message().contains("call atc_tch::init() again"), "{error}");
    // SAFETY: no other thread uses LibTorch.
    unsafe { atc_tch::init() }.unwrap();
    atc_tch::install().unwrap();
    atc::log::clear_sink().unwrap();
}
