//! The activation of a layer: its name, and its parameters (only some activations have parameters).

use serde::{Deserialize, Serialize};
use serde_json::Number;

use super::columns::Columns;

/// The functions that may be applied to the output of a forward convolution (docs/fusion.md).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ActivationName {
    Relu,
    Relu6,
    Clamp,
    Silu,
    Gelu,
    GeluTanh,
    HardSwish,
    Sigmoid,
    LeakyRelu,
}

/// Returns the activation of a row, or an error if the row lacks one of its parameters or has a
/// parameter of another activation.
pub fn of(columns: &Columns) -> Result<atc::Activation, String> {
    use ActivationName as Name;
    let needed = |column: &str, given: &Option<Number>| match given {
        Some(number) => single(column, number),
        None => Err(format!("{column} is missing: this activation needs it")),
    };
    for (column, given, owner, name) in [
        ("activationLow", &columns.activation_low, Name::Clamp, "clamp"),
        ("activationHigh", &columns.activation_high, Name::Clamp, "clamp"),
        ("activationSlope", &columns.activation_slope, Name::LeakyRelu, "leaky-relu"),
    ] {
        if let (Some(number), true) = (given, columns.activation != Some(owner)) {
            return Err(format!("{column} is {number}: only the activation {name:?} has it"));
        }
    }
    Ok(match columns.activation {
        None => atc::Activation::None,
        Some(Name::Relu) => atc::Activation::Relu,
        Some(Name::Relu6) => atc::Activation::Relu6,
        Some(Name::Clamp) => {
            let low = needed("activationLow", &columns.activation_low)?;
            let high = needed("activationHigh", &columns.activation_high)?;
            if low > high {
                return Err(format!(
                    "activationLow is {low}: must be at most activationHigh, which is {high}"
                ));
            }
            atc::Activation::Clamp { low, high }
        }
        Some(Name::Silu) => atc::Activation::Silu,
        Some(Name::Gelu) => atc::Activation::Gelu,
        Some(Name::GeluTanh) => atc::Activation::GeluTanh,
        Some(Name::HardSwish) => atc::Activation::HardSwish,
        Some(Name::Sigmoid) => atc::Activation::Sigmoid,
        Some(Name::LeakyRelu) => {
            let slope = needed("activationSlope", &columns.activation_slope)?;
            if !(0.0..=1.0).contains(&slope) {
                return Err(format!("activationSlope is {slope}: must be from 0 to 1"));
            }
            atc::Activation::LeakyRelu { slope }
        }
    })
}

/// Returns a number in single precision.
fn single(column: &str, number: &Number) -> Result<f32, String> {
    number
        .as_f64()
        .map(|value| value as f32)
        .filter(|value| value.is_finite())
        .ok_or_else(|| format!("{column} is {number}: must be in the range of fp32"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(members: &str) -> Result<atc::Activation, String> {
        let row = format!(r#"{{"N":1,"C":2,"H":8,"W":8,"K":2,"R":3,"S":3{members}}}"#);
        let columns: Columns = serde_json::from_str(&row).map_err(|error| error.to_string())?;
        columns.check()?;
        let again = serde_json::to_string(&columns).unwrap();
        assert_eq!(serde_json::from_str::<Columns>(&again).unwrap(), columns);
        Ok(columns.activation())
    }

    #[test]
    fn each_activation_is_read_with_its_parameters() {
        use atc::Activation;
        for (name, activation) in [
            ("relu", Activation::Relu),
            ("relu6", Activation::Relu6),
            ("silu", Activation::Silu),
            ("gelu", Activation::Gelu),
            ("gelu-tanh", Activation::GeluTanh),
            ("hard-swish", Activation::HardSwish),
            ("sigmoid", Activation::Sigmoid),
        ] {
            assert_eq!(read(&format!(r#","activation":"{name}""#)), Ok(activation));
        }
        assert_eq!(
            read(r#","activation":"clamp","activationLow":-1.5,"activationHigh":2"#),
            Ok(Activation::Clamp { low: -1.5, high: 2.0 })
        );
        assert_eq!(
            read(r#","activation":"leaky-relu","activationSlope":0.25"#),
            Ok(Activation::LeakyRelu { slope: 0.25 })
        );
        assert_eq!(read(""), Ok(Activation::None));
    }

    #[test]
    fn wrong_parameters_are_named() {
        for (members, part) in [
            (r#","activation":"tanh""#, "unknown variant `tanh`"),
            (r#","activation":"clamp","activationLow":0"#, "activationHigh is missing"),
            (
                r#","activation":"clamp","activationLow":2,"activationHigh":1"#,
                "activationLow is 2: must be at most activationHigh, which is 1",
            ),
            (r#","activation":"relu","activationHigh":6"#, "activationHigh is 6: only"),
            (r#","activationSlope":0.5"#, "activationSlope is 0.5: only"),
            (r#","activation":"leaky-relu","activationSlope":1.5"#, "1.5: must be from 0 to 1"),
            (
                r#","activation":"clamp","activationLow":0,"activationHigh":1e39"#,
                "must be in the range of fp32",
            ),
        ] {
            let error = read(members).unwrap_err();
            assert!(error.contains(part), "{error}");
        }
    }
}
