//! The log of libatc: its level, its sink (the closure that gets the lines), and a function by which the program writes
//! lines of its own to the log.

mod json;

use std::borrow::Cow;
use std::ffi::{c_char, c_void};
use std::io::Write;
use std::sync::{Arc, RwLock, Weak};
use std::time::SystemTime;

use crate::raw::c_enum::c_enum;
use crate::raw::call::{call, path, query, size_of_u32, text};
use crate::raw::error::Result;
use crate::raw::inside::inside;
use crate::raw::panic;
use crate::sys;

c_enum! {
    /// The level of the log: which lines are logged.
    Level ("log level") {
        /// No lines are logged.
        Off = ATC_LOG_OFF => "off",
        /// Only errors are logged.
        Error = ATC_LOG_ERROR => "error",
        /// Errors and warnings are logged. This is the default.
        Warning = ATC_LOG_WARNING => "warning",
        /// Errors, warnings and decisions (choices of implementations for convolutions) are logged.
        Info = ATC_LOG_INFO => "info",
        /// All lines are logged.
        Debug = ATC_LOG_DEBUG => "debug",
    }
}

/// The format of a line that is passed to a closure or written to standard error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Text,
    Json,
}

impl Format {
    fn to_raw(self) -> i32 {
        match self {
            Self::Text => sys::ATC_LOG_FORMAT_TEXT,
            Self::Json => sys::ATC_LOG_FORMAT_JSON,
        }
    }

    /// Returns the format of the lines on standard error: JSON if the environment variable `ATC_LOG` says so, else
    /// text.
    fn of_standard_error() -> Self {
        let value = std::env::var("ATC_LOG").unwrap_or_default();
        if json::is_asked_for(&value) { Self::Json } else { Self::Text }
    }
}

/// A line of the log. It is either a text, or a JSON object into which libatc has already converted the text.
#[derive(Clone, Copy)]
enum Line<'a> {
    Text(&'a str),
    Object(&'a str),
}

impl<'a> Line<'a> {
    /// Returns the line in the format `format`. A JSON object is returned as it is, whatever `format` is, because
    /// libatc makes JSON objects only for closures that want JSON.
    fn rendered(self, format: Format, level: Level) -> Cow<'a, str> {
        match (self, format) {
            (Self::Text(line), Format::Json) => json::object(SystemTime::now(), level, line).into(),
            (Self::Text(line), Format::Text) | (Self::Object(line), _) => line.into(),
        }
    }

    fn to_standard_error(self, level: Level) {
        let format = Format::of_standard_error();
        let line = self.rendered(format, level);
        let prefix = match format {
            Format::Text => "atc: ",
            Format::Json => "",
        };
        // Errors are ignored, because a full disk or a closed pipe must not make the program fail.
        let _ = writeln!(std::io::stderr(), "{prefix}{line}");
    }
}

type Sink = dyn Fn(Level, &str) + Send + Sync;

/// The current sink (the closure that gets the lines) and its format. The function [`write`] uses the sink and
/// the format. The reference is weak, because libatc owns the sink and decides when it is dropped.
static SINK: RwLock<Option<(Weak<Sink>, Format)>> = RwLock::new(None);

/// Calls the closure `sink` with a line in the closure's format. If the closure is already running on this thread
/// (because it writes to the log itself), the line is written to standard error instead. Otherwise the closure would
/// call itself without end.
fn say(sink: &Sink, format: Format, level: Level, line: Line<'_>) {
    if !inside(|| sink(level, &line.rendered(format, level))) {
        line.to_standard_error(level);
    }
}

/// Sets the sink of the log: a closure that gets every line. Any thread may call the closure. If another sink replaces
/// the closure, the closure is dropped after its last call has returned.
///
/// Inside the closure that gets the lines of the log, only [`level`], [`set_level`] and [`write()`] work. All other
/// functions of this crate return [`ErrorKind::Busy`](crate::ErrorKind::Busy) there, because libatc may hold its locks
/// while it logs. A line that the closure passes to [`write()`] is written to standard error. If the closure drops a
/// plan, a store or another handle, the handle is destroyed later: in the next call of this crate on this thread, or
/// at the end of the thread.
///
/// A panic in the closure that gets the lines of the log is caught, and resumed when the call that
/// logged the line returns. If the line was logged during a drop, the panic is resumed in the
/// thread's next call of this crate. On a thread of libatc the panic is discarded.
///
/// ```
/// # fn main() -> atc::Result<()> {
/// atc::log::set_sink(|level, line| eprintln!("[{level}] {line}"))?;
/// atc::log::clear_sink()?; // standard error again
/// # Ok(())
/// # }
/// ```
pub fn set_sink(sink: impl Fn(Level, &str) + Send + Sync + 'static) -> Result<()> {
    hand_over(sink, Format::Text)
}

/// Like [`set_sink`], but each line is a JSON object of ASCII characters. The closure also gets the
/// lines of [`write()`] as JSON objects.
///
/// The members are the strings `time` (RFC 3339, UTC), `level`, `event` and `message` (the line as text). A line about
/// a decision (the choice of an implementation for a convolution) has the event `decision` and these further members:
/// `problem`, `device`, `choice`, `source`, `provisional`, `time_ms` (the median time of an execution), `gain` (the
/// time of the implementation that would run without tuning, divided by the time of the choice), `decided_in_ms` (the
/// time that the decision took), `store` (the folder of the store) and `stored` (whether the decision is in the store).
/// A member is null if its value is not known.
///
/// ```
/// # fn main() -> atc::Result<()> {
/// atc::log::set_json_sink(|_, line| println!("{line}"))?;
/// # atc::log::clear_sink()
/// # }
/// ```
pub fn set_json_sink(sink: impl Fn(Level, &str) + Send + Sync + 'static) -> Result<()> {
    hand_over(sink, Format::Json)
}

fn hand_over(sink: impl Fn(Level, &str) + Send + Sync + 'static, format: Format) -> Result<()> {
    let sink: Arc<Sink> = Arc::new(sink);
    let known = Arc::downgrade(&sink);
    let user = Box::into_raw(Box::new(sink));
    let raw = sys::atc_log_sink {
        struct_size: size_of_u32::<sys::atc_log_sink>(),
        format: format.to_raw(),
        user: user.cast(),
        write: Some(match format {
            Format::Text => pass_on,
            Format::Json => pass_on_json,
        }),
        destroy: Some(drop_sink),
    };
    // SAFETY: the callbacks are functions, so they exist as long as the process. `user` (the argument of the callbacks)
    // is freed only by the callback `destroy`, which libatc calls last.
    let set = replace(Some((known, format)), || unsafe { sys::atc_log_sink_set(&raw) });
    if set.is_err() {
        // SAFETY: the call has failed, so libatc does not use or free `user`.
        drop(unsafe { Box::from_raw(user) });
    }
    set
}

/// Removes the sink: lines are written to standard error again.
pub fn clear_sink() -> Result<()> {
    // SAFETY: the call sets no sink.
    replace(None, || unsafe { sys::atc_log_sink_set(std::ptr::null()) })
}

/// Passes every line to `tracing`, with the target `atc::log` and the level of the line. This
/// function needs the feature `tracing`.
///
/// libatc logs only lines up to the level of [`set_level`]. If this level is [`Level::Debug`],
/// libatc logs all lines, and only the subscriber of `tracing` filters them. The subscriber must
/// not call libatc.
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
    set_sink(trace_line)
}

#[cfg(feature = "tracing")]
/// Passes a line of libatc's log to `tracing`, with the level of the line.
fn trace_line(level: Level, line: &str) {
    match level {
        Level::Off => {}
        Level::Error => tracing::error!(target: "atc::log", "{line}"),
        Level::Warning => tracing::warn!(target: "atc::log", "{line}"),
        Level::Info => tracing::info!(target: "atc::log", "{line}"),
        Level::Debug | Level::Other(_) => tracing::debug!(target: "atc::log", "{line}"),
    }
}

/// Writes a line that the program has composed to libatc's log. Does nothing if the level of the line is above the
/// level of the log. The line is passed to the closure of [`set_sink`] or [`set_json_sink`]. If there is no closure, or
/// if the call is made inside the closure, the line is written to standard error.
///
/// The closure of [`set_json_sink`] gets a JSON object with the event `message` and the line as its
/// member `message`. Such an object is also written to standard error if the environment variable
/// `ATC_LOG` selects JSON.
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
    // `level` may be `Level::Other` with the number of a named level, such as `Level::Warning`. This line turns it into
    // the named level.
    let level = Level::from_raw(level.to_raw());
    let known = SINK.read().unwrap_or_else(|poisoned| poisoned.into_inner()).clone();
    match known.and_then(|(sink, format)| Some((sink.upgrade()?, format))) {
        Some((sink, format)) => say(&*sink, format, level, Line::Text(line)),
        None => Line::Text(line).to_standard_error(level),
    }
    Ok(())
}

/// Sets the level of the log: lines above this level are not logged.
pub fn set_level(level: Level) -> Result<()> {
    // SAFETY: the call passes only a plain value, and no pointer.
    call(|| unsafe { sys::atc_log_level_set(level.to_raw()) })
}

/// Returns the level of the log.
pub fn level() -> Result<Level> {
    // SAFETY: the C function writes only `out`, and only during the call.
    query(|out| unsafe { sys::atc_log_level_get(out) }).map(Level::from_raw)
}

/// Calls `set`, which passes the new sink to libatc. If `set` succeeds, stores the new sink in `SINK`, for [`write`].
fn replace(
    sink: Option<(Weak<Sink>, Format)>,
    set: impl FnOnce() -> sys::atc_status,
) -> Result<()> {
    call(|| {
        let status = set();
        // Another thread may have replaced the new sink already. In this case the new sink has been dropped, and `SINK`
        // has the sink of the other thread. In this case `SINK` must not be overwritten.
        let alive = sink.filter(|(sink, _)| sink.strong_count() > 0);
        if status == sys::ATC_OK && alive.is_some() {
            *SINK.write().unwrap_or_else(|poisoned| poisoned.into_inner()) = alive;
        }
        status
    })
}

/// # Safety
/// `user` points to the sink (an `Arc<Sink>`), and `line` is NULL or a string that ends with NUL. Both are valid during
/// the call.
unsafe extern "C" fn pass_on(user: *mut c_void, level: i32, line: *const c_char) {
    panic::catch(|| {
        // SAFETY: the caller of this function meets the conditions of its `# Safety` section.
        let sink = unsafe { &*user.cast::<Arc<Sink>>() };
        // SAFETY: `line` is NULL or ends with NUL, and lives for the call. A line may contain a
        // file's name, which need not be UTF-8.
        let line = unsafe { path(line) }.to_string_lossy();
        say(&**sink, Format::Text, Level::from_raw(level), Line::Text(&line));
    });
}

/// # Safety
/// `user` and `line` meet the conditions of [`pass_on`].
unsafe extern "C" fn pass_on_json(user: *mut c_void, level: i32, line: *const c_char) {
    panic::catch(|| {
        // SAFETY: the caller of this function meets the conditions of its `# Safety` section.
        let sink = unsafe { &*user.cast::<Arc<Sink>>() };
        // SAFETY: `line` is NULL or ends with NUL, and lives for the call.
        let line = unsafe { text(line) };
        say(&**sink, Format::Json, Level::from_raw(level), Line::Object(line));
    });
}

/// # Safety
/// `user` points to the sink (an `Arc<Sink>`), and libatc does not use the sink any more.
unsafe extern "C" fn drop_sink(user: *mut c_void) {
    // SAFETY: the caller of this function meets the conditions of its `# Safety` section.
    panic::catch(|| drop(unsafe { Box::from_raw(user.cast::<Arc<Sink>>()) }));
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    #[test]
    fn a_line_with_a_name_that_is_not_utf_8_is_not_lost() {
        let lines = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&lines);
        let mut sink: Arc<Sink> =
            Arc::new(move |_, line: &str| kept.lock().unwrap().push(line.to_owned()));
        // SAFETY: the sink lives for the call, and the line ends with NUL.
        unsafe { pass_on((&raw mut sink).cast(), sys::ATC_LOG_ERROR, c"no file /\xe9".as_ptr()) };
        assert_eq!(*lines.lock().unwrap(), ["no file /\u{fffd}"]);
    }
}
