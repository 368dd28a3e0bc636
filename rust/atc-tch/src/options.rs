//! Options for convolutions of LibTorch.

mod setters;

use std::ffi::c_char;
use std::fmt;
use std::time::Duration;

use atc::sys::{ATC_OFF, ATC_ON, ATC_TUNE_BESIDE, ATC_TUNE_LATER, ATC_TUNE_PREDICT};
use atc::{Direction, Result, Tune};

use crate::geometry::invalid;
use crate::raw::size_of_u32;
use crate::sys;

/// How convolutions are decided (which implementation runs them). [`install_with`](crate::install_with) sets the
/// options of all convolutions. [`convolution`](crate::convolution) takes the options of one convolution. By default
/// the decisions of the store in use are used, and nothing is measured.
///
/// ```
/// use std::time::Duration;
///
/// let options = atc_tch::Options::new().tune(true).budget(Duration::from_millis(500));
/// # let _ = options;
/// ```
#[derive(Clone, Copy, PartialEq)]
#[must_use = "each method returns the changed options and leaves these as they are"]
pub struct Options {
    pub(crate) raw: sys::atc_torch_options,
}

impl Default for Options {
    fn default() -> Self {
        Self::new()
    }
}

impl Options {
    /// Makes the default options.
    pub fn new() -> Self {
        let struct_size = size_of_u32::<sys::atc_torch_options>();
        Self { raw: sys::atc_torch_options { struct_size, ..Default::default() } }
    }

    /// Prescribes the implementation that computes `direction`. If this implementation cannot run, the convolution
    /// fails. `choice` names the implementation: it is a text that [`atc::Plan::choice`] has returned. The choice takes
    /// precedence over pins and records. Only [`convolution`](crate::convolution) accepts a choice;
    /// [`install_with`](crate::install_with) refuses a choice. To fix the choices of a whole program, write a pin file
    /// ([`atc::settings::set_pins`]).
    ///
    /// Returns [`ErrorKind::InvalidArgument`](atc::ErrorKind::InvalidArgument) if `choice` is longer than 255 bytes or
    /// contains a NUL byte.
    pub fn choice(mut self, direction: Direction, choice: &str) -> Result<Self> {
        let field = match direction {
            Direction::BackwardData => &mut self.raw.choice_backward_data,
            Direction::BackwardWeight => &mut self.raw.choice_backward_weight,
            _ => &mut self.raw.choice,
        };
        // The choice must be shorter than the field of the C struct. The field is a C string, so its last byte must
        // remain 0.
        if choice.len() >= field.len() || choice.contains('\0') {
            return Err(invalid(format!(
                "a choice of {} bytes: use at most {}, none of them NUL",
                choice.len(),
                field.len() - 1
            )));
        }
        field.fill(0);
        for (to, from) in field.iter_mut().zip(choice.bytes()) {
            *to = from as c_char;
        }
        Ok(self)
    }
}

impl fmt::Debug for Options {
    /// Prints only the options that were set. All other options have their defaults.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let raw = &self.raw;
        let mut fields = formatter.debug_struct("Options");
        match raw.tune {
            0 => (),
            ATC_TUNE_LATER => drop(fields.field("tune", &Tune::Later)),
            ATC_TUNE_BESIDE => drop(fields.field("tune", &Tune::Beside)),
            ATC_TUNE_PREDICT => drop(fields.field("tune", &Tune::Predict)),
            on => drop(fields.field("tune", &(on == ATC_ON))),
        }
        for (name, value) in setters::switches(raw) {
            if value != 0 {
                fields.field(name, &(value == ATC_ON));
            }
        }
        for (name, choice) in [
            ("choice", &raw.choice),
            ("choice_backward_data", &raw.choice_backward_data),
            ("choice_backward_weight", &raw.choice_backward_weight),
        ] {
            let text: Vec<u8> =
                choice.iter().map(|byte| *byte as u8).take_while(|byte| *byte != 0).collect();
            if !text.is_empty() {
                fields.field(name, &String::from_utf8_lossy(&text));
            }
        }
        if raw.budget_seconds != 0.0 {
            let budget = Duration::try_from_secs_f64(raw.budget_seconds);
            fields.field("budget", &budget.unwrap_or(Duration::MAX));
        }
        fields.finish()
    }
}

fn switch(enabled: bool) -> i32 {
    if enabled { ATC_ON } else { ATC_OFF }
}

/// Converts a time to seconds for the C struct. A field of 0 seconds would mean the default, so [`Duration::ZERO`] is
/// converted to one nanosecond.
fn seconds(time: Duration) -> f64 {
    time.max(Duration::from_nanos(1)).as_secs_f64()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_of_nothing_is_not_the_default_and_debug_says_what_was_said() {
        assert!(Options::new().budget(Duration::ZERO).raw.budget_seconds > 0.0);
        let options = Options::new().tune(true).budget(Duration::from_millis(500));
        assert_eq!(format!("{options:?}"), "Options { tune: true, budget: 500ms }");
    }

    #[test]
    fn tuning_may_come_later() {
        let options = Options::new().tune(Tune::Later);
        assert_eq!(options.raw.tune, ATC_TUNE_LATER);
        assert_eq!(format!("{options:?}"), "Options { tune: Later }");
    }

    #[test]
    fn a_choice_may_be_predicted() {
        let options = Options::new().tune(Tune::Predict);
        assert_eq!(options.raw.tune, ATC_TUNE_PREDICT);
        assert_eq!(format!("{options:?}"), "Options { tune: Predict }");
    }

    #[test]
    fn a_choice_is_for_one_direction_and_has_an_end() {
        let options = Options::new().choice(Direction::BackwardData, "a@1:x").unwrap();
        assert_eq!(format!("{options:?}"), "Options { choice_backward_data: \"a@1:x\" }");
        let shorter = options.choice(Direction::BackwardData, "b").unwrap();
        assert_eq!(format!("{shorter:?}"), "Options { choice_backward_data: \"b\" }");
        assert!(options.choice(Direction::Forward, &"a".repeat(255)).is_ok());
        for wrong in ["a".repeat(256), "a\0b".to_owned()] {
            assert!(options.choice(Direction::Forward, &wrong).is_err());
        }
    }
}
