//! What libatc has to say besides statuses.

use std::ffi::{c_char, c_void};
use std::sync::{Arc, RwLock};

use crate::c_enum::c_enum;
use crate::call::{call, query, text};
use crate::error::Result;
use crate::rust_words::in_rust_words;
use crate::{panic, sys};

c_enum! {
    /// How much is said.
    Level ("log level") {
        /// Nothing.
        Off = ATC_LOG_OFF => "off",
        /// What went wrong.
        Error = ATC_LOG_ERROR => "error",
        /// What may be wrong. The default.
        Warning = ATC_LOG_WARNING => "warning",
        /// What was decided.
        Info = ATC_LOG_INFO => "info",
        /// Everything.
        Debug = ATC_LOG_DEBUG => "debug",
    }
}

type Sink = dyn Fn(Level, &str) + Send + Sync;

/// The closure that lines go to. A thread that is in it keeps it alive.
static SINK: RwLock<Option<Arc<Sink>>> = RwLock::new(None);

/// Sends every line to a closure, from whatever thread it comes. The closure must not call libatc.
///
/// A panic in the closure goes on when the call that logged returns; on a thread that belongs to libatc it
/// is dropped.
///
/// ```
/// # fn main() -> atc::Result<()> {
/// atc::log::set_sink(|level, line| eprintln!("[{level}] {line}"))?;
/// atc::log::clear_sink()?; // standard error again
/// # Ok(())
/// # }
/// ```
pub fn set_sink(sink: impl Fn(Level, &str) + Send + Sync + 'static) -> Result<()> {
    replace(Some(Arc::new(sink)));
    // SAFETY: the callback lives as long as the process and takes no payload.
    call(|| unsafe { sys::atc_log_sink_set(Some(pass_on), std::ptr::null_mut()) })
}

/// Lines go to standard error again.
pub fn clear_sink() -> Result<()> {
    // SAFETY: no callback.
    let cleared = call(|| unsafe { sys::atc_log_sink_set(None, std::ptr::null_mut()) });
    replace(None);
    cleared
}

/// Sends every line to `tracing`, target `atc::log`, with its level. Feature `tracing`.
///
/// libatc says what [`set_level`] asks for; with [`Level::Debug`] the subscriber alone decides. The subscriber must not
/// call libatc.
///
/// ```
/// # fn main() -> atc::Result<()> {
/// use atc::log::{Level, set_level, to_tracing};
///
/// to_tracing()?;
/// set_level(Level::Debug)?;
/// # atc::log::clear_sink()
/// # }
/// ```
#[cfg(feature = "tracing")]
pub fn to_tracing() -> Result<()> {
    set_sink(crate::trace::line)
}

/// Says a line of the caller's own where libatc's lines go: to the closure of [`set_sink`], else to standard
/// error; nothing if the level is above what is said.
///
/// ```
/// # fn main() -> atc::Result<()> {
/// atc::log::write(atc::log::Level::Warning, "only 3 of 8 layers are tuned")
/// # }
/// ```
pub fn write(level: Level, line: &str) -> Result<()> {
    if level == Level::Off || level.to_raw() > self::level()?.to_raw() {
        return Ok(());
    }
    let sink = SINK.read().unwrap_or_else(|poisoned| poisoned.into_inner()).clone();
    match sink {
        Some(sink) => sink(level, line),
        None => eprintln!("atc: {line}"),
    }
    Ok(())
}

/// How much is said from now on.
pub fn set_level(level: Level) -> Result<()> {
    // SAFETY: a plain value.
    call(|| unsafe { sys::atc_log_level_set(level.to_raw()) })
}

/// How much is said.
pub fn level() -> Result<Level> {
    // SAFETY: `out` may be written for the call.
    query(|out| unsafe { sys::atc_log_level_get(out) }).map(Level::from_raw)
}

fn replace(sink: Option<Arc<Sink>>) {
    let before = {
        let mut current = SINK.write().unwrap_or_else(|poisoned| poisoned.into_inner());
        std::mem::replace(&mut *current, sink)
    };
    // Dropped without the lock: the closure may own anything.
    drop(before);
}

/// # Safety
/// `line` is NULL or ends with NUL, and lives for the call.
unsafe extern "C" fn pass_on(level: i32, line: *const c_char, _payload: *mut c_void) {
    panic::catch(|| {
        let sink = SINK.read().unwrap_or_else(|poisoned| poisoned.into_inner()).clone();
        if let Some(sink) = sink {
            // SAFETY: by this function's contract.
            let line = unsafe { text(line) };
            sink(Level::from_raw(level), &in_rust_words(line));
        }
    });
}
