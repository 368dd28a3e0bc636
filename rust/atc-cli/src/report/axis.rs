//! The axes of the plots. An axis computes the position of a value in the drawing, and the values
//! at which grid lines are drawn.

/// An axis. Values from `low` to `high` (on a logarithmic axis: their logarithms) are drawn between
/// the positions `from` and `to`.
#[derive(Debug, Clone, Copy)]
pub struct Axis {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
    logarithmic: bool,
}

/// A value of the axis at which a grid line and a label are drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct Tick {
    pub at: f64,
    pub label: String,
}

impl Axis {
    /// Makes a logarithmic axis for `values`. Values that have no logarithm are ignored. Returns
    /// `None` if no value is left.
    pub fn logarithmic(values: impl IntoIterator<Item = f64>, from: f64, to: f64) -> Option<Self> {
        let usable = values.into_iter().filter(|value| value.is_normal() && *value > 0.0);
        let (low, high) = range(usable.map(f64::log10))?;
        let margin = ((high - low) * 0.04).max(0.02);
        Some(Self { low: low - margin, high: high + margin, from, to, logarithmic: true })
    }

    /// Makes a linear axis for `values`. Values that are not finite are ignored. Returns `None` if
    /// no value is left.
    pub fn linear(values: impl IntoIterator<Item = f64>, from: f64, to: f64) -> Option<Self> {
        let (low, high) = range(values.into_iter().filter(|value| value.is_finite()))?;
        let margin = ((high - low) * 0.05).max(high.abs() * 1e-3).max(1e-9);
        Some(Self { low: low - margin, high: high + margin, from, to, logarithmic: false })
    }

    /// Returns the position of a value, rounded to a tenth. A value beyond an end of the axis gets
    /// the position of this end.
    pub fn at(&self, value: f64) -> f64 {
        let value = if self.logarithmic { value.log10() } else { value };
        let part = ((value - self.low) / (self.high - self.low)).clamp(0.0, 1.0);
        let part = if part.is_nan() { 0.0 } else { part };
        tenth(self.from + part * (self.to - self.from))
    }

    /// Returns the values for grid lines, about ten at most. On a logarithmic axis they are powers
    /// of ten; if there are only a few, also 2 and 5 times the powers of ten.
    pub fn ticks(&self) -> Vec<Tick> {
        let values = if self.logarithmic { self.decades() } else { self.steps() };
        values.into_iter().map(|value| Tick { at: self.at(value), label: number(value) }).collect()
    }

    fn decades(&self) -> Vec<f64> {
        let (first, last) = (self.low.floor() as i32, self.high.ceil() as i32);
        let multiples: &[f64] = if self.high - self.low > 2.5 { &[1.0] } else { &[1.0, 2.0, 5.0] };
        let stride = ((last - first) / 8).max(1) as usize;
        let values = (first..=last)
            .step_by(stride)
            .flat_map(|power| multiples.iter().map(move |multiple| multiple * 10_f64.powi(power)));
        values.filter(|value| (self.low..=self.high).contains(&value.log10())).collect()
    }

    fn steps(&self) -> Vec<f64> {
        let raw = (self.high - self.low) / 4.0;
        let power = 10_f64.powf(raw.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].map(|multiple| multiple * power);
        let step = step.into_iter().find(|step| *step >= raw).unwrap_or(raw);
        let first = (self.low / step).ceil() as i64;
        (first..first + 10)
            .map(|index| index as f64 * step)
            .take_while(|value| *value <= self.high)
            .collect()
    }
}

fn range(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    values.fold(None, |range, value| {
        let (low, high) = range.unwrap_or((value, value));
        Some((f64::min(low, value), f64::max(high, value)))
    })
}

pub fn tenth(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

/// Writes a number in a short form for an axis.
fn number(value: f64) -> String {
    match value.abs() {
        v if v >= 1e6 || (v > 0.0 && v < 1e-3) => format!("{value:e}"),
        v if v < 1e3 => format!("{}", (value * 1e6).round() / 1e6),
        _ => format!("{value:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn labels(axis: &Axis) -> Vec<String> {
        axis.ticks().into_iter().map(|tick| tick.label).collect()
    }

    #[test]
    fn ticks_are_round_numbers_in_order() {
        let decades = Axis::logarithmic([0.3, 600.0], 0.0, 100.0).unwrap();
        assert_eq!(labels(&decades), ["1", "10", "100"]);
        let few = Axis::logarithmic([9.0, 60.0], 0.0, 100.0).unwrap();
        assert_eq!(labels(&few), ["10", "20", "50"]);
        let clocks = Axis::linear([1200.0, 1980.0], 0.0, 100.0).unwrap();
        assert_eq!(labels(&clocks), ["1500", "2000"]);
    }

    #[test]
    fn values_without_a_place_make_no_axis() {
        let useless = [0.0, -1.0, f64::NAN, f64::INFINITY];
        assert!(Axis::logarithmic(useless, 0.0, 1.0).is_none());
        assert!(Axis::linear([f64::NAN, f64::INFINITY], 0.0, 1.0).is_none());
    }

    proptest! {
        #[test]
        fn places_are_on_the_axis_and_ticks_few(
            values in prop::collection::vec(prop::num::f64::ANY, 1..6),
            asked in prop::num::f64::ANY,
        ) {
            let axes = [
                Axis::logarithmic(values.clone(), 10.0, 400.0),
                Axis::linear(values.into_iter().map(|value| value % 1e12), 10.0, 400.0),
            ];
            for axis in axes.into_iter().flatten() {
                prop_assert!((10.0..=400.0).contains(&axis.at(asked)));
                let ticks = axis.ticks();
                prop_assert!(ticks.len() <= 90, "{}", ticks.len());
                prop_assert!(ticks.windows(2).all(|pair| pair[0].at <= pair[1].at));
            }
        }
    }
}
