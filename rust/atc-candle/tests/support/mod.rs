//! Computes convolutions and their gradients by their definition, in double precision, and the largest rounding errors
//! that results of atc may have.
#![allow(missing_docs, dead_code)]

use atc_candle::Convolution;
use candle_core::{DType, Device, Result, Tensor, Var};

/// The random number generator splitmix64.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    pub fn chance(&mut self, one_in: usize) -> bool {
        self.below(one_in) == 0
    }

    /// Returns a random number between -1 and 1.
    pub fn value(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    /// Returns a tensor of random numbers that `dtype` represents exactly.
    pub fn tensor(&mut self, shape: &[usize], dtype: DType) -> Result<Tensor> {
        let values: Vec<f64> = (0..shape.iter().product()).map(|_| self.value()).collect();
        Tensor::from_vec(values, shape, &Device::Cpu)?.to_dtype(dtype)
    }
}

/// The sizes of one convolution.
#[derive(Debug, Clone)]
pub struct Case {
    pub transposed: bool,
    pub batch: usize,
    pub in_channels: usize,
    pub out_channels: usize,
    pub groups: usize,
    pub input: Vec<usize>,
    pub kernel: Vec<usize>,
    pub stride: Vec<usize>,
    pub dilation: Vec<usize>,
    pub low: Vec<usize>,
    pub high: Vec<usize>,
    pub output_padding: Vec<usize>,
}

impl Case {
    /// Makes a case with stride 1, dilation 1, one group and no padding. `channels` has the numbers of input and output
    /// channels. `input` and `kernel` have the spatial extents.
    pub fn new(batch: usize, channels: [usize; 2], input: &[usize], kernel: &[usize]) -> Self {
        let [in_channels, out_channels] = channels;
        let (ones, zeros) = (vec![1; input.len()], vec![0; input.len()]);
        Self {
            transposed: false,
            batch,
            in_channels,
            out_channels,
            groups: 1,
            input: input.to_vec(),
            kernel: kernel.to_vec(),
            stride: ones.clone(),
            dilation: ones,
            low: zeros.clone(),
            high: zeros.clone(),
            output_padding: zeros,
        }
    }

    pub fn padding(mut self, padding: usize) -> Self {
        self.low.fill(padding);
        self.high.fill(padding);
        self
    }

    pub fn stride(mut self, stride: usize) -> Self {
        self.stride.fill(stride);
        self
    }

    pub fn dilation(mut self, dilation: usize) -> Self {
        self.dilation.fill(dilation);
        self
    }

    pub fn groups(mut self, groups: usize) -> Self {
        self.groups = groups;
        self
    }

    pub fn transposed(mut self, output_padding: usize) -> Self {
        self.transposed = true;
        self.output_padding.fill(output_padding);
        self
    }

    /// Returns a random case that has small sizes and a non-empty output.
    pub fn random(random: &mut Random) -> Self {
        loop {
            let dims = 1 + random.below(3);
            let groups = if random.chance(3) { 1 + random.below(4) } else { 1 };
            let mut list = |end: usize, start: usize| -> Vec<usize> {
                (0..dims).map(|_| start + random.below(end)).collect()
            };
            let mut case = Self {
                input: list(8, 1),
                kernel: list(4, 1),
                stride: list(3, 1),
                dilation: list(2, 1),
                low: list(3, 0),
                high: list(3, 0),
                output_padding: vec![0; dims],
                transposed: random.chance(3),
                batch: 1 + random.below(3),
                in_channels: groups * (1 + random.below(4)),
                out_channels: groups * (1 + random.below(4)),
                groups,
            };
            if case.transposed {
                let smaller = |of: &usize| if *of > 1 { random.below(*of) } else { 0 };
                case.output_padding = case.stride.iter().map(smaller).collect();
            }
            if case.output().iter().all(|extent| *extent > 0) {
                return case;
            }
        }
    }

    fn reach(&self, dim: usize) -> i64 {
        (self.dilation[dim] * (self.kernel[dim] - 1) + 1) as i64
    }

    pub fn output(&self) -> Vec<i64> {
        let extent = |dim: usize| {
            let (input, stride) = (self.input[dim] as i64, self.stride[dim] as i64);
            let padding = (self.low[dim] + self.high[dim]) as i64;
            if self.transposed {
                let added = self.output_padding[dim] as i64;
                (input - 1) * stride + self.reach(dim) + added - padding
            } else {
                (input + padding - self.reach(dim)).div_euclid(stride) + 1
            }
        };
        (0..self.input.len()).map(extent).collect()
    }

    pub fn x(&self) -> Vec<usize> {
        [&[self.batch, self.in_channels], &self.input[..]].concat()
    }

    pub fn w(&self) -> Vec<usize> {
        let (first, second) = if self.transposed {
            (self.in_channels, self.out_channels)
        } else {
            (self.out_channels, self.in_channels)
        };
        [&[first, second / self.groups], &self.kernel[..]].concat()
    }

    pub fn y(&self) -> Vec<usize> {
        let output: Vec<usize> = self.output().iter().map(|extent| *extent as usize).collect();
        [&[self.batch, self.out_channels], &output[..]].concat()
    }

    pub fn convolution(&self) -> Convolution {
        let list = |values: &[usize]| values.iter().map(|value| *value as i64).collect::<Vec<_>>();
        Convolution::new(self.input.len())
            .transposed(self.transposed)
            .groups(self.groups)
            .stride(&list(&self.stride)[..])
            .dilation(&list(&self.dilation)[..])
            .padding_low(&list(&self.low)[..])
            .padding_high(&list(&self.high)[..])
            .output_padding(&list(&self.output_padding)[..])
    }

    /// Calls `tap` once for each product of the convolution, with the indices of its elements in x, w and y.
    pub fn for_each_tap(&self, mut tap: impl FnMut(usize, usize, usize)) {
        let (x, w, y) = (self.x(), self.w(), self.y());
        // A transposed convolution is the adjoint of an ordinary convolution, so x and y exchange their roles.
        let (steps, reached) = if self.transposed { (&x, &y) } else { (&y, &x) };
        let (in_group, out_group) =
            (self.in_channels / self.groups, self.out_channels / self.groups);
        for n in 0..self.batch {
            for group in 0..self.groups {
                for (c, k) in pairs(in_group, out_group) {
                    let (in_channel, out_channel) = (group * in_group + c, group * out_group + k);
                    let filter = if self.transposed { [in_channel, k] } else { [out_channel, c] };
                    for position in indices(&steps[2..]) {
                        for offset in indices(&self.kernel) {
                            let Some(other) = self.meets(&position, &offset, &reached[2..]) else {
                                continue;
                            };
                            let (of_x, of_y) = if self.transposed {
                                (&position, &other)
                            } else {
                                (&other, &position)
                            };
                            tap(
                                at(&x, &[&[n, in_channel], &of_x[..]].concat()),
                                at(&w, &[&filter, &offset[..]].concat()),
                                at(&y, &[&[n, out_channel], &of_y[..]].concat()),
                            );
                        }
                    }
                }
            }
        }
    }

    fn meets(&self, position: &[usize], offset: &[usize], reached: &[usize]) -> Option<Vec<usize>> {
        (0..position.len())
            .map(|dim| {
                let at = position[dim] * self.stride[dim] + offset[dim] * self.dilation[dim];
                at.checked_sub(self.low[dim]).filter(|at| *at < reached[dim])
            })
            .collect()
    }
}

fn pairs(first: usize, second: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..first).flat_map(move |a| (0..second).map(move |b| (a, b)))
}

fn indices(shape: &[usize]) -> Vec<Vec<usize>> {
    shape.iter().fold(vec![vec![]], |all, extent| {
        all.iter()
            .flat_map(|index| (0..*extent).map(move |last| [&index[..], &[last]].concat()))
            .collect()
    })
}

fn at(shape: &[usize], index: &[usize]) -> usize {
    shape.iter().zip(index).fold(0, |at, (extent, index)| at * extent + index)
}

/// Sums of products. `sizes` (the sums of the products' absolute values) and `counts` (the numbers of products) give a
/// bound for the error of each sum.
#[derive(Debug, Clone)]
pub struct Sums {
    pub values: Vec<f64>,
    sizes: Vec<f64>,
    counts: Vec<usize>,
    /// The sums before the bias was added; 0 if there is no bias.
    before_bias: Vec<f64>,
}

impl Sums {
    pub fn new(count: usize) -> Self {
        let zeros = vec![0.0; count];
        Self {
            values: zeros.clone(),
            sizes: zeros.clone(),
            counts: vec![0; count],
            before_bias: zeros,
        }
    }

    pub fn add(&mut self, at: usize, product: f64) {
        self.values[at] += product;
        self.sizes[at] += product.abs();
        self.counts[at] += 1;
    }

    /// Adds the bias to the sum with the index `at`. All products must have been added before.
    pub fn add_bias(&mut self, at: usize, bias: f64) {
        self.before_bias[at] = self.values[at];
        self.add(at, bias);
    }

    /// Returns the same sums with a wider bound: the part of the bound that grows with the number of summands is
    /// multiplied by `factor`.
    pub fn with_slack(&self, factor: f64) -> Self {
        let sizes = self.sizes.iter().map(|size| size * factor).collect();
        Self { sizes, ..self.clone() }
    }

    pub fn relu(&mut self) {
        self.values.iter_mut().for_each(|value| *value = value.max(0.0));
    }

    /// Fails if an element of `found` is outside its bound. A sum of n products in any order is rounded at most n times
    /// to the type `accumulator`, and at the end once to the type of the result. With a bias the result may be rounded
    /// twice: the sum is rounded, the bias is added, and the result is rounded again. The first of these two roundings
    /// is relative to the sum, which may be much larger than the result.
    pub fn expect(&self, found: &Tensor, accumulator: DType, what: &str) -> Result<()> {
        let (partial, result) = (rounding(accumulator), rounding(found.dtype()));
        let found: Vec<f64> = found.to_dtype(DType::F64)?.flatten_all()?.to_vec1()?;
        assert_eq!(found.len(), self.values.len(), "{what}");
        for (i, found) in found.iter().enumerate() {
            let (wanted, size, n) = (self.values[i], self.sizes[i], self.counts[i] as f64);
            let rounded = wanted.abs().max(self.before_bias[i].abs());
            // The last summand of the bound, 2^-24, is the spacing of the f16 numbers below the smallest normal number.
            let bound = n * partial * size + 2.0 * result * rounded + 2f64.powi(-24);
            let error = (found - wanted).abs();
            assert!(
                error <= bound,
                "{what}: element {i} is {found}, not {wanted} (within {bound})"
            );
        }
        Ok(())
    }
}

/// The largest relative error of one rounding. The factor 1.01 covers the growth (1 + u)^n of n roundings if n u <
/// 0.01.
fn rounding(dtype: DType) -> f64 {
    let bits = match dtype {
        DType::BF16 => 8,
        DType::F16 => 11,
        DType::F32 => 24,
        _ => 53,
    };
    1.01 * 2f64.powi(-bits)
}

pub fn values(tensor: &Tensor) -> Result<Vec<f64>> {
    tensor.to_dtype(DType::F64)?.flatten_all()?.to_vec1()
}

/// Computes y, the output of the convolution that `case` describes.
pub fn forward(case: &Case, x: &Tensor, w: &Tensor, bias: Option<&Tensor>) -> Result<Sums> {
    let (x, w) = (values(x)?, values(w)?);
    let mut y = Sums::new(case.y().iter().product());
    case.for_each_tap(|of_x, of_w, of_y| y.add(of_y, x[of_x] * w[of_w]));
    if let Some(bias) = bias {
        let bias = values(bias)?;
        let row = y.values.len() / (case.batch * case.out_channels);
        for at in 0..y.values.len() {
            y.add_bias(at, bias[at / row % case.out_channels]);
        }
    }
    Ok(y)
}

/// Computes the gradients of x and w. `grad` is the gradient of y.
pub fn gradients(case: &Case, x: &Tensor, w: &Tensor, grad: &Tensor) -> Result<[Sums; 2]> {
    let (x, w, grad) = (values(x)?, values(w)?, values(grad)?);
    let (mut of_x_sums, mut of_w_sums) = (Sums::new(x.len()), Sums::new(w.len()));
    case.for_each_tap(|of_x, of_w, of_y| {
        of_x_sums.add(of_x, w[of_w] * grad[of_y]);
        of_w_sums.add(of_w, x[of_x] * grad[of_y]);
    });
    Ok([of_x_sums, of_w_sums])
}

/// Makes random tensors for a case: x and w as variables, and a gradient of y.
pub fn variables(case: &Case, random: &mut Random, dtype: DType) -> Result<(Var, Var, Tensor)> {
    let x = Var::from_tensor(&random.tensor(&case.x(), dtype)?)?;
    let w = Var::from_tensor(&random.tensor(&case.w(), dtype)?)?;
    Ok((x, w, random.tensor(&case.y(), dtype)?))
}
