//! A model of two nodes, Conv and Relu, in the format of ONNX (protocol buffers).

pub const INPUT: [usize; 4] = [1, CHANNELS, 56, 56];
const CHANNELS: usize = 64;
const KERNEL: [usize; 4] = [CHANNELS, CHANNELS, 3, 3];
/// The operator-set version that the model states, both for ONNX's standard operators and for the operators of the
/// domain `atc`.
const VERSION: u64 = 22;
const FLOAT: u64 = 1;
const INTS: u64 = 7;

/// Returns values for a tensor of this shape: always the same numbers, from -1 to 1.
pub fn values(shape: [usize; 4]) -> Vec<f32> {
    (0..shape.iter().product())
        .map(|at: usize| (at as f32 * 0.37).sin())
        .collect()
}

/// Returns a model as the bytes of an ONNX file. `domain` is the ONNX domain of its operator Conv. The numbers in the
/// code are field numbers of onnx.proto.
pub fn model(domain: &str) -> Vec<u8> {
    let convolution = [
        text(1, "x"),
        text(1, "w"),
        text(2, "sum"),
        text(4, "Conv"),
        attribute("pads", &[1; 4]),
        attribute("kernel_shape", &[3; 2]),
        text(7, domain),
    ];
    let relu = [text(1, "sum"), text(2, "y"), text(4, "Relu")];
    let weights: Vec<u8> = values(KERNEL)
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect();
    let weights = [
        dims(1, &KERNEL),
        number(2, FLOAT),
        text(8, "w"),
        bytes(9, &weights),
    ];
    let graph = [
        bytes(1, &convolution.concat()),
        bytes(1, &relu.concat()),
        text(2, "graph"),
        bytes(5, &weights.concat()),
        value(11, "x"),
        value(12, "y"),
    ];
    let mut domains = vec![""];
    if !domain.is_empty() {
        domains.push(domain);
    }
    let operators = domains
        .iter()
        .flat_map(|name| bytes(8, &[text(1, name), number(2, VERSION)].concat()));
    [
        number(1, 10),
        bytes(7, &graph.concat()),
        operators.collect(),
    ]
    .concat()
}

/// Returns the description of the model's input or output. Both have the same shape.
fn value(field: u64, name: &str) -> Vec<u8> {
    let shape: Vec<u8> = INPUT
        .iter()
        .flat_map(|extent| bytes(1, &number(1, *extent as u64)))
        .collect();
    let tensor = [number(1, FLOAT), bytes(2, &shape)].concat();
    bytes(
        field,
        &[text(1, name), bytes(2, &bytes(1, &tensor))].concat(),
    )
}

fn attribute(name: &str, values: &[usize]) -> Vec<u8> {
    bytes(
        5,
        &[text(1, name), dims(8, values), number(20, INTS)].concat(),
    )
}

fn dims(field: u64, values: &[usize]) -> Vec<u8> {
    values
        .iter()
        .flat_map(|value| number(field, *value as u64))
        .collect()
}

fn text(field: u64, value: &str) -> Vec<u8> {
    bytes(field, value.as_bytes())
}

fn bytes(field: u64, value: &[u8]) -> Vec<u8> {
    [
        varint(field << 3 | 2),
        varint(value.len() as u64),
        value.to_vec(),
    ]
    .concat()
}

fn number(field: u64, value: u64) -> Vec<u8> {
    [varint(field << 3), varint(value)].concat()
}

fn varint(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value > 127 {
        bytes.push((value & 127) as u8 | 128);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}
