//! Builds libatc with CMake. The errors of this file's functions are sentences. The build script passes them to cargo,
//! which shows them to the person who builds the program.

use crate::vars;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Builds the sources in the folder `source`, with `folder` as CMake's build folder. Returns the folder that contains
/// the new libatc.so. `carried` is true if `source` is the copy of libatc's sources in the packaged crate, and false if
/// it is atc's repository. The copy contains the headers of other projects that libatc needs, and is built without
/// oneDNN if oneDNN is not installed.
pub fn build(source: &Path, folder: &Path, carried: bool) -> Result<PathBuf, String> {
    configure(source, folder, carried)?;
    let mut cmake = vars::cmake();
    cmake.arg("--build").arg(folder).args(["--target", "atc", "--parallel", &vars::jobs()]);
    let (success, lines) = run_shown(cmake).map_err(cannot_run)?;
    if !success {
        let log = folder.join("atc-build.log");
        // If the log file cannot be written, the error is ignored. The error message that is made below then names a
        // log file that does not exist.
        let _ = std::fs::write(&log, lines);
        return Err(format!(
            "libatc does not compile: {} has the compiler's output",
            log.display()
        ));
    }
    Ok(folder.join("lib"))
}

fn configure(source: &Path, folder: &Path, carried: bool) -> Result<(), String> {
    let mut cmake = vars::cmake();
    cmake.arg("-S").arg(source).arg("-B").arg(folder);
    if !folder.join("CMakeCache.txt").exists() && !vars::generator_is_chosen() && ninja() {
        cmake.args(["-G", "Ninja"]);
    }
    cmake.args([
        "-DCMAKE_BUILD_TYPE=Release",
        "-DATC_TESTS=OFF",
        "-DATC_TORCH=OFF",
        "-DATC_CLI=OFF",
    ]);
    if carried {
        cmake
            .arg("-DATC_ONEDNN=AUTO")
            .arg(format!("-DATC_HEADERS={}", source.join("headers").display()));
    }
    cmake.args(vars::cmake_arguments());
    let output = run(&mut cmake)?;
    if output.status.success() {
        return Ok(());
    }
    let reason = reason(&String::from_utf8_lossy(&output.stderr));
    Err(format!("{reason} Arguments for CMake are taken from ATC_CMAKE_ARGS."))
}

fn ninja() -> bool {
    Command::new("ninja").arg("--version").output().is_ok_and(|output| output.status.success())
}

fn run(command: &mut Command) -> Result<Output, String> {
    command.output().map_err(cannot_run)
}

fn cannot_run(error: std::io::Error) -> String {
    format!(
        "CMake cannot be run ({error}): run scripts/setup build, which says what libatc is built with"
    )
}

/// Runs a command. Returns two values: whether the command succeeded, and its output. Each line of the output is also
/// printed immediately, because `cargo build -vv` shows these lines.
fn run_shown(mut command: Command) -> std::io::Result<(bool, String)> {
    let (reader, writer) = std::io::pipe()?;
    let mut child = command.stdout(writer.try_clone()?).stderr(writer).spawn()?;
    // The object `command` holds copies of the writing end of the pipe. It is dropped here, because the reading loop
    // below ends only when all copies of the writing end are closed.
    drop(command);
    let mut lines = String::new();
    for line in BufReader::new(reader).split(b'\n') {
        let line = line?;
        let line = String::from_utf8_lossy(&line);
        eprintln!("{line}");
        lines.push_str(&line);
        lines.push('\n');
    }
    Ok((child.wait()?.success(), lines))
}

/// Returns the text of the first error that CMake reported, in one line. `errors` is CMake's output on standard error.
/// If `errors` has no line that begins with "CMake Error", returns all of `errors`, in one line.
fn reason(errors: &str) -> String {
    let lines = errors.lines().skip_while(|line| !line.starts_with("CMake Error"));
    let text: Vec<&str> =
        lines.skip(1).take_while(|line| line.is_empty() || line.starts_with(' ')).collect();
    let words: Vec<&str> = text.iter().flat_map(|line| line.split_whitespace()).collect();
    if words.is_empty() {
        errors.split_whitespace().collect::<Vec<_>>().join(" ")
    } else {
        words.join(" ")
    }
}
