//! The gain: how many times faster a choice is than the candidate that runs without tuning. A gain has a confidence
//! interval.

use atc::Timing;
use serde::Serialize;

use crate::units;

/// The gain of one decision or of a whole network.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Gain {
    /// The time without tuning divided by the time of the choice. A time is a median, or a sum of
    /// medians for a network.
    pub ratio: f64,
    /// The lower end of the 95 % confidence interval, which follows from the spread of the samples; `high` is the upper
    /// end. If one of the two times comes from a single sample, the interval is 0 to infinity.
    pub low: f64,
    pub high: f64,
}

/// The uncertainty of the logarithm of a median time.
#[derive(Debug, Clone, Copy)]
pub struct Certainty {
    /// The variance of the logarithm of the median.
    pub variance: f64,
    /// The degrees of freedom of the variance.
    pub freedom: f64,
}

/// The relative noise of a time (0.03 means 3 %) that is assumed before there are samples. When the noise is estimated
/// from the samples, this assumption counts like one more sample. libatc's races assume the same noise
/// (docs/tuning.md).
const USUAL_NOISE: f64 = 0.03;
/// The variance of the median divided by the variance of the mean, for many samples with a normal distribution.
const OF_A_MEDIAN: f64 = std::f64::consts::FRAC_PI_2;

impl Certainty {
    /// Computes the certainty of the median from its samples. Returns `None` for fewer than two samples, because one
    /// sample has no spread.
    pub fn of(timing: &Timing) -> Option<Self> {
        let (samples, noise) = (timing.samples as f64, timing.noise()?);
        // The degrees of freedom: the samples give `samples - 1`, and the assumed noise gives 1.
        let freedom = samples;
        let variance = (USUAL_NOISE.powi(2) + (samples - 1.0) * noise.powi(2)) / freedom;
        Some(Self { variance: OF_A_MEDIAN * variance / samples, freedom })
    }
}

impl Gain {
    /// Computes the interval of the gain `ratio`, which is the quotient of two sums of times. `parts` has an entry for
    /// each of these times: the square of the time's share (0 to 1) in its sum, and the certainty of the time.
    pub fn new(ratio: f64, parts: impl IntoIterator<Item = (f64, Option<Certainty>)>) -> Self {
        let (mut variance, mut square_over_freedom) = (0.0, 0.0);
        for (weight, part) in parts {
            let Some(part) = part else {
                return Self { ratio, low: 0.0, high: f64::INFINITY };
            };
            let own = weight * part.variance;
            variance += own;
            square_over_freedom += own * own / part.freedom;
        }
        if variance <= 0.0 {
            return Self { ratio, low: ratio, high: ratio };
        }
        // The number of degrees of freedom of the combined variance is computed by the formula of Welch and
        // Satterthwaite.
        let reach = student(variance * variance / square_over_freedom) * variance.sqrt();
        Self { ratio, low: ratio * (-reach).exp(), high: ratio * reach.exp() }
    }

    /// Describes the gain in words, such as "at least 1.20× as fast". The words claim no more than the interval allows.
    pub fn claim(&self) -> String {
        if self.high.is_infinite() {
            return format!("{} by single samples, which prove nothing", self.range());
        }
        let range = format!("{}, 95 %", self.range());
        let faster = units::times(self.low);
        if self.low >= 1.0 && faster != units::times(1.0) {
            format!("at least {faster} as fast ({range})")
        } else if self.high <= 1.0 && units::times(self.high) != units::times(1.0) {
            format!("slower ({range})")
        } else {
            format!("no difference beyond the noise ({range})")
        }
    }

    /// Writes the interval as "1.20–1.35×". If both ends would be written the same, writes one number. If the ends are
    /// not known, writes "~1.27×".
    pub fn range(&self) -> String {
        if self.high.is_infinite() {
            return format!("~{}", units::times(self.ratio));
        }
        let (low, high) = (units::times(self.low), units::times(self.high));
        if low == high { high } else { format!("{:.2}–{high}", self.low) }
    }
}

/// Returns the two-sided 95 % quantile of Student's t distribution. The error is at most 2 % for one degree of freedom
/// or more.
fn student(freedom: f64) -> f64 {
    const NORMAL: f64 = 1.959_964;
    const BY_FREEDOM: [f64; 4] = [12.706, 4.303, 3.182, 2.776];
    let freedom = freedom.max(1.0);
    if freedom < BY_FREEDOM.len() as f64 {
        let index = freedom as usize - 1;
        let (here, next) = (BY_FREEDOM[index], BY_FREEDOM[index + 1]);
        return here + (next - here) * freedom.fract();
    }
    // The quantile is computed by two terms of the Cornish-Fisher expansion in 1 / `freedom`.
    let z = NORMAL;
    let first = (z.powi(3) + z) / 4.0;
    let second = (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / 96.0;
    z + first / freedom + second / freedom.powi(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn timing(samples: u64, noise: f64) -> Timing {
        let mut timing = crate::document::tests::timing(samples, 1.0);
        timing.deviation = noise;
        timing
    }

    #[test]
    fn quantiles_are_those_of_the_tables() {
        for (freedom, expected) in [
            (1.0, 12.706),
            (3.0, 3.182),
            (4.0, 2.776),
            (5.0, 2.571),
            (10.0, 2.228),
            (60.0, 2.0),
            (u64::MAX as f64, 1.96),
        ] {
            let found = student(freedom);
            assert!((found / expected - 1.0).abs() < 0.02, "{freedom}: {found}");
        }
    }

    #[test]
    fn the_interval_widens_with_the_noise_and_narrows_with_the_samples() {
        let width = |samples, noise| {
            let part = Certainty::of(&timing(samples, noise));
            let gain = Gain::new(2.0, [(1.0, part), (1.0, part)]);
            assert!(gain.low < 2.0 && gain.high > 2.0);
            gain.high / gain.low
        };
        assert!(width(10, 0.5) > width(10, 0.1));
        assert!(width(10, 0.1) > width(100, 0.1));
        assert!(width(2, 0.0) > width(3, 0.0), "two equal samples prove little");
        assert_eq!(width(1, 0.0), f64::INFINITY);
    }

    /// Compares the lower end of the interval with its definition, for the ratio of two medians of 25 samples with 10 %
    /// of noise each.
    #[test]
    fn the_interval_is_that_of_two_medians() {
        let part = Certainty::of(&timing(25, 0.1));
        let gain = Gain::new(1.5, [(1.0, part), (1.0, part)]);
        let own = std::f64::consts::FRAC_PI_2 * (0.03_f64.powi(2) + 24.0 * 0.01) / 25.0 / 25.0;
        let expected = 1.5 * (-2.009 * (2.0 * own).sqrt()).exp();
        assert!((gain.low / expected - 1.0).abs() < 1e-3, "{} {expected}", gain.low);
    }

    #[test]
    fn nothing_is_claimed_beyond_the_lower_end() {
        let gain = |low, high| Gain { ratio: f64::sqrt(low * high), low, high }.claim();
        assert_eq!(gain(1.2, 1.35), "at least 1.20× as fast (1.20–1.35×, 95 %)");
        assert_eq!(gain(0.9, 2.4), "no difference beyond the noise (0.90–2.40×, 95 %)");
        assert_eq!(gain(1.0, 1.0), "no difference beyond the noise (1.00×, 95 %)");
        assert_eq!(gain(1.001, 1.5), "no difference beyond the noise (1.00–1.50×, 95 %)");
        assert_eq!(gain(0.5, 0.8), "slower (0.50–0.80×, 95 %)");
        let single = Gain::new(2.46, [(1.0, None)]);
        assert_eq!(single.claim(), "~2.46× by single samples, which prove nothing");
    }
}
