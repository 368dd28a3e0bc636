//! Runs atc's convolutions on candle's CPU storages.

use atc::{DType, Direction, Element, Operand, Operands, Plan, Problem, TensorView, TensorViewMut};
use candle_core::{CpuStorage, Error, Layout, Result, WithDType};

use crate::failure::{failure, refused};

/// A contiguous input of a convolution: candle's storage, and the layout that says where in the storage the input lies.
pub(crate) type Input<'a> = (&'a CpuStorage, &'a Layout);

/// Runs a plan of `problem` and returns the operand that the plan writes. `direction` determines which two of x, w and
/// y are read. `inputs` has these two operands, in the order x, w, y.
pub(crate) fn execute(
    plan: &mut Plan,
    problem: &Problem,
    direction: Direction,
    inputs: [Input<'_>; 2],
    bias: Option<Input<'_>>,
) -> Result<CpuStorage> {
    match problem.dtype_of(Operand::X) {
        DType::F32 => typed::<f32>(plan, problem, direction, inputs, bias),
        DType::Bf16 => typed::<atc::half::bf16>(plan, problem, direction, inputs, bias),
        DType::F16 => typed::<atc::half::f16>(plan, problem, direction, inputs, bias),
        other => Err(refused(format!("{other} tensors in a convolution: use f32, bf16 or f16"))),
    }
}

fn typed<T: Element + WithDType>(
    plan: &mut Plan,
    problem: &Problem,
    direction: Direction,
    inputs: [Input<'_>; 2],
    bias: Option<Input<'_>>,
) -> Result<CpuStorage> {
    let [first, second, written] = operands_of(direction)?;
    let a = view::<T>(inputs[0], problem, first)?;
    let b = view::<T>(inputs[1], problem, second)?;
    let count = problem.shape(written).map_err(failure)?.iter().product::<i64>();
    let mut output = vec![T::ZERO; usize::try_from(count).map_err(Error::wrap)?];
    let mut out = TensorViewMut::of(&mut output, problem, written).map_err(failure)?;
    let operands = match direction {
        Direction::BackwardData => Operands::backward_data(&a, &b, &mut out),
        Direction::BackwardWeight => Operands::backward_weight(&a, &b, &mut out),
        _ => Operands::forward(&a, &b, &mut out),
    };
    let result = match bias {
        Some(bias) => plan.execute(operands.bias(&view::<T>(bias, problem, Operand::Bias)?)),
        None => plan.execute(operands),
    };
    result.map_err(failure)?;
    Ok(T::to_cpu_storage_owned(output))
}

fn view<'a, T: Element + WithDType>(
    input: Input<'a>,
    problem: &Problem,
    operand: Operand,
) -> Result<TensorView<'a>> {
    TensorView::of(elements::<T>(input)?, problem, operand).map_err(failure)
}

/// Returns the two operands that a direction reads, in the order x, w, y, and then the operand that it writes.
pub(crate) fn operands_of(direction: Direction) -> Result<[Operand; 3]> {
    match direction {
        Direction::Forward => Ok([Operand::X, Operand::W, Operand::Y]),
        Direction::BackwardData => Ok([Operand::W, Operand::Y, Operand::X]),
        Direction::BackwardWeight => Ok([Operand::X, Operand::Y, Operand::W]),
        other => Err(refused(format!(
            "direction {other}: use forward, backward-data or backward-weight"
        ))),
    }
}

/// Returns the elements of a contiguous input.
fn elements<'a, T: WithDType>((storage, layout): Input<'a>) -> Result<&'a [T]> {
    let all = T::cpu_storage_as_slice(storage)?;
    let (start, end) = layout
        .contiguous_offsets()
        .ok_or_else(|| refused(format!("the layout {layout:?} is not contiguous")))?;
    all.get(start..end).ok_or_else(|| {
        refused(format!(
            "the layout {layout:?} reaches beyond the {} elements of its storage",
            all.len()
        ))
    })
}

/// Returns `count` zeros of the same type as the elements of `like`.
pub(crate) fn zeros(like: &CpuStorage, count: usize) -> Result<CpuStorage> {
    match like {
        CpuStorage::F32(_) => Ok(CpuStorage::F32(vec![0.0; count])),
        CpuStorage::BF16(_) => Ok(CpuStorage::BF16(vec![atc::half::bf16::ZERO; count])),
        CpuStorage::F16(_) => Ok(CpuStorage::F16(vec![atc::half::f16::ZERO; count])),
        _ => Err(refused("an empty convolution of a type that atc lacks".to_owned())),
    }
}
