//! The decoder of the Descript Audio Codec with random weights, by candle's layers and by atc's. The network is one file
//! (networks/codec.rs), which is compiled twice: only the `use` of the layers differs.
//!
//!     OMP_NUM_THREADS=1 RAYON_NUM_THREADS=1 cargo run --release --example codec
//!
//! Arguments: `samples=5`, `size=20` (frames, each of which becomes 512 samples of sound), `tune`, and `cuda` with the feature of that name.

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
