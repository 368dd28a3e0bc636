//! Nine C functions of the crate torch-sys have the same names (`atc_…`) as functions in the Rust bindings of libatc.
//! This test builds a program that links libatc and a substitute for torch-sys with these nine functions. The
//! substitute is linked before libatc and after libatc, and as a shared and as a static library. In each case a call
//! through the bindings must reach libatc, and never the substitute.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder in which the build script has found libatc.
const LIBRARY_FOLDER: Option<&str> = option_env!("ATC_SYS_LIBRARY_FOLDER");

struct Workbench {
    folder: PathBuf,
}

impl Workbench {
    fn new(name: &str) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("collision-{name}"));
        std::fs::create_dir_all(&folder).unwrap();
        let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
        for (from, to) in [
            ("tests/collision/theirs.rs", "theirs.rs"),
            ("tests/collision/program.rs", "program.rs"),
            ("src/bindings.rs", "bindings.rs"),
        ] {
            std::fs::copy(crate_folder.join(from), folder.join(to)).unwrap();
        }
        Self { folder }
    }

    fn rustc(&self, arguments: &[&str]) {
        let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
        let status = Command::new(rustc)
            .current_dir(&self.folder)
            .args(["--edition=2024", "-L", "."])
            .args(arguments)
            .status()
            .expect("rustc");
        assert!(status.success(), "rustc {arguments:?}");
    }

    fn run(&self, library_folder: &str) {
        let output = Command::new(self.folder.join("program"))
            .env("LD_LIBRARY_PATH", format!("{library_folder}:{}", self.folder.display()))
            .output()
            .expect("the program starts");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

fn both_answer(name: &str, theirs_crate_type: &str, link: &[&str]) {
    let Some(library_folder) = LIBRARY_FOLDER else {
        let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        assert!(
            !repository.join("CMakeLists.txt").exists(),
            "libatc was not found when atc-sys was built: set ATC_LIB_DIR to its folder"
        );
        eprintln!("skipped: libatc was not found when atc-sys was built");
        return;
    };
    let bench = Workbench::new(name);
    bench.rustc(&["--crate-type", theirs_crate_type, "theirs.rs"]);
    let mut arguments = vec!["program.rs", "-L", library_folder];
    arguments.extend(link.iter().flat_map(|library| ["-l", library]));
    bench.rustc(&arguments);
    bench.run(library_folder);
}

#[test]
fn theirs_is_linked_before() {
    both_answer("before", "cdylib", &["dylib=theirs", "dylib=atc"]);
}

#[test]
fn theirs_is_linked_after() {
    both_answer("after", "cdylib", &["dylib=atc", "dylib=theirs"]);
}

#[test]
fn theirs_is_an_archive_in_the_program_as_torch_sys_is() {
    both_answer("inside", "staticlib", &["static=theirs", "dylib=atc"]);
}
