//! Tests the header that cbindgen makes of the packaged atc-sys: a program in ISO C compiles and links with it and
//! calls libatc, although torch-sys's functions of the same Rust names are in the program.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{Outcome, repository};

/// Fails if the header cannot be used.
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
        // Exports the executable's own functions, as in a program with torch-sys.
        .arg("-rdynamic")
        .arg("-L")
        .arg(&library)
        .arg("-latc")
        .arg(format!("-Wl,-rpath,{}", library.display()))
        .arg("-o")
        .arg(&program))?;
    run(&mut Command::new(program))
}

/// atc-sys as `cargo package` makes it, unpacked.
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
