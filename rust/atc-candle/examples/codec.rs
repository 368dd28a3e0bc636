//! Times the decoder of the Descript Audio Codec (random weights) with candle's layers and with atc's layers. The
//! network is one file (networks/codec.rs), which is compiled twice: the two builds differ only in the `use` line of
//! the layers.
//!
//!     OMP_NUM_THREADS=1 RAYON_NUM_THREADS=1 cargo run --release --example codec
//!
//! Arguments: `samples=5`, `size=20` (frames; each frame becomes 512 samples of sound), `tune` (atc measures its
//! candidates before the timing), and `cuda` (needs the feature `cuda`).

mod side_by_side;

mod with_candle {
    use candle_nn as nn;
    include!("networks/codec.rs");
}

mod with_atc {
    use atc_candle::nn;
    include!("networks/codec.rs");
}

fn main() -> std::process::ExitCode {
    side_by_side::run(20, |size| vec![1, 1024, size], [with_candle::network, with_atc::network])
}
