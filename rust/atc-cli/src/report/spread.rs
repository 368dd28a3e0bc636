//! A plot of the times of one problem's candidates. Each candidate has a row that shows the spread
//! of its samples. All rows have the same axis.

use atc::{Candidate, Timing};

use super::axis::{Axis, tenth};
use crate::units;

/// The width of the drawing of a row.
pub const LENGTH: f64 = 1000.0;

/// The samples of one candidate, as positions on the axis.
pub struct Spread {
    pub least: f64,
    pub most: f64,
    /// The left end of a bar. The bar reaches from the mean minus one standard deviation to the
    /// mean plus one standard deviation, but not beyond the shortest and the longest sample.
    pub low: f64,
    pub width: f64,
    pub median: f64,
    /// The position of the time that the host needs to issue one execution. `None` if this time is
    /// not known, or is far below all samples.
    pub host: Option<f64>,
    /// The median time of the candidate, in seconds. The candidates are sorted by this time.
    pub value: f64,
    pub text: String,
}

/// Returns an entry for each candidate, in the order of the candidates. The entry of a candidate
/// that was not timed is `None`.
pub fn of(candidates: &[Candidate]) -> Vec<Option<Spread>> {
    let timings = || candidates.iter().filter_map(|candidate| candidate.timing.as_ref());
    let least = timings().map(|timing| timing.min).fold(f64::INFINITY, f64::min);
    // The host's time to issue an execution is left out if it is far below all samples: an axis
    // that includes it would have little room for the samples.
    let near = |timing: &Timing| timing.host.filter(|host| *host >= 0.5 * least);
    let values = timings().flat_map(|timing| {
        [timing.min, timing.median, timing.max, near(timing).unwrap_or(timing.median)]
    });
    let axis = Axis::logarithmic(values, 0.0, LENGTH);
    let one = |candidate: &Candidate| {
        let timing = candidate.timing.as_ref()?;
        Some(spread(timing, near(timing), &axis?))
    };
    candidates.iter().map(one).collect()
}

fn spread(timing: &Timing, host: Option<f64>, axis: &Axis) -> Spread {
    let around =
        |sign: f64| (timing.mean + sign * timing.deviation).max(timing.min).min(timing.max);
    let (low, high) = (axis.at(around(-1.0)), axis.at(around(1.0)));
    let mut text = format!(
        "{} to {}, median {}, mean {} ± {}, {}",
        units::time(timing.min),
        units::time(timing.max),
        units::time(timing.median),
        units::time(timing.mean),
        units::time(timing.deviation),
        units::count(timing.samples, "sample"),
    );
    if let Some(host) = timing.host {
        text += &format!(", host {}", units::time(host));
    }
    Spread {
        least: axis.at(timing.min),
        most: axis.at(timing.max),
        low,
        width: tenth((high - low).max(0.0)),
        median: axis.at(timing.median),
        host: host.map(|host| axis.at(host)),
        value: timing.median,
        text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::tests::candidate;

    #[test]
    fn candidates_share_an_axis_and_the_marks_of_each_are_in_order() {
        let mut noisy = candidate("noisy", 0.002);
        let timing = noisy.timing.as_mut().unwrap();
        (timing.min, timing.max, timing.deviation) = (0.0015, 0.004, 0.0002);
        timing.host = Some(0.0009);
        let mut untimed = candidate("none", 1.0);
        untimed.timing = None;
        let spreads = of(&[noisy, untimed, candidate("fast", 0.001)]);
        let (noisy, fast) = (spreads[0].as_ref().unwrap(), spreads[2].as_ref().unwrap());
        assert!(spreads[1].is_none());
        let order =
            [noisy.host.unwrap(), fast.median, noisy.least, noisy.low, noisy.median, noisy.most];
        assert!(order.windows(2).all(|pair| pair[0] < pair[1]), "{order:?}");
        assert!(noisy.low + noisy.width < noisy.most);
        assert_eq!((fast.width, fast.least), (0.0, fast.most));
        assert_eq!(fast.host, None);
        assert!(noisy.text.contains("median 2.000 ms") && noisy.text.contains("8 samples"));
    }

    #[test]
    fn a_host_far_ahead_has_no_mark() {
        let mut ahead = candidate("x", 0.002);
        ahead.timing.as_mut().unwrap().host = Some(4e-6);
        let spread = of(&[ahead]).remove(0).unwrap();
        assert_eq!(spread.host, None);
        assert!(spread.text.ends_with(", host 4.000 µs"), "{}", spread.text);
    }

    #[test]
    fn times_that_are_none_have_no_place() {
        let mut broken = candidate("x", f64::NAN);
        assert!(of(&[broken.clone()])[0].is_none());
        broken.timing.as_mut().unwrap().max = f64::INFINITY;
        assert!(of(&[broken, candidate("y", 0.001)])[0].is_some());
    }
}
