// Generated from include/atc/*.h by `cargo run -p xtask -- bindings`; not edited by hand.

use atc_sys::{atc_group, atc_status};
/// the file libtorch_cuda is not beside libtorch_cpu
pub const ATC_TORCH_CUDA_ABSENT: i32 = 1;
/// the library libtorch_cuda exists as a file, but the program has
/// not loaded it, so LibTorch works without CUDA. To get CUDA, link
/// the program with -Wl,--no-as-needed -ltorch_cuda, or call
/// atc_torch_load_cuda before any code asks LibTorch for CUDA
pub const ATC_TORCH_CUDA_NOT_LOADED: i32 = 2;
pub const ATC_TORCH_CUDA_LOADED: i32 = 3;
#[repr(C)]
#[derive(Debug, Copy, Clone, PartialEq)]
pub struct atc_torch_info {
    pub struct_size: u32,
    /// 1 after atc_torch_init
    pub initialized: i32,
    /// 1 between atc_torch_install and atc_torch_uninstall
    pub installed: i32,
    /// ATC_TORCH_CUDA_*
    pub cuda: i32,
    /// 1: LibTorch has CUDA and has found a device
    pub cuda_available: i32,
    pub reserved: i32,
    /// version of the cuDNN that LibTorch uses; 0: none
    pub cudnn_version: i64,
    /// version of the cuDNN with which LibTorch was built; 0: none
    pub cudnn_compiled_version: i64,
    /// version of the running LibTorch, "2.11.0"
    pub version: [core::ffi::c_char; 64usize],
    /// the LibTorch version for which the loaded build of the bridge was
    /// compiled. If the bridge has no build for this LibTorch: the minor
    /// versions for which it has builds, "2.11, 2.13"
    pub built_for: [core::ffi::c_char; 64usize],
    /// path of libtorch_cpu
    pub file: [core::ffi::c_char; 1024usize],
    /// path of libtorch_cuda, if it is loaded or was found; else ""
    pub cuda_file: [core::ffi::c_char; 1024usize],
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of atc_torch_info"][::core::mem::size_of::<atc_torch_info>() - 2216usize];
    ["Alignment of atc_torch_info"][::core::mem::align_of::<atc_torch_info>() - 8usize];
    [
        "Offset of field: atc_torch_info::struct_size",
    ][::core::mem::offset_of!(atc_torch_info, struct_size) - 0usize];
    [
        "Offset of field: atc_torch_info::initialized",
    ][::core::mem::offset_of!(atc_torch_info, initialized) - 4usize];
    [
        "Offset of field: atc_torch_info::installed",
    ][::core::mem::offset_of!(atc_torch_info, installed) - 8usize];
    [
        "Offset of field: atc_torch_info::cuda",
    ][::core::mem::offset_of!(atc_torch_info, cuda) - 12usize];
    [
        "Offset of field: atc_torch_info::cuda_available",
    ][::core::mem::offset_of!(atc_torch_info, cuda_available) - 16usize];
    [
        "Offset of field: atc_torch_info::reserved",
    ][::core::mem::offset_of!(atc_torch_info, reserved) - 20usize];
    [
        "Offset of field: atc_torch_info::cudnn_version",
    ][::core::mem::offset_of!(atc_torch_info, cudnn_version) - 24usize];
    [
        "Offset of field: atc_torch_info::cudnn_compiled_version",
    ][::core::mem::offset_of!(atc_torch_info, cudnn_compiled_version) - 32usize];
    [
        "Offset of field: atc_torch_info::version",
    ][::core::mem::offset_of!(atc_torch_info, version) - 40usize];
    [
        "Offset of field: atc_torch_info::built_for",
    ][::core::mem::offset_of!(atc_torch_info, built_for) - 104usize];
    [
        "Offset of field: atc_torch_info::file",
    ][::core::mem::offset_of!(atc_torch_info, file) - 168usize];
    [
        "Offset of field: atc_torch_info::cuda_file",
    ][::core::mem::offset_of!(atc_torch_info, cuda_file) - 1192usize];
};
impl Default for atc_torch_info {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
/// The internal precision of fp32 matrix products. LibTorch calls the values "highest", "high" and
/// "medium".
pub type atc_torch_precision = i32;
/// fp32 (default)
pub const ATC_TORCH_PRECISION_HIGHEST: i32 = 1;
/// TF32 or two bf16
pub const ATC_TORCH_PRECISION_HIGH: i32 = 2;
/// bf16
pub const ATC_TORCH_PRECISION_MEDIUM: i32 = 3;
/// Options of the bridge. A field that is 0 has its default. A switch is 0 (default), ATC_OFF or
/// ATC_ON. The number 1 means ATC_OFF: to turn a switch on, use atc_option_enable (base.h).
#[repr(C)]
#[derive(Debug, Copy, Clone, PartialEq)]
pub struct atc_torch_options {
    pub struct_size: u32,
    /// ATC_ON: measure convolutions for which no decision is known. ATC_TUNE_LATER: measure
    /// nothing, and note such convolutions for a later atc_tune (problems.h).
    /// ATC_TUNE_BESIDE: let the convolutions try and time candidates (conv.h).
    /// ATC_TUNE_PREDICT: measure nothing, and predict the choice (conv.h). 0: ATC_TUNE,
    /// else benchmark_cudnn for CUDA, off on the CPU
    pub tune: i32,
    /// 0: off. On: on the CPU, atc packs the weights of convolutions that
    /// need no gradient, when a convolution uses the same weights for the
    /// second time. If weights need a gradient, or needed a gradient in an
    /// earlier convolution, they are not packed. If code changes weights
    /// without changing autograd's version counter (by .data), the program
    /// must call atc_torch_forget_weights afterwards. Tensors that were made
    /// in inference mode have no version counter, so they are never
    /// packed
    pub constant_weights: i32,
    /// 0: off. On: if no other engine can run a convolution, atc's slow
    /// engine `reference` runs it
    pub allow_reference: i32,
    /// the longest time, in seconds, that measuring a convolution (a race)
    /// may take. 0: 2 s
    pub budget_seconds: f64,
    /// 0: off. On: provisional (uncertain) records are ignored, and
    /// provisional decisions are not stored; as in atc_conv_options
    pub require_firm: i32,
    /// 0: off: LibTorch's own convolution may be chosen even if it rounds
    /// partial sums more coarsely than the precision switches allow. On: in
    /// this case it is not chosen; as in atc_conv_options
    pub strict_precision: i32,
    /// the choice that atc_torch_convolution must run:
    /// "engine@version:configuration", as atc_conv_plan_choice returns it.
    /// If the choice cannot run, the call fails. "": none. If atc does not
    /// support the arguments at all, LibTorch's own convolution runs, as
    /// without a choice. atc_torch_install refuses options with a choice. To
    /// prescribe the choices of a whole program, write a pin file
    /// (atc_set_pins)
    pub choice: [core::ffi::c_char; 256usize],
    /// the choice that computes the gradient of x; like `choice`
    pub choice_backward_data: [core::ffi::c_char; 256usize],
    /// the choice that computes the gradient of w; like `choice`
    pub choice_backward_weight: [core::ffi::c_char; 256usize],
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of atc_torch_options",
    ][::core::mem::size_of::<atc_torch_options>() - 800usize];
    [
        "Alignment of atc_torch_options",
    ][::core::mem::align_of::<atc_torch_options>() - 8usize];
    [
        "Offset of field: atc_torch_options::struct_size",
    ][::core::mem::offset_of!(atc_torch_options, struct_size) - 0usize];
    [
        "Offset of field: atc_torch_options::tune",
    ][::core::mem::offset_of!(atc_torch_options, tune) - 4usize];
    [
        "Offset of field: atc_torch_options::constant_weights",
    ][::core::mem::offset_of!(atc_torch_options, constant_weights) - 8usize];
    [
        "Offset of field: atc_torch_options::allow_reference",
    ][::core::mem::offset_of!(atc_torch_options, allow_reference) - 12usize];
    [
        "Offset of field: atc_torch_options::budget_seconds",
    ][::core::mem::offset_of!(atc_torch_options, budget_seconds) - 16usize];
    [
        "Offset of field: atc_torch_options::require_firm",
    ][::core::mem::offset_of!(atc_torch_options, require_firm) - 24usize];
    [
        "Offset of field: atc_torch_options::strict_precision",
    ][::core::mem::offset_of!(atc_torch_options, strict_precision) - 28usize];
    [
        "Offset of field: atc_torch_options::choice",
    ][::core::mem::offset_of!(atc_torch_options, choice) - 32usize];
    [
        "Offset of field: atc_torch_options::choice_backward_data",
    ][::core::mem::offset_of!(atc_torch_options, choice_backward_data) - 288usize];
    [
        "Offset of field: atc_torch_options::choice_backward_weight",
    ][::core::mem::offset_of!(atc_torch_options, choice_backward_weight) - 544usize];
};
impl Default for atc_torch_options {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
/// atc had no reason to look at the convolution: no store is
/// in use, no pins are in force, no choice is given, and
/// tuning is off
pub const ATC_TORCH_PASSED_NOTHING_KNOWN: i32 = 0;
/// a measurement, now or earlier (a record), has shown that
/// LibTorch's own convolution is the fastest
pub const ATC_TORCH_PASSED_CHOSEN: i32 = 1;
/// the operands are on two devices, or on a device that is neither the CPU
/// nor CUDA
pub const ATC_TORCH_PASSED_DEVICE: i32 = 2;
/// the dtype is not fp32, bf16 or fp16, or the dtypes are mixed
pub const ATC_TORCH_PASSED_DTYPE: i32 = 3;
/// a stride is 0, or elements overlap. Convolutions with
/// sparse, quantized, mkldnn or meta tensors do not reach the
/// hooks of atc_torch_install, so they are not counted
pub const ATC_TORCH_PASSED_LAYOUT: i32 = 4;
/// a tensor is empty, has more than 3 spatial dimensions, or has a shape that
/// LibTorch refuses
pub const ATC_TORCH_PASSED_SHAPE: i32 = 5;
/// atc returned an error. The first error of each kind is
/// logged
pub const ATC_TORCH_PASSED_FAILED: i32 = 6;
/// there is no record (stored decision) for the convolution,
/// and nothing was measured. With ATC_LOG=info the log names
/// the most similar record and how it differs
pub const ATC_TORCH_PASSED_NOT_RECORDED: i32 = 7;
pub const ATC_TORCH_PASSED_REASONS: i32 = 8;
#[repr(C)]
#[derive(Debug, Default, Copy, Clone, PartialEq)]
pub struct atc_torch_statistics {
    pub struct_size: u32,
    pub reserved: u32,
    /// number of convolutions that an implementation of atc ran. The forward
    /// convolution and its two gradients count as three
    pub taken: u64,
    /// number of convolutions that LibTorch ran, by reason (ATC_TORCH_PASSED_*)
    pub passed: [u64; 8usize],
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of atc_torch_statistics",
    ][::core::mem::size_of::<atc_torch_statistics>() - 80usize];
    [
        "Alignment of atc_torch_statistics",
    ][::core::mem::align_of::<atc_torch_statistics>() - 8usize];
    [
        "Offset of field: atc_torch_statistics::struct_size",
    ][::core::mem::offset_of!(atc_torch_statistics, struct_size) - 0usize];
    [
        "Offset of field: atc_torch_statistics::reserved",
    ][::core::mem::offset_of!(atc_torch_statistics, reserved) - 4usize];
    [
        "Offset of field: atc_torch_statistics::taken",
    ][::core::mem::offset_of!(atc_torch_statistics, taken) - 8usize];
    [
        "Offset of field: atc_torch_statistics::passed",
    ][::core::mem::offset_of!(atc_torch_statistics, passed) - 16usize];
};
/// LibTorch's at::Tensor.
#[repr(C)]
pub struct atc_torch_tensor {
    _data: [u8; 1 - 1],
    _marker: core::marker::PhantomData<(*mut u8, core::marker::PhantomPinned)>,
}
/// The arguments of LibTorch's at::convolution. The arrays have `spatial_dims` entries.
#[repr(C)]
#[derive(Debug, Default, Copy, Clone, PartialEq)]
pub struct atc_torch_geometry {
    pub struct_size: u32,
    /// 1, 2 or 3
    pub spatial_dims: i32,
    /// 0 or 1
    pub transposed: i32,
    pub reserved: i32,
    pub groups: i64,
    pub stride: [i64; 3usize],
    /// the padding: number of zeros on each of the two sides of this
    /// dimension
    pub padding: [i64; 3usize],
    pub dilation: [i64; 3usize],
    /// for transposed convolutions only
    pub output_padding: [i64; 3usize],
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of atc_torch_geometry",
    ][::core::mem::size_of::<atc_torch_geometry>() - 120usize];
    [
        "Alignment of atc_torch_geometry",
    ][::core::mem::align_of::<atc_torch_geometry>() - 8usize];
    [
        "Offset of field: atc_torch_geometry::struct_size",
    ][::core::mem::offset_of!(atc_torch_geometry, struct_size) - 0usize];
    [
        "Offset of field: atc_torch_geometry::spatial_dims",
    ][::core::mem::offset_of!(atc_torch_geometry, spatial_dims) - 4usize];
    [
        "Offset of field: atc_torch_geometry::transposed",
    ][::core::mem::offset_of!(atc_torch_geometry, transposed) - 8usize];
    [
        "Offset of field: atc_torch_geometry::reserved",
    ][::core::mem::offset_of!(atc_torch_geometry, reserved) - 12usize];
    [
        "Offset of field: atc_torch_geometry::groups",
    ][::core::mem::offset_of!(atc_torch_geometry, groups) - 16usize];
    [
        "Offset of field: atc_torch_geometry::stride",
    ][::core::mem::offset_of!(atc_torch_geometry, stride) - 24usize];
    [
        "Offset of field: atc_torch_geometry::padding",
    ][::core::mem::offset_of!(atc_torch_geometry, padding) - 48usize];
    [
        "Offset of field: atc_torch_geometry::dilation",
    ][::core::mem::offset_of!(atc_torch_geometry, dilation) - 72usize];
    [
        "Offset of field: atc_torch_geometry::output_padding",
    ][::core::mem::offset_of!(atc_torch_geometry, output_padding) - 96usize];
};
unsafe extern "C" {
    /// Connects atc with LibTorch. From now on LibTorch (at::globalContext()) stores the switches that
    /// both atc and LibTorch have. If a switch was set explicitly before (by a call or the environment),
    /// its value is written to LibTorch. The values of all other switches are read from LibTorch. Seeds,
    /// synchronization and memory for workspaces go through LibTorch, too. The engine `aten` (LibTorch's
    /// own convolution) is registered. If the environment variable ATC_RECORD is set, the recorder is
    /// started. atc's hooks are registered for LibTorch's convolution operators; until atc_torch_install
    /// these hooks pass every call on to LibTorch. No other thread may run a convolution during this
    /// call, since LibTorch reads its table of operators without a lock. The function may be called
    /// again. If libtorch_cuda was loaded since the last call, the new call adds the hooks for CUDA.
    /// Otherwise the new call does nothing. ATC_ERROR_LIBRARY: there is no LibTorch, or the bridge has
    /// no build for it.
    pub fn atc1_torch_init() -> atc_status;
    /// Describes LibTorch and the bridge. Without CUDA the call succeeds and writes 0 or "" to the
    /// fields about CUDA. The call also succeeds if the bridge has no build for this LibTorch. The
    /// function may be called before atc_torch_init. ATC_ERROR_LIBRARY: there is no LibTorch.
    pub fn atc1_torch_describe(out: *mut atc_torch_info) -> atc_status;
    /// Loads libtorch_cuda, for programs in which it is not loaded (ATC_TORCH_CUDA_NOT_LOADED). The
    /// function must be called before any code of the process asks LibTorch whether CUDA is available,
    /// because LibTorch remembers its first answer. If libtorch_cuda is already loaded, the function
    /// returns ATC_OK. ATC_ERROR_LIBRARY: libtorch_cuda is absent or cannot be loaded, or LibTorch was
    /// already asked for CUDA.
    pub fn atc1_torch_load_cuda() -> atc_status;
    /// Set and read LibTorch's switch fill_uninitialized_memory. 1 (LibTorch's default): LibTorch fills uninitialized
    /// memory while deterministic_algorithms is on. 0: LibTorch does not fill uninitialized memory.
    pub fn atc1_torch_set_fill_uninitialized_memory(enabled: i32) -> atc_status;
    pub fn atc1_torch_get_fill_uninitialized_memory(out: *mut i32) -> atc_status;
    pub fn atc1_torch_set_float32_matmul_precision(
        precision: atc_torch_precision,
    ) -> atc_status;
    /// Reads the precision of fp32 matrix products. ATC_ERROR_UNSUPPORTED: LibTorch has several switches
    /// for this precision, and their values contradict each other. (LibTorch's own getter throws in this
    /// case.) To make them agree, set the precision.
    pub fn atc1_torch_get_float32_matmul_precision(
        out: *mut atc_torch_precision,
    ) -> atc_status;
    /// Installs atc in LibTorch: from now on every convolution of the process, forward and backward,
    /// goes through atc. If a record of the store in use or a race (a measurement of the candidates) has
    /// found an implementation that is faster than LibTorch's own convolution, this implementation runs.
    /// Otherwise LibTorch's own convolution runs, and the result is bitwise the same as without atc.
    /// Without a store and without tuning, nothing is measured, and all results remain the same.
    /// Convolutions that atc does not support are passed to LibTorch and counted (atc_torch_statistics).
    ///
    /// On CUDA, LibTorch's switch benchmark_cudnn turns tuning on. A race of atc then replaces
    /// LibTorch's own search for the fastest algorithm; that search does not run inside the race.
    /// Kernels are queued on LibTorch's current stream of the tensors' device. Outputs and workspaces
    /// come from LibTorch's allocator.
    ///
    /// In replay-only mode a convolution that atc supports but that has no record throws c10::Error with the text of
    /// ATC_ERROR_NOT_TUNED. Pins (atc_set_pins, ATC_PINS) are obeyed. If a pin cannot be obeyed, the convolution throws
    /// c10::Error with the text of that error, and LibTorch's own convolution does not run in its place.
    /// A backward convolution uses the values that the switches have when it runs, as in LibTorch.
    ///
    /// The call includes atc_torch_init. The function may be called again: the new options replace the
    /// old ones. If libtorch_cuda was loaded since the last call, the new call also adds the hooks for
    /// CUDA tensors. `options` may be NULL.
    ///
    /// No other thread may run a convolution during the first call of atc_torch_init, atc_torch_install or
    /// atc_torch_record_start in the process, nor during the first call of one of these functions after
    /// libtorch_cuda was loaded. The reason is that LibTorch reads its table of operators without a
    /// lock. During all later calls other threads may run convolutions. If ATC_RECORD is set and none of
    /// these functions was called before, the same rule holds for the first call of
    /// atc_torch_convolution.
    pub fn atc1_torch_install(options: *const atc_torch_options) -> atc_status;
    /// Ends the effect of atc_torch_install: LibTorch's own convolutions run again. The hooks remain and pass every call
    /// on to LibTorch.
    pub fn atc1_torch_uninstall() -> atc_status;
    pub fn atc1_torch_statistics_get(out: *mut atc_torch_statistics) -> atc_status;
    pub fn atc1_torch_statistics_reset() -> atc_status;
    /// Frees the packed weights of the option `constant_weights`, and forgets which weights needed a
    /// gradient in earlier convolutions. As long as an engine's packed weights exist,
    /// atc_engine_unregister returns ATC_ERROR_BUSY for this engine.
    pub fn atc1_torch_forget_weights() -> atc_status;
    /// Fills all fields of `out`, `struct_size` included: stride, dilation and groups are 1, and all
    /// other fields are 0. The parameter `struct_size` is the size of the caller's atc_torch_geometry in
    /// bytes. No byte after this size is written. In C and C++ the macro
    /// atc_torch_geometry_init(&geometry, 2) passes this size. ATC_ERROR_INVALID_ARGUMENT:
    /// `spatial_dims` is not 1, 2 or 3, or `struct_size` is not the size of any version of the
    /// struct.
    pub fn atc1_torch_geometry_init_sized(
        out: *mut atc_torch_geometry,
        struct_size: usize,
        spatial_dims: i32,
    ) -> atc_status;
    /// Runs one convolution through atc, even if atc is not installed in LibTorch (atc_torch_install).
    /// The result is differentiable any number of times. `bias` and `options` may be NULL. `*out` is a
    /// new tensor. The caller frees it like a tensor of LibTorch (delete (at::Tensor*); in tch:
    /// Tensor::from_ptr takes ownership). Backward and double backward, whenever they run, use the
    /// options of this call and the values that the switches have during this call. The exception is the
    /// switch user_enabled_cudnn: backward and double backward read its value when they run. If atc does
    /// not support the arguments, LibTorch's own convolution runs. ATC_ERROR_INVALID_ARGUMENT: LibTorch
    /// refuses the shapes, and the error text is LibTorch's. ATC_ERROR_UNSUPPORTED: a choice in the
    /// options cannot run here, or a pin cannot be obeyed.
    pub fn atc1_torch_convolution(
        out: *mut *mut atc_torch_tensor,
        x: *const atc_torch_tensor,
        w: *const atc_torch_tensor,
        bias: *const atc_torch_tensor,
        geometry: *const atc_torch_geometry,
        options: *const atc_torch_options,
    ) -> atc_status;
    /// Starts a recording. A recording lists each distinct convolution of the process: direction,
    /// shapes, dtypes, layouts, how often the convolution ran, and whether its weights remained the
    /// same. A recording works with and without atc_torch_install. atc_torch_record_stop writes the file
    /// of this recording. If the program does not call atc_torch_record_stop, the file is not written.
    /// The environment variable ATC_RECORD=FILE starts a second recording, at the first call of
    /// atc_torch_init, atc_torch_install, atc_torch_convolution or this function. The file of the second
    /// recording is written at the end of the process. ATC_ERROR_BUSY: a recording that this function
    /// has started is still running. ATC_ERROR_IO: `file` cannot be written.
    pub fn atc1_torch_record_start(file: *const core::ffi::c_char) -> atc_status;
    /// Ends the recording and writes its file, which `atc tune` reads. `out_distinct` (may be NULL) is the number of
    /// convolutions in the file. ATC_ERROR_INVALID_ARGUMENT: no recording is running. ATC_ERROR_IO: the
    /// file could not be written. The recording then continues, and this function may be called
    /// again.
    pub fn atc1_torch_record_stop(out_distinct: *mut u64) -> atc_status;
    /// Opens a group (group.h) whose store of keys is a store of LibTorch's c10d. `url` is one of:
    ///
    ///   env://           a TCPStore at the address in the variables MASTER_ADDR and MASTER_PORT, as
    ///                    torchrun sets them. If `size` is 0, the rank and the size are taken from the
    ///                    variables RANK and WORLD_SIZE
    ///   tcp://HOST:PORT  a TCPStore at this address. HOST is the machine of rank 0; an IPv6 address
    ///                    stands in brackets
    ///   file:///PATH     a FileStore in this file, on a disk that all ranks see. The file must be new
    ///                    for each job
    ///
    /// A TCPStore needs a server. If torchrun does not run the server, rank 0 runs it. The server exists
    /// until the process of rank 0 ends. So atc_group_close on rank 0 waits until all other ranks that
    /// have opened the group have closed it, but at most `timeout_seconds`. All ranks must open the same
    /// number of groups at an address, in the same order. The prefix of the group's keys consists of two
    /// variables of torchrun: the id of the job (TORCHELASTIC_RUN_ID) and the number of the attempt
    /// (TORCHELASTIC_RESTART_COUNT).
    ///
    /// `timeout_seconds` is also the longest time that this call waits for the server, and the
    /// `bound_seconds` of the group. 0: 60 s. This call does not wait for the other ranks. atc_tune
    /// waits for them. Close `*out` with atc_group_close. ATC_ERROR_INVALID_ARGUMENT: the URL, a
    /// variable, the rank or the time is wrong. ATC_ERROR_IO: the store cannot be reached.
    /// ATC_ERROR_LIBRARY: there is no LibTorch, it has no c10d, or the bridge has no build for it.
    pub fn atc1_torch_group_open(
        out: *mut atc_group,
        url: *const core::ffi::c_char,
        rank: u32,
        size: u32,
        timeout_seconds: f64,
    ) -> atc_status;
}
pub use self::{
    atc1_torch_init as atc_torch_init, atc1_torch_describe as atc_torch_describe,
    atc1_torch_load_cuda as atc_torch_load_cuda,
    atc1_torch_set_fill_uninitialized_memory as atc_torch_set_fill_uninitialized_memory,
    atc1_torch_get_fill_uninitialized_memory as atc_torch_get_fill_uninitialized_memory,
    atc1_torch_set_float32_matmul_precision as atc_torch_set_float32_matmul_precision,
    atc1_torch_get_float32_matmul_precision as atc_torch_get_float32_matmul_precision,
    atc1_torch_install as atc_torch_install, atc1_torch_uninstall as atc_torch_uninstall,
    atc1_torch_statistics_get as atc_torch_statistics_get,
    atc1_torch_statistics_reset as atc_torch_statistics_reset,
    atc1_torch_forget_weights as atc_torch_forget_weights,
    atc1_torch_geometry_init_sized as atc_torch_geometry_init_sized,
    atc1_torch_convolution as atc_torch_convolution,
    atc1_torch_record_start as atc_torch_record_start,
    atc1_torch_record_stop as atc_torch_record_stop,
    atc1_torch_group_open as atc_torch_group_open,
};
