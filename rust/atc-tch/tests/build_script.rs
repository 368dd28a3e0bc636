//! Tests the lines that the build script prints for cargo: the folder of the bridge (libatc_torch),
//! the files that cargo must watch, and the warning if there is no bridge.
#![allow(missing_docs)]

use std::path::{Path, PathBuf};
use std::process::Command;

#[path = "../build/main.rs"]
mod build_script;

/// Two folders for a test: one for libraries, and one for pkg-config's `.pc` files.
struct Folders {
    library: PathBuf,
    packages: PathBuf,
}

impl Folders {
    fn new(name: &str) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("build-script-{name}"));
        let _ = std::fs::remove_dir_all(&folder);
        let folders = Self { library: folder.join("lib"), packages: folder.join("pkgconfig") };
        std::fs::create_dir_all(&folders.library).unwrap();
        std::fs::create_dir_all(&folders.packages).unwrap();
        folders
    }

    fn bridge(&self) -> PathBuf {
        self.library.join("libatc_torch.so")
    }

    /// Returns the lines that the script prints for cargo if atc-sys has found libatc in `libatc`.
    fn told(&self, libatc: &Path) -> Vec<String> {
        let output = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "the_script_itself", "--ignored", "--nocapture"])
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("CARGO_MANIFEST_DIR", env!("CARGO_MANIFEST_DIR"))
            .env("DEP_ATC_LIBDIR", libatc)
            .env("PKG_CONFIG_LIBDIR", &self.packages)
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        let text = String::from_utf8(output.stdout).unwrap();
        text.lines().filter(|line| line.starts_with("cargo:")).map(str::to_owned).collect()
    }
}

fn watches(told: &[String], file: &Path) -> bool {
    told.contains(&format!("cargo::rerun-if-changed={}", file.display()))
}

/// Whether cargo would run the script at each build. This is the case if one of the watched files
/// does not exist.
fn runs_each_time(told: &[String]) -> bool {
    let mut watched = told.iter().filter_map(|line| line.strip_prefix("cargo::rerun-if-changed="));
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    watched.any(|file| !package.join(file).exists())
}

fn links(told: &[String], folder: &Path) -> bool {
    told.contains(&format!("cargo::rustc-link-search=native={}", folder.display()))
}

#[test]
#[ignore = "the other tests start it as a process, whose output cargo would read"]
fn the_script_itself() {
    build_script::main();
}

#[test]
fn without_a_bridge_cargo_waits_for_one_and_the_flag_is_named() {
    let folders = Folders::new("none");
    let told = folders.told(&folders.library);
    // The script must run at each build. Otherwise cargo would not notice a bridge that is
    // installed later, because the date of its file may be older than this run.
    assert!(runs_each_time(&told), "{told:#?}");
    let warning = told.iter().find(|line| line.starts_with("cargo::warning=")).unwrap();
    for part in ["-DATC_TORCH=ON", "-DLIBTORCH_ROOT", folders.library.to_str().unwrap()] {
        assert!(warning.contains(part), "{warning}");
    }
}

#[test]
fn a_bridge_beside_libatc_is_linked_and_watched() {
    let folders = Folders::new("beside");
    std::fs::write(folders.bridge(), "").unwrap();
    let told = folders.told(&folders.library);
    assert!(links(&told, &folders.library) && watches(&told, &folders.bridge()), "{told:#?}");
    assert!(!runs_each_time(&told), "{told:#?}");
    assert!(!told.iter().any(|line| line.starts_with("cargo::warning=")), "{told:#?}");
}

#[test]
fn a_bridge_that_pkg_config_names_is_linked_and_watched() {
    let folders = Folders::new("elsewhere");
    std::fs::write(folders.bridge(), "").unwrap();
    let package = format!(
        "Name: atc-torch\nDescription: the bridge\nVersion: {}\nLibs: -L{} -latc_torch\n",
        env!("CARGO_PKG_VERSION"),
        folders.library.display()
    );
    std::fs::write(folders.packages.join("atc-torch.pc"), package).unwrap();
    let told = folders.told(Path::new("/nowhere"));
    assert!(links(&told, &folders.library) && watches(&told, &folders.bridge()), "{told:#?}");
    assert!(!runs_each_time(&told), "{told:#?}");
}
