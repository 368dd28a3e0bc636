//! Noisy pictures of discs, squares, diamonds and crosses.

use tch::{Device, Kind, Tensor};

/// The number of kinds of shapes.
pub const CLASSES: i64 = 4;

/// Returns `count` random pictures `[count, 1, side, side]`, and for each picture the label of its shape `[count]`. The
/// random numbers are those of LibTorch's generator.
pub fn batch(count: i64, side: i64) -> (Tensor, Tensor) {
    let cpu = (Kind::Float, Device::Cpu);
    let uniform = |from: f64, to: f64| Tensor::rand([count, 1, 1], cpu) * (to - from) + from;
    let line = Tensor::linspace(-1, 1, side, cpu);
    let across = (line.view([1, 1, side]) - uniform(-0.3, 0.3)).abs();
    let down = (line.view([1, side, 1]) - uniform(-0.3, 0.3)).abs();
    let radius = uniform(0.3, 0.6);

    let larger = across.maximum(&down);
    let disc = (across.square() + down.square()).sqrt().lt_tensor(&radius);
    let square = larger.lt_tensor(&(&radius * 0.85));
    let diamond = (&across + &down).lt_tensor(&(&radius * 1.2));
    let cross = across
        .minimum(&down)
        .lt_tensor(&(&radius * 0.35))
        .logical_and(&larger.lt_tensor(&radius));

    let shapes = Tensor::stack(&[disc, square, diamond, cross], 1).to_kind(Kind::Float);
    let labels = Tensor::randint(CLASSES, [count], (Kind::Int64, Device::Cpu));
    let chosen = labels
        .view([count, 1, 1, 1])
        .expand([count, 1, side, side], false);
    let pictures =
        shapes.gather(1, &chosen, false) + Tensor::randn([count, 1, side, side], cpu) * 0.4;
    (pictures, labels)
}
