//! This program, started again: a measurement that needs a process of its own.

use std::io::Write;
use std::process::{Command, Output, Stdio};

use crate::failure::{CANCELLED, PARTLY};

/// A command that runs this program, without the pin file of the environment: pins would decide in place of
/// measurements.
pub fn command() -> Result<Command, String> {
    let program = std::env::current_exe()
        .map_err(|error| format!("this program cannot be found to run it again: {error}"))?;
    let mut command = Command::new(program);
    command.env_remove("ATC_PINS");
    Ok(command)
}

/// Runs the command with this text as its standard input. Its standard error goes to this process's. An error if the
/// process neither did its work or a part of it nor was cancelled.
pub fn run(mut command: Command, input: &str) -> Result<Output, String> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child =
        command.spawn().map_err(|error| format!("no process could be started for it: {error}"))?;
    if let Some(mut pipe) = child.stdin.take() {
        // Writing fails if the child ended early; its exit code and standard error say why.
        let _ = pipe.write_all(input.as_bytes());
    }
    let ended = child
        .wait_with_output()
        .map_err(|error| format!("its process cannot be waited for: {error}"))?;
    let worked = [0, PARTLY, CANCELLED].map(|code| Some(i32::from(code)));
    if !worked.contains(&ended.status.code()) {
        return Err(format!("it could not be measured ({}): see above", ended.status));
    }
    Ok(ended)
}
