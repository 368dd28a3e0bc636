//! Tests the C header that cbindgen generates from the packaged atc-sys. A program in ISO C includes this header, is
//! linked with libatc and calls libatc. The program also defines C functions with the names of nine functions of
//! torch-sys (`atc_…`). atc-sys has Rust functions with the same names. The test fails if a call reaches the wrong
//! function of that name.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{Outcome, repository};

/// Makes the header and the C program. Fails if the program cannot be compiled, linked or run.
pub fn check() -> Outcome {
    let library = std::env::var_os("ATC_LIB_DIR").map(PathBuf::from);
    let library = library.ok_or("set ATC_LIB_DIR to the folder of libatc.so")?;
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let folder = folder.path();
    let published = packaged(folder)?;

    let header = folder.join("atc_sys.h");
    let config = cbindgen::Config { language: cbindgen::Language::C, ..Default::default() };
    cbindgen::Builder::new()
        .with_config(config)
        .with_crate(published)
        .generate()
        .map_err(|error| error.to_string())?
        .write_to_file(&header);

    let program = folder.join("client");
    let sources = repository().join("tests/abi/collision");
    run(Command::new(std::env::var_os("CC").unwrap_or_else(|| "cc".into()))
        .args(["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror"])
        .arg(format!("-DATC1_HEADER=\"{}\"", header.display()))
        .args(["main.c", "call_theirs.c", "theirs.c"].map(|file| sources.join(file)))
        // The option -rdynamic makes the program export its own functions. Then these functions
        // could replace functions of libatc with the same names, as in a program that contains
        // torch-sys.
        .arg("-rdynamic")
        .arg("-L")
        .arg(&library)
        .arg("-latc")
        .arg(format!("-Wl,-rpath,{}", library.display()))
        .arg("-o")
        .arg(&program))?;
    run(&mut Command::new(program))
}

/// Makes the package of atc-sys with `cargo package`, unpacks it into a new folder in `folder`, and returns the new
/// folder.
fn packaged(folder: &Path) -> Result<PathBuf, String> {
    run(Command::new(env!("CARGO"))
        .args([
            "package",
            "--package=atc-sys",
            "--no-verify",
            "--allow-dirty",
            "--locked",
            "--quiet",
            "--target-dir",
        ])
        .arg(folder)
        .current_dir(repository().join("rust")))?;
    let name = concat!("atc-sys-", env!("CARGO_PKG_VERSION"));
    let archive = folder.join("package").join(format!("{name}.crate"));
    run(Command::new("tar").arg("-xzf").arg(archive).arg("-C").arg(folder))?;
    Ok(folder.join(name))
}

fn run(command: &mut Command) -> Outcome {
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{command:?}: {status}")),
        Err(error) => Err(format!("{command:?}: {error}")),
    }
}
