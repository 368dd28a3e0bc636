//! The decoder of Stable Diffusion's variational autoencoder with random weights, by candle's layers and by atc's. The network is one file
//! (networks/vae_decoder.rs), which is compiled twice: only the `use` of the layers differs.
//!
//!     OMP_NUM_THREADS=1 RAYON_NUM_THREADS=1 cargo run --release --example vae_decoder
//!
//! Arguments: `samples=5`, `size=16` (pixels of height and width of the latent image; the output has 8 times as many), `tune`, and `cuda` with the feature of that name.

mod side_by_side;

mod with_candle {
    use candle_nn as nn;
    include!("networks/vae_decoder.rs");
}

mod with_atc {
    use atc_candle::nn;
    include!("networks/vae_decoder.rs");
}

fn main() -> std::process::ExitCode {
    side_by_side::run(16, |size| vec![1, 4, size, size], [with_candle::network, with_atc::network])
}
