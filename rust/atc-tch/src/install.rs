//! Routes every convolution of the program through atc.

use atc::Result;

use crate::info::{describe, expect_init, warn};
use crate::{Options, sys};

/// From now on every convolution of the process, forward and backward, goes through atc. Models
/// need no change: `tch`'s layers, traced modules and LibTorch's own C++ are included.
///
/// If a record of the store in use ([`atc::Store`], `ATC_STORE`) or a race (a measurement of the candidates) has found
/// an implementation that is faster than LibTorch's own convolution, that implementation runs. All other convolutions
/// are LibTorch's own, bit for bit. [`statistics`](crate::statistics) counts the convolutions that LibTorch ran, by the
/// reason why atc did not run them. Without a store and without tuning ([`Options::tune`], on CUDA also
/// `benchmark_cudnn`) nothing is measured and results do not change. Each convolution, forward or backward, reads the
/// switches when it runs, as in LibTorch.
///
/// Call [`init`](crate::init) first. If options were installed before, `install` replaces them by the default options.
///
/// If the store is in the mode replay-only, a convolution without a record is an error of LibTorch: tch's `f_conv2d`
/// returns the error, and `conv2d` panics.
///
/// # Errors
///
/// [`ErrorKind::InvalidArgument`](atc::ErrorKind::InvalidArgument): [`init`](crate::init) was not called, or
/// libtorch_cuda was loaded after the last call of [`init`](crate::init).
///
/// ```
/// use tch::{Device, Kind, Tensor, nn, nn::Module};
///
/// # fn main() -> atc_tch::Result<()> {
/// // SAFETY: no other thread uses LibTorch yet.
/// unsafe { atc_tch::init() }?;
/// let store = nn::VarStore::new(Device::Cpu);
/// let layer = nn::conv2d(store.root(), 3, 8, 3, nn::ConvConfig { padding: 1, ..Default::default() });
/// let x = Tensor::randn([1, 3, 16, 16], (Kind::Float, Device::Cpu));
/// let plain = layer.forward(&x);
/// atc_tch::install()?;
/// assert_eq!(layer.forward(&x), plain); // no store, no tuning: LibTorch's own convolution ran
/// assert_eq!(atc_tch::statistics()?.passed.nothing_known, 1);
/// # atc_tch::uninstall()
/// # }
/// ```
pub fn install() -> Result<()> {
    install_with(&Options::new())
}

/// Does the same as [`install`], but with options. These options replace those of an earlier call.
pub fn install_with(options: &Options) -> Result<()> {
    expect_init()?;
    // SAFETY: the options are only read during the call. The call does not put hooks into LibTorch, because `init` has
    // put them already.
    atc::call(|| unsafe { sys::atc_torch_install(&options.raw) })?;
    warn(&describe()?)
}

/// Ends the effect of [`install`]: LibTorch's own convolutions run again. The effect of [`init`](crate::init) remains:
/// atc and LibTorch share their switches.
pub fn uninstall() -> Result<()> {
    // SAFETY: the C function takes no arguments.
    atc::call(|| unsafe { sys::atc_torch_uninstall() })
}

/// Drops the packed weights of [`Options::constant_weights`], and forgets which weights needed a gradient in earlier
/// convolutions. Weights are packed anew when a convolution uses them again.
pub fn forget_weights() -> Result<()> {
    // SAFETY: the C function takes no arguments.
    atc::call(|| unsafe { sys::atc_torch_forget_weights() })
}
