//! Reads and writes pin files (JSON files that fix the choices of convolutions; docs/pins.md).
//! libatc itself reads and checks the pin file that is in use. This program only writes pin files,
//! and shows the contents of files that libatc has accepted.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::document::Tuned;
use crate::failure::{Failure, Result};
use crate::json;
use crate::problems::Op;

const SCHEMA: u32 = 1;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PinFile {
    pub schema: u32,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub comment: String,
    pub pins: Vec<Pin>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Pin {
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub comment: String,
    pub r#match: Map<String, Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub choice: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bar: Option<Bars>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Bars {
    One(String),
    Several(Vec<String>),
}

impl Bars {
    pub fn names(&self) -> &[String] {
        match self {
            Self::One(name) => std::slice::from_ref(name),
            Self::Several(names) => names,
        }
    }
}

impl Pin {
    /// Returns the effect of the pin as one line: the choice that it gives, or the engines that it
    /// forbids.
    pub fn effect(&self) -> String {
        match (&self.choice, &self.bar) {
            (Some(choice), _) => choice.clone(),
            (None, Some(bars)) => format!("bars {}", bars.names().join(", ")),
            (None, None) => String::new(),
        }
    }

    /// Returns the pattern of the pin as one line: `direction=forward kernel=[3,3]`.
    pub fn pattern(&self) -> String {
        if self.r#match.is_empty() {
            return "all".to_owned();
        }
        let field = |(name, value): (&String, &Value)| match value {
            Value::String(text) => format!("{name}={text}"),
            other => format!("{name}={other}"),
        };
        self.r#match.iter().map(field).collect::<Vec<_>>().join(" ")
    }
}

impl PinFile {
    pub fn new(comment: String, pins: Vec<Pin>) -> Self {
        Self { schema: SCHEMA, comment, pins }
    }

    /// Reads a pin file. `origin` names the file in errors.
    pub fn parse(origin: &str, text: &str) -> Result<Self> {
        serde_json::from_str(text).map_err(|error| Failure::new(format!("{origin}: {error}")))
    }

    /// Returns the JSON of the pins. Each field of a pin has a line of its own, so that the
    /// differences between two versions are easy to see.
    pub fn to_json(&self) -> Result<String> {
        json::text("the pins", self)
    }
}

/// Makes a pin that fixes the choice of a decision. The pin matches only the convolution `problem`,
/// on devices with the name `device_name`.
pub fn of_decision(
    tuned: &Tuned,
    problem: &atc::Problem,
    device: atc::Device,
    device_name: &str,
) -> Result<Pin> {
    let spec = problem.spec()?;
    let mut fields = Map::new();
    let mut put = |name: &str, value: Value| fields.insert(name.to_owned(), value);
    put("device", json!(if device == atc::Device::Cpu { "cpu" } else { "cuda" }));
    if !device_name.is_empty() {
        put("device_name", json!(device_name));
    }
    put("direction", json!(spec.direction));
    put("transposed", json!(spec.transposed));
    put("batch", json!(spec.batch));
    put("in_channels", json!(spec.in_channels));
    put("out_channels", json!(spec.out_channels));
    put("groups", json!(spec.groups));
    put("input", json!(spec.input));
    put("output", json!(problem.shape(atc::Operand::Y)?[2..]));
    put("kernel", json!(spec.kernel));
    put("stride", json!(spec.stride));
    put("dilation", json!(spec.dilation));
    if spec.padding_low == spec.padding_high {
        put("padding", json!(spec.padding_low));
    } else {
        put("padding_low", json!(spec.padding_low));
        put("padding_high", json!(spec.padding_high));
    }
    if spec.x_dtype == spec.w_dtype && spec.x_dtype == spec.y_dtype {
        put("dtype", json!(spec.x_dtype));
    } else {
        put("x_dtype", json!(spec.x_dtype));
        put("w_dtype", json!(spec.w_dtype));
        put("y_dtype", json!(spec.y_dtype));
    }
    put("layout", json!(layout_of(problem)?));
    let (epilogue, activation) = epilogue_of(&spec);
    put("epilogue", epilogue);
    put("scale", json!(spec.scale));
    put("residual", json!(spec.residual));
    put("activation", json!(activation));
    put("accumulate", json!(spec.accumulate));
    // In backward-weight the weights are the output, so they cannot be constant.
    put("constant_weights", json!(tuned.constant_weights && tuned.op != Op::BackwardWeight));
    Ok(Pin {
        name: tuned.name.clone(),
        comment: comment_of(tuned),
        r#match: fields,
        choice: Some(tuned.decision.choice.clone()),
        bar: None,
    })
}

/// Returns the epilogue (what follows the convolution, such as adding a bias) and the activation,
/// as patterns of pins name them.
fn epilogue_of(spec: &atc::ProblemSpec) -> (Value, &'static str) {
    use atc::Activation;
    let activation = match spec.activation {
        // If a bias is followed by a ReLU and nothing else, libatc treats both together as the
        // epilogue `BiasRelu` without an activation.
        Activation::Relu
            if spec.epilogue == atc::Epilogue::Bias && !spec.scale && !spec.residual =>
        {
            return (json!(atc::Epilogue::BiasRelu), "none");
        }
        Activation::Relu => "relu",
        Activation::Relu6 | Activation::Clamp { .. } => "clamp",
        Activation::Silu => "silu",
        Activation::Gelu => "gelu",
        Activation::GeluTanh => "gelu-tanh",
        Activation::HardSwish => "hard-swish",
        Activation::Sigmoid => "sigmoid",
        Activation::LeakyRelu { .. } => "leaky-relu",
        _ => "none",
    };
    (json!(spec.epilogue), activation)
}

/// Returns the name of the layout, as patterns of pins name it. The name is found from the strides,
/// because a recorded convolution may have the strides of a named layout without naming it.
fn layout_of(problem: &atc::Problem) -> Result<&'static str> {
    let (mut first, mut last) = (true, true);
    for operand in [atc::Operand::X, atc::Operand::W, atc::Operand::Y] {
        let (shape, strides) = (problem.shape(operand)?, problem.strides_of(operand)?);
        let rank = shape.len();
        first &= is_dense(&shape, &strides, 0..rank);
        last &= is_dense(&shape, &strides, [0].into_iter().chain(2..rank).chain([1]));
    }
    Ok(match (first, last) {
        (true, _) => "channels-first",
        (false, true) => "channels-last",
        (false, false) => "strided",
    })
}

/// Whether the tensor has no gaps if its dimensions lie in memory in the order `order` (the
/// dimension with the largest stride first). The stride of a dimension with only one element is
/// ignored.
fn is_dense(
    shape: &[i64],
    strides: &[i64],
    order: impl IntoIterator<Item = usize, IntoIter: DoubleEndedIterator>,
) -> bool {
    let mut expected = 1;
    order.into_iter().rev().all(|dimension| {
        let fits = shape[dimension] == 1 || strides[dimension] == expected;
        expected *= shape[dimension];
        fits
    })
}

/// Returns the measured times as text, for the comment of a pin.
fn comment_of(tuned: &Tuned) -> String {
    let decision = &tuned.decision;
    let mut parts = Vec::new();
    if let Some(time) = decision.time() {
        parts.push(crate::units::time(time));
    }
    if let Some(gain) = decision.gain() {
        parts.push(format!("{} against the default", gain.range()));
    }
    if let Some(why) = decision.provisional() {
        parts.push(format!("provisional: {why}"));
    }
    parts.join("; ")
}
