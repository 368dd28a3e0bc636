//! The entries of a store in a form for people and for reports.

use crate::raw::call::{call, positive, query, size_of_u32, text};
use crate::raw::error::{Error, Result};
use crate::raw::handle::{Owned, create};
use crate::safe::candidate::Candidate;
use crate::safe::explanation::Ceilings;
use crate::safe::store::Store;
use crate::safe::technique::Technique;
use crate::sys;

/// One entry of a store: a problem, its decision, and the conditions under which the decision was measured. Parts that
/// this version of libatc cannot read are empty.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct StoreEntry {
    /// The entry as JSON text, as [`Store::get`] returns it.
    pub json: String,
    /// The entry's key as JSON text: equal for the same problem on the same machine.
    pub key: String,
    /// The problem in one line, for people; may be empty.
    pub problem: String,
    /// Bytes of x, w and y, each moved once; 0 if the problem cannot be read.
    pub bytes: f64,
    /// Operations of the direct method, 2 for each product, products with padding included; 0 if the problem cannot be
    /// read.
    pub flops: f64,
    /// The ceilings of the entry's device.
    pub ceilings: Ceilings,
    /// `cpu` or `cuda`; may be empty.
    pub device: String,
    /// The name of the processor or GPU; may be empty.
    pub device_name: String,
    /// The threads of a convolution on the CPU.
    pub threads: Option<u32>,
    /// Name and version of the libraries that the entry was measured with.
    pub libraries: Vec<(String, String)>,
    /// The choice: `engine@version:configuration`; empty if the decision cannot be read.
    pub choice: String,
    /// Why the decision cannot be read; else empty.
    pub trouble: String,
    /// The decision is provisional.
    pub provisional: bool,
    /// For a provisional decision, by how much the choice may be slower than another candidate (0.1: 10
    /// %).
    pub risk: f64,
    /// Why the decision is provisional; may be empty.
    pub why: String,
    /// Index of the candidate that was chosen.
    pub winner: Option<usize>,
    /// Index of the candidate that runs without tuning.
    pub default_candidate: Option<usize>,
    /// Index of the program's own convolution.
    pub original: Option<usize>,
    /// All candidates.
    pub candidates: Vec<Candidate>,
    /// How the candidates were timed, if the decision can be read.
    pub technique: Option<Technique>,
    /// Executions of the race, all candidates together.
    pub executions: u64,
    /// Seconds that the race took.
    pub seconds: f64,
    /// The machine that measured the decision; may be empty.
    pub host: String,
    /// When the decision was measured, as `2026-01-31T12:00:00Z`; may be empty.
    pub date: String,
    /// The state of the device at the end of the race.
    pub conditions: Conditions,
}

/// The state of a device at the end of a race, as far as it was known.
#[derive(Debug, Clone, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Conditions {
    /// The version of the device's driver; may be empty.
    pub driver: String,
    /// The limit of its power.
    pub power_limit_watts: Option<f64>,
    /// Its temperature.
    pub temperature_celsius: Option<f64>,
    /// Its clock.
    pub clock_hz: Option<f64>,
    /// The clock of its memory.
    pub memory_clock_hz: Option<f64>,
    /// The reasons, in words, that lowered the clocks during the race.
    pub clocks_limited_by: Vec<String>,
}

impl Store {
    /// All valid entries, in the order of [`list`](Self::list). Reads every file.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let folder = std::env::temp_dir().join(format!("atc-doc-entries-{}", std::process::id()));
    /// # let store = atc::Store::open(&folder)?;
    /// for entry in store.entries()? {
    ///     println!("{}: {}, measured on {}", entry.problem, entry.choice, entry.host);
    /// }
    /// # std::fs::remove_dir_all(folder)?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn entries(&self) -> Result<Vec<StoreEntry>> {
        // SAFETY: the handle is live, and the C function may write to `out`.
        let entries = create(|out| unsafe { sys::atc_store_read(out, self.as_raw()) })?;
        let entries = entries.ok_or_else(|| {
            Error::new(sys::ATC_ERROR_INTERNAL, "libatc read a store and gave nothing")
        })?;
        // SAFETY: the handle is live, and the C function may write to `out`.
        let count: usize =
            query(|out| unsafe { sys::atc_store_entries_count(out, entries.shared()) })?;
        (0..count).map(|index| entry(&entries, index)).collect()
    }
}

fn entry(entries: &Owned<sys::atc_store_entries>, index: usize) -> Result<StoreEntry> {
    let struct_size = size_of_u32::<sys::atc_store_entry>();
    let mut raw = sys::atc_store_entry { struct_size, ..Default::default() };
    // SAFETY: the handle is live, and the C function may write to `raw` during the call, up to its struct_size.
    call(|| unsafe { sys::atc_store_entries_describe(&mut raw, entries.shared(), index) })?;
    // SAFETY: the strings are borrowed from the entries, which outlive this function, and copied.
    let owned = |string| unsafe { text(string) }.to_owned();
    Ok(StoreEntry {
        json: owned(raw.entry),
        key: owned(raw.key),
        problem: owned(raw.problem),
        bytes: raw.bytes,
        flops: raw.flops,
        ceilings: Ceilings::from_raw(raw.bytes_per_second, raw.flops_per_second),
        device: owned(raw.device),
        device_name: owned(raw.device_name),
        threads: u32::try_from(raw.threads).ok().filter(|threads| *threads > 0),
        libraries: libraries(&owned(raw.libraries)),
        choice: owned(raw.choice),
        trouble: owned(raw.trouble),
        provisional: raw.provisional != 0,
        risk: raw.risk,
        why: owned(raw.why),
        winner: usize::try_from(raw.winner).ok(),
        default_candidate: usize::try_from(raw.default_candidate).ok(),
        original: usize::try_from(raw.original).ok(),
        candidates: (0..raw.candidates as usize)
            .map(|number| candidate(entries, index, number))
            .collect::<Result<_>>()?,
        technique: (raw.technique != 0).then(|| Technique::from_raw(raw.technique)),
        executions: raw.executions,
        seconds: raw.seconds,
        host: owned(raw.host),
        date: owned(raw.date),
        conditions: Conditions {
            driver: owned(raw.driver),
            power_limit_watts: positive(raw.power_limit_watts),
            temperature_celsius: positive(raw.temperature_celsius),
            clock_hz: positive(raw.clock_hz),
            memory_clock_hz: positive(raw.memory_clock_hz),
            clocks_limited_by: owned(raw.clocks_limited_by).lines().map(str::to_owned).collect(),
        },
    })
}

fn candidate(
    entries: &Owned<sys::atc_store_entries>,
    index: usize,
    number: usize,
) -> Result<Candidate> {
    let struct_size = size_of_u32::<sys::atc_candidate>();
    let mut raw = sys::atc_candidate { struct_size, ..Default::default() };
    // SAFETY: the handle is live, and the C function may write to `raw` during the call, up to its struct_size.
    call(|| unsafe {
        sys::atc_store_entries_candidate(&mut raw, entries.shared(), index, number)
    })?;
    // SAFETY: the strings are borrowed from the entries, which outlive this function, and copied.
    Ok(unsafe { Candidate::from_raw(&raw) })
}

/// `onednn:3.2,cudnn:9.1`.
fn libraries(text: &str) -> Vec<(String, String)> {
    let pairs = text.split(',').filter_map(|part| part.split_once(':'));
    pairs.map(|(name, version)| (name.to_owned(), version.to_owned())).collect()
}
