//! Handles Ctrl-C and SIGTERM. The first signal asks the command to stop; if the command does not
//! stop in time, the process exits. A second signal ends the process at once.

use std::io::{self, Read};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::{flag, low_level};

use crate::failure::CANCELLED;
use crate::output;

/// After the first signal (Ctrl-C or SIGTERM), work may continue for at most this time.
const PATIENCE: Duration = Duration::from_secs(5);

static ASKED: OnceLock<Arc<AtomicBool>> = OnceLock::new();
/// Whether the process is doing work that may hang (such as measurements).
static WORKS: AtomicBool = AtomicBool::new(false);
/// The ids of child processes for which this process waits.
static CHILDREN: Mutex<Vec<u32>> = Mutex::new(Vec::new());

/// While a value of this type exists, work is running that must end soon after a signal: if it does
/// not end in time, the process exits. Drop the value before results are written, because writing
/// results may take any time.
#[must_use = "without it the work counts as done"]
pub struct Work(());

/// Installs the handlers of Ctrl-C and SIGTERM. The first signal sets the flag of [`asked`]. If
/// work is still running `PATIENCE` later, the process exits. The second signal ends the process at
/// once. No handler is installed for SIGHUP, because nohup has set this signal to be ignored.
pub fn listen() -> Work {
    let asked = ASKED.get_or_init(Arc::default);
    WORKS.store(true, Ordering::SeqCst);
    let installed = UnixStream::pair().and_then(|(told, telling)| {
        for signal in [SIGINT, SIGTERM] {
            // The order of the first two calls matters, because at a signal their handlers run in
            // this order. The first handler ends the process if the flag is set already. The second
            // handler sets the flag. So the first signal only sets the flag, and a second signal
            // ends the process.
            flag::register_conditional_shutdown(signal, i32::from(CANCELLED), Arc::clone(asked))?;
            flag::register(signal, Arc::clone(asked))?;
            low_level::pipe::register(signal, telling.try_clone()?)?;
        }
        // While a candidate hangs, the command cannot check the flag. So a thread waits for the
        // signal. The thread is blocked while it waits, so it does not disturb measurements.
        thread::Builder::new().name("interrupt".to_owned()).spawn(|| watch(told)).map(drop)
    });
    if let Err(error) = installed {
        output::note(&format!("warning: Ctrl-C cannot be caught and will lose the table: {error}"));
    }
    Work(())
}

impl Drop for Work {
    fn drop(&mut self) {
        WORKS.store(false, Ordering::SeqCst);
    }
}

/// Whether Ctrl-C (or SIGTERM) has asked the command to stop.
pub fn asked() -> bool {
    ASKED.get().is_some_and(|asked| asked.load(Ordering::SeqCst))
}

fn watch(mut told: UnixStream) {
    let seen = |read: io::Result<usize>| matches!(read, Ok(1));
    while !seen(told.read(&mut [0])) {}
    output::note("stops after the measurement under way; a second Ctrl-C stops at once");
    thread::sleep(PATIENCE);
    if !WORKS.load(Ordering::SeqCst) {
        return;
    }
    output::note(&format!(
        "cancelled: what was under way has not ended within {} s. Decisions that the store has are kept; there is no \
         table and no output file",
        PATIENCE.as_secs()
    ));
    for child in CHILDREN.lock().unwrap_or_else(PoisonError::into_inner).iter() {
        let child = i32::try_from(*child).ok().and_then(Pid::from_raw);
        // The child process may have ended already, so an error of `kill_process` is ignored.
        let _ = child.map(|child| kill_process(child, Signal::KILL));
    }
    // std::process::exit is not used: it would run the exit functions of libraries, and a library
    // that hangs could block them.
    low_level::exit(i32::from(CANCELLED));
}

/// A child process for which this process waits. If this process exits after a signal, it kills the
/// child, too.
pub struct Child(u32);

impl Child {
    pub fn new(id: u32) -> Self {
        CHILDREN.lock().unwrap_or_else(PoisonError::into_inner).push(id);
        Self(id)
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        let mut children = CHILDREN.lock().unwrap_or_else(PoisonError::into_inner);
        children.retain(|other| *other != self.0);
    }
}
