//! Conversions between this program's types and those of the crate `atc`.

use atc::Problem;

use crate::decision::Decision;
use crate::document::DeviceInfo;
use crate::failure::Result;
use crate::problems::{Arrangement, DType, Extent, Layout, Op, Request};

/// Converts a request (a convolution on which the command works) into a problem of the crate `atc`.
pub fn problem(request: &Request) -> Problem {
    let columns = &request.layer.columns;
    let extents = columns.extents();
    let each = |part: fn(&Extent) -> i64| extents.iter().map(part).collect::<Vec<_>>();
    let input = each(|extent| extent.input);
    let problem = Problem::new(columns.batch, columns.in_channels, &input, columns.out_channels)
        .kernel(each(|extent| extent.kernel).as_slice())
        .padding(each(|extent| extent.pad).as_slice())
        .stride(each(|extent| extent.stride).as_slice())
        .dilation(each(|extent| extent.dilation).as_slice())
        .transposed(columns.transposed)
        .output_padding(each(|extent| extent.output_padding.unwrap_or(0)).as_slice())
        .groups(columns.groups)
        .direction(match request.op {
            Op::Forward => atc::Direction::Forward,
            Op::BackwardData => atc::Direction::BackwardData,
            Op::BackwardWeight => atc::Direction::BackwardWeight,
        })
        .dtype(match request.dtype {
            DType::F32 => atc::DType::F32,
            DType::Bf16 => atc::DType::Bf16,
            DType::F16 => atc::DType::F16,
        });
    let problem = match &request.layout {
        Arrangement::Named(Layout::ChannelsFirst) => problem.layout(atc::Layout::ChannelsFirst),
        Arrangement::Named(Layout::ChannelsLast) => problem.layout(atc::Layout::ChannelsLast),
        Arrangement::Strides(strides) => problem.strides(&strides.x, &strides.w, &strides.y),
    };
    let problem =
        problem.scale(columns.scale).residual(columns.residual).activation(columns.activation());
    if request.layer.bias { problem.epilogue(atc::Epilogue::Bias) } else { problem }
}

/// Converts a problem that libatc has tuned into a decision, in the form that `--json` writes.
pub fn decision(tuned: &atc::TunedProblem) -> Decision {
    Decision {
        description: tuned.description.clone(),
        status: match &tuned.error {
            Some(error) => kind(error.kind()),
            None => "ok".to_owned(),
        },
        source: match tuned.error {
            Some(_) => String::new(),
            None => tuned.source.to_string(),
        },
        choice: tuned.choice.clone(),
        winner: tuned.winner,
        library_default: None,
        default: tuned.default_candidate,
        unstable: tuned.unstable,
        risk: tuned.risk,
        incomplete: tuned.incomplete,
        cancelled: tuned.cancelled,
        stored: tuned.stored,
        unwritten: tuned.unwritten,
        why: match &tuned.error {
            Some(error) => error.message().to_owned(),
            None if tuned.source == atc::Source::Reference && tuned.why.is_empty() => {
                "only the slow reference runs it: no other engine that may take part can".to_owned()
            }
            None => tuned.why.clone(),
        },
        executions: tuned.executions,
        seconds: tuned.seconds,
        memory_bytes: tuned.memory_bytes,
        candidates: tuned.candidates.clone(),
    }
}

/// Makes a decision from an explanation of libatc, in the form that `--json` writes.
pub fn explained(explanation: &atc::Explanation) -> Decision {
    let decided = explanation.winner.is_some();
    Decision {
        description: explanation.description.clone(),
        status: if decided { "ok".to_owned() } else { kind(atc::ErrorKind::Unsupported) },
        source: explanation.source.map_or_else(String::new, |source| source.to_string()),
        choice: explanation.choice.clone(),
        winner: explanation.winner,
        default: explanation.default_candidate,
        unstable: explanation.provisional,
        risk: explanation.risk,
        stored: explanation.stored,
        why: if decided { &explanation.doubts } else { &explanation.why }.clone(),
        candidates: explanation.candidates.clone(),
        ..Decision::default()
    }
}

/// Makes a decision from an entry of a store, in the form that `--json` writes.
pub fn stored(entry: &atc::StoreEntry) -> Decision {
    let is_read = entry.trouble.is_empty();
    Decision {
        status: if is_read { "ok".to_owned() } else { kind(atc::ErrorKind::BadRecord) },
        source: atc::Source::Record.to_string(),
        choice: entry.choice.clone(),
        winner: entry.winner,
        default: entry.default_candidate,
        stored: true,
        unstable: entry.provisional,
        risk: entry.risk,
        why: if is_read { &entry.why } else { &entry.trouble }.clone(),
        executions: entry.executions,
        seconds: entry.seconds,
        candidates: entry.candidates.clone(),
        ..Decision::default()
    }
}

/// Returns a decision without a choice, for a problem that was not passed to libatc.
pub fn refused(reason: atc::ErrorKind, why: String) -> Decision {
    Decision { status: kind(reason), why, ..Decision::default() }
}

/// Returns the name that the JSON has for this kind of error: "not_tuned", "unsupported", ….
fn kind(kind: atc::ErrorKind) -> String {
    match serde_json::to_value(kind) {
        Ok(serde_json::Value::String(name)) => name,
        _ => "unknown".to_owned(),
    }
}

/// Describes a device in the form that `--json` writes.
pub fn device(device: atc::Device) -> Result<DeviceInfo> {
    let info = device.describe()?;
    Ok(DeviceInfo {
        device: device.to_string(),
        name: info.name,
        isa: info.isa,
        compute_units: info.compute_units,
        cache_bytes: info.cache_bytes.unwrap_or(0),
        memory_bytes: info.memory_bytes.unwrap_or(0),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problems::{Layer, Row};
    use crate::problems::{Selection, tests::columns};
    use atc::Operand;
    use proptest::prelude::*;

    proptest! {
        /// libatc computes the shapes of the tensors from the problem, and this program computes
        /// them from the row. Both must be equal.
        #[test]
        fn shapes_are_those_of_the_row(columns in columns(), op in 0..3_usize) {
            let layer = Layer { name: "a".to_owned(), count: 1, columns, bias: false };
            let ops = vec![[Op::Forward, Op::BackwardData, Op::BackwardWeight][op]];
            let row = Row::from(layer);
            let request = Selection { ops, ..Selection::default() }.requests(&[row]).unwrap().remove(0);
            let problem = problem(&request);
            let c = &request.layer.columns;
            let x = problem.shape(Operand::X).unwrap();
            let w = problem.shape(Operand::W).unwrap();
            let y = problem.shape(Operand::Y).unwrap();
            prop_assert_eq!(&x[..2], [c.batch, c.in_channels]);
            prop_assert_eq!(&w[..2], [c.out_channels, c.in_channels / c.groups]);
            prop_assert_eq!(&y[..2], [c.batch, c.out_channels]);
            prop_assert_eq!(x.len(), 2 + c.spatial_dims());
            let taps: i64 = w[1..].iter().product();
            let flops = 2 * y.iter().product::<i64>() * taps;
            prop_assert_eq!(c.flops(), flops as f64);
        }
    }
}
