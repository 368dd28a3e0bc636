//! Times ResNet-50 (random weights) with candle's layers and with atc's layers. The network is one file
//! (networks/resnet.rs), which is compiled twice: the two builds differ only in the `use` line of the layers.
//!
//!     OMP_NUM_THREADS=1 RAYON_NUM_THREADS=1 cargo run --release --example resnet
//!
//! Arguments: `samples=5`, `size=224` (pixels of height and width), `tune` (atc measures its candidates before the
//! timing), and `cuda` (needs the feature `cuda`).

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
