//! Describes the LibTorch of this process, and whether its CUDA library is loaded.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{LazyLock, Once};

use atc::Result;
use atc::log::{self, Level};

use crate::geometry::invalid;
use crate::raw::{fixed_path, fixed_text, size_of_u32};
use crate::sys;

/// The state of libtorch_cuda, LibTorch's library for CUDA: absent, present but not loaded, or loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CudaState {
    /// This LibTorch was built without CUDA.
    Absent,
    /// LibTorch has libtorch_cuda, but the library is not loaded. [`Info::advice`] returns the
    /// remedy.
    NotLoaded,
    /// libtorch_cuda is loaded. [`Info::cuda_available`] says whether there is a GPU.
    Loaded,
    /// A state that this crate does not know, from another version of libatc_torch.
    Other(i32),
}

impl CudaState {
    fn from_raw(raw: i32) -> Self {
        match raw {
            sys::ATC_TORCH_CUDA_ABSENT => Self::Absent,
            sys::ATC_TORCH_CUDA_NOT_LOADED => Self::NotLoaded,
            sys::ATC_TORCH_CUDA_LOADED => Self::Loaded,
            other => Self::Other(other),
        }
    }
}

/// Describes the LibTorch of this process.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Info {
    /// Whether [`init`] has been called.
    pub initialized: bool,
    /// Whether [`install`](crate::install) is in force.
    pub installed: bool,
    /// The version of the running LibTorch, for example `"2.11.0"`.
    pub version: String,
    /// The version of LibTorch for which the loaded build of libatc_torch was compiled. If
    /// libatc_torch has no build for this LibTorch: the minor versions for which libatc_torch has
    /// builds.
    pub built_for: String,
    /// The file from which libtorch_cpu was loaded.
    pub file: PathBuf,
    /// The state of libtorch_cuda: absent, present but not loaded, or loaded.
    pub cuda: CudaState,
    /// The file of libtorch_cuda, loaded or not; `None` if there is no such file.
    pub cuda_file: Option<PathBuf>,
    /// Whether LibTorch has CUDA and sees a device.
    pub cuda_available: bool,
    /// The version of the cuDNN that LibTorch loaded, in cuDNN's numbers: 91900 is 9.19.0.
    pub cudnn_version: Option<i64>,
    /// The version of the cuDNN that LibTorch was built with.
    pub cudnn_compiled_version: Option<i64>,
}

impl Info {
    /// Returns a text if this program was linked in a wrong way. The text describes the fault and
    /// the remedy. Returns `None` if there is no fault.
    ///
    /// The only fault that is recognised: LibTorch has libtorch_cuda, but the program has not
    /// loaded it. Linkers drop libraries of which a program uses no symbol, and libtorch_cuda can
    /// be such a library. Without libtorch_cuda LibTorch works on the CPU alone, and reports no
    /// error.
    #[must_use]
    pub fn advice(&self) -> Option<String> {
        if self.cuda != CudaState::NotLoaded {
            return None;
        }
        let file = self.cuda_file.as_deref().unwrap_or("libtorch_cuda.so".as_ref());
        Some(format!(
            "this LibTorch has CUDA, but the program did not load {}, so LibTorch works without any GPU: the linker \
             drops libraries that nothing is called from by name. Say in the program's build.rs \
             println!(\"cargo::rustc-link-arg=-Wl,--no-as-needed\"); \
             println!(\"cargo::rustc-link-arg=-ltorch_cuda\"); or call atc_tch::load_cuda() before anything asks \
             for CUDA",
            file.display()
        ))
    }
}

/// Connects the switches of LibTorch and atc. From now on [`atc::settings`], tch and LibTorch use
/// the same values for the switches that atc and LibTorch both have. If a switch was set before
/// through atc (or by `ATC_*` in the environment), its value is written to LibTorch. All other
/// switches keep LibTorch's values. If `ATC_RECORD=FILE` is set in the environment, a recording
/// starts. Further calls change nothing, with one exception: the first call after libtorch_cuda was
/// loaded adds hooks for CUDA.
///
/// If [`Info::advice`] is not `None`, its text is logged once as a warning.
///
/// [`install`](crate::install) and [`record`](crate::record) return an error if `init` was not
/// called before. If `ATC_RECORD` is set in the environment, [`convolution`](crate::convolution)
/// also returns an error before the first call of `init`.
///
/// # Safety
///
/// No other thread may run a convolution of LibTorch during two calls: the first call in the
/// process, and the first call after libtorch_cuda was loaded. These two calls put hooks into
/// LibTorch's table of operators. Convolutions read this table without a lock. So a program should
/// call `init` before it starts threads. Any thread may make further calls at any time.
///
/// # Errors
///
/// [`ErrorKind::Library`](atc::ErrorKind::Library): libatc_torch has no build for this version of
/// LibTorch.
///
/// ```
/// # fn main() -> atc_tch::Result<()> {
/// // SAFETY: no other thread uses LibTorch yet.
/// let info = unsafe { atc_tch::init() }?;
/// println!("LibTorch {}, CUDA {:?}", info.version, info.cuda);
/// atc::settings::set_user_enabled_cudnn(false)?;
/// assert!(!tch::Cuda::user_enabled_cudnn());
/// # atc::settings::set_user_enabled_cudnn(true)
/// # }
/// ```
pub unsafe fn init() -> Result<Info> {
    // SAFETY: the caller of this function meets the conditions of its `# Safety` section.
    atc::call(|| unsafe { sys::atc_torch_init() })?;
    HOOKED.store(true, Ordering::Release);
    let info = describe()?;
    if info.cuda == CudaState::Loaded {
        HOOKED_ON_CUDA.store(true, Ordering::Release);
    }
    warn(&info)?;
    Ok(info)
}

/// Whether [`init`] was called, so that the hooks are in LibTorch. [`Info::initialized`] cannot be
/// used for this question: it is also true after a call of [`convolution`](crate::convolution),
/// which puts no hooks into LibTorch.
static HOOKED: AtomicBool = AtomicBool::new(false);

/// Whether [`init`] was called while libtorch_cuda was loaded.
static HOOKED_ON_CUDA: AtomicBool = AtomicBool::new(false);

/// Returns an error if the hooks (atc's functions in LibTorch's table of operators) are not
/// complete, so that the next call would have to put hooks into LibTorch. Only [`init`] may put
/// hooks, because during calls of other functions other threads may run convolutions.
pub(crate) fn expect_init() -> Result<()> {
    expect_first_init()?;
    if !HOOKED_ON_CUDA.load(Ordering::Acquire) && describe()?.cuda == CudaState::Loaded {
        return Err(invalid(
            "libtorch_cuda was loaded after atc_tch::init(): call atc_tch::init() again while no other thread convolves",
        ));
    }
    Ok(())
}

/// Must be called before a convolution. If `ATC_RECORD` is set, the first call of the bridge starts
/// a recording and puts hooks into LibTorch. Only [`init`] may put hooks, so this function returns
/// an error if `ATC_RECORD` is set and [`init`] was not called.
pub(crate) fn expect_init_where_recorded() -> Result<()> {
    static RECORDED: LazyLock<bool> =
        LazyLock::new(|| std::env::var_os("ATC_RECORD").is_some_and(|file| !file.is_empty()));
    if *RECORDED { expect_first_init() } else { Ok(()) }
}

fn expect_first_init() -> Result<()> {
    if HOOKED.load(Ordering::Acquire) {
        return Ok(());
    }
    Err(invalid(
        "LibTorch is not connected with atc: call atc_tch::init() before the program starts threads",
    ))
}

/// Logs the text of [`Info::advice`] at the first call in the process. Later calls log nothing.
pub(crate) fn warn(info: &Info) -> Result<()> {
    static SAID: Once = Once::new();
    let mut said = Ok(());
    if let Some(advice) = info.advice() {
        SAID.call_once(|| said = log::write(Level::Warning, &advice));
    }
    said
}

/// Returns the same description as [`init`], but initializes nothing. LibTorch is not asked whether
/// there is CUDA, because LibTorch would keep its first answer.
pub fn describe() -> Result<Info> {
    let mut raw = sys::atc_torch_info {
        struct_size: size_of_u32::<sys::atc_torch_info>(),
        ..Default::default()
    };
    // SAFETY: the C function may write to `raw` during the call, up to its struct_size.
    atc::call(|| unsafe { sys::atc_torch_describe(&mut raw) })?;
    let version = |version: i64| (version != 0).then_some(version);
    Ok(Info {
        initialized: raw.initialized != 0,
        installed: raw.installed != 0,
        version: fixed_text(&raw.version),
        built_for: fixed_text(&raw.built_for),
        file: fixed_path(&raw.file).unwrap_or_default(),
        cuda: CudaState::from_raw(raw.cuda),
        cuda_file: fixed_path(&raw.cuda_file),
        cuda_available: raw.cuda_available != 0,
        cudnn_version: version(raw.cudnn_version),
        cudnn_compiled_version: version(raw.cudnn_compiled_version),
    })
}

/// Loads libtorch_cuda if it is not loaded ([`CudaState::NotLoaded`]). Does nothing if it is loaded
/// already. Call this function before anything in the process asks LibTorch whether there is CUDA
/// (for example by `tch::Cuda::is_available()`), because LibTorch keeps its first answer.
///
/// # Safety
///
/// No other thread may use LibTorch during the call. While libtorch_cuda is loaded, it registers
/// operators in tables that LibTorch reads without a lock. Call [`init`] after this function.
///
/// # Errors
///
/// [`ErrorKind::Library`](atc::ErrorKind::Library): libtorch_cuda is absent or cannot be loaded, or
/// LibTorch was asked before whether there is CUDA.
pub unsafe fn load_cuda() -> Result<()> {
    // SAFETY: the caller of this function meets the conditions of its `# Safety` section.
    atc::call(|| unsafe { sys::atc_torch_load_cuda() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info(cuda: CudaState) -> Info {
        Info {
            initialized: true,
            installed: false,
            version: "2.11.0".to_owned(),
            built_for: "2.11.0".to_owned(),
            file: "/opt/torch/lib/libtorch_cpu.so".into(),
            cuda,
            cuda_file: Some("/opt/torch/lib/libtorch_cuda.so".into()),
            cuda_available: false,
            cudnn_version: None,
            cudnn_compiled_version: None,
        }
    }

    #[test]
    fn a_dropped_libtorch_cuda_is_told_with_the_way_out() {
        let advice = info(CudaState::NotLoaded).advice().unwrap();
        for part in
            ["/opt/torch/lib/libtorch_cuda.so", "--no-as-needed", "-ltorch_cuda", "load_cuda"]
        {
            assert!(advice.contains(part), "{part} is not in: {advice}");
        }
        assert_eq!(info(CudaState::Absent).advice(), None);
        assert_eq!(info(CudaState::Loaded).advice(), None);
    }

    #[test]
    fn a_state_of_a_newer_library_keeps_its_number() {
        assert_eq!(CudaState::from_raw(77), CudaState::Other(77));
        assert_eq!(CudaState::from_raw(sys::ATC_TORCH_CUDA_LOADED), CudaState::Loaded);
    }
}
