//! Ctrl-C: the first one asks to stop, the second one stops.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::failure::CANCELLED;
use crate::output;

static ASKED: AtomicBool = AtomicBool::new(false);

/// From now on Ctrl-C (and SIGTERM, SIGHUP) is noted and nothing else; the second ends the process.
pub fn listen() {
    let installed = ctrlc::set_handler(|| {
        if ASKED.swap(true, Ordering::SeqCst) {
            std::process::exit(i32::from(CANCELLED));
        }
        output::note("stopping after this measurement; Ctrl-C again stops at once");
    });
    if let Err(error) = installed {
        output::note(&format!("warning: Ctrl-C cannot be caught and will lose the table: {error}"));
    }
}

/// Whether somebody asked to stop.
pub fn asked() -> bool {
    ASKED.load(Ordering::SeqCst)
}
