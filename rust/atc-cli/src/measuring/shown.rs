//! Shows the progress of all workers as the progress of one command.

use atc::Device;

use crate::convert;
use crate::output;
use crate::problems::Request;
use crate::progress::{Progress, Seen};
use crate::workers::{Limits, Refused, Watching};

pub struct Shown<'a> {
    progress: Progress,
    quiet: bool,
    requests: &'a [&'a Request],
    devices: usize,
    limits: Limits,
    /// The number that is shown to the user for each problem. Problems are numbered from 1, in the
    /// order in which they begin. None for a problem that has not begun.
    numbers: Vec<Option<usize>>,
    fractions: Vec<f64>,
    begun: usize,
}

impl<'a> Shown<'a> {
    pub fn new(quiet: bool, requests: &'a [&'a Request], devices: usize, limits: Limits) -> Self {
        Self {
            progress: Progress::new(quiet, requests.len()),
            quiet,
            requests,
            devices,
            limits,
            numbers: vec![None; requests.len()],
            fractions: vec![0.0; requests.len()],
            begun: 0,
        }
    }

    pub fn finish(self) {
        self.progress.finish();
    }

    fn name(&self, problem: usize) -> &'a str {
        self.requests.get(problem).map_or("", |request| &request.layer.name)
    }

    fn seen<'b>(&self, problem: usize, name: &'b str, description: &'b str) -> Seen<'b> {
        Seen {
            number: self.numbers[problem].unwrap_or(self.begun),
            problems: self.requests.len(),
            done: self.fractions.iter().sum(),
            elapsed: self.limits.started.elapsed(),
            name,
            description,
        }
    }
}

impl Watching for Shown<'_> {
    fn begins(&mut self, problem: usize, device: Device) {
        if self.numbers[problem].is_some() {
            return;
        }
        self.begun += 1;
        self.numbers[problem] = Some(self.begun);
        let name = match self.devices {
            1 => self.name(problem).to_owned(),
            _ => format!("{device} {}", self.name(problem)),
        };
        // `describe` fails only for problems that libatc does not accept, and the command has
        // refused such problems earlier.
        let description = convert::problem(self.requests[problem]).describe().unwrap_or_default();
        let seen = self.seen(problem, &name, &description);
        self.progress.begins(&seen, self.limits.total_budget);
    }

    fn works(&mut self, problem: usize, fraction: f64) {
        let known = &mut self.fractions[problem];
        *known = known.max(fraction.clamp(0.0, 1.0));
        let seen = self.seen(problem, self.name(problem), "");
        self.progress.works(&seen, self.limits.total_budget);
    }

    fn answered(&mut self, problem: usize) {
        self.fractions[problem] = 1.0;
    }

    fn line(&mut self, text: &str) {
        self.progress.line(text);
    }

    fn refused(&mut self, problem: usize, refused: &Refused) {
        if !self.quiet {
            let Refused { choice, reason } = refused;
            let name = self.name(problem);
            self.progress.line(&output::printable(&format!(
                "{name}: {choice} takes no further part: {reason}"
            )));
        }
    }
}
