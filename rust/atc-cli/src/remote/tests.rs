use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::sync::Arc;
use std::thread;

use atc::{ImportOptions, PutOptions, Store};
use object_store::ObjectStoreExt;
use object_store::memory::InMemory;
use object_store::path::Path;
use tempfile::TempDir;

use super::names::{self, Name};
use super::place::{Access, Place};
use super::signature::{PublicKey, Signer};
use super::{pull::pull, push::push};
use crate::entries::tests::ENTRY;

/// The number of random orders of pushes and pulls that are tested: 100, or 1,000 with `cargo test --release` (this
/// takes a minute).
const ORDERS: u64 = if cfg!(debug_assertions) { 100 } else { 1000 };

/// A simulated machine, which has a store in a folder of its own.
struct Machine {
    store: Store,
    folder: TempDir,
}

impl Machine {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self { store: Store::open(folder.path().join("store")).unwrap(), folder }
    }

    fn with(entries: &[String]) -> Self {
        let machine = Self::new();
        for entry in entries {
            machine.store.put_with(entry, &PutOptions::new().trust_compiled(true)).unwrap();
        }
        machine
    }

    fn digest(&self) -> u64 {
        self.store.digest().unwrap()
    }
}

/// Makes an entry of a store. Different values of `threads` make different environments, and different values of
/// `groups` make different problems. `choice` is the configuration that was chosen.
fn decision(threads: u32, groups: u32, choice: &str) -> String {
    ENTRY
        .replace("\"threads\": 2", &format!("\"threads\": {threads}"))
        .replace("\"groups\": 1", &format!("\"groups\": {groups}"))
        .replace("\"configuration\": \"blocked\"", &format!("\"configuration\": \"{choice}\""))
}

fn provisional(entry: &str, risk: f64) -> String {
    entry.replace(
        "\"host\": \"here\"",
        &format!("\"host\": \"here\", \"provisional\": {{\"risk\": {risk}, \"why\": \"noise\", \"budget\": 2}}"),
    )
}

/// Returns a place (a folder of bundles) that is kept in memory, and the object store that contains
/// it.
fn place() -> (Place, Arc<InMemory>) {
    let store = Arc::new(InMemory::new());
    (Place::over(store.clone()).unwrap(), store)
}

fn put(store: &InMemory, name: &str, bytes: &[u8]) {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(store.put(&Path::from(name), bytes.to_vec().into())).unwrap();
}

/// Returns a place (a folder of bundles) to which one decision was pushed, and the name and the bytes of
/// the decision's bundle.
fn pushed() -> (Place, Arc<InMemory>, Name, Vec<u8>) {
    let (place, store) = place();
    let pushed =
        push(&place, &Machine::with(&[decision(2, 1, "blocked")]).store, None, false).unwrap();
    let name = Name::parse(&pushed.bundles[0]).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let bytes = runtime.block_on(async {
        store.get(&Path::from(pushed.bundles[0].as_str())).await.unwrap().bytes().await.unwrap()
    });
    (place, store, name, bytes.to_vec())
}

/// Pulls from a place (a folder of bundles) that must contain two bundles: one with a fault and one without. Returns
/// the fault, and checks that the other bundle was read.
fn only_fault(place: &Place) -> String {
    let machine = Machine::new();
    let pulled = pull(place, &machine.store, None).unwrap();
    assert_eq!((pulled.bundles, pulled.added), (1, 1), "{:?}", pulled.faults);
    assert_eq!(pulled.faults.len(), 1, "{:?}", pulled.faults);
    let fault = pulled.faults[0].clone();
    assert!(!fault.contains('\n') && fault.ends_with("it was left out"), "{fault}");
    fault
}

/// A generator of random numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }

    fn shuffle(&mut self, items: &mut [usize]) {
        for end in (1..items.len()).rev() {
            items.swap(end, self.below(end + 1));
        }
    }
}

#[test]
fn stores_have_equal_digests_after_pushes_and_pulls_in_any_order() {
    // The test syncs files about 50,000 times, and on a disk each sync takes milliseconds. So the temporary files are
    // kept in memory (/dev/shm): no test in this file needs a disk.
    if std::path::Path::new("/dev/shm").is_dir() {
        let _ = tempfile::env::override_temp_dir(std::path::Path::new("/dev/shm"));
    }
    // The same problems are decided differently on each machine. Some decisions are firm and some provisional. There
    // are two environments.
    let owned = [
        vec![decision(2, 1, "one"), provisional(&decision(2, 2, "four"), 0.5)],
        vec![decision(2, 1, "two"), decision(2, 2, "five"), decision(3, 1, "six")],
        vec![
            provisional(&decision(2, 1, "three"), 0.1),
            provisional(&decision(3, 1, "seven"), 0.2),
        ],
    ];
    let bundles: Vec<_> =
        owned.iter().map(|entries| Machine::with(entries).store.export().unwrap()).collect();
    let expected = Machine::new();
    expected
        .store
        .import_with(&Store::merge(&bundles).unwrap(), &ImportOptions::new().join(true))
        .unwrap();
    let wanted = expected.digest();
    for seed in 0..ORDERS {
        let mut random = Random(seed);
        let (place, _) = place();
        let machines: Vec<_> = bundles
            .iter()
            .map(|bundle| {
                let machine = Machine::new();
                machine.store.import(bundle).unwrap();
                machine
            })
            .collect();
        // In a random order each machine pushes once and pulls once. At the end each machine pulls again.
        let mut order: Vec<usize> = (0..2 * machines.len()).collect();
        random.shuffle(&mut order);
        let mut last: Vec<usize> = (0..machines.len()).collect();
        random.shuffle(&mut last);
        for step in order {
            let store = &machines[step / 2].store;
            if step % 2 == 0 {
                push(&place, store, None, false).unwrap();
            } else {
                pull(&place, store, None).unwrap();
            }
        }
        for machine in last {
            pull(&place, &machines[machine].store, None).unwrap();
        }
        let digests: Vec<_> = machines.iter().map(Machine::digest).collect();
        assert_eq!(digests, vec![wanted; machines.len()], "seed {seed}");
        let again = push(&place, &machines[0].store, None, false).unwrap();
        assert_eq!((again.bundles.len(), again.unchanged), (0, 2), "seed {seed}");
    }
}

#[test]
fn a_bundle_of_the_same_decisions_has_the_same_name_on_every_machine() {
    let entries = [decision(2, 1, "one"), decision(2, 2, "two")];
    let backwards: Vec<_> = entries.iter().rev().cloned().collect();
    let names = [&entries[..], &backwards].map(|entries| {
        push(&place().0, &Machine::with(entries).store, None, false).unwrap().bundles
    });
    assert_eq!(names[0].len(), 1);
    assert_eq!(names[0], names[1]);
}

#[test]
fn an_empty_place_and_an_empty_store_are_no_failure() {
    let (place, _) = place();
    let machine = Machine::new();
    assert_eq!(pull(&place, &machine.store, None).unwrap().bundles, 0);
    assert!(push(&place, &machine.store, None, false).unwrap().bundles.is_empty());
}

#[test]
fn a_bundle_that_was_cut_off_is_left_out() {
    let (place, store, name, bytes) = pushed();
    let other = Name { sha256: names::sha256(b"whole"), ..name };
    put(&store, &other.to_string(), &bytes[..bytes.len() / 2]);
    assert!(only_fault(&place).contains("does not have the SHA-256 of its name"));
}

#[test]
fn a_bundle_with_damage_before_its_hash_was_taken_is_left_out() {
    let (place, store, name, bytes) = pushed();
    let half = &bytes[..bytes.len() / 2];
    put(&store, &Name::of(&name.environment, half).to_string(), half);
    assert!(only_fault(&place).contains("nothing was taken from it"));
}

#[test]
fn a_bundle_in_the_folder_of_another_environment_is_left_out() {
    let (place, store, name, bytes) = pushed();
    put(&store, &Name::of("0123456789abcdef", &bytes).to_string(), &bytes);
    let fault = only_fault(&place);
    assert!(fault.contains(&format!("has decisions of the environment {}", name.environment)));
}

#[test]
fn a_bundle_of_two_environments_is_left_out_whole() {
    let (place, store, name, _) = pushed();
    let both = Machine::with(&[decision(2, 2, "two"), decision(3, 1, "three")]);
    let bytes = both.store.export().unwrap();
    put(&store, &Name::of(&name.environment, &bytes).to_string(), &bytes);
    assert!(only_fault(&place).contains("has decisions of the environment"));
}

#[test]
fn hostile_names_are_left_out() {
    for name in ["etc/passwd.bundle", "x.bundle", "0123456789abcdef/..%2F..%2Fx.bundle", ".bundle"]
    {
        let (place, store, _, bytes) = pushed();
        put(&store, name, &bytes);
        assert!(only_fault(&place).contains("is no ENVIRONMENT/SHA256.bundle"), "{name}");
    }
}

#[test]
fn other_files_are_ignored() {
    let (place, store, _, _) = pushed();
    put(&store, "README.md", b"bundles of our fleet");
    let machine = Machine::new();
    let pulled = pull(&place, &machine.store, None).unwrap();
    assert_eq!((pulled.bundles, pulled.faults.len()), (1, 0));
}

/// Makes a pair of keys in files, and returns the signer and the public key that were read from the files.
fn keys() -> (Signer, PublicKey) {
    let folder = tempfile::tempdir().unwrap();
    let (secret, public) = (folder.path().join("secret"), folder.path().join("public"));
    let pair = minisign::KeyPair::generate_unencrypted_keypair().unwrap();
    std::fs::write(&secret, pair.sk.to_box(None).unwrap().to_string()).unwrap();
    std::fs::write(&public, pair.pk.to_box().unwrap().to_string()).unwrap();
    (Signer::read(&secret).unwrap(), PublicKey::read(&public).unwrap())
}

/// Makes an entry with a compiled part (a kernel).
fn compiled() -> String {
    decision(2, 1, "blocked").replace("\"host\"", "\"compiled\": \"code\", \"host\"")
}

fn has_compiled(machine: &Machine) -> bool {
    machine.store.list().unwrap().contains("compiled")
}

#[test]
fn a_signed_bundle_brings_its_compiled_parts_if_the_key_is_given() {
    let (signer, key) = keys();
    let (place, _) = place();
    let source = Machine::with(&[compiled()]);
    assert!(has_compiled(&source));
    push(&place, &source.store, Some(&signer), true).unwrap();
    for (key, expected) in [(Some(&key), true), (None, false)] {
        let machine = Machine::new();
        let pulled = pull(&place, &machine.store, key).unwrap();
        assert_eq!((pulled.bundles, pulled.faults.len()), (1, 0));
        assert_eq!(has_compiled(&machine), expected);
    }
}

#[test]
fn a_push_leaves_compiled_parts_here() {
    let (signer, key) = keys();
    let (place, _) = place();
    push(&place, &Machine::with(&[compiled()]).store, Some(&signer), false).unwrap();
    let machine = Machine::new();
    assert_eq!(pull(&place, &machine.store, Some(&key)).unwrap().bundles, 1);
    assert!(!has_compiled(&machine));
}

#[test]
fn with_a_key_bundles_without_its_signature_are_left_out() {
    let ((signer, key), (stranger, _)) = (keys(), keys());
    let (place, store, name, bytes) = pushed();
    let refused = |why: &str| {
        let machine = Machine::new();
        let pulled = pull(&place, &machine.store, Some(&key)).unwrap();
        assert_eq!((pulled.bundles, pulled.added, pulled.faults.len()), (0, 0, 1));
        assert!(pulled.faults[0].contains(why), "{}", pulled.faults[0]);
    };
    refused("has no signature by the key");
    let (bundle, id) = (name.to_string(), key.id());
    let by_stranger = stranger.sign(&bytes, &bundle).unwrap();
    let of_other = signer.sign(b"other", &bundle).unwrap();
    for bad in [by_stranger.as_str(), &of_other, "", "no signature", "\u{0}"] {
        put(&store, &names::signature(&bundle, &id), bad.as_bytes());
        refused("its signature is no signature");
    }
    put(&store, &names::signature(&bundle, &id), &[b'x'; 5000]);
    refused("its signature is no signature");
    put(&store, &names::signature(&bundle, &id), signer.sign(&bytes, &bundle).unwrap().as_bytes());
    assert_eq!(pull(&place, &Machine::new().store, Some(&key)).unwrap().bundles, 1);
}

#[test]
fn a_signature_of_the_program_minisign_is_found_by_its_name() {
    let (signer, key) = keys();
    let (place, store, name, bytes) = pushed();
    let signature = signer.sign(&bytes, "by hand").unwrap();
    put(&store, &names::signature_of_minisign(&name.to_string()), signature.as_bytes());
    assert_eq!(pull(&place, &Machine::new().store, Some(&key)).unwrap().bundles, 1);
}

#[test]
fn a_second_key_signs_bundles_that_are_there_already() {
    let (first, second) = (keys(), keys());
    let (place, _) = place();
    let source = Machine::with(&[decision(2, 1, "blocked")]);
    for (signer, _) in [&first, &second] {
        assert_eq!(push(&place, &source.store, Some(signer), false).unwrap().bundles.len(), 1);
        assert_eq!(push(&place, &source.store, Some(signer), false).unwrap().bundles.len(), 0);
    }
    for (_, key) in [&first, &second] {
        assert_eq!(pull(&place, &Machine::new().store, Some(key)).unwrap().bundles, 1);
    }
}

#[test]
fn files_that_are_no_keys_are_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("key");
    assert!(PublicKey::read(&file).err().unwrap().to_string().contains("cannot be read"));
    std::fs::write(&file, "no key").unwrap();
    assert!(PublicKey::read(&file).err().unwrap().to_string().contains("is no public key"));
    assert!(Signer::read(&file).err().unwrap().to_string().contains("is no secret key"));
}

#[test]
fn a_pipe_and_a_file_that_is_being_written_are_no_bundles() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("file://{}/fleet", folder.path().display());
    let place = Place::open(&url, Access::Push).unwrap();
    let source = Machine::with(&[decision(2, 1, "blocked")]);
    let name = push(&place, &source.store, None, false).unwrap().bundles.remove(0);
    let file = folder.path().join("fleet").join(&name);
    // If a process is killed while it writes a bundle, it leaves a file with a name of this form (`….bundle#1`).
    let unfinished = file.with_file_name(format!("{}.bundle#1", names::sha256(b"x")));
    std::fs::write(unfinished, "half").unwrap();
    let pipe = file.with_file_name(format!("{}.bundle", names::sha256(b"pipe")));
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let machine = Machine::new();
    let pulled = pull(&place, &machine.store, None).unwrap();
    assert_eq!((pulled.bundles, pulled.faults.len()), (1, 0));
    let place = Place::open(&format!("file://{}", pipe.display()), Access::Pull).unwrap();
    let pulled = pull(&place, &machine.store, None).unwrap();
    assert_eq!((pulled.bundles, pulled.faults.len()), (0, 1));
    assert!(pulled.faults[0].contains("is no file that can be fetched"), "{:?}", pulled.faults);
}

/// Starts a server that answers each connection with `answer` and closes it. Returns the address of the server.
fn server(answer: Vec<u8>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    thread::spawn(move || {
        for connection in listener.incoming() {
            let mut connection = connection.unwrap();
            // Reads the request, which is so small that one read is enough. An error is ignored, because the server
            // does not use the request.
            let _ = connection.read(&mut [0; 4096]);
            let _ = connection.write_all(&answer);
        }
    });
    address
}

fn answer(status: &str, length: usize, body: &[u8]) -> Vec<u8> {
    let header = format!(
        "HTTP/1.1 {status}\r\nContent-Length: {length}\r\nLast-Modified: Thu, 01 Jan 2026 00:00:00 GMT\r\n\
         Connection: close\r\n\r\n"
    );
    [header.as_bytes(), body].concat()
}

/// Pulls from a server that answers with `answer`. Returns the machine and the result.
fn pulled_from(answer: Vec<u8>, file: &str) -> (Machine, Result<u64, String>) {
    let url = format!("http://{}/{file}", server(answer));
    let place = Place::open(&url, Access::Pull).unwrap();
    let machine = Machine::new();
    let pulled = pull(&place, &machine.store, None);
    (machine, pulled.map(|pulled| pulled.bundles).map_err(|failure| failure.to_string()))
}

#[test]
fn one_bundle_is_pulled_by_its_url() {
    let bytes = pushed().3;
    let (machine, result) = pulled_from(answer("200 OK", bytes.len(), &bytes), "h100.bundle");
    assert_eq!(result, Ok(1));
    assert_eq!(machine.store.describe().unwrap().entries, 1);
}

#[test]
fn an_interrupted_transfer_changes_nothing() {
    let bytes = pushed().3;
    let cut = answer("200 OK", bytes.len(), &bytes[..bytes.len() / 2]);
    let (machine, result) = pulled_from(cut, "h100.bundle");
    let sentence = result.unwrap_err();
    assert!(sentence.contains("interrupted"), "{sentence}");
    assert!(sentence.contains("nothing was taken") && !sentence.contains('\n'), "{sentence}");
    assert_eq!(machine.store.describe().unwrap().entries, 0);
}

#[test]
fn a_denied_transfer_changes_nothing_and_repeats_no_text_of_the_server() {
    for (status, words) in [
        ("403 Forbidden", "access is denied"),
        ("401 Unauthorized", "access is denied"),
        ("418 Teapot", "status 418"),
    ] {
        let (machine, result) =
            pulled_from(answer(status, 14, b"AKIA\x1b[31mSECRET"), "h100.bundle");
        let sentence = result.unwrap_err();
        assert!(sentence.contains(words), "{status}: {sentence}");
        assert!(!sentence.contains("SECRET") && !sentence.contains('\n'), "{sentence}");
        assert_eq!(machine.store.describe().unwrap().entries, 0);
    }
}

#[test]
fn a_server_that_lists_no_files_is_named() {
    let (_, result) = pulled_from(answer("405 Method Not Allowed", 0, b""), "fleet");
    let sentence = result.unwrap_err();
    assert!(sentence.contains("lists no files") && sentence.contains("WebDAV"), "{sentence}");
}

#[test]
fn a_server_that_is_not_there_is_named() {
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let place = Place::open(&format!("http://{address}/x.bundle"), Access::Pull).unwrap();
    let sentence = pull(&place, &Machine::new().store, None).unwrap_err().to_string();
    assert!(sentence.contains(&address.to_string()) && sentence.contains("refused"), "{sentence}");
}

#[test]
fn places_that_cannot_be_used_are_refused_and_secrets_in_them_are_not_shown() {
    let refused = |url: &str, access| {
        let sentence =
            Place::open(url, access).err().unwrap_or_else(|| panic!("{url}")).to_string();
        assert!(!sentence.contains("hunter2") && !sentence.contains('\n'), "{sentence}");
        sentence
    };
    for url in
        ["fleet", "/srv/fleet", "ftp://host/fleet", "s3:///fleet", "https:///x", "file://host/x"]
    {
        assert!(refused(url, Access::Pull).contains("is no place of bundles"), "{url}");
    }
    for url in [
        "https://me:hunter2@host/x",
        "s3://hunter2@b/x",
        "https://host/x?token=hunter2",
        "https://h/#hunter2",
    ] {
        assert!(refused(url, Access::Pull).contains("leave them out"), "{url}");
    }
    assert!(refused("hunter2@host", Access::Pull).contains("is no place of bundles"));
    assert!(refused("http://host/x.bundle", Access::Pull).contains("use https"));
    for url in ["https://host/fleet", "s3://bucket/x.bundle", "http://localhost:1/fleet"] {
        assert!(refused(url, Access::Push).contains("push writes to a folder"), "{url}");
    }
    assert!(refused("file:///nowhere/at/all", Access::Pull).contains("No such file"));
    let file = Machine::new().folder;
    std::fs::write(file.path().join("file"), "").unwrap();
    let url = format!("file://{}/file", file.path().display());
    assert!(refused(&url, Access::Pull).contains("is no folder"));
    assert!(refused("file:///a/../b", Access::Pull).contains("this path cannot be used"));
}
