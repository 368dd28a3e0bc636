//! Tests errors in files and arguments: the message names the place, and the exit code is the
//! documented one.

mod common;

use common::{Folder, LAYERS, atc};
use predicates::prelude::*;
use predicates::str::contains;

const FAILED: i32 = 1;
const USAGE: i32 = 2;

#[test]
fn a_missing_file_is_an_error_that_names_the_networks() {
    Folder::new()
        .atc(&["tune", "nowhere.txt"])
        .assert()
        .code(FAILED)
        .stderr(contains("nowhere.txt").and(contains("resnet50, mobilenet_v3_large")))
        .stdout("");
}

#[test]
fn a_misspelt_network_is_told_what_was_meant() {
    let said = contains("did you mean mobilenet_v3_large?");
    atc().args(["tune", "mobilenet-v3"]).assert().code(FAILED).stderr(said);
}

#[test]
fn empty_and_malformed_files_are_errors_with_their_line() {
    let folder = Folder::new();
    for (text, place, words) in [
        ("", "bad.txt:1: ", "no layer"),
        ("# nothing\n\n", "bad.txt:2: ", "no layer"),
        (&*format!("{LAYERS}broken 1 2 3\n"), "bad.txt:4: ", "4 columns"),
        (&*LAYERS.replace("12 12 8", "12 12 eight"), "bad.txt:2: ", "column 7 (K) is \"eight\""),
        (&*LAYERS.replace("x3", "x0"), "bad.txt:2: ", "count is 0"),
        ("{\n  \"schema\": \"atc-tune\",\n  oops\n}", "bad.txt:3: ", "JSON"),
        ("{\"schema\": \"atc-tune\", \"version\": 1, \"problems\": []}", "bad.txt:1: ", "empty"),
        (
            "{\"schema\": \"atc-tune\", \"version\": 1, \"problems\": [\n{\"name\": \"a\"}]}",
            "bad.txt:2: ",
            "columns",
        ),
    ] {
        folder.write("bad.txt", text);
        folder
            .atc(&["tune", "layers.txt", "bad.txt"])
            .assert()
            .code(FAILED)
            .stderr(contains(place).and(contains(words)))
            .stdout("");
    }
}

#[test]
fn results_of_no_possible_layer_name_file_and_problem() {
    let folder = Folder::new();
    let good = r#"{"name":"a","op":"forward","dtype":"f32","layout":"channels-first","columns":{"N":1,"C":2,"H":8,"W":8,"K":4,"R":3,"S":3}}"#;
    for (column, words) in [
        ("strideH", "strideH is 0: must be at least 1"),
        ("groups", "groups is 0: must be at least 1"),
        ("dilW", "dilW is 0: must be at least 1"),
    ] {
        let bad = good.replace("}}", &format!(",\"{column}\":0}}}}"));
        let text = format!(r#"{{"schema":"atc-tune","version":1,"problems":[{good},{bad}]}}"#);
        folder.write("results.json", &text);
        folder
            .atc(&["report", "results.json", "-o", "out.html"])
            .assert()
            .code(FAILED)
            .stderr(contains(format!("results.json: problem 2 (\"a\"): {words}")))
            .stdout("");
    }
}

#[test]
fn a_batch_of_another_layer_is_refused_before_anything_is_measured() {
    Folder::new()
        .atc(&["tune", "layers.txt", "--batch", "9223372036854775807"])
        .assert()
        .code(FAILED)
        .stderr(contains("plain").and(contains("--batch")));
}

#[test]
fn options_that_cannot_be_read_are_usage_errors() {
    for (option, value) in [
        ("--batch", "0"),
        ("--batch", "many"),
        ("--dtype", "f64"),
        ("--layout", "diagonal"),
        ("--op", "forward,sideways"),
        ("--device", "gpu"),
        ("--technique", "guess"),
        ("--budget", "30"),
        ("--problem-budget", "0s"),
    ] {
        let command =
            Folder::new().atc(&["tune", "layers.txt", option, value]).assert().code(USAGE);
        command.stderr(contains(option).and(contains(value.rsplit(',').next().unwrap())));
    }
    for arguments in [&["tune"][..], &["dance"], &[], &["report", "-o", "x.html"], &["store"]] {
        atc().args(arguments).assert().code(USAGE);
    }
}

#[test]
fn a_device_that_is_not_there_is_an_error() {
    let folder = Folder::new();
    folder.atc(&["tune", "layers.txt", "--device", "cuda:99"]).assert().code(FAILED);
    let known = common::output(&mut folder.atc(&["env", "--json"]));
    let known: serde_json::Value = serde_json::from_str(&known).unwrap();
    if known["devices"].as_array().unwrap().len() > 1 {
        return eprintln!("skipped: this machine has a CUDA device");
    }
    let driver =
        known["libraries"].as_array().unwrap().iter().find(|one| one["name"] == "CUDA driver");
    let why = driver.unwrap()["note"].as_str().unwrap().split(':').next().unwrap().to_owned();
    let ended = folder.atc(&["tune", "layers.txt", "--device", "cuda"]).assert().code(FAILED);
    ended.stderr(contains("this machine has no usable CUDA device: ").and(contains(why)));
}

#[test]
fn an_unusable_store_given_by_name_is_an_error() {
    let folder = Folder::new();
    folder
        .atc(&["tune", "layers.txt", "--store", "layers.txt"])
        .assert()
        .code(FAILED)
        .stderr(contains("--store"));
    folder.atc(&["store", "ls", "--store", "nowhere"]).assert().code(FAILED);
    assert!(!folder.path("nowhere").exists(), "looking at a store made one");
    folder.atc(&["store", "ls"]).assert().code(USAGE).stderr(contains("ATC_STORE"));
}

#[test]
fn an_output_that_cannot_be_written_is_told_before_anything_is_measured() {
    Folder::new()
        .atc(&["tune", "layers.txt", "--json", "missing/out.json"])
        .assert()
        .code(FAILED)
        .stderr(contains("missing/out.json").and(contains("[1/2]").not()));
}

#[test]
fn errors_name_the_file_that_was_asked_for() {
    let folder = Folder::new();
    folder.tuned();
    std::fs::create_dir(folder.path("taken")).unwrap();
    let export = ["store", "export", "--store", "store", "-o"];
    for (words, file) in [
        (&["report", "out.json", "-o"][..], "missing/x.html"),
        (&["tune", "layers.txt", "--json"], "/proc/x.json"),
        (&export, "missing/all.bundle"),
        (&export, "taken"),
    ] {
        let ended = folder.atc(words).arg(file).assert().code(FAILED).stdout("");
        let said = String::from_utf8(ended.get_output().stderr.clone()).unwrap();
        assert!(said.contains(&format!("error: {file}: ")) && !said.contains(".atc-"), "{said}");
    }
}

#[test]
fn a_plug_in_that_is_none_is_refused() {
    let folder = Folder::new();
    for file in ["layers.txt", "missing.so"] {
        folder
            .atc(&["tune", "layers.txt", "--plugin", file])
            .assert()
            .code(FAILED)
            .stderr(contains(file));
    }
}

#[test]
fn a_plug_in_that_refuses_to_start_is_told_from_one_that_starts() {
    let folder = Folder::new();
    for (name, status, code) in [("good", 0, 0), ("bad", 6, FAILED)] {
        let text = format!(
            "int atc1_plugin_init(void);\nint atc1_plugin_init(void) {{ return {status}; }}\n"
        );
        folder.write(&format!("{name}.c"), &text);
        let mut compiler = std::process::Command::new("cc");
        compiler.args(["-shared", "-fPIC", "-o"]).arg(folder.path(&format!("{name}.so")));
        match compiler.arg(folder.path(&format!("{name}.c"))).status() {
            Ok(status) => assert!(status.success(), "the plug-in does not compile"),
            Err(error) => {
                return eprintln!("skipped: there is no C compiler cc to make a plug-in: {error}");
            }
        }
        let file = format!("{name}.so");
        let ended = folder.atc(&["env", "--plugin", &file]).assert().code(code);
        if code != 0 {
            ended.stderr(contains(file));
        }
    }
}

#[test]
fn a_comparison_needs_two_different_cudnn() {
    let folder = Folder::new();
    for name in ["a", "b"] {
        std::fs::create_dir(folder.path(name)).unwrap();
        folder.write(&format!("{name}/libcudnn.so.9"), "");
    }
    std::os::unix::fs::symlink("a", folder.path("link")).unwrap();
    std::fs::create_dir(folder.path("empty")).unwrap();
    std::fs::create_dir(folder.path("x:y")).unwrap();
    folder.write("x:y/libcudnn.so.9", "");
    for (words, code, said) in [
        (&["resnet50"][..], USAGE, &["--cudnn <DIR>"][..]),
        (&["--cudnn", "a", "resnet50"], USAGE, &["--cudnn a", "second --cudnn DIR"]),
        (&["--cudnn", "a", "--cudnn", "b"], USAGE, &["FILE|NETWORK"]),
        (&["--cudnn", "a", "--cudnn", "a", "resnet50"], USAGE, &["--cudnn a", "again"]),
        (&["--cudnn", "a", "--cudnn", "./link", "resnet50"], USAGE, &["--cudnn ./link", "again"]),
        (&["--cudnn", "a", "--cudnn", "empty", "resnet50"], FAILED, &["empty", "no libcudnn.so.9"]),
        (&["--cudnn", "a", "--cudnn", "missing", "resnet50"], FAILED, &["missing", "ldconfig"]),
        (&["--cudnn", "a", "--cudnn", "x:y", "resnet50"], FAILED, &["x:y", "link"]),
        (
            &["--cudnn", "a", "--cudnn", "b", "resnet50", "--device", "cpu"],
            USAGE,
            &["--device cpu", "cuda:INDEX"],
        ),
        (&["--cudnn", "a", "--cudnn", "b", "resnet5"], FAILED, &["did you mean resnet50?"]),
    ] {
        let ended = folder.atc(&["compare"]).args(words).assert().code(code).stdout("");
        let told = String::from_utf8(ended.get_output().stderr.clone()).unwrap();
        for part in said {
            assert!(told.contains(part), "{words:?}: {part} is missing: {told}");
        }
    }
}

#[test]
fn a_comparison_without_a_gpu_says_why() {
    let folder = Folder::new();
    let known = common::output(&mut folder.atc(&["env", "--json"]));
    let known: serde_json::Value = serde_json::from_str(&known).unwrap();
    if known["devices"].as_array().unwrap().len() > 1 {
        return eprintln!("skipped: this machine has a CUDA device");
    }
    for name in ["a", "b"] {
        std::fs::create_dir(folder.path(name)).unwrap();
        folder.write(&format!("{name}/libcudnn.so.9"), "");
    }
    let words = ["compare", "--cudnn", "a", "--cudnn", "b", "layers.txt", "--html", "x.html"];
    let said = contains("--device cuda:0").and(contains("CUDA")).and(contains("NVIDIA GPU"));
    folder.atc(&words).assert().code(FAILED).stderr(said).stdout("");
    assert!(!folder.path("x.html").exists());
}

#[test]
fn help_shows_examples_and_exit_codes() {
    for arguments in [&["--help"][..], &["tune", "--help"], &["store", "--help"]] {
        let help = atc().args(arguments).assert().success();
        help.stdout(contains("Exit codes:"));
    }
    for command in
        ["env", "tune", "compare", "advise", "determinism", "report", "store", "completions"]
    {
        atc().args([command, "--help"]).assert().success().stdout(contains("Examples:"));
    }
}
