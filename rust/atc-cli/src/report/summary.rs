//! The lines of a report about all problems together. The first line is the gain, if the gain is
//! known.

use crate::subject::{Subject, Totals};
use crate::units;

pub fn of(subjects: &[Subject]) -> Vec<(String, String)> {
    let totals = Totals::of(subjects);
    let mut lines = Vec::new();
    if let (Some(gain), Some(rate)) = (totals.gain(), totals.rate()) {
        lines.push(("gain".to_owned(), gain.claim()));
        lines.push((
            "convolutions, each as often as it occurs".to_owned(),
            totals.convolutions.to_string(),
        ));
        lines.push(("all of them, tuned".to_owned(), units::time(totals.time)));
        lines.push(("all of them, by default".to_owned(), units::time(totals.default_time)));
        lines.push(("GFLOP/s".to_owned(), units::rate(rate)));
    }
    lines.push(("decisions".to_owned(), totals.account.told()));
    if let Some(noise) = totals.noise() {
        lines.push(("noise".to_owned(), noise));
    }
    if let Some(host) = host(subjects) {
        lines.push(("host".to_owned(), host));
    }
    lines
}

/// Returns a text with the time that the host needs to issue the convolutions, and the time that
/// the device needs to run them. Only convolutions whose host time is known are included; `None` if
/// there are none.
fn host(subjects: &[Subject]) -> Option<String> {
    let (mut host, mut device) = (0.0, 0.0);
    for subject in subjects {
        let Some(timing) = subject.decision.timing_of(subject.decision.winner) else { continue };
        if let Some(own) = timing.host {
            host += subject.count as f64 * own;
            device += subject.count as f64 * timing.median;
        }
    }
    (device > 0.0)
        .then(|| format!("{} to issue what runs for {}", units::time(host), units::time(device)))
}
