//! Parsers for the values of the options of the command line.

use std::time::Duration;

use crate::document::Ceilings;

pub fn device(text: &str) -> Result<atc::Device, String> {
    text.parse().map_err(|error: atc::Error| error.to_string())
}

/// Reads a number of processes, from 2 to 1000. One process is not enough, because the processes
/// are compared with each other.
pub fn processes(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(number) if (2..=1000).contains(&number) => Ok(number),
        _ => Err("must be a number from 2 to 1000".to_owned()),
    }
}

/// Reads a time such as `30s`, `500ms`, `1m 30s`.
pub fn duration(text: &str) -> Result<Duration, String> {
    let duration = humantime::parse_duration(text)
        .map_err(|error| format!("{error}; write a number and a unit, such as 30s, 500ms or 2m"))?;
    if duration.is_zero() {
        return Err(
            "no time at all; write a number and a unit, such as 30s, 500ms or 2m".to_owned()
        );
    }
    Ok(duration)
}

/// Reads the highest rates of a device, of memory and of arithmetic: "4260,400000" means 4260 GB/s
/// and 400,000 GFLOP/s.
pub fn ceilings(text: &str) -> Result<Ceilings, String> {
    let numbers = text.split_once(',').and_then(|(bytes, flops)| {
        Some((bytes.trim().parse::<f64>().ok()?, flops.trim().parse::<f64>().ok()?))
    });
    numbers
        .map(|(gigabytes, gigaflops)| Ceilings {
            bytes_per_second: gigabytes * 1e9,
            flops_per_second: gigaflops * 1e9,
        })
        .filter(Ceilings::are_known)
        .ok_or_else(|| "must be two numbers above 0, as 4260,400000".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units() {
        assert_eq!(duration("30s"), Ok(Duration::from_secs(30)));
        assert_eq!(duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(duration("1m 30s"), Ok(Duration::from_secs(90)));
        for wrong in ["", "30", "-1s", "0s", "soon", "99999999999999999999s"] {
            assert!(duration(wrong).is_err(), "{wrong:?} was taken");
        }
    }

    #[test]
    fn ceilings_are_two_numbers() {
        let known = Ceilings { bytes_per_second: 4.26e12, flops_per_second: 4e14 };
        assert_eq!(ceilings("4260,400000"), Ok(known));
        for wrong in ["", "4260", "1,x", "0,1", "1,-1", "inf,1", "1,2,3"] {
            assert!(ceilings(wrong).is_err(), "{wrong}");
        }
    }
}
