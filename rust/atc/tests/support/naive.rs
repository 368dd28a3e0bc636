//! A plain implementation of the convolution, for tests: it computes the sums of the definition,
//! one product after the other. The elements of its tensors are in logical order (batch, channels,
//! spatial dimensions).

use atc::{Direction, Epilogue, Operand, Problem, ProblemSpec};

/// A tensor whose elements are in logical order (batch, channels, spatial dimensions). The last
/// dimension has stride 1.
#[derive(Debug, Clone, PartialEq)]
pub struct Dense {
    pub shape: Vec<i64>,
    pub data: Vec<f32>,
}

impl Dense {
    pub fn filled(problem: &Problem, operand: Operand, mut value: impl FnMut() -> f32) -> Self {
        let shape = problem.shape(operand).expect("a valid problem");
        let count = shape.iter().product::<i64>();
        Self { shape, data: (0..count).map(|_| value()).collect() }
    }

    fn at(&self, index: &[i64]) -> usize {
        index
            .iter()
            .zip(&self.shape)
            .fold(0, |at, (index, extent)| at * *extent as usize + *index as usize)
    }
}

/// Calls `tap` once for each product of the convolution. The arguments are the indices of the
/// elements of x, w and y that belong to the product.
fn for_each_tap(
    spec: &ProblemSpec,
    x: &Dense,
    w: &Dense,
    y: &Dense,
    mut tap: impl FnMut(usize, usize, usize),
) {
    let dims = spec.kernel.len();
    let in_group = spec.in_channels / spec.groups;
    let out_group = spec.out_channels / spec.groups;
    // A transposed convolution is the adjoint of an ordinary convolution, which maps y to x. So if
    // the problem is transposed, x has the positions of the ordinary convolution's output, and y
    // has those of its input.
    let (steps, reached) = if spec.transposed {
        (&x.shape[2..], &y.shape[2..])
    } else {
        (&y.shape[2..], &x.shape[2..])
    };
    for n in 0..spec.batch {
        for k in 0..spec.out_channels {
            for c in 0..in_group {
                let group = k / out_group;
                let channel = group * in_group + c;
                for position in indices(steps) {
                    for offset in indices(&spec.kernel) {
                        let other: Vec<i64> = (0..dims)
                            .map(|dim| {
                                position[dim] * spec.stride[dim] + offset[dim] * spec.dilation[dim]
                                    - spec.padding_low[dim]
                            })
                            .collect();
                        if (0..dims).any(|dim| other[dim] < 0 || other[dim] >= reached[dim]) {
                            continue;
                        }
                        let (x_at, y_at) =
                            if spec.transposed { (&position, &other) } else { (&other, &position) };
                        let w_at = if spec.transposed {
                            [&[channel, k % out_group][..], &offset].concat()
                        } else {
                            [&[k, c][..], &offset].concat()
                        };
                        tap(
                            x.at(&[&[n, channel][..], x_at].concat()),
                            w.at(&w_at),
                            y.at(&[&[n, k][..], y_at].concat()),
                        );
                    }
                }
            }
        }
    }
}

/// Returns all multi-dimensional indices of a shape, in row-major order.
fn indices(shape: &[i64]) -> Vec<Vec<i64>> {
    shape.iter().fold(vec![Vec::new()], |all, extent| {
        all.iter()
            .flat_map(|head| (0..*extent).map(move |index| [&head[..], &[index]].concat()))
            .collect()
    })
}

/// Returns the expected output of a problem. If the problem accumulates, the result is added to the
/// values that the output tensor (one of x, w and y, depending on the direction) has before.
pub fn convolve(problem: &Problem, x: &Dense, w: &Dense, bias: &[f32], y: &Dense) -> Dense {
    let spec = problem.spec().unwrap();
    let before = match spec.direction {
        Direction::BackwardData => x,
        Direction::BackwardWeight => w,
        _ => y,
    };
    let mut out = before.clone();
    if !spec.accumulate {
        out.data.fill(0.0);
    }
    for_each_tap(&spec, x, w, y, |x_at, w_at, y_at| match spec.direction {
        Direction::BackwardData => out.data[x_at] += w.data[w_at] * y.data[y_at],
        Direction::BackwardWeight => out.data[w_at] += x.data[x_at] * y.data[y_at],
        _ => out.data[y_at] += x.data[x_at] * w.data[w_at],
    });
    if spec.epilogue != Epilogue::None {
        let plane = out.shape[2..].iter().product::<i64>() as usize;
        let channels = out.shape[1] as usize;
        for (at, value) in out.data.iter_mut().enumerate() {
            *value += bias[at / plane % channels];
            if spec.epilogue == Epilogue::BiasRelu {
                *value = value.max(0.0);
            }
        }
    }
    out
}
