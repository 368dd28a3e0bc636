//! Converts a line that the program writes to the log into a JSON object. libatc converts its own
//! lines into objects of the same form.

use std::fmt::Write;
use std::time::{SystemTime, UNIX_EPOCH};

use super::Level;

/// Returns whether `value`, a value of the environment variable `ATC_LOG`, selects JSON for
/// standard error. A value selects JSON if it is a level followed by ",json". libatc has the same
/// rule for its own lines.
pub(super) fn is_asked_for(value: &str) -> bool {
    let level = value.strip_suffix(",json");
    level.is_some_and(|level| Level::ALL.iter().any(|known| known.to_string() == level))
}

/// Returns the JSON object of a line, in ASCII. The object has the four members that the objects of
/// all lines have: `time`, `level`, `event` and `message`.
pub(super) fn object(now: SystemTime, level: Level, line: &str) -> String {
    format!(
        r#"{{"time":"{}","level":"{level}","event":"message","message":"{}"}}"#,
        in_utc(now),
        escaped(line)
    )
}

/// Returns the line with JSON's escapes, in ASCII, so that it can be put between the quotes of a
/// JSON string.
fn escaped(line: &str) -> String {
    let mut text = String::with_capacity(line.len());
    for c in line.chars() {
        match c {
            '"' | '\\' => text.extend(['\\', c]),
            ' '..='~' => text.push(c),
            other => {
                for unit in other.encode_utf16(&mut [0; 2]) {
                    // Writing to a string does not fail.
                    let _ = write!(text, "\\u{unit:04x}");
                }
            }
        }
    }
    text
}

/// Returns the time in the form of RFC 3339: "2026-01-31T12:00:00.123456Z". For a time before 1970
/// the result is the beginning of 1970.
fn in_utc(now: SystemTime) -> String {
    let since = now.duration_since(UNIX_EPOCH).unwrap_or_default();
    let (days, second) = (since.as_secs() / 86_400, since.as_secs() % 86_400);
    let (year, month, day) = date(days);
    format!(
        "{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}.{:06}Z",
        second / 3600,
        second / 60 % 60,
        second % 60,
        since.subsec_micros()
    )
}

/// Returns the Gregorian date (year, month, day) of the day that is `days` days after 1970-01-01.
/// The calculation uses years that begin in March, so that a leap day is the last day of its year.
/// It also uses eras of 400 years, because all eras have the same number of days (146097).
fn date(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468; // days since 0000-03-01
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153; // full months since March; 5 successive ones have 153 days
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    (400 * era + year + next, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn json_is_asked_for_behind_a_level() {
        for asked in ["info,json", "off,json"] {
            assert!(is_asked_for(asked), "{asked}");
        }
        for other in ["", "info", "json", ",json", "loud,json", "info,JSON", "info,json,json"] {
            assert!(!is_asked_for(other), "{other}");
        }
    }

    #[test]
    fn times_are_in_utc() {
        // The expected texts were made with `date -u -d @SECONDS`.
        for (seconds, expected) in [
            (0, "1970-01-01T00:00:00"),
            (951_782_400, "2000-02-29T00:00:00"),
            (1_709_251_199, "2024-02-29T23:59:59"),
            (1_735_689_599, "2024-12-31T23:59:59"),
            (4_107_542_400, "2100-03-01T00:00:00"),
        ] {
            let now = UNIX_EPOCH + Duration::new(seconds, 1_234_999);
            assert_eq!(in_utc(now), format!("{expected}.001234Z"));
        }
    }

    #[test]
    fn an_object_is_ascii_and_reads_as_the_line() {
        let line = "say \"a\\b\"\n\t\u{1b}[31mé€😀\u{7f}";
        let text = object(UNIX_EPOCH, Level::Warning, line);
        assert!(text.bytes().all(|byte| (0x20..0x7f).contains(&byte)), "{text}");
        let read: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(read["message"], line);
        assert_eq!((&read["level"], &read["event"]), (&"warning".into(), &"message".into()));
        assert_eq!(read["time"], "1970-01-01T00:00:00.000000Z");
    }
}
