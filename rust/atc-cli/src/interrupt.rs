//! Ctrl-C: the first one asks the command to stop, the second one ends the process.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

use crate::failure::CANCELLED;
use crate::output;

static ASKED: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// From now on the first Ctrl-C (or SIGTERM) only sets the flag of [`asked`]; the second ends the process.
/// SIGHUP is left as it is, so that nohup works.
pub fn listen() {
    let asked = ASKED.get_or_init(Arc::default);
    let installed = [SIGINT, SIGTERM].into_iter().try_for_each(|signal| -> io::Result<()> {
        // In this order: the first signal finds the flag unset, and sets it.
        flag::register_conditional_shutdown(signal, i32::from(CANCELLED), Arc::clone(asked))?;
        flag::register(signal, Arc::clone(asked))?;
        Ok(())
    });
    if let Err(error) = installed {
        output::note(&format!("warning: Ctrl-C cannot be caught and will lose the table: {error}"));
    }
}

/// Whether Ctrl-C (or SIGTERM) has asked the command to stop.
pub fn asked() -> bool {
    ASKED.get().is_some_and(|asked| asked.load(Ordering::SeqCst))
}
