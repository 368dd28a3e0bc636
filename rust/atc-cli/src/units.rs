//! Formats numbers with their units.

use std::time::Duration;

/// Formats a time in seconds as `1.234 ms`: four significant digits, with the unit that fits.
pub fn time(seconds: f64) -> String {
    if seconds == 0.0 {
        return "0 s".to_owned();
    }
    // A time that would be rounded to 1000 of a unit (such as 1000 ms) is written as 1 of the next
    // larger unit (1 s).
    let (scale, unit) = match seconds.abs() {
        s if s >= 0.99995 => (1.0, "s"),
        s if s >= 0.99995e-3 => (1e3, "ms"),
        _ => (1e6, "µs"),
    };
    format!("{} {unit}", significant(seconds * scale))
}

fn significant(value: f64) -> String {
    let decimals = match value.abs() {
        v if v >= 999.95 => 0,
        v if v >= 99.995 => 1,
        v if v >= 9.9995 => 2,
        _ => 3,
    };
    format!("{value:.decimals$}")
}

/// Describes a ratio of two times. The text completes the sentence "takes …": "as long as", "4.3 %
/// more time than", "57.5 % less time than". From a ratio of 2 on the text is "8.23 times as long
/// as". libatc uses the same words (src/core/quantity.cpp).
pub fn compared(ratio: f64) -> String {
    let more = ratio - 1.0;
    match ratio {
        _ if more.abs() < 0.0005 => "as long as".to_owned(),
        _ if ratio >= 2.0 => format!("{ratio:.2} times as long as"),
        _ if more < 0.0 => format!("{:.1} % less time than", -100.0 * more),
        _ => format!("{:.1} % more time than", 100.0 * more),
    }
}

/// Formats a wall time: `0.42 s`, `3 min 5 s`.
pub fn wall(duration: Duration) -> String {
    let seconds = duration.as_secs_f64();
    match seconds {
        s if s < 60.0 => format!("{s:.2} s"),
        s => format!("{} min {} s", s as u64 / 60, s as u64 % 60),
    }
}

/// Formats a number of bytes as `32 MiB`.
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

/// Formats operations per second as a number of GFLOP/s.
pub fn rate(flops: f64) -> String {
    format!("{:.1}", flops / 1e9)
}

/// Formats a ratio as `1.23×`.
pub fn times(ratio: f64) -> String {
    format!("{ratio:.2}×")
}

/// Formats a number with its noun: `1 problem`, `2 problems`.
pub fn count(number: u64, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

/// Formats a number of processes: `1 process`, `2 processes`.
pub fn process(number: usize) -> String {
    format!("{number} process{}", if number == 1 { "" } else { "es" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_times_are_compared_by_multiples_and_others_by_shares() {
        let told = [1.0, 1.043, 0.425, 8.233].map(compared);
        let expected = [
            "as long as",
            "4.3 % more time than",
            "57.5 % less time than",
            "8.23 times as long as",
        ];
        assert_eq!(told, expected);
    }

    #[test]
    fn units_fit_the_number() {
        assert_eq!(time(0.0012345), "1.234 ms");
        assert_eq!(time(0.012), "12.00 ms");
        assert_eq!(time(2.5e-6), "2.500 µs");
        assert_eq!(time(123.0), "123.0 s");
        assert_eq!((time(0.0), time(12345.6)), ("0 s".into(), "12346 s".into()));
        assert_eq!((time(0.99996), time(9.9996e-3)), ("1.000 s".into(), "10.00 ms".into()));
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
