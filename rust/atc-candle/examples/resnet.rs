//! ResNet-50 with random weights, by candle's layers and by atc's. The network is one file
//! (networks/resnet.rs), which is compiled twice: only the `use` of the layers differs.
//!
//!     OMP_NUM_THREADS=1 RAYON_NUM_THREADS=1 cargo run --release --example resnet
//!
//! Arguments: `samples=5`, `size=224` (pixels of height and width), `tune`, and `cuda` with the feature of that name.

mod side_by_side;

mod with_candle {
    use candle_nn as nn;
    include!("networks/resnet.rs");
}

mod with_atc {
    use atc_candle::nn;
    include!("networks/resnet.rs");
}

fn main() -> std::process::ExitCode {
    side_by_side::run(224, |size| vec![1, 3, size, size], [with_candle::network, with_atc::network])
}
