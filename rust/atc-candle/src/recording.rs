//! Records the distinct convolutions of a program, for `atc tune`.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

use atc::log::{self, Level};
use atc::{Problem, Problems};
use candle_core::Result;

use crate::failure::{failure, refused};

/// The largest number of distinct convolutions in a recording. libatc notes at most the same number of convolutions for
/// later tuning.
const MOST: usize = 4096;

/// Starts a recording. From now on each distinct convolution that the process runs through atc is noted: direction,
/// shapes, types, epilogue, and the number of calls. [`Recording::stop`] writes `file`, which `atc tune` reads. If the
/// environment variable `ATC_RECORD=FILE` is set, the first convolution of the process starts a recording, and FILE is
/// written when the process ends.
///
/// # Errors
/// A recording is running already (perhaps because of `ATC_RECORD`), or `file` cannot be written.
///
/// ```
/// use candle_core::{DType, Device, Tensor};
///
/// # fn main() -> candle_core::Result<()> {
/// # let file = std::env::temp_dir().join(format!("atc-candle-doc-{}.json", std::process::id()));
/// let mut recording = atc_candle::record(&file)?;
/// let x = Tensor::ones((1, 3, 32, 32), DType::F32, &Device::Cpu)?;
/// let kernel = Tensor::ones((8, 3, 3, 3), DType::F32, &Device::Cpu)?;
/// atc_candle::conv2d(&x, &kernel, 1, 1, 1, 1)?;
/// assert_eq!(recording.stop()?, 1);
/// // $ atc tune convolutions.json --store tuned
/// # let _ = std::fs::remove_file(file);
/// # Ok(())
/// # }
/// ```
pub fn record(file: impl AsRef<Path>) -> Result<Recording> {
    start_once_if_asked();
    let file = start(file.as_ref())?;
    Ok(Recording { file, going_on: true })
}

/// A running recording. A process has at most one. Dropping the recording also writes its file. If the file cannot be
/// written, the drop logs an error.
#[derive(Debug)]
#[must_use = "the recording ends as soon as it is dropped"]
pub struct Recording {
    file: PathBuf,
    going_on: bool,
}

impl Recording {
    /// The file that the recording will write.
    #[must_use]
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Writes the file and returns the number of distinct convolutions in the file.
    ///
    /// # Errors
    /// The file cannot be written: then the recording is still running, and `stop` may be called again. Or the
    /// recording has already ended.
    pub fn stop(&mut self) -> Result<usize> {
        if !self.going_on {
            return Err(refused(format!("the recording {} has ended", self.file.display())));
        }
        let distinct = end()?;
        self.going_on = false;
        Ok(distinct)
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        if self.going_on
            && let Err(error) = end()
        {
            let text = format!("the recording {} is lost: {error}", self.file.display());
            // If the log line cannot be written, this error is ignored.
            let _ = log::write(Level::Error, &text);
            *state() = None;
            RUNNING.store(false, Ordering::Relaxed);
        }
    }
}

/// The state of a running recording.
struct State {
    file: PathBuf,
    /// The id of the process that records. A forked child has a copy of the state, but must not write the file.
    process: u32,
    calls: Vec<(Problem, u64)>,
    is_full: bool,
}

static STATE: Mutex<Option<State>> = Mutex::new(None);
/// Whether a recording is running. This flag is read without the lock of `STATE`, so that convolutions are fast if no
/// recording is running.
static RUNNING: AtomicBool = AtomicBool::new(false);

fn state() -> MutexGuard<'static, Option<State>> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Notes a call of atc if a recording is running.
pub(crate) fn note(problem: &Problem) {
    start_once_if_asked();
    if !RUNNING.load(Ordering::Relaxed) {
        return;
    }
    let mut state = state();
    let Some(state) = state.as_mut().filter(|state| state.process == std::process::id()) else {
        return;
    };
    match state.calls.iter().position(|(known, _)| known == problem) {
        Some(at) => state.calls[at].1 += 1,
        None if state.calls.len() < MOST => state.calls.push((*problem, 1)),
        None if state.is_full => {}
        None => {
            state.is_full = true;
            let text = format!(
                "the recording holds {MOST} distinct convolutions: further ones are not noted"
            );
            let _ = log::write(Level::Warning, &text);
        }
    }
}

/// Starts a recording if the environment variable `ATC_RECORD` is set. Only the first call of this function in the
/// process can start a recording. A failure is logged as a warning.
fn start_once_if_asked() {
    static ASKED: Once = Once::new();
    ASKED.call_once(|| {
        let Some(file) = std::env::var_os("ATC_RECORD").filter(|file| !file.is_empty()) else {
            return;
        };
        match start(Path::new(&file)) {
            // SAFETY: `at_the_end` may be called while the process ends, from any thread.
            Ok(_) => unsafe {
                atexit(at_the_end);
            },
            Err(error) => {
                let _ = log::write(Level::Warning, &format!("ATC_RECORD is ignored: {error}"));
            }
        }
    });
}

unsafe extern "C" {
    /// The function `atexit` of the C library: when the process ends, the C library calls `function`.
    fn atexit(function: extern "C" fn()) -> i32;
}

extern "C" fn at_the_end() {
    // A panic is caught, because a panic in this function would abort the process, which is ending normally.
    let ended = std::panic::catch_unwind(|| RUNNING.load(Ordering::Relaxed).then(end));
    if let Ok(Some(Err(error))) = ended {
        eprintln!("atc: the recording is lost: {error}");
    }
}

fn start(file: &Path) -> Result<PathBuf> {
    // The path is made absolute, because the program may change its working directory before the file is written.
    let file = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
    let mut state = state();
    let process = std::process::id();
    if let Some(running) = state.as_ref().filter(|state| state.process == process) {
        return Err(refused(format!(
            "{} is being recorded: stop that recording first",
            running.file.display()
        )));
    }
    let trial = temporary(&file);
    let written = if file.is_dir() {
        Err(std::io::Error::from(std::io::ErrorKind::IsADirectory))
    } else {
        fs::write(&trial, "").and_then(|()| fs::remove_file(&trial))
    };
    written.map_err(|error| unwritable(&file, &error))?;
    *state = Some(State { file: file.clone(), process, calls: Vec::new(), is_full: false });
    RUNNING.store(true, Ordering::Relaxed);
    Ok(file)
}

/// Writes the file and ends the recording. If the file cannot be written, the recording goes on.
fn end() -> Result<usize> {
    let mut state = state();
    let running = state.as_ref().filter(|state| state.process == std::process::id());
    let running = running.ok_or_else(|| refused("nothing is being recorded".to_owned()))?;
    let mut problems = Problems::new().map_err(failure)?;
    for (problem, count) in &running.calls {
        problems.add(problem, *count).map_err(failure)?;
    }
    let (distinct, text) = (problems.len().map_err(failure)?, problems.to_json().map_err(failure)?);
    let (file, trial) = (&running.file, temporary(&running.file));
    fs::write(&trial, text).and_then(|()| fs::rename(&trial, file)).map_err(|error| {
        let _ = fs::remove_file(&trial);
        unwritable(file, &error)
    })?;
    *state = None;
    RUNNING.store(false, Ordering::Relaxed);
    Ok(distinct)
}

/// The name of a temporary file beside `file`. The recording is written into the temporary file, which is then renamed
/// to `file`. So a reader of `file` never sees half a file.
fn temporary(file: &Path) -> PathBuf {
    let mut name = file.file_name().map_or_else(OsString::new, OsString::from);
    name.push(format!(".{}.tmp", std::process::id()));
    file.with_file_name(name)
}

fn unwritable(file: &Path, error: &std::io::Error) -> candle_core::Error {
    refused(format!("{} cannot be written: {error}", file.display()))
}
