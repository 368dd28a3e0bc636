//! The layers that the example `compare` times: six built-in layers, or the layers of a list such as
//! `bench/shapes/public.txt`.

use std::path::Path;

use candle_core::{DType, Device, Result, Tensor};

/// A convolution. Padding, stride and dilation have one value for all spatial dimensions.
pub struct Layer {
    pub name: String,
    pub channels: [usize; 2],
    /// The extents of the input: one for each spatial dimension (one or two).
    pub input: Vec<usize>,
    pub kernel: Vec<usize>,
    pub padding: usize,
    pub stride: usize,
    pub dilation: usize,
    pub groups: usize,
    /// The output padding if the convolution is transposed, otherwise `None`.
    pub transposed: Option<usize>,
}

impl Layer {
    pub fn operands(&self, batch: usize, device: &Device) -> Result<(Tensor, Tensor)> {
        let [from, to] = self.channels;
        let x = [&[batch, from], &self.input[..]].concat();
        let filters = if self.transposed.is_some() { [from, to] } else { [to, from / self.groups] };
        let w = [&filters, &self.kernel[..]].concat();
        let random =
            |shape: Vec<usize>| Tensor::randn(0f32, 1.0, shape, device)?.to_dtype(DType::F32);
        Ok((random(x)?, random(w)?))
    }

    pub fn by_candle(&self, x: &Tensor, w: &Tensor) -> Result<Tensor> {
        let Self { padding, stride, dilation, groups, .. } = *self;
        match (self.transposed, self.input.len()) {
            (None, 1) => x.conv1d(w, padding, stride, dilation, groups),
            (None, _) => x.conv2d(w, padding, stride, dilation, groups),
            (Some(extra), _) => x.conv_transpose2d(w, padding, extra, stride, dilation),
        }
    }

    pub fn of_atc(&self) -> atc_candle::Convolution {
        atc_candle::Convolution::new(self.input.len())
            .padding(self.padding as i64)
            .stride(self.stride as i64)
            .dilation(self.dilation as i64)
            .groups(self.groups)
            .transposed(self.transposed.is_some())
            .output_padding(self.transposed.unwrap_or(0) as i64)
    }
}

fn layer(
    name: &str,
    channels: [usize; 2],
    size: usize,
    kernel: usize,
    stride: usize,
    groups: usize,
) -> Layer {
    Layer {
        name: name.to_owned(),
        channels,
        input: vec![size; 2],
        kernel: vec![kernel; 2],
        padding: kernel / 2,
        stride,
        dilation: 1,
        groups,
        transposed: None,
    }
}

pub fn built_in() -> Vec<Layer> {
    vec![
        layer("3x3, 64 to 64, 56x56", [64, 64], 56, 3, 1, 1),
        layer("1x1, 64 to 256, 56x56", [64, 256], 56, 1, 1, 1),
        layer("7x7 stride 2, 3 to 64, 224x224", [3, 64], 224, 7, 2, 1),
        layer("depthwise 3x3, 144, 56x56", [144, 144], 56, 3, 1, 144),
        layer("3x3, 32 groups of 4, 56x56", [128, 128], 56, 3, 1, 32),
        layer("3x3, 512 to 512, 28x28", [512, 512], 28, 3, 1, 1),
    ]
}

/// Reads a list of layers. The comment lines at the top of the list describe its columns. Returns the layers that
/// candle supports, and for each other layer a line that says why candle does not support it.
pub fn read(file: &Path) -> std::result::Result<(Vec<Layer>, Vec<String>), String> {
    let text = std::fs::read_to_string(file)
        .map_err(|error| format!("{} cannot be read: {error}", file.display()))?;
    let (mut layers, mut left_out) = (Vec::new(), Vec::new());
    for (index, line) in text.lines().enumerate() {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let read = row(line).ok_or_else(|| {
            let line = index + 1;
            format!("{}:{line}: give a name and 13 numbers that fit together", file.display())
        })?;
        match read {
            Ok(layer) => layers.push(layer),
            Err(why) => left_out.push(why),
        }
    }
    Ok((layers, left_out))
}

/// Reads the layer of a row. Returns `Some(Err(text))` with the reason if candle does not support the layer, and `None`
/// if the row does not describe a layer.
fn row(line: &str) -> Option<std::result::Result<Layer, String>> {
    let mut words = line.split_whitespace();
    let name = words.next()?;
    let numbers: Vec<usize> = words.map(str::parse).collect::<std::result::Result<_, _>>().ok()?;
    let [_batch, c, d, h, w, k, _t, r, s, padding, stride, dilation, groups] = numbers[..] else {
        return None;
    };
    let is_positive = [c, h, w, k, r, s, stride, dilation, groups].iter().all(|number| *number > 0);
    if !is_positive || c % groups != 0 || k % groups != 0 {
        return None;
    }
    let transposed = name.starts_with("tconv_");
    if d > 0 {
        return Some(Err(format!("{name}: candle has no convolution over three dimensions")));
    }
    let is_line = h == 1 && r == 1;
    if transposed && is_line {
        return Some(Err(format!(
            "{name}: candle's conv_transpose1d has a fault (docs/candle.md)"
        )));
    }
    if transposed && groups > 1 {
        return Some(Err(format!("{name}: candle's transposed convolution has no groups")));
    }
    let (input, kernel) = if is_line { (vec![w], vec![s]) } else { (vec![h, w], vec![r, s]) };
    let mut layer = Layer {
        name: name.to_owned(),
        channels: [c, k],
        input,
        kernel,
        padding,
        stride,
        dilation,
        groups,
        transposed: None,
    };
    if transposed {
        // A transposed layer computes the same as the input gradient of an ordinary convolution, and the list has the
        // sizes of this ordinary convolution. So the output of the ordinary convolution is the input of the layer.
        let outputs: Option<Vec<usize>> = layer
            .input
            .iter()
            .zip(&layer.kernel)
            .map(|(input, kernel)| {
                let room = (input + 2 * padding).checked_sub(dilation * (kernel - 1) + 1)?;
                Some(room / stride + 1)
            })
            .collect();
        let outputs = outputs?;
        let least = (outputs[0] - 1) * stride + dilation * (layer.kernel[0] - 1) + 1;
        layer.transposed = Some((layer.input[0] + 2 * padding).checked_sub(least)?);
        layer.input = outputs;
        layer.channels = [k, c];
    }
    Some(Ok(layer))
}
