//! Tests stores (folders in which decisions are kept): which decisions a store has, the export and import of bundles
//! (exported stores), and damaged files.
#![allow(missing_docs)]

mod support;

use std::cell::Cell;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::time::Duration;

use atc::{
    Device, ErrorKind, ImportOptions, Plan, PlanOptions, Problem, PutOptions, Source, Store,
    StoreMode, Technique, Tuner, sys,
};
use support::{Folder, alone};

fn problem(width: i64) -> Problem {
    Problem::conv2d(1, 3, 10, width, 4).kernel(3).padding(1)
}

/// Makes a store that has the decision of one problem for each of the `widths`. The store is not active when the
/// function returns. Each problem is tuned with only one candidate (implementation). So no decision is provisional
/// (uncertain), and every decision is stored.
fn filled(folder: &Folder, widths: &[i64]) -> Store {
    let store = Store::open(folder.path()).unwrap();
    store.activate().unwrap();
    let problems: Vec<_> = widths.iter().copied().map(problem).collect();
    let report = Tuner::new(Device::Cpu)
        .problem_budget(Duration::from_secs(60))
        .technique(Technique::Once)
        .max_candidates(1)
        .retune(true)
        .run(&problems)
        .unwrap();
    Store::deactivate().unwrap();
    for tuned in &report.problems {
        assert!(tuned.error.is_none() && tuned.stored, "{tuned:?}");
    }
    store
}

fn entry(store: &Store, width: i64) -> Option<String> {
    store.get(Device::Cpu, &problem(width), &PlanOptions::new()).unwrap()
}

#[test]
fn what_one_store_learned_travels_to_another() {
    let _alone = alone();
    let (here, there) = (Folder::new("store-here"), Folder::new("store-there"));
    let store = filled(&here, &[21, 22]);
    let info = store.describe().unwrap();
    assert_eq!((info.directory.as_path(), info.mode), (here.path(), StoreMode::ReadWrite));
    assert_eq!(info.entries, 2);
    let text = entry(&store, 21).expect("an entry");

    let other = Store::open(there.path()).unwrap();
    assert_eq!(entry(&other, 21), None);
    let bundle = store.export().unwrap();
    let imported = other.import(&bundle).unwrap();
    assert_eq!((imported.added, imported.kept), (info.entries, 0));
    assert_eq!(other.import(&bundle).unwrap().added, 0);
    assert_eq!(other.digest(), store.digest());
    assert_ne!(other.list().unwrap().trim(), "[]");
    assert_eq!(other.verify().unwrap(), [""; 0]);
    let read = store.entries().unwrap();
    let same = read.iter().find(|read| read.json == text).expect("the entry");
    assert!(same.problem.starts_with("forward f32 x 1×3×10×21"), "{}", same.problem);
    let chosen = &same.candidates[same.winner.unwrap()];
    assert_eq!((same.choice.as_str(), chosen.outcome), (&*chosen.choice(), atc::Outcome::Won));
    assert_eq!((same.technique, same.trouble.as_str()), (Some(Technique::Once), ""));
    assert_eq!((same.device.as_str(), read.len()), ("cpu", 2));
    let merged = Store::merge(&[&bundle, &bundle]).unwrap();
    assert_eq!(other.import(&merged).unwrap().added, 0);

    assert_eq!(other.remove(&text), Ok(true));
    assert_eq!(other.remove(&text), Ok(false));
    assert_ne!(other.digest(), store.digest());
    other.put(&text).unwrap();
    assert_eq!(other.digest(), store.digest());
    assert_eq!(other.prune(0), Ok(info.entries));
    assert_eq!(other.describe().unwrap().entries, 0);
}

#[test]
fn each_bundle_to_merge_is_asked_for_its_bytes_once() {
    struct OtherBytesLater<'a>(Cell<bool>, &'a [u8]);
    impl AsRef<[u8]> for OtherBytesLater<'_> {
        fn as_ref(&self) -> &[u8] {
            if self.0.replace(true) { &self.1[..1] } else { self.1 }
        }
    }
    let _alone = alone();
    let folder = Folder::new("store-merge-once");
    let bundle = Store::open(folder.path()).unwrap().export().unwrap();
    let merged = Store::merge(&[OtherBytesLater(Cell::new(false), &bundle)]);
    assert_eq!(merged, Store::merge(&[&bundle]));
}

#[test]
fn a_directory_needs_no_utf_8_in_its_name() {
    let _alone = alone();
    let folder = Folder::new("store-bytes");
    let directory = folder.path().join(OsStr::from_bytes(b"latin-\xe9"));
    let store = Store::open(&directory).unwrap();
    assert_eq!(store.describe().unwrap().directory, directory);
}

#[test]
fn a_store_goes_to_c_and_comes_back() {
    let _alone = alone();
    let folder = Folder::new("store-raw");
    let store = Store::open(folder.path()).unwrap();
    let mut digest = 0;
    // SAFETY: the handle is live, and the C function writes `digest`.
    atc::call(|| unsafe { sys::atc_store_digest(&mut digest, store.as_raw()) }).unwrap();
    assert_eq!(store.digest(), Ok(digest));
    // SAFETY: `into_raw` has given up the ownership of the handle, so nothing else closes it.
    let store = unsafe { Store::from_raw(store.into_raw()) };
    assert_eq!(store.digest(), Ok(digest));
}

#[test]
fn options_say_what_gives_way() {
    let _alone = alone();
    let (here, there) = (Folder::new("store-old"), Folder::new("store-new"));
    let (old, new) = (Store::open(here.path()).unwrap(), Store::open(there.path()).unwrap());
    let entry = |engine: &str, more: &str| {
        format!(
            r#"{{"key": {{"environment": {{"device": "test"}}, "problem": {{"n": 1}}}},
                "value": {{"choice": {{"engine": "{engine}"}}{more}}}}}"#
        )
    };
    let holds = |store: &Store, engine: &str| store.list().unwrap().contains(engine);
    old.put(&entry("first", "")).unwrap();
    new.put(&entry("second", "")).unwrap();
    let bundle = new.export().unwrap();
    assert_eq!(old.import(&bundle).unwrap().kept, 1);
    assert!(holds(&old, "first"));
    let imported = old.import_with(&bundle, &ImportOptions::new().replace(true)).unwrap();
    assert_eq!((imported.added, imported.kept), (1, 0));
    assert!(holds(&old, "second"));

    // Each store imports the bundle (the export) of the other store, with the option `join`. Afterwards both stores
    // must have the same choices.
    old.put(&entry("another", "")).unwrap();
    let (one, other) = (old.export().unwrap(), new.export().unwrap());
    let joining = ImportOptions::new().join(true);
    old.import_with(&other, &joining).unwrap();
    new.import_with(&one, &joining).unwrap();
    assert_eq!(old.digest(), new.digest());
    let merged = |bundles: [&Vec<u8>; 2]| Store::merge(&bundles).unwrap();
    assert_eq!(merged([&one, &other]), merged([&other, &one]));
    old.put(&entry("second", "")).unwrap();

    let provisional = entry("third", r#", "provisional": {"risk": 0.5, "why": "noise"}"#);
    old.put(&provisional).unwrap();
    assert!(holds(&old, "second"));
    old.put_with(&provisional, &PutOptions::new().replace_firm(true)).unwrap();
    assert!(holds(&old, "third"));
}

#[test]
fn plans_use_the_active_store_and_replay_asks_for_a_record() {
    let _alone = alone();
    let folder = Folder::new("store-replay");
    drop(filled(&folder, &[31]));

    let replay = Store::open_with(folder.path(), StoreMode::ReplayOnly).unwrap();
    replay.activate().unwrap();
    drop(replay);
    assert_eq!(Store::active().unwrap().unwrap().describe().unwrap().mode, StoreMode::ReplayOnly);
    let known = Plan::new(Device::Cpu, &problem(31)).unwrap();
    assert_eq!(known.source(), Ok(Source::Record));
    let unknown = Plan::new(Device::Cpu, &problem(99)).unwrap_err();
    assert_eq!(unknown.kind(), ErrorKind::NotTuned);
    Store::deactivate().unwrap();
    assert!(Store::active().unwrap().is_none());
    Plan::new(Device::Cpu, &problem(99)).unwrap();
}

#[test]
fn unusable_places_and_bad_bytes_are_errors() {
    let _alone = alone();
    let folder = Folder::new("store-bad");
    let file = folder.path().join("file");
    std::fs::write(&file, "in the way").unwrap();
    let error = Store::open(&file).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Io);
    assert!(error.message().contains("file"), "{error}");

    let store = Store::open(folder.path().join("store")).unwrap();
    assert_eq!(store.put("{\"key\": 1}").unwrap_err().kind(), ErrorKind::BadRecord);
    assert_eq!(store.import(b"no bundle").unwrap_err().kind(), ErrorKind::BadRecord);
    assert_eq!(Store::merge(&[b"no bundle"]).unwrap_err().kind(), ErrorKind::BadRecord);
    assert_eq!(store.describe().unwrap().entries, 0);
}

#[test]
fn a_store_is_shared_by_threads() {
    let _alone = alone();
    let folder = Folder::new("store-threads");
    let store = filled(&folder, &[41, 42]);
    let digest = store.digest().unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..20 {
                    assert_eq!(store.digest(), Ok(digest));
                    store.export().unwrap();
                }
            });
        }
    });
}

#[test]
fn a_store_given_with_calls_serves_these_calls_alone() {
    let _alone = alone();
    let (here, there) = (Folder::new("store-own"), Folder::new("store-others"));
    let (known, new) = (problem(61), problem(62));
    let source = |problem: &Problem, options: &PlanOptions<'_>| {
        Plan::with_options(Device::Cpu, problem, options).unwrap().source().unwrap()
    };
    let active = filled(&here, &[61]);
    active.activate().unwrap();
    let own = Store::open(there.path()).unwrap();
    let report = Tuner::new(Device::Cpu)
        .problem_budget(Duration::from_secs(60))
        .technique(Technique::Once)
        .max_candidates(1)
        .store(&own)
        .run(std::slice::from_ref(&new))
        .unwrap();
    assert!(report.problems[0].stored, "{report:?}");
    assert_eq!(own.describe().unwrap().entries, 1);
    assert_eq!(active.describe().unwrap().entries, 1);
    // After `without_store`, the method `store` gives options a store again. The options are used
    // on another thread here, which must be possible.
    let with_own = PlanOptions::new().without_store().store(&own);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            assert_eq!(source(&new, &with_own), Source::Record);
            assert_ne!(source(&known, &with_own), Source::Record);
        });
    });
    assert_eq!(source(&known, &PlanOptions::new()), Source::Record);
    assert_ne!(source(&new, &PlanOptions::new()), Source::Record);
    for asked in [&known, &new] {
        assert_ne!(source(asked, &with_own.without_store()), Source::Record);
    }
    Store::deactivate().unwrap();
}
