//! The entries of a store as Rust structs, for programs that show the contents of a store. An entry is the stored
//! decision of one problem.

use crate::raw::call::{call, positive, query, size_of_u32, text};
use crate::raw::error::{Error, Result};
use crate::raw::handle::{Owned, create};
use crate::safe::candidate::Candidate;
use crate::safe::explanation::Ceilings;
use crate::safe::store::Store;
use crate::safe::technique::Technique;
use crate::sys;

/// One entry of a store: a problem, its decision, and the conditions under which the decision was measured. If this
/// version of libatc cannot read a part of the entry, the fields of this part are empty, 0 or `None`.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct StoreEntry {
    /// The entry as JSON text, as [`Store::get`] returns it.
    pub json: String,
    /// The key of the entry as JSON text: the problem, the options that influence its decision, and the environment
    /// (the device and the versions of libraries). A store has at most one entry with a given key.
    pub key: String,
    /// The problem in one line, for people; may be empty.
    pub problem: String,
    /// The total size of x, w and y in bytes; 0 if the problem cannot be read.
    pub bytes: f64,
    /// The number of arithmetic operations if the sums of the convolution are computed directly: a multiplication and
    /// an addition for each product. Products with the zeros of the padding are counted, too. 0 if the problem cannot
    /// be read.
    pub flops: f64,
    /// The ceilings of the entry's device: the highest measured rates at which it moves memory and computes.
    pub ceilings: Ceilings,
    /// The type of the device, `cpu` or `cuda`; may be empty.
    pub device: String,
    /// The name of the processor or GPU; may be empty.
    pub device_name: String,
    /// On the CPU: the number of threads that a convolution used when the decision was measured, if this number is
    /// known.
    pub threads: Option<u32>,
    /// The libraries with which the decision was measured, as pairs of name and version.
    pub libraries: Vec<(String, String)>,
    /// The choice (the implementation that was chosen), `engine@version:configuration`; empty if the decision cannot be
    /// read.
    pub choice: String,
    /// Why the decision cannot be read; empty if the decision can be read.
    pub trouble: String,
    /// Whether the decision is provisional (uncertain).
    pub provisional: bool,
    /// If the decision is provisional: by how much the choice may be slower than another candidate, as a fraction (0.1
    /// is 10 %). 0 if the decision is firm.
    pub risk: f64,
    /// Why the decision is provisional; may be empty.
    pub why: String,
    /// The index of the choice in `candidates`; `None` if the choice is not in this list.
    pub winner: Option<usize>,
    /// The index in `candidates` of the candidate that runs without tuning; `None` if the list does not have this
    /// candidate.
    pub default_candidate: Option<usize>,
    /// The index in `candidates` of the implementation that the program would run without atc, for example LibTorch's
    /// own convolution; `None` if the list does not have it.
    pub original: Option<usize>,
    /// The candidates: all implementations that were considered for the problem.
    pub candidates: Vec<Candidate>,
    /// The technique by which the measurement has timed the candidates; `None` if it is not known.
    pub technique: Option<Technique>,
    /// The number of executions of all candidates in the measurement.
    pub executions: u64,
    /// The duration of the measurement in seconds.
    pub seconds: f64,
    /// The name of the machine that measured the decision; may be empty.
    pub host: String,
    /// The date and time of the measurement, for example `2026-01-31T12:00:00Z`; may be empty.
    pub date: String,
    /// The state of the device at the end of the measurement.
    pub conditions: Conditions,
}

/// The state of a device at the end of a measurement. A field is `None` or empty if its value was not known.
#[derive(Debug, Clone, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Conditions {
    /// The version of the device's driver; may be empty.
    pub driver: String,
    /// The power limit of the device, in watts.
    pub power_limit_watts: Option<f64>,
    /// The temperature of the device, in degrees Celsius.
    pub temperature_celsius: Option<f64>,
    /// The clock frequency of the device, in hertz.
    pub clock_hz: Option<f64>,
    /// The clock frequency of the device's memory, in hertz.
    pub memory_clock_hz: Option<f64>,
    /// The reasons why the device has lowered its clock frequencies during the measurement, as texts; empty if there
    /// are none.
    pub clocks_limited_by: Vec<String>,
}

impl Store {
    /// Returns all valid entries, in the order of [`list`](Self::list). Reads every file of the store.
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
        // SAFETY: the object behind the C handle was not destroyed. The C function writes only `out`, and only during
        // the call.
        let entries = create(|out| unsafe { sys::atc_store_read(out, self.as_raw()) })?;
        let entries = entries.ok_or_else(|| {
            Error::new(sys::ATC_ERROR_INTERNAL, "libatc read a store and gave nothing")
        })?;
        // SAFETY: the object behind the C handle was not destroyed. The C function writes only `out`, and only during
        // the call.
        let count: usize =
            query(|out| unsafe { sys::atc_store_entries_count(out, entries.shared()) })?;
        (0..count).map(|index| entry(&entries, index)).collect()
    }
}

fn entry(entries: &Owned<sys::atc_store_entries>, index: usize) -> Result<StoreEntry> {
    let struct_size = size_of_u32::<sys::atc_store_entry>();
    let mut raw = sys::atc_store_entry { struct_size, ..Default::default() };
    // SAFETY: the object behind the C handle was not destroyed. The C function writes at most the `struct_size` bytes
    // of `raw`, and only during the call.
    call(|| unsafe { sys::atc_store_entries_describe(&mut raw, entries.shared(), index) })?;
    // SAFETY: the strings that `raw` points to are valid as long as the C object `entries` exists.
    // `entries` outlives this function, which copies the strings.
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
    // SAFETY: the object behind the C handle was not destroyed. The C function writes at most the `struct_size` bytes
    // of `raw`, and only during the call.
    call(|| unsafe {
        sys::atc_store_entries_candidate(&mut raw, entries.shared(), index, number)
    })?;
    // SAFETY: the strings that `raw` points to are valid as long as the C object `entries` exists.
    // `entries` outlives this function, which copies the strings.
    Ok(unsafe { Candidate::from_raw(&raw) })
}

/// Parses the list of libraries, for example `onednn:3.2,cudnn:9.1`.
fn libraries(text: &str) -> Vec<(String, String)> {
    let pairs = text.split(',').filter_map(|part| part.split_once(':'));
    pairs.map(|(name, version)| (name.to_owned(), version.to_owned())).collect()
}
