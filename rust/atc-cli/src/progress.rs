//! Shows the progress of tuning: on a terminal as a bar with the time left, otherwise as a line for each problem.
//!
//! The bar is drawn only between measurements. No separate thread draws it, because such a thread would disturb the
//! measurements.

use std::io::IsTerminal;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::output;
use crate::units;

/// The number of steps of the bar for each problem.
const STEPS: f64 = 1000.0;

/// The progress of a tuning run, as it is shown on the screen.
pub struct Seen<'a> {
    /// The number of the problem that is being measured, from 1.
    pub number: usize,
    pub problems: usize,
    /// The number of problems that are done, plus the finished fraction (0 to 1) of each problem that is being
    /// measured.
    pub done: f64,
    pub elapsed: Duration,
    pub name: &'a str,
    pub description: &'a str,
}

pub enum Progress {
    Silent,
    Bar(ProgressBar),
    Lines { last: Option<usize> },
}

impl Progress {
    pub fn new(quiet: bool, problems: usize) -> Self {
        if quiet {
            return Self::Silent;
        }
        if !std::io::stderr().is_terminal() {
            return Self::Lines { last: None };
        }
        let steps = (problems as f64 * STEPS) as u64;
        let bar = ProgressBar::with_draw_target(Some(steps), ProgressDrawTarget::stderr_with_hz(5));
        let style = ProgressStyle::with_template("{bar:30} {percent:>3}% {wide_msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        let beside = bar.clone();
        let sink = move |level: atc::log::Level, line: &str| {
            beside.suspend(|| output::note(&format!("{level}: {line}")));
        };
        if let Err(error) = atc::log::set_sink(sink) {
            output::note(&format!("warning: lines of the log may cross the progress bar: {error}"));
        }
        Self::Bar(bar)
    }

    /// Shows the progress that libatc reports. `name` is the name of the problem that is being measured; `budget` is
    /// the time for all problems together, if it is limited.
    pub fn update(&mut self, progress: &atc::Progress<'_>, name: &str, budget: Option<Duration>) {
        let seen = Seen {
            number: progress.problem + 1,
            problems: progress.problems,
            done: progress.problem as f64 + progress.problem_fraction.clamp(0.0, 1.0),
            elapsed: progress.elapsed,
            name,
            description: progress.description,
        };
        match self {
            Self::Lines { last } if *last != Some(progress.problem) => {
                *last = Some(progress.problem);
                self.begins(&seen, budget);
            }
            _ => self.works(&seen, budget),
        }
    }

    /// Shows that the measurement of a problem begins.
    pub fn begins(&mut self, seen: &Seen<'_>, budget: Option<Duration>) {
        match self {
            Self::Lines { .. } => {
                let Seen { number, problems, name, description, elapsed, .. } = seen;
                let elapsed = units::wall(*elapsed);
                output::note(&format!("[{number}/{problems}] {name}: {description} ({elapsed})"));
            }
            _ => self.works(seen, budget),
        }
    }

    /// Shows the progress of the measurement of a problem.
    pub fn works(&mut self, seen: &Seen<'_>, budget: Option<Duration>) {
        if let Self::Bar(bar) = self {
            let Seen { number, problems, name, .. } = seen;
            let left = time_left(seen.elapsed, seen.done, *problems, budget);
            let left = left.map(|left| format!(", {} left", whole_seconds(left)));
            bar.set_position((seen.done * STEPS) as u64);
            bar.set_message(output::printable(&format!(
                "{number}/{problems} {name}{}",
                left.unwrap_or_default()
            )));
        }
    }

    /// Writes a line to standard error, above the bar if there is one.
    pub fn line(&self, text: &str) {
        let write = || output::note_text(&format!("{text}\n"));
        match self {
            Self::Bar(bar) => bar.suspend(write),
            _ => write(),
        }
    }

    pub fn finish(self) {
        if let Self::Bar(bar) = self {
            bar.finish_and_clear();
            // An error of `clear_sink` is ignored: log lines are then still written through the progress bar. This does
            // no harm, because the bar is no longer shown.
            let _ = atc::log::clear_sink();
        }
    }
}

/// Estimates the time left from the time that the finished work took. The estimate is at most what remains of the
/// budget. Returns `None` if it is too early for an estimate.
fn time_left(
    elapsed: Duration,
    done: f64,
    problems: usize,
    budget: Option<Duration>,
) -> Option<Duration> {
    let rest = budget.map(|budget| budget.saturating_sub(elapsed));
    let pace = (done >= 0.5).then(|| elapsed.as_secs_f64() / done);
    let estimate = pace.and_then(|pace| {
        Duration::try_from_secs_f64(pace * (problems as f64 - done).max(0.0)).ok()
    });
    match (estimate, rest) {
        (Some(estimate), Some(rest)) => Some(estimate.min(rest)),
        (estimate, rest) => estimate.or(rest),
    }
}

fn whole_seconds(duration: Duration) -> String {
    let seconds = duration.as_secs_f64().ceil() as u64;
    if seconds < 60 {
        format!("{seconds} s")
    } else {
        format!("{}:{:02} min", seconds / 60, seconds % 60)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn the_time_left_follows_the_pace_and_ends_with_the_budget() {
        // 2 of 10 problems took 4 s, so each of the other 8 is expected to take 2 s.
        assert_eq!(time_left(4 * SECOND, 2.0, 10, None), Some(16 * SECOND));
        assert_eq!(time_left(4 * SECOND, 2.0, 10, Some(10 * SECOND)), Some(6 * SECOND));
        assert_eq!(time_left(4 * SECOND, 2.0, 10, Some(SECOND)), Some(Duration::ZERO));
        assert_eq!(time_left(SECOND, 0.1, 10, None), None);
        assert_eq!(time_left(SECOND, 0.1, 10, Some(10 * SECOND)), Some(9 * SECOND));
    }

    #[test]
    fn minutes_are_written_out() {
        assert_eq!(whole_seconds(Duration::from_millis(1200)), "2 s");
        assert_eq!(whole_seconds(Duration::from_secs(61)), "1:01 min");
    }
}
