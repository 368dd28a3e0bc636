//! Tests completions for shells, and manual pages.

mod common;

use std::fs;
use std::process::Command;

use common::{Folder, atc, output};
use predicates::str::contains;

const COMMANDS: [&str; 12] = [
    "env",
    "tune",
    "explain",
    "select",
    "pins",
    "trace",
    "compare",
    "advise",
    "determinism",
    "report",
    "store",
    "completions",
];

#[test]
fn shells_complete_every_command_that_help_shows() {
    let folder = Folder::new();
    for shell in ["bash", "zsh", "fish"] {
        let script = output(&mut folder.atc(&["completions", shell]));
        for command in COMMANDS {
            assert!(script.contains(command), "{shell}: {command} is missing");
        }
        for word in ["retune", "prune", "replay", "man-pages", "compare-side", "determinism-side"] {
            let is_shown = ["retune", "prune", "man-pages"].contains(&word);
            assert_eq!(script.contains(word), is_shown, "{shell}: {word}");
        }
    }
    atc().args(["completions", "dos"]).assert().code(2).stderr(contains("bash"));
}

#[test]
fn bash_takes_the_script() {
    let folder = Folder::new();
    let script = folder.write("atc.bash", &output(&mut folder.atc(&["completions", "bash"])));
    let asked = "source \"$1\"; COMP_WORDS=(atc store pr); COMP_CWORD=2; _atc atc pr store; echo \"${COMPREPLY[@]}\"";
    match Command::new("bash").args(["-c", asked, "bash"]).arg(script).output() {
        Ok(ended) => {
            assert_eq!(String::from_utf8_lossy(&ended.stdout).trim(), "prune", "{ended:?}")
        }
        Err(error) => eprintln!("skipped: there is no bash: {error}"),
    }
}

#[test]
fn every_command_has_a_manual_page() {
    let folder = Folder::new();
    let written = folder.atc(&["man-pages", "share/man1"]).assert().success().stdout("");
    written.stderr(contains(" pages to share/man1"));
    let page = |name: &str| fs::read_to_string(folder.path("share/man1").join(name)).unwrap();
    assert!(page("atc.1").contains(".TH atc 1"), "{}", page("atc.1"));
    for command in COMMANDS {
        page(&format!("atc-{command}.1"));
    }
    assert!(page("atc-store-prune.1").contains("keep"));
    let tune = page("atc-tune.1");
    for section in [".SH \"NOTES\"\n", ".SH \"EXAMPLES\"\n", ".SH \"EXIT STATUS\"\n"] {
        assert_eq!(tune.matches(section).count(), 1, "{section}: {tune}");
    }
    assert!(!tune.contains("EXTRA"), "{tune}");
    assert!(page("atc.1").contains("atc\\-man\\-pages"), "{}", page("atc.1"));
    assert!(!folder.path("share/man1/atc-compare-side.1").exists());
    folder.atc(&["man-pages", "layers.txt"]).assert().code(1).stderr(contains("layers.txt"));
}
