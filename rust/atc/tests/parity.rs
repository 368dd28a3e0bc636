//! Tests convolutions with randomly generated shapes and options. Their results must be equal to the results of a plain
//! program (support/naive.rs), which computes the sums of the definition.
//!
//! The operands are the whole numbers -1, 0 and 1. An element of the result is the sum of at most `TERMS` = 254
//! products, a bias, and the value that the output had before. So its absolute value is at most 254 + 2 = 256 = 2^8.
//! All whole numbers up to 2^8 are exact in bf16, which has 8 significant bits, and in the other types. So the results
//! must be equal, whatever the order of the additions.
#![allow(missing_docs)]

mod support;

use atc::{
    AsTensor, DType, Device, Direction, Element, Epilogue, Layout, Operand, Operands, Plan,
    Problem, Tensor,
};
use proptest::prelude::*;
use support::naive::{Dense, convolve};
use support::whole_numbers;

const TERMS: i64 = 254;

/// Returns the largest number of products that are added for one element of the output.
fn terms(problem: &Problem) -> i64 {
    let spec = problem.spec().unwrap();
    let kernel: i64 = spec.kernel.iter().product();
    match spec.direction {
        Direction::BackwardWeight => {
            let over = if spec.transposed { Operand::X } else { Operand::Y };
            let shape = problem.shape(over).expect("a valid problem");
            shape[0] * shape[2..].iter().product::<i64>()
        }
        Direction::BackwardData => spec.out_channels / spec.groups * kernel,
        _ => spec.in_channels / spec.groups * kernel,
    }
}

#[derive(Debug, Clone)]
struct Axis {
    extent: i64,
    kernel: i64,
    stride: i64,
    dilation: i64,
    low: i64,
    high: i64,
}

fn axis() -> impl Strategy<Value = Axis> {
    (0i64..4, 1i64..4, 1i64..4, 1i64..3, 0i64..3, 0i64..3).prop_map(
        |(extra, kernel, stride, dilation, low, high)| {
            let reach = dilation * (kernel - 1) + 1;
            Axis {
                extent: (reach - low - high).max(1) + extra,
                kernel,
                stride,
                dilation,
                low,
                high,
            }
        },
    )
}

fn problem() -> impl Strategy<Value = Problem> {
    let channels = (0i64..3, 1i64..3, 1i64..3, 1i64..4);
    let kinds = (
        prop::sample::select(&[
            Direction::Forward,
            Direction::BackwardData,
            Direction::BackwardWeight,
        ]),
        prop::sample::select(&[Layout::ChannelsFirst, Layout::ChannelsLast]),
        prop::sample::select(&[Epilogue::None, Epilogue::Bias, Epilogue::BiasRelu]),
        prop::sample::select(&[DType::F32, DType::Bf16, DType::F16]),
        any::<(bool, bool)>(),
    );
    (prop::collection::vec(axis(), 1..=3), channels, kinds)
        .prop_map(|(axes, (batch, inputs, outputs, groups), kinds)| {
            let (direction, layout, epilogue, dtype, (transposed, accumulate)) = kinds;
            let list = |field: fn(&Axis) -> i64| axes.iter().map(field).collect::<Vec<_>>();
            Problem::new(batch, inputs * groups, &list(|axis| axis.extent), outputs * groups)
                .groups(groups)
                .kernel(&list(|axis| axis.kernel)[..])
                .stride(&list(|axis| axis.stride)[..])
                .dilation(&list(|axis| axis.dilation)[..])
                .padding_low(&list(|axis| axis.low)[..])
                .padding_high(&list(|axis| axis.high)[..])
                .transposed(transposed)
                .direction(direction)
                .layout(layout)
                .dtype(dtype)
                .accumulate(accumulate)
                .epilogue(if direction == Direction::Forward { epilogue } else { Epilogue::None })
        })
        // Not all generated problems are valid. For example, the padding of a transposed convolution can be so large
        // that its output would have no elements. This filter removes such problems.
        .prop_filter("valid", |problem| problem.validate().is_ok())
        .prop_filter("exact sums", |problem| terms(problem) <= TERMS)
}

trait Number: Element + PartialEq + std::fmt::Debug {
    fn from_f32(value: f32) -> Self;
    fn to_f32(self) -> f32;
}

macro_rules! number {
    ($type:ty, $from:expr, $to:expr) => {
        impl Number for $type {
            fn from_f32(value: f32) -> Self {
                $from(value)
            }
            fn to_f32(self) -> f32 {
                $to(self)
            }
        }
    };
}

number!(f32, |value| value, |value| value);
number!(atc::half::bf16, atc::half::bf16::from_f32, atc::half::bf16::to_f32);
number!(atc::half::f16, atc::half::f16::from_f32, atc::half::f16::to_f32);

/// Returns the position of each element of a tensor in memory, counted in elements. The list is in the logical order of
/// the elements (batch, channels, spatial dimensions).
fn offsets(tensor: &impl AsTensor) -> Vec<usize> {
    let view = tensor.as_tensor();
    view.shape().iter().zip(view.strides()).fold(vec![0], |all, (extent, stride)| {
        all.iter()
            .flat_map(|at| (0..*extent).map(move |index| at + (index * stride) as usize))
            .collect()
    })
}

fn to_memory<T: Number>(problem: &Problem, operand: Operand, dense: &Dense) -> Tensor<T> {
    let mut tensor = Tensor::<T>::zeros(problem, operand).expect("a valid problem");
    let at = offsets(&tensor);
    at.iter().zip(&dense.data).for_each(|(at, value)| {
        tensor.as_mut_slice()[*at] = T::from_f32(*value);
    });
    tensor
}

fn to_logical<T: Number>(tensor: &Tensor<T>) -> Vec<f32> {
    offsets(tensor).iter().map(|at| tensor.as_slice()[*at].to_f32()).collect()
}

fn check<T: Number>(problem: &Problem, seed: u64) -> Result<(), TestCaseError> {
    let mut number = whole_numbers(seed, 1);
    let [x, w, y] = [Operand::X, Operand::W, Operand::Y]
        .map(|operand| Dense::filled(problem, operand, &mut number));
    let with_bias = problem.spec().unwrap().epilogue != Epilogue::None;
    let bias: Vec<f32> = (0..if with_bias { problem.spec().unwrap().out_channels } else { 0 })
        .map(|_| number())
        .collect();
    let expected = convolve(problem, &x, &w, &bias, &y);

    for eager in [false, true] {
        let (mut tx, mut tw, mut ty) = (
            to_memory::<T>(problem, Operand::X, &x),
            to_memory::<T>(problem, Operand::W, &w),
            to_memory::<T>(problem, Operand::Y, &y),
        );
        let tb: Vec<T> = bias.iter().copied().map(T::from_f32).collect();
        let mut operands = match problem.spec().unwrap().direction {
            Direction::BackwardData => Operands::backward_data(&tw, &ty, &mut tx),
            Direction::BackwardWeight => Operands::backward_weight(&tx, &ty, &mut tw),
            _ => Operands::forward(&tx, &tw, &mut ty),
        };
        if with_bias {
            operands = operands.bias(&tb);
        }
        if eager {
            atc::convolution(problem, operands).expect("the eager call");
        } else {
            let mut plan = Plan::new(Device::Cpu, problem).expect("a plan");
            plan.execute(operands).expect("the plan runs");
        }
        let out = match problem.spec().unwrap().direction {
            Direction::BackwardData => &tx,
            Direction::BackwardWeight => &tw,
            _ => &ty,
        };
        prop_assert_eq!(to_logical(out), &expected.data[..], "eager: {}", eager);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn convolutions_are_what_their_definition_says(problem in problem(), seed: u64) {
        match problem.dtype_of(Operand::X) {
            DType::Bf16 => check::<atc::half::bf16>(&problem, seed)?,
            DType::F16 => check::<atc::half::f16>(&problem, seed)?,
            _ => check::<f32>(&problem, seed)?,
        }
    }
}
