//! Runs `atc` on a terminal of a given width.

use std::fs::File;
use std::io::Read;
use std::process::{Command, Stdio};

use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

/// Runs a command on a terminal of `columns` columns. 0 means a terminal that does not report its width. Returns the
/// output and the exit code.
pub fn shown(command: &assert_cmd::Command, columns: u16) -> (String, i32) {
    let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&terminal).unwrap();
    unlockpt(&terminal).unwrap();
    let size = Winsize { ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(&terminal, size).unwrap();
    let name = ptsname(&terminal, Vec::new()).unwrap();
    let screen = rustix::fs::open(name, OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).unwrap();
    let mut child = {
        let mut child = Command::new(command.get_program());
        for (name, value) in command.get_envs() {
            match value {
                Some(value) => child.env(name, value),
                None => child.env_remove(name),
            };
        }
        // `screen` is the end of the terminal to which the child writes. At the end of this block this process closes
        // `screen`. So only the child has it open, and reading from the other end stops when the child has ended.
        child
            .args(command.get_args())
            .current_dir(command.get_current_dir().unwrap())
            .stdout(screen)
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    };
    let mut bytes = Vec::new();
    // Reading fails when the last process has closed the terminal, so the error is ignored.
    let _ = File::from(terminal).read_to_end(&mut bytes);
    let code = child.wait().unwrap().code().unwrap();
    (String::from_utf8(bytes).unwrap().replace("\r\n", "\n"), code)
}
