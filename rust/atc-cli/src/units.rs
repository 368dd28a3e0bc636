//! Numbers for people.

use std::time::Duration;

/// Seconds as `1.234 ms`: four significant digits and a unit that fits.
pub fn time(seconds: f64) -> String {
    let (scale, unit) = match seconds.abs() {
        s if s >= 1.0 => (1.0, "s"),
        s if s >= 1e-3 => (1e3, "ms"),
        _ => (1e6, "µs"),
    };
    format!("{} {unit}", significant(seconds * scale))
}

fn significant(value: f64) -> String {
    let decimals = match value.abs() {
        v if v >= 100.0 => 1,
        v if v >= 10.0 => 2,
        _ => 3,
    };
    format!("{value:.decimals$}")
}

/// A wall time: `0.42 s`, `3 min 5 s`.
pub fn wall(duration: Duration) -> String {
    let seconds = duration.as_secs_f64();
    match seconds {
        s if s < 60.0 => format!("{s:.2} s"),
        s => format!("{} min {} s", s as u64 / 60, s as u64 % 60),
    }
}

/// Bytes as `32 MiB`.
pub fn bytes(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];
    let mut value = bytes as f64;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    let digits = format!("{value:.1}");
    format!("{} {}", digits.strip_suffix(".0").unwrap_or(&digits), UNITS[unit])
}

/// Operations per second as GFLOP/s.
pub fn rate(flops: f64) -> String {
    format!("{:.1}", flops / 1e9)
}

/// A ratio as `1.23×`.
pub fn times(ratio: f64) -> String {
    format!("{ratio:.2}×")
}

/// `1 problem`, `2 problems`.
pub fn count(number: u64, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

/// `1 process`, `2 processes`.
pub fn process(number: usize) -> String {
    format!("{number} process{}", if number == 1 { "" } else { "es" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_fit_the_number() {
        assert_eq!(time(0.0012345), "1.234 ms");
        assert_eq!(time(0.012), "12.00 ms");
        assert_eq!(time(2.5e-6), "2.500 µs");
        assert_eq!(time(123.0), "123.0 s");
        assert_eq!(bytes(0), "0 B");
        assert_eq!(bytes(32 << 20), "32 MiB");
        assert_eq!(bytes(1536), "1.5 KiB");
        assert_eq!(bytes(u64::MAX), "16777216 TiB");
        assert_eq!(wall(Duration::from_millis(420)), "0.42 s");
        assert_eq!(wall(Duration::from_secs(185)), "3 min 5 s");
        assert_eq!(
            (count(1, "problem"), count(0, "problem")),
            ("1 problem".into(), "0 problems".into())
        );
    }
}
