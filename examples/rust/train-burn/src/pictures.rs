//! The pictures with which the network is trained: stripes in four directions.

use std::f32::consts::PI;

use burn::tensor::{Device, Int, Tensor, TensorData};

/// The number of directions.
pub const CLASSES: usize = 4;
/// Height and width of a picture.
const SIDE: usize = 16;

/// A random generator of pictures. Equal seeds give equal pictures.
pub struct Pictures {
    state: u64,
}

impl Pictures {
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// Returns pictures `[samples, 1, SIDE, SIDE]`, and for each picture the direction of its stripes `[samples]`.
    pub fn batch(&mut self, samples: usize, device: &Device) -> (Tensor<4>, Tensor<1, Int>) {
        let mut values = Vec::with_capacity(samples * SIDE * SIDE);
        let mut labels = Vec::with_capacity(samples);
        for sample in 0..samples {
            let class = sample % CLASSES;
            let angle = PI * class as f32 / CLASSES as f32;
            let phase = 2.0 * PI * self.next();
            for place in 0..SIDE * SIDE {
                let (y, x) = ((place / SIDE) as f32, (place % SIDE) as f32);
                let along = x * angle.cos() + y * angle.sin();
                values.push((along * PI / 2.0 + phase).sin() + 0.2 * (self.next() - 0.5));
            }
            labels.push(class as i64);
        }
        let pictures = TensorData::new(values, [samples, 1, SIDE, SIDE]);
        let labels = TensorData::new(labels, [samples]);
        (
            Tensor::from_data(pictures, device),
            Tensor::from_data(labels, device),
        )
    }

    /// Returns the next random number, in [0, 1). The generator is linear congruential, with the constants of Knuth's
    /// MMIX.
    fn next(&mut self) -> f32 {
        self.state = self
            .state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.state >> 40) as f32 / (1_u64 << 24) as f32
    }
}
