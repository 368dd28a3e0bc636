//! Times the decoder of Stable Diffusion's variational autoencoder (random weights) with candle's layers and with atc's
//! layers. The network is one file (networks/vae_decoder.rs), which is compiled twice: the two builds differ only in
//! the `use` line of the layers.
//!
//!     OMP_NUM_THREADS=1 RAYON_NUM_THREADS=1 cargo run --release --example vae_decoder
//!
//! Arguments: `samples=5`, `size=16` (pixels of height and width of the latent image; the output has 8 times as many),
//! `tune` (atc measures its candidates before the timing), and `cuda` (needs the feature `cuda`).

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
