//! Tests `atc store push` and `atc store pull`. Faults of bundles and of transfers are tested in src/remote/tests.rs.
#![cfg(feature = "remote")]

mod common;

use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::thread;

use common::{Folder, QUICK, output};
use predicates::prelude::*;
use predicates::str::contains;
use serde_json::Value;

const STORE: [&str; 2] = ["--store", "store"];

fn digest(folder: &Folder, store: &str) -> String {
    let listed = output(&mut folder.atc(&["store", "ls", "--json", "--store", store]));
    let listed: Value = serde_json::from_str(&listed).unwrap();
    listed["digest"].as_str().unwrap().to_owned()
}

fn fleet(folder: &Folder) -> String {
    format!("file://{}", folder.path("fleet").display())
}

#[test]
fn a_second_machine_has_what_the_first_one_measured() {
    let folder = Folder::new();
    folder.tuned();
    let url = fleet(&folder);
    let pushed = folder.atc(&["store", "push", &url]).args(STORE).assert().success();
    pushed
        .stdout(contains(".bundle\n"))
        .stderr("1 bundle written; nothing new of 0 environments\n");
    let again = folder.atc(&["store", "push", &url]).args(STORE).assert().success();
    again.stdout("").stderr("0 bundles written; nothing new of 1 environment\n");
    let pull = ["store", "pull", &url, "--store", "second"];
    folder.atc(&pull).assert().success().stdout(contains("1 bundle read; 2 added, 0 known"));
    folder.atc(&pull).assert().success().stdout(contains("1 bundle read; 0 added, 2 known"));
    assert_eq!(digest(&folder, "store"), digest(&folder, "second"));
    let tuned = folder.atc(&["tune", "layers.txt", "--store", "second"]).assert().success();
    tuned.stdout(contains("0 measured"));
}

#[test]
fn machines_that_measured_differently_agree() {
    let folder = Folder::new();
    folder.tuned();
    folder.atc(&["tune", "layers.txt", "--store", "second"]).args(QUICK).assert().success();
    let url = fleet(&folder);
    for store in ["store", "second"] {
        folder.atc(&["store", "push", &url, "--store", store]).assert().success();
    }
    for store in ["store", "second"] {
        folder.atc(&["store", "pull", &url, "--store", store]).assert().success();
    }
    assert_eq!(digest(&folder, "store"), digest(&folder, "second"));
}

#[test]
fn json_has_the_counts() {
    let folder = Folder::new();
    folder.tuned();
    let url = fleet(&folder);
    let json = |command: &str, store: &str| -> Value {
        let arguments = ["store", command, &url, "--json", "--store", store];
        serde_json::from_str(&output(&mut folder.atc(&arguments))).unwrap()
    };
    let pushed = json("push", "store");
    assert_eq!((pushed["bundles"].as_array().unwrap().len(), &pushed["unchanged"]), (1, &0.into()));
    let pulled = json("pull", "second");
    assert_eq!(
        (&pulled["bundles"], &pulled["added"], &pulled["kept"]),
        (&1.into(), &2.into(), &0.into())
    );
    assert_eq!(pulled["faults"], Value::Array(Vec::new()));
    assert_eq!(pulled["url"], url);
}

#[test]
fn a_bad_bundle_is_left_out_and_the_exit_code_says_so() {
    let folder = Folder::new();
    folder.tuned();
    let url = fleet(&folder);
    folder.atc(&["store", "push", &url]).args(STORE).assert().success();
    fs::write(folder.path("fleet").join("x.bundle"), "no bundle").unwrap();
    let pull = ["store", "pull", &url, "--store", "second"];
    let pulled = folder.atc(&pull).assert().code(3).stdout(contains("2 added"));
    pulled.stderr(contains("fleet/x.bundle: is no ENVIRONMENT/SHA256.bundle; it was left out"));
}

#[test]
fn a_file_with_control_characters_in_its_name_is_told_without_them_and_left_out() {
    let folder = Folder::new();
    folder.tuned();
    let url = fleet(&folder);
    folder.atc(&["store", "push", &url]).args(STORE).assert().success();
    fs::write(folder.path("fleet").join("x\u{1b}[31m\n.bundle"), "no bundle").unwrap();
    let assert = folder.atc(&["store", "pull", &url, "--store", "second"]).assert().code(3);
    let said = assert.stdout(contains("1 bundle read; 2 added"));
    let said = String::from_utf8_lossy(&said.get_output().stderr).into_owned();
    assert!(said.contains("a name that cannot be used") && said.contains("left out"), "{said}");
    assert!(!said.contains('\u{1b}') && said.lines().count() == 1, "{said}");
    // A push needs only the names that it can read.
    let again = folder.atc(&["store", "push", &url]).args(STORE).assert().success();
    again.stderr("0 bundles written; nothing new of 1 environment\n");
}

#[test]
fn a_store_that_may_not_be_changed_is_not_pulled_into() {
    let folder = Folder::new();
    folder.tuned();
    let url = fleet(&folder);
    folder.atc(&["store", "push", &url]).args(STORE).assert().success();
    let pull = ["store", "pull", &url, "--store", "second"];
    folder.atc(&pull).env("ATC_MODE", "read").assert().code(1).stderr(contains("ATC_MODE=read"));
    assert!(!folder.path("second").exists());
}

#[test]
fn compiled_parts_are_not_pushed_without_a_signature() {
    let folder = Folder::new();
    folder.tuned();
    let push = ["store", "push", &fleet(&folder), "--compiled"];
    folder.atc(&push).args(STORE).assert().code(2).stderr(contains("--sign"));
    assert!(!folder.path("fleet").exists());
}

/// Starts an S3 server that denies every request. Its answer repeats the request, which contains credentials. A test
/// checks that `atc` does not print them. Returns the address of the server.
fn denying() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for connection in listener.incoming() {
            let mut connection = connection.unwrap();
            let mut request = [0; 4096];
            let length = connection.read(&mut request).unwrap_or(0);
            let body = &request[..length];
            let header = format!(
                "HTTP/1.1 403 Forbidden\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
            );
            let _ =
                connection.write_all(header.as_bytes()).and_then(|()| connection.write_all(body));
        }
    });
    format!("http://{address}")
}

#[test]
fn credentials_are_never_printed() {
    let folder = Folder::new();
    folder.tuned();
    for command in ["push", "pull"] {
        let assert = folder
            .atc(&["store", command, "s3://bucket/fleet"])
            .args(STORE)
            .env("AWS_ENDPOINT", denying())
            .env("AWS_ALLOW_HTTP", "true")
            .env("AWS_ACCESS_KEY_ID", "AKIAHIDDEN")
            .env("AWS_SECRET_ACCESS_KEY", "hunter2")
            .env("AWS_SESSION_TOKEN", "sessionhidden")
            .assert()
            .code(1)
            .stdout("");
        let hidden = contains("HIDDEN").or(contains("hidden")).or(contains("hunter2"));
        let said = assert.stderr(contains("s3://bucket/fleet: access is denied").and(hidden.not()));
        let lines = String::from_utf8_lossy(&said.get_output().stderr).lines().count();
        assert_eq!(lines, 1);
    }
}
