//! Records the distinct convolutions of a program, for `atc tune`.

use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use atc::log::{self, Level};
use atc::{Error, ErrorKind, Result};

use crate::geometry::invalid;
use crate::info::expect_init;
use crate::raw::{in_drop, query};
use crate::sys;

/// Starts a recording. From now on each distinct convolution of the process is noted: direction,
/// shapes, dtypes, layouts, the number of calls, and whether its weights remained the same.
/// [`Recording::stop`] writes `file`, which `atc tune` reads. [`install`](crate::install) need not
/// be called for a recording, but [`init`](crate::init) must be called first.
///
/// # Errors
///
/// [`ErrorKind::Busy`](atc::ErrorKind::Busy): a recording is running already, perhaps because of
/// `ATC_RECORD` in the environment. [`ErrorKind::Io`](atc::ErrorKind::Io): `file` cannot be
/// written. [`ErrorKind::InvalidArgument`]: [`init`](crate::init) was not called, or libtorch_cuda
/// was loaded after the last call of [`init`](crate::init).
///
/// ```
/// use tch::{Device, Kind, Tensor};
///
/// # fn main() -> atc_tch::Result<()> {
/// # let file = std::env::temp_dir().join(format!("atc-tch-doc-{}.json", std::process::id()));
/// // SAFETY: no other thread uses LibTorch yet.
/// unsafe { atc_tch::init() }?;
/// let mut recording = atc_tch::record(&file)?;
/// let x = Tensor::ones([1, 3, 32, 32], (Kind::Float, Device::Cpu));
/// let w = Tensor::ones([8, 3, 3, 3], (Kind::Float, Device::Cpu));
/// let _ = x.conv2d(&w, None::<Tensor>, 1, 1, 1, 1);
/// assert_eq!(recording.stop()?, 1);
/// // $ atc tune convolutions.json --store tuned
/// # let _ = std::fs::remove_file(file);
/// # Ok(())
/// # }
/// ```
pub fn record(file: impl AsRef<Path>) -> Result<Recording> {
    let file = file.as_ref();
    let name = CString::new(file.as_os_str().as_bytes()).map_err(|error| {
        invalid(format!("the file has a NUL byte at {}: leave it out", error.nul_position()))
    })?;
    expect_init()?;
    // SAFETY: the path ends with NUL and lives during the call. The call does not put hooks into
    // LibTorch, because `init` has put them already.
    atc::call(|| unsafe { sys::atc_torch_record_start(name.as_ptr()) })?;
    Ok(Recording { file: file.to_owned(), going_on: true })
}

/// A running recording. A process has at most one. Dropping the recording also writes its file. If
/// the file cannot be written, the drop logs an error.
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
    ///
    /// [`ErrorKind::Io`]: the file could not be written. The recording is still running, and `stop`
    /// may be called again. [`ErrorKind::InvalidArgument`]: the recording has already ended.
    pub fn stop(&mut self) -> Result<u64> {
        if !self.going_on {
            return Err(invalid(format!("the recording {} has ended", self.file.display())));
        }
        let distinct = end()?;
        self.going_on = false;
        Ok(distinct)
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        if !self.going_on {
            return;
        }
        in_drop(|| {
            if let Err(error) = end() {
                // If this line cannot be written to the log, the error of `log::write` is ignored.
                let _ = log::write(Level::Error, &unwritten(&self.file, &error));
            }
        });
    }
}

/// Returns the text that is logged if the drop of a recording could not end the recording.
fn unwritten(file: &Path, error: &Error) -> String {
    let file = file.display();
    match error.kind() {
        // `InvalidArgument` means that no recording is running in this process: the process is a
        // forked child, or a call of atc_torch_record_stop has ended the recording.
        ErrorKind::InvalidArgument => {
            format!("the recording {file} does not go on in this process: {error}")
        }
        _ => format!(
            "the recording {file} goes on: {error}; until atc_torch_record_stop writes it no other one can be \
             started, and the end of the process writes nothing"
        ),
    }
}

fn end() -> Result<u64> {
    query(|out| {
        // SAFETY: the C function may write to `out` during the call.
        unsafe { sys::atc_torch_record_stop(out) }
    })
}
