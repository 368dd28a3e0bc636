// Generated from include/atc/*.h by `cargo run -p xtask -- bindings`; not edited by hand.

pub const ATC_VERSION_MAJOR: u32 = 0;
pub const ATC_VERSION_MINOR: u32 = 1;
pub const ATC_VERSION_PATCH: u32 = 0;
pub const ATC_VERSION: u32 = 100;
pub const ATC_ABI_VERSION: u32 = 1;
pub const ATC_UNLIMITED: u64 = 18446744073709551615;
pub const ATC_NONE: u64 = 18446744073709551614;
pub const ATC_AUTOMATIC: u64 = 18446744073709551613;
pub type atc_status = i32;
pub const ATC_OK: i32 = 0;
/// a value is invalid on every machine; the error text names the
/// value
pub const ATC_ERROR_INVALID_ARGUMENT: i32 = 1;
/// the arguments are valid, but no engine on this machine can run the problem
pub const ATC_ERROR_UNSUPPORTED: i32 = 2;
/// a store in replay-only mode is in use, so nothing may be
/// measured, and the store has no usable decision for the
/// problem
pub const ATC_ERROR_NOT_TUNED: i32 = 3;
/// host or device memory does not suffice
pub const ATC_ERROR_OUT_OF_MEMORY: i32 = 4;
/// CUDA or its driver failed
pub const ATC_ERROR_DEVICE: i32 = 5;
/// a library that atc needs is missing or too old, or its parts
/// are of two versions
pub const ATC_ERROR_LIBRARY: i32 = 6;
/// a file or directory cannot be used
pub const ATC_ERROR_IO: i32 = 7;
/// stored or imported bytes are not a valid store entry or bundle
/// (store.h)
pub const ATC_ERROR_BAD_RECORD: i32 = 8;
/// tuning was asked for inside a stream capture
pub const ATC_ERROR_CAPTURING: i32 = 9;
/// the object is in use, or the call was made in a callback and
/// would have to wait until this callback returns
pub const ATC_ERROR_BUSY: i32 = 10;
/// the progress callback asked to stop
pub const ATC_ERROR_CANCELLED: i32 = 11;
/// a fault of atc itself
pub const ATC_ERROR_INTERNAL: i32 = 12;
/// the ranks (processes) of a group have not agreed on common
/// decisions (group.h); the error text names a rank and the
/// reason
pub const ATC_ERROR_NOT_AGREED: i32 = 13;
pub const ATC_OFF: i32 = 1;
pub const ATC_ON: i32 = 2;
pub const ATC_DEVICE_CPU: i32 = 1;
pub const ATC_DEVICE_CUDA: i32 = 2;
/// A device. The struct has the layout of DLPack's DLDevice.
#[repr(C)]
#[derive(Debug, Default, Copy, Clone, PartialEq)]
pub struct atc_device {
    /// ATC_DEVICE_*
    pub type_: i32,
    /// number of the device among the devices of its type, from 0; always 0 for the
    /// CPU
    pub index: i32,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of atc_device"][::core::mem::size_of::<atc_device>() - 8usize];
    ["Alignment of atc_device"][::core::mem::align_of::<atc_device>() - 4usize];
    [
        "Offset of field: atc_device::type_",
    ][::core::mem::offset_of!(atc_device, type_) - 0usize];
    [
        "Offset of field: atc_device::index",
    ][::core::mem::offset_of!(atc_device, index) - 4usize];
};
/// An element type. The struct has the layout of DLPack's DLDataType: {2, 32, 1} is fp32, {2, 16, 1} fp16, {4, 16, 1}
/// bf16.
#[repr(C)]
#[derive(Debug, Default, Copy, Clone, PartialEq)]
pub struct atc_data_type {
    pub code: u8,
    pub bits: u8,
    pub lanes: u16,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of atc_data_type"][::core::mem::size_of::<atc_data_type>() - 4usize];
    ["Alignment of atc_data_type"][::core::mem::align_of::<atc_data_type>() - 2usize];
    [
        "Offset of field: atc_data_type::code",
    ][::core::mem::offset_of!(atc_data_type, code) - 0usize];
    [
        "Offset of field: atc_data_type::bits",
    ][::core::mem::offset_of!(atc_data_type, bits) - 1usize];
    [
        "Offset of field: atc_data_type::lanes",
    ][::core::mem::offset_of!(atc_data_type, lanes) - 2usize];
};
/// values of atc_data_type.code, as in DLPack
pub const ATC_CODE_FLOAT: i32 = 2;
/// values of atc_data_type.code, as in DLPack
pub const ATC_CODE_BFLOAT: i32 = 4;
/// A tensor of the caller. The struct has the layout of DLPack's DLTensor, so a `DLTensor*` may be
/// cast to `atc_tensor_view*`. The memory behind `data` must remain valid: on the CPU until the call
/// returns, on CUDA until the work that the call queued on the stream has run. `shape` and `strides`
/// are read before the call returns. The first element lies at `data + byte_offset` and must be
/// aligned to the element size.
#[repr(C)]
#[derive(Debug, Copy, Clone, PartialEq)]
pub struct atc_tensor_view {
    pub data: *mut core::ffi::c_void,
    pub device: atc_device,
    pub ndim: i32,
    pub dtype: atc_data_type,
    /// ndim extents, in elements
    pub shape: *const i64,
    /// ndim strides, in elements. NULL: the tensor is dense, and its last
    /// dimension varies fastest
    pub strides: *const i64,
    pub byte_offset: u64,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of atc_tensor_view"][::core::mem::size_of::<atc_tensor_view>() - 48usize];
    [
        "Alignment of atc_tensor_view",
    ][::core::mem::align_of::<atc_tensor_view>() - 8usize];
    [
        "Offset of field: atc_tensor_view::data",
    ][::core::mem::offset_of!(atc_tensor_view, data) - 0usize];
    [
        "Offset of field: atc_tensor_view::device",
    ][::core::mem::offset_of!(atc_tensor_view, device) - 8usize];
    [
        "Offset of field: atc_tensor_view::ndim",
    ][::core::mem::offset_of!(atc_tensor_view, ndim) - 16usize];
    [
        "Offset of field: atc_tensor_view::dtype",
    ][::core::mem::offset_of!(atc_tensor_view, dtype) - 20usize];
    [
        "Offset of field: atc_tensor_view::shape",
    ][::core::mem::offset_of!(atc_tensor_view, shape) - 24usize];
    [
        "Offset of field: atc_tensor_view::strides",
    ][::core::mem::offset_of!(atc_tensor_view, strides) - 32usize];
    [
        "Offset of field: atc_tensor_view::byte_offset",
    ][::core::mem::offset_of!(atc_tensor_view, byte_offset) - 40usize];
};
impl Default for atc_tensor_view {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
/// A CUDA stream. CUstream and cudaStream_t are the same pointer type. NULL is CUDA's default
/// stream. For calls on the CPU, pass NULL.
#[repr(C)]
pub struct CUstream_st {
    _data: [u8; 1 - 1],
    _marker: core::marker::PhantomData<(*mut u8, core::marker::PhantomPinned)>,
}
pub type atc_stream = *mut CUstream_st;
/// Bytes or a text that a function has returned. The library owns them until the caller destroys them
/// (atc_bytes_destroy).
#[repr(C)]
pub struct atc_bytes {
    _data: [u8; 1 - 1],
    _marker: core::marker::PhantomData<(*mut u8, core::marker::PhantomPinned)>,
}
/// The technique by which candidates are timed. docs/tuning.md describes the techniques. The first
/// three are defined as in cuDNN's frontend.
pub type atc_technique = i32;
pub const ATC_TECHNIQUE_ONCE: i32 = 1;
pub const ATC_TECHNIQUE_MEDIAN_OF_THREE: i32 = 2;
pub const ATC_TECHNIQUE_TILL_STABLE: i32 = 3;
/// default
pub const ATC_TECHNIQUE_INTERLEAVED: i32 = 4;
/// each of the best candidates is executed for so long that the
/// clock frequencies of the device become stable, and only then is
/// timed
pub const ATC_TECHNIQUE_SUSTAINED: i32 = 5;
/// default
pub const ATC_DETERMINISTIC_ALGORITHMS_OFF: i32 = 1;
pub const ATC_DETERMINISTIC_ALGORITHMS_WARN: i32 = 2;
pub const ATC_DETERMINISTIC_ALGORITHMS_ERROR: i32 = 3;
/// The values of all switches. Each field is taken literally: 0 means the number 0, and never "the
/// default".
#[repr(C)]
#[derive(Debug, Default, Copy, Clone, PartialEq)]
pub struct atc_settings {
    pub struct_size: u32,
    pub benchmark_cudnn: i32,
    pub benchmark_limit_cudnn: i32,
    pub user_enabled_cudnn: i32,
    pub deterministic_cudnn: i32,
    pub deterministic_algorithms: i32,
    pub allow_tf32_cudnn: i32,
    pub benchmark_technique: atc_technique,
    pub workspace_limit: u64,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of atc_settings"][::core::mem::size_of::<atc_settings>() - 40usize];
    ["Alignment of atc_settings"][::core::mem::align_of::<atc_settings>() - 8usize];
    [
        "Offset of field: atc_settings::struct_size",
    ][::core::mem::offset_of!(atc_settings, struct_size) - 0usize];
    [
        "Offset of field: atc_settings::benchmark_cudnn",
    ][::core::mem::offset_of!(atc_settings, benchmark_cudnn) - 4usize];
    [
        "Offset of field: atc_settings::benchmark_limit_cudnn",
    ][::core::mem::offset_of!(atc_settings, benchmark_limit_cudnn) - 8usize];
    [
        "Offset of field: atc_settings::user_enabled_cudnn",
    ][::core::mem::offset_of!(atc_settings, user_enabled_cudnn) - 12usize];
    [
        "Offset of field: atc_settings::deterministic_cudnn",
    ][::core::mem::offset_of!(atc_settings, deterministic_cudnn) - 16usize];
    [
        "Offset of field: atc_settings::deterministic_algorithms",
    ][::core::mem::offset_of!(atc_settings, deterministic_algorithms) - 20usize];
    [
        "Offset of field: atc_settings::allow_tf32_cudnn",
    ][::core::mem::offset_of!(atc_settings, allow_tf32_cudnn) - 24usize];
    [
        "Offset of field: atc_settings::benchmark_technique",
    ][::core::mem::offset_of!(atc_settings, benchmark_technique) - 28usize];
    [
        "Offset of field: atc_settings::workspace_limit",
    ][::core::mem::offset_of!(atc_settings, workspace_limit) - 32usize];
};
/// atc cannot seed random numbers on CUDA, because no
/// bridge (for example to LibTorch) is loaded
pub const ATC_REPRODUCIBLE_NO_CUDA_SEED: i32 = 1;
/// a store is in use in read-write mode, so a run may
/// store new choices, and later runs may then differ from
/// this run
pub const ATC_REPRODUCIBLE_OPEN_SELECTION: i32 = 2;
/// the environment variable CUBLAS_WORKSPACE_CONFIG is not set
pub const ATC_REPRODUCIBLE_CUBLAS_WORKSPACE: i32 = 4;
/// the environment variable OMP_NUM_THREADS is not set, so sums depend on
/// the number of cores
pub const ATC_REPRODUCIBLE_CPU_THREADS: i32 = 8;
#[repr(C)]
#[derive(Debug, Copy, Clone, PartialEq)]
pub struct atc_reproducible_report {
    pub struct_size: u32,
    /// bits: ATC_REPRODUCIBLE_*
    pub missing: u32,
    /// a text with one line for each bit of `missing`
    pub text: [core::ffi::c_char; 504usize],
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of atc_reproducible_report",
    ][::core::mem::size_of::<atc_reproducible_report>() - 512usize];
    [
        "Alignment of atc_reproducible_report",
    ][::core::mem::align_of::<atc_reproducible_report>() - 4usize];
    [
        "Offset of field: atc_reproducible_report::struct_size",
    ][::core::mem::offset_of!(atc_reproducible_report, struct_size) - 0usize];
    [
        "Offset of field: atc_reproducible_report::missing",
    ][::core::mem::offset_of!(atc_reproducible_report, missing) - 4usize];
    [
        "Offset of field: atc_reproducible_report::text",
    ][::core::mem::offset_of!(atc_reproducible_report, text) - 8usize];
};
impl Default for atc_reproducible_report {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type atc_direction = i32;
pub const ATC_FORWARD: i32 = 1;
pub const ATC_BACKWARD_DATA: i32 = 2;
pub const ATC_BACKWARD_WEIGHT: i32 = 3;
pub type atc_dtype = i32;
pub const ATC_DTYPE_F32: i32 = 1;
pub const ATC_DTYPE_BF16: i32 = 2;
pub const ATC_DTYPE_F16: i32 = 3;
pub type atc_layout = i32;
/// x, w and y are dense, and their last dimension varies fastest
pub const ATC_LAYOUT_CHANNELS_FIRST: i32 = 1;
/// x, w and y are dense, and dimension 1 (channels) varies fastest
pub const ATC_LAYOUT_CHANNELS_LAST: i32 = 2;
/// the problem gives the strides: x_strides, w_strides and y_strides
pub const ATC_LAYOUT_STRIDED: i32 = 3;
pub type atc_epilogue = i32;
pub const ATC_EPILOGUE_NONE: i32 = 1;
pub const ATC_EPILOGUE_BIAS: i32 = 2;
pub const ATC_EPILOGUE_BIAS_RELU: i32 = 3;
/// The activation of a problem: the last of the operations (post-ops) that follow the sum. In the
/// formulas `t` is the sum after scale, bias and residual. If t is NaN, the result is NaN.
pub type atc_activation = i32;
pub const ATC_ACTIVATION_NONE: i32 = 0;
/// max(t, 0)
pub const ATC_ACTIVATION_RELU: i32 = 1;
/// min(max(t, 0), 6)
pub const ATC_ACTIVATION_RELU6: i32 = 2;
/// min(max(t, activation_low), activation_high)
pub const ATC_ACTIVATION_CLAMP: i32 = 3;
/// t / (1 + exp(-t))
pub const ATC_ACTIVATION_SILU: i32 = 4;
/// t / 2 * (1 + erf(t / sqrt(2)))
pub const ATC_ACTIVATION_GELU: i32 = 5;
/// t / 2 * (1 + tanh(sqrt(2 / pi) * (t + 0.044715 * t^3)))
pub const ATC_ACTIVATION_GELU_TANH: i32 = 6;
/// t / 6 * min(max(t + 3, 0), 6)
pub const ATC_ACTIVATION_HARD_SWISH: i32 = 7;
/// 1 / (1 + exp(-t))
pub const ATC_ACTIVATION_SIGMOID: i32 = 8;
/// t, or activation_slope * t if t is negative
pub const ATC_ACTIVATION_LEAKY_RELU: i32 = 9;
/// A convolution. Each field is taken literally: 0 means the number 0, and never a default.
/// atc_conv_problem_init sets usual values. Of each array of 3 entries, atc reads the first
/// `spatial_dims`.
#[repr(C)]
#[derive(Debug, Default, Copy, Clone, PartialEq)]
pub struct atc_conv_problem {
    pub struct_size: u32,
    pub direction: atc_direction,
    /// 1, 2 or 3
    pub spatial_dims: i32,
    /// 0 or 1
    pub transposed: i32,
    /// batch size, >= 0. With batch size 0 every call succeeds, and
    /// backward-weight writes zeros
    pub batch: i64,
    /// channels of x, a multiple of groups
    pub in_channels: i64,
    /// channels of y, a multiple of groups
    pub out_channels: i64,
    /// >= 1
    pub groups: i64,
    /// spatial extents of x, >= 1, in the order D,H,W or H,W or W
    pub input: [i64; 3usize],
    /// >= 1
    pub kernel: [i64; 3usize],
    /// >= 1
    pub stride: [i64; 3usize],
    /// >= 1
    pub dilation: [i64; 3usize],
    /// the padding: number of zeros before the first element of x in this
    /// dimension, >= 0
    pub padding_low: [i64; 3usize],
    /// the padding: number of zeros after the last element of x in this
    /// dimension, >= 0
    pub padding_high: [i64; 3usize],
    /// number of elements by which y is made larger in this dimension, >= 0
    /// and less than the larger of stride and dilation. Must be 0 unless
    /// the problem is transposed
    pub output_padding: [i64; 3usize],
    pub x_dtype: atc_dtype,
    pub w_dtype: atc_dtype,
    pub y_dtype: atc_dtype,
    pub layout: atc_layout,
    /// for forward problems only. The bias has the output's dtype
    pub epilogue: atc_epilogue,
    /// 0: output = result. 1: output += result. If the epilogue has a ReLU,
    /// the ReLU is applied after this addition
    pub accumulate: i32,
    /// distances in memory between neighbours along each dimension of x, in
    /// elements, in the order of the shape. Read only if `layout` is
    /// ATC_LAYOUT_STRIDED
    pub x_strides: [i64; 5usize],
    pub w_strides: [i64; 5usize],
    pub y_strides: [i64; 5usize],
    /// 1: the sum is multiplied by a number, which each channel of the
    /// output has of its own. These numbers are passed as a tensor of the
    /// output's dtype. 0: no scale
    pub scale: i32,
    /// 1: a further tensor (the residual) is added before the activation.
    /// It has the output's shape, strides and dtype. 0: no residual
    pub residual: i32,
    /// ATC_ACTIVATION_*. 0: no activation, except the ReLU that `epilogue`
    /// may have. If the value is not 0, `epilogue` must be
    /// ATC_EPILOGUE_NONE or ATC_EPILOGUE_BIAS
    pub activation: atc_activation,
    /// the lower limit of ATC_ACTIVATION_CLAMP, in the range of the output's dtype. 0 for all
    /// other activations
    pub activation_low: f32,
    /// the upper limit of ATC_ACTIVATION_CLAMP, not below activation_low. 0
    /// for all other activations
    pub activation_high: f32,
    /// the slope of ATC_ACTIVATION_LEAKY_RELU, 0 to 1. 0 for all other activations
    pub activation_slope: f32,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of atc_conv_problem"][::core::mem::size_of::<atc_conv_problem>() - 384usize];
    [
        "Alignment of atc_conv_problem",
    ][::core::mem::align_of::<atc_conv_problem>() - 8usize];
    [
        "Offset of field: atc_conv_problem::struct_size",
    ][::core::mem::offset_of!(atc_conv_problem, struct_size) - 0usize];
    [
        "Offset of field: atc_conv_problem::direction",
    ][::core::mem::offset_of!(atc_conv_problem, direction) - 4usize];
    [
        "Offset of field: atc_conv_problem::spatial_dims",
    ][::core::mem::offset_of!(atc_conv_problem, spatial_dims) - 8usize];
    [
        "Offset of field: atc_conv_problem::transposed",
    ][::core::mem::offset_of!(atc_conv_problem, transposed) - 12usize];
    [
        "Offset of field: atc_conv_problem::batch",
    ][::core::mem::offset_of!(atc_conv_problem, batch) - 16usize];
    [
        "Offset of field: atc_conv_problem::in_channels",
    ][::core::mem::offset_of!(atc_conv_problem, in_channels) - 24usize];
    [
        "Offset of field: atc_conv_problem::out_channels",
    ][::core::mem::offset_of!(atc_conv_problem, out_channels) - 32usize];
    [
        "Offset of field: atc_conv_problem::groups",
    ][::core::mem::offset_of!(atc_conv_problem, groups) - 40usize];
    [
        "Offset of field: atc_conv_problem::input",
    ][::core::mem::offset_of!(atc_conv_problem, input) - 48usize];
    [
        "Offset of field: atc_conv_problem::kernel",
    ][::core::mem::offset_of!(atc_conv_problem, kernel) - 72usize];
    [
        "Offset of field: atc_conv_problem::stride",
    ][::core::mem::offset_of!(atc_conv_problem, stride) - 96usize];
    [
        "Offset of field: atc_conv_problem::dilation",
    ][::core::mem::offset_of!(atc_conv_problem, dilation) - 120usize];
    [
        "Offset of field: atc_conv_problem::padding_low",
    ][::core::mem::offset_of!(atc_conv_problem, padding_low) - 144usize];
    [
        "Offset of field: atc_conv_problem::padding_high",
    ][::core::mem::offset_of!(atc_conv_problem, padding_high) - 168usize];
    [
        "Offset of field: atc_conv_problem::output_padding",
    ][::core::mem::offset_of!(atc_conv_problem, output_padding) - 192usize];
    [
        "Offset of field: atc_conv_problem::x_dtype",
    ][::core::mem::offset_of!(atc_conv_problem, x_dtype) - 216usize];
    [
        "Offset of field: atc_conv_problem::w_dtype",
    ][::core::mem::offset_of!(atc_conv_problem, w_dtype) - 220usize];
    [
        "Offset of field: atc_conv_problem::y_dtype",
    ][::core::mem::offset_of!(atc_conv_problem, y_dtype) - 224usize];
    [
        "Offset of field: atc_conv_problem::layout",
    ][::core::mem::offset_of!(atc_conv_problem, layout) - 228usize];
    [
        "Offset of field: atc_conv_problem::epilogue",
    ][::core::mem::offset_of!(atc_conv_problem, epilogue) - 232usize];
    [
        "Offset of field: atc_conv_problem::accumulate",
    ][::core::mem::offset_of!(atc_conv_problem, accumulate) - 236usize];
    [
        "Offset of field: atc_conv_problem::x_strides",
    ][::core::mem::offset_of!(atc_conv_problem, x_strides) - 240usize];
    [
        "Offset of field: atc_conv_problem::w_strides",
    ][::core::mem::offset_of!(atc_conv_problem, w_strides) - 280usize];
    [
        "Offset of field: atc_conv_problem::y_strides",
    ][::core::mem::offset_of!(atc_conv_problem, y_strides) - 320usize];
    [
        "Offset of field: atc_conv_problem::scale",
    ][::core::mem::offset_of!(atc_conv_problem, scale) - 360usize];
    [
        "Offset of field: atc_conv_problem::residual",
    ][::core::mem::offset_of!(atc_conv_problem, residual) - 364usize];
    [
        "Offset of field: atc_conv_problem::activation",
    ][::core::mem::offset_of!(atc_conv_problem, activation) - 368usize];
    [
        "Offset of field: atc_conv_problem::activation_low",
    ][::core::mem::offset_of!(atc_conv_problem, activation_low) - 372usize];
    [
        "Offset of field: atc_conv_problem::activation_high",
    ][::core::mem::offset_of!(atc_conv_problem, activation_high) - 376usize];
    [
        "Offset of field: atc_conv_problem::activation_slope",
    ][::core::mem::offset_of!(atc_conv_problem, activation_slope) - 380usize];
};
pub const ATC_OPERAND_X: i32 = 1;
pub const ATC_OPERAND_W: i32 = 2;
pub const ATC_OPERAND_BIAS: i32 = 3;
pub const ATC_OPERAND_Y: i32 = 4;
pub const ATC_OPERAND_SCALE: i32 = 5;
pub const ATC_OPERAND_RESIDUAL: i32 = 6;
/// the caller gave the choice
pub const ATC_SOURCE_GIVEN: i32 = 1;
/// a record (a decision kept in the store)
pub const ATC_SOURCE_RECORD: i32 = 2;
/// a record of the most similar problem that differs only in its sizes
/// (atc_conv_options.near_shapes)
pub const ATC_SOURCE_INHERITED: i32 = 3;
/// an earlier call of this process measured the problem
pub const ATC_SOURCE_MEMORY: i32 = 4;
/// this call measured the problem
pub const ATC_SOURCE_TUNED: i32 = 5;
/// nothing was measured; the choice is the first implementation that the
/// default engine offers
pub const ATC_SOURCE_DEFAULT: i32 = 6;
/// no other engine can run the problem, so the slow engine `reference`
/// runs it
pub const ATC_SOURCE_REFERENCE: i32 = 7;
/// a pin, which prescribes the choice (atc_set_pins). A pin takes
/// precedence over all other sources except GIVEN
pub const ATC_SOURCE_PINNED: i32 = 8;
/// the ranks (processes) of a job have agreed on the choice (group.h).
/// An agreement takes precedence over all other sources except GIVEN and
/// PINNED
pub const ATC_SOURCE_AGREED: i32 = 9;
/// the problem was measured by the program's own calls, which atc has
/// timed (ATC_TUNE_BESIDE)
pub const ATC_SOURCE_BESIDE: i32 = 10;
/// this problem was not measured. Measurements of similar problems
/// predict that the choice is faster than the default
/// (ATC_TUNE_PREDICT)
pub const ATC_SOURCE_PREDICTED: i32 = 11;
/// a record of the same problem that was measured with other versions of
/// cuDNN, oneDNN or LibTorch (atc_conv_options.other_versions)
pub const ATC_SOURCE_ADOPTED: i32 = 12;
/// The progress of a call that tunes (measures), as a progress callback receives it. Such a call is
/// atc_tune, which tunes a list of problems, or the creation of a plan (atc_conv_options.progress),
/// which tunes one problem.
#[repr(C)]
#[derive(Debug, Copy, Clone, PartialEq)]
pub struct atc_tune_progress {
    pub struct_size: u32,
    pub reserved: u32,
    /// index of the problem that is being tuned, from 0
    pub problem: u64,
    /// number of problems; 1 for a plan
    pub problems: u64,
    /// progress of this problem, from 0 to 1. It is 0 at the start and never
    /// decreases. It is 1 in exactly one callback, when the problem is
    /// decided or has failed
    pub problem_fraction: f64,
    /// seconds since the call that tunes began
    pub seconds: f64,
    /// text that describes the problem; valid during the callback
    pub description: *const core::ffi::c_char,
    /// the choice that is prepared, checked or timed after this callback; ""
    /// if there is none. Valid during the callback
    pub candidate: *const core::ffi::c_char,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of atc_tune_progress"][::core::mem::size_of::<atc_tune_progress>() - 56usize];
    [
        "Alignment of atc_tune_progress",
    ][::core::mem::align_of::<atc_tune_progress>() - 8usize];
    [
        "Offset of field: atc_tune_progress::struct_size",
    ][::core::mem::offset_of!(atc_tune_progress, struct_size) - 0usize];
    [
        "Offset of field: atc_tune_progress::reserved",
    ][::core::mem::offset_of!(atc_tune_progress, reserved) - 4usize];
    [
        "Offset of field: atc_tune_progress::problem",
    ][::core::mem::offset_of!(atc_tune_progress, problem) - 8usize];
    [
        "Offset of field: atc_tune_progress::problems",
    ][::core::mem::offset_of!(atc_tune_progress, problems) - 16usize];
    [
        "Offset of field: atc_tune_progress::problem_fraction",
    ][::core::mem::offset_of!(atc_tune_progress, problem_fraction) - 24usize];
    [
        "Offset of field: atc_tune_progress::seconds",
    ][::core::mem::offset_of!(atc_tune_progress, seconds) - 32usize];
    [
        "Offset of field: atc_tune_progress::description",
    ][::core::mem::offset_of!(atc_tune_progress, description) - 40usize];
    [
        "Offset of field: atc_tune_progress::candidate",
    ][::core::mem::offset_of!(atc_tune_progress, candidate) - 48usize];
};
impl Default for atc_tune_progress {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
/// A progress callback. The callback is called at the start and the end of each problem, and between
/// measurements. It is called on the thread of the call that tunes. If the callback returns
/// non-zero, the call that tunes is cancelled, and the callback is not called again. The callback
/// must return normally. If an exception, longjmp or panic left the callback, every later race
/// (comparison of candidates by time) would wait for ever. If the callback makes a call that would
/// measure, this call returns ATC_ERROR_BUSY (extend.h lists these calls).
pub type atc_tune_callback = ::core::option::Option<
    unsafe extern "C" fn(
        progress: *const atc_tune_progress,
        payload: *mut core::ffi::c_void,
    ) -> i32,
>;
/// A handle of an open store. Several threads may use it at once.
#[repr(C)]
pub struct atc_store {
    _data: [u8; 1 - 1],
    _marker: core::marker::PhantomData<(*mut u8, core::marker::PhantomPinned)>,
}
pub const ATC_TUNE_LATER: i32 = 3;
pub const ATC_TUNE_BESIDE: i32 = 4;
pub const ATC_TUNE_PREDICT: i32 = 5;
/// Options of a plan. A field that is 0 has its default. A switch is 0 (default), ATC_OFF or ATC_ON.
/// The number 1 means ATC_OFF: to turn tuning on, write `options.tune = ATC_ON`,
/// atc_option_enable(&options.tune) or atc_option_set (base.h).
///
/// The fields `store`, `use_store` and `allocator` are for libraries that share the process with
/// other users of atc. If a call has a `store`, the decisions of the call are written to this store.
/// The process also keeps these decisions in memory, but only calls with the same store handle use
/// them. In the same way, only calls with `use_store` off use the decisions that a call with
/// `use_store` off has made.
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct atc_conv_options {
    pub struct_size: u32,
    /// ATC_ON: measure if no decision is known. ATC_TUNE_LATER: note the problem if no
    /// decision is known. ATC_TUNE_BESIDE: let the calls try and time candidates if no
    /// decision is known. ATC_TUNE_PREDICT: predict the choice if no decision is known.
    /// 0: ATC_TUNE, else benchmark_cudnn for CUDA, off on the CPU. ATC_TUNE
    /// is an environment variable, and benchmark_cudnn is a switch of
    /// settings.h
    pub tune: i32,
    /// ATC_ON: use only deterministic kernels. 0: deterministic_cudnn or
    /// deterministic_algorithms (switches of settings.h)
    pub deterministic: i32,
    /// ATC_ON: allow TF32 in fp32 convolutions. 0: allow_tf32_cudnn (a
    /// switch of settings.h)
    pub allow_tf32: i32,
    /// 0: on. Off: if only the slow engine `reference` could run the
    /// problem, the call returns ATC_ERROR_UNSUPPORTED, and the error text
    /// has each engine's reason. With a batch of 0 the call succeeds
    /// nevertheless
    pub allow_reference: i32,
    /// 0: off. On: the program will pack the weights in advance by
    /// atc_conv_plan_set_weights. So candidates are timed with packed
    /// weights, and the time of packing does not count
    pub constant_weights: i32,
    /// how candidates are timed. 0: benchmark_technique (a switch of
    /// settings.h)
    pub technique: atc_technique,
    /// the alignment in bytes, a power of 2: the caller promises that the
    /// addresses of x, w, y and the residual are multiples of this number.
    /// 0: 16 on CUDA. On CUDA a number above 16 counts as 16. With less than 16, cuDNN has
    /// few implementations; for f16 and bf16 with channels last all of these
    /// are slow. CPU: addresses need only be multiples of the element size,
    /// whatever this field is
    pub alignment: u32,
    /// the most bytes of workspace that the plan may need. 0:
    /// workspace_limit on CUDA, 1 GiB on the CPU (workspace_limit is a
    /// switch of settings.h). ATC_NONE: no workspace. ATC_UNLIMITED: no
    /// limit
    pub workspace_limit: u64,
    /// the longest time, in seconds, that measuring the problem (a race) may
    /// take. 0: 2 s
    pub budget_seconds: f64,
    /// set by a front end (a program that computes convolutions itself and
    /// consults atc, for example the LibTorch bridge): the name of the
    /// engine that the front end has registered. "": none. This engine is
    /// the default engine of the call. If an implementation of the engine
    /// returns a buffer of its own (ATC_ENGINE_RETURNS_OUTPUT), only calls
    /// with this name may use it
    pub front_end: [core::ffi::c_char; 64usize],
    /// 0: off. On: provisional records (decisions whose race could not find
    /// the fastest candidate with certainty) are ignored, and a provisional
    /// decision is not stored
    pub require_firm: i32,
    /// a rule for imprecise candidates that are the program's own
    /// convolution (ATC_ENGINE_ORIGINAL). A candidate is imprecise if it
    /// rounds partial sums to the operands' type (f32: to TF32's 11 bits).
    /// 0: off: such a candidate is marked (ATC_CANDIDATE_IMPRECISE) and may
    /// win. On: such a candidate is refused, and so is every candidate of
    /// the engine winograd. If a record has a marked winner, the fastest
    /// unmarked candidate is used
    pub strict_precision: i32,
    /// 0: off. On: every candidate may round partial sums
    /// to the operands' type (f32: to TF32's 11 bits)
    pub allow_reduced_precision_reduction: i32,
    /// whether the call uses a store. 0: on. Off: no store is read or
    /// written, and `store` must be NULL
    pub use_store: i32,
    /// the store that this call reads and writes. The store may be
    /// closed when the call has returned. NULL: the store in use
    /// (atc_store_use or ATC_STORE)
    pub store: *const atc_store,
    /// an allocator that this call and its plan use in place of
    /// the process's allocator. The allocator provides the
    /// memory of races, the memory of weights that are set, and
    /// the workspaces of executions without a workspace of the
    /// caller (except in stream captures). Such a workspace is
    /// freed after the execution. The struct is copied. Its
    /// field `destroy` must be NULL. Its `user` belongs to the
    /// caller and must remain valid until the plan is destroyed
    /// or released. NULL: the process's allocator
    pub allocator: *const atc_allocator,
    /// called while candidates are timed, and never if nothing is
    /// measured. If the callback cancels, the call returns
    /// ATC_ERROR_CANCELLED, makes no plan and discards the decision, even
    /// if `problem_fraction` was 1 (the problem was already decided).
    /// NULL: none
    pub progress: atc_tune_callback,
    /// passed to the callback `progress`
    pub progress_payload: *mut core::ffi::c_void,
    /// the choice (engine, version and configuration) that the plan must
    /// use, as with atc_conv_plan_create_with_choice. That function
    /// ignores this field. The text is copied. NULL or "": none
    pub choice: *const core::ffi::c_char,
    /// the most bytes that a race may allocate in addition to the memory
    /// that the program holds, or ATC_UNLIMITED. ATC_NONE is refused. 0:
    /// race_memory_limit of the process, else a quarter of the free memory
    /// (atc_set_race_memory_limit)
    pub race_memory_limit: u64,
    /// whether a problem without a record of its own may use the record of
    /// a near problem. A near problem differs only in batch and spatial
    /// extents, each by at most a factor of 2, and has equally aligned
    /// strides (docs/tuning.md). 0: on, except with a replay-only store.
    /// On: also with a replay-only store. Off: never, even if only the
    /// batch differs
    pub near_shapes: i32,
    /// whether a problem without a usable record of its own may use a
    /// record of other versions. Such a record was measured on the same
    /// device model with another cuDNN (on the CPU: oneDNN) or another
    /// LibTorch, and each part of its choice exists here in the recorded
    /// version (docs/tuning.md). If the call measures, this choice is
    /// timed first. 0: ATC_OTHER_VERSIONS, else off (ATC_OTHER_VERSIONS is
    /// an environment variable). On with a replay-only store:
    /// ATC_ERROR_INVALID_ARGUMENT
    pub other_versions: i32,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of atc_conv_options"][::core::mem::size_of::<atc_conv_options>() - 184usize];
    [
        "Alignment of atc_conv_options",
    ][::core::mem::align_of::<atc_conv_options>() - 8usize];
    [
        "Offset of field: atc_conv_options::struct_size",
    ][::core::mem::offset_of!(atc_conv_options, struct_size) - 0usize];
    [
        "Offset of field: atc_conv_options::tune",
    ][::core::mem::offset_of!(atc_conv_options, tune) - 4usize];
    [
        "Offset of field: atc_conv_options::deterministic",
    ][::core::mem::offset_of!(atc_conv_options, deterministic) - 8usize];
    [
        "Offset of field: atc_conv_options::allow_tf32",
    ][::core::mem::offset_of!(atc_conv_options, allow_tf32) - 12usize];
    [
        "Offset of field: atc_conv_options::allow_reference",
    ][::core::mem::offset_of!(atc_conv_options, allow_reference) - 16usize];
    [
        "Offset of field: atc_conv_options::constant_weights",
    ][::core::mem::offset_of!(atc_conv_options, constant_weights) - 20usize];
    [
        "Offset of field: atc_conv_options::technique",
    ][::core::mem::offset_of!(atc_conv_options, technique) - 24usize];
    [
        "Offset of field: atc_conv_options::alignment",
    ][::core::mem::offset_of!(atc_conv_options, alignment) - 28usize];
    [
        "Offset of field: atc_conv_options::workspace_limit",
    ][::core::mem::offset_of!(atc_conv_options, workspace_limit) - 32usize];
    [
        "Offset of field: atc_conv_options::budget_seconds",
    ][::core::mem::offset_of!(atc_conv_options, budget_seconds) - 40usize];
    [
        "Offset of field: atc_conv_options::front_end",
    ][::core::mem::offset_of!(atc_conv_options, front_end) - 48usize];
    [
        "Offset of field: atc_conv_options::require_firm",
    ][::core::mem::offset_of!(atc_conv_options, require_firm) - 112usize];
    [
        "Offset of field: atc_conv_options::strict_precision",
    ][::core::mem::offset_of!(atc_conv_options, strict_precision) - 116usize];
    [
        "Offset of field: atc_conv_options::allow_reduced_precision_reduction",
    ][::core::mem::offset_of!(atc_conv_options, allow_reduced_precision_reduction)
        - 120usize];
    [
        "Offset of field: atc_conv_options::use_store",
    ][::core::mem::offset_of!(atc_conv_options, use_store) - 124usize];
    [
        "Offset of field: atc_conv_options::store",
    ][::core::mem::offset_of!(atc_conv_options, store) - 128usize];
    [
        "Offset of field: atc_conv_options::allocator",
    ][::core::mem::offset_of!(atc_conv_options, allocator) - 136usize];
    [
        "Offset of field: atc_conv_options::progress",
    ][::core::mem::offset_of!(atc_conv_options, progress) - 144usize];
    [
        "Offset of field: atc_conv_options::progress_payload",
    ][::core::mem::offset_of!(atc_conv_options, progress_payload) - 152usize];
    [
        "Offset of field: atc_conv_options::choice",
    ][::core::mem::offset_of!(atc_conv_options, choice) - 160usize];
    [
        "Offset of field: atc_conv_options::race_memory_limit",
    ][::core::mem::offset_of!(atc_conv_options, race_memory_limit) - 168usize];
    [
        "Offset of field: atc_conv_options::near_shapes",
    ][::core::mem::offset_of!(atc_conv_options, near_shapes) - 176usize];
    [
        "Offset of field: atc_conv_options::other_versions",
    ][::core::mem::offset_of!(atc_conv_options, other_versions) - 180usize];
};
impl Default for atc_conv_options {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
/// A plan: the implementation that was chosen for a problem, ready to be executed. If weights were
/// set, the plan also has the packed weights. Any thread may use a plan, but only one thread at a
/// time.
#[repr(C)]
pub struct atc_conv_plan {
    _data: [u8; 1 - 1],
    _marker: core::marker::PhantomData<(*mut u8, core::marker::PhantomPinned)>,
}
/// a pin gives the choice
pub const ATC_PINS_CHOOSE: i32 = 1;
/// no pin gives the choice, but pins bar engines, rewrites or choices
pub const ATC_PINS_BAR: i32 = 2;
/// The tensors that a call reads and writes. If the problem lacks one of these tensors (a bias, for
/// example), its field is NULL.
#[repr(C)]
#[derive(Debug, Copy, Clone, PartialEq)]
pub struct atc_conv_operands {
    pub struct_size: u32,
    pub reserved: u32,
    pub x: *const atc_tensor_view,
    pub w: *const atc_tensor_view,
    pub bias: *const atc_tensor_view,
    pub y: *const atc_tensor_view,
    /// needed if the problem has a scale
    pub scale: *const atc_tensor_view,
    /// the residual (the tensor that is added); needed if the problem
    /// has one. The call only reads it
    pub residual: *const atc_tensor_view,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of atc_conv_operands"][::core::mem::size_of::<atc_conv_operands>() - 56usize];
    [
        "Alignment of atc_conv_operands",
    ][::core::mem::align_of::<atc_conv_operands>() - 8usize];
    [
        "Offset of field: atc_conv_operands::struct_size",
    ][::core::mem::offset_of!(atc_conv_operands, struct_size) - 0usize];
    [
        "Offset of field: atc_conv_operands::reserved",
    ][::core::mem::offset_of!(atc_conv_operands, reserved) - 4usize];
    [
        "Offset of field: atc_conv_operands::x",
    ][::core::mem::offset_of!(atc_conv_operands, x) - 8usize];
    [
        "Offset of field: atc_conv_operands::w",
    ][::core::mem::offset_of!(atc_conv_operands, w) - 16usize];
    [
        "Offset of field: atc_conv_operands::bias",
    ][::core::mem::offset_of!(atc_conv_operands, bias) - 24usize];
    [
        "Offset of field: atc_conv_operands::y",
    ][::core::mem::offset_of!(atc_conv_operands, y) - 32usize];
    [
        "Offset of field: atc_conv_operands::scale",
    ][::core::mem::offset_of!(atc_conv_operands, scale) - 40usize];
    [
        "Offset of field: atc_conv_operands::residual",
    ][::core::mem::offset_of!(atc_conv_operands, residual) - 48usize];
};
impl Default for atc_conv_operands {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub const ATC_OUTCOME_WON: i32 = 1;
/// the candidate was timed to the end and was slower than the winner
pub const ATC_OUTCOME_LOST: i32 = 2;
/// the candidate was slower than the fastest candidate, so it left
/// the race early and was not timed to the end
pub const ATC_OUTCOME_DROPPED: i32 = 3;
/// the times of the candidate and of the winner differ by less than
/// the tie margin, and the winner was preferred
pub const ATC_OUTCOME_TIED: i32 = 4;
/// the candidate could not be built
pub const ATC_OUTCOME_NOT_PREPARED: i32 = 5;
/// the candidate computed a wrong result
pub const ATC_OUTCOME_WRONG_RESULT: i32 = 6;
/// an execution of the candidate failed
pub const ATC_OUTCOME_FAILED: i32 = 7;
pub const ATC_OUTCOME_OUT_OF_MEMORY: i32 = 8;
/// the candidate was not timed: it was not expected to be worth the
/// time, or the budget, the limit of candidates or a cancellation
/// left it out
pub const ATC_OUTCOME_SKIPPED: i32 = 9;
/// the candidate was not measured
pub const ATC_OUTCOME_OFFERED: i32 = 10;
/// the candidate was timed in CUDA graphs. The reason: the device
/// would have waited for the host, while this candidate or another
/// one of the race was timed by single calls
pub const ATC_CANDIDATE_IN_GRAPH: i32 = 1;
/// the candidate is limited by the host: the host takes longer to
/// issue an execution than the device takes to run it
pub const ATC_CANDIDATE_HOST_BOUND: i32 = 2;
/// plans that are made in a stream capture use this candidate. All
/// other plans use the winner
pub const ATC_CANDIDATE_CAPTURED: i32 = 4;
/// the candidate's result is correct, but less precise than the
/// options allow (atc_conv_options.strict_precision). The field
/// `reason` has the details
pub const ATC_CANDIDATE_IMPRECISE: i32 = 8;
/// One candidate, with its outcome and its times. Strings are never NULL. They are valid as long as
/// the plan or report that filled the struct.
#[repr(C)]
#[derive(Debug, Copy, Clone, PartialEq)]
pub struct atc_candidate {
    pub struct_size: u32,
    /// ATC_OUTCOME_*
    pub outcome: i32,
    pub engine: *const core::ffi::c_char,
    pub version: *const core::ffi::c_char,
    pub configuration: *const core::ffi::c_char,
    pub notes: *const core::ffi::c_char,
    /// why the candidate was not chosen, or how its result is less precise
    /// than allowed; "" if there is nothing to say
    pub reason: *const core::ffi::c_char,
    /// bytes
    pub workspace: u64,
    /// number of samples. A sample is the time of a batch (executions back
    /// to back). If 0, the fields with times mean nothing
    pub samples: u64,
    pub executions: u64,
    /// seconds per execution, as the mean over the samples
    pub mean: f64,
    pub median: f64,
    pub min: f64,
    pub max: f64,
    /// standard deviation of the samples, in seconds
    pub deviation: f64,
    /// median clock frequency during the samples; 0: unknown
    pub clock_hz: f64,
    /// the rewrites of the candidate (conversions to another problem, which
    /// the engine computes): the text in front of the engine's name in a
    /// choice ("nhwc@1>"), or ""
    pub rewrites: *const core::ffi::c_char,
    /// median of the time, in seconds, that the host takes to issue one
    /// execution; 0: unknown
    pub host: f64,
    /// number of kernels, copies and fills that one execution launches; 0:
    /// unknown
    pub launches: u64,
    /// ATC_CANDIDATE_*
    pub flags: u32,
    /// 0
    pub reserved: u32,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of atc_candidate"][::core::mem::size_of::<atc_candidate>() - 152usize];
    ["Alignment of atc_candidate"][::core::mem::align_of::<atc_candidate>() - 8usize];
    [
        "Offset of field: atc_candidate::struct_size",
    ][::core::mem::offset_of!(atc_candidate, struct_size) - 0usize];
    [
        "Offset of field: atc_candidate::outcome",
    ][::core::mem::offset_of!(atc_candidate, outcome) - 4usize];
    [
        "Offset of field: atc_candidate::engine",
    ][::core::mem::offset_of!(atc_candidate, engine) - 8usize];
    [
        "Offset of field: atc_candidate::version",
    ][::core::mem::offset_of!(atc_candidate, version) - 16usize];
    [
        "Offset of field: atc_candidate::configuration",
    ][::core::mem::offset_of!(atc_candidate, configuration) - 24usize];
    [
        "Offset of field: atc_candidate::notes",
    ][::core::mem::offset_of!(atc_candidate, notes) - 32usize];
    [
        "Offset of field: atc_candidate::reason",
    ][::core::mem::offset_of!(atc_candidate, reason) - 40usize];
    [
        "Offset of field: atc_candidate::workspace",
    ][::core::mem::offset_of!(atc_candidate, workspace) - 48usize];
    [
        "Offset of field: atc_candidate::samples",
    ][::core::mem::offset_of!(atc_candidate, samples) - 56usize];
    [
        "Offset of field: atc_candidate::executions",
    ][::core::mem::offset_of!(atc_candidate, executions) - 64usize];
    [
        "Offset of field: atc_candidate::mean",
    ][::core::mem::offset_of!(atc_candidate, mean) - 72usize];
    [
        "Offset of field: atc_candidate::median",
    ][::core::mem::offset_of!(atc_candidate, median) - 80usize];
    [
        "Offset of field: atc_candidate::min",
    ][::core::mem::offset_of!(atc_candidate, min) - 88usize];
    [
        "Offset of field: atc_candidate::max",
    ][::core::mem::offset_of!(atc_candidate, max) - 96usize];
    [
        "Offset of field: atc_candidate::deviation",
    ][::core::mem::offset_of!(atc_candidate, deviation) - 104usize];
    [
        "Offset of field: atc_candidate::clock_hz",
    ][::core::mem::offset_of!(atc_candidate, clock_hz) - 112usize];
    [
        "Offset of field: atc_candidate::rewrites",
    ][::core::mem::offset_of!(atc_candidate, rewrites) - 120usize];
    [
        "Offset of field: atc_candidate::host",
    ][::core::mem::offset_of!(atc_candidate, host) - 128usize];
    [
        "Offset of field: atc_candidate::launches",
    ][::core::mem::offset_of!(atc_candidate, launches) - 136usize];
    [
        "Offset of field: atc_candidate::flags",
    ][::core::mem::offset_of!(atc_candidate, flags) - 144usize];
    [
        "Offset of field: atc_candidate::reserved",
    ][::core::mem::offset_of!(atc_candidate, reserved) - 148usize];
};
impl Default for atc_candidate {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[repr(C)]
#[derive(Debug, Default, Copy, Clone, PartialEq)]
pub struct atc_cache_statistics {
    pub struct_size: u32,
    /// not used, always 0: the memory of the cached plans is limited
    /// (`byte_limit`), their number is not
    pub capacity: u32,
    /// number of plans that the cache has now. If several threads run the same
    /// convolution at the same time, the cache has a plan for each of them
    pub plans: u64,
    pub hits: u64,
    pub misses: u64,
    pub evictions: u64,
    /// number of calls that should have measured but did not, because their stream
    /// was being captured. Such a call used a known decision or the default
    /// engine
    pub put_off: u64,
    /// estimated bytes of host memory that the cached plans take
    pub bytes: u64,
    /// the limit of atc_set_plan_memory_limit, in bytes. The plans that a library
    /// such as cuDNN keeps for each thread count towards the limit, too
    pub byte_limit: u64,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of atc_cache_statistics",
    ][::core::mem::size_of::<atc_cache_statistics>() - 64usize];
    [
        "Alignment of atc_cache_statistics",
    ][::core::mem::align_of::<atc_cache_statistics>() - 8usize];
    [
        "Offset of field: atc_cache_statistics::struct_size",
    ][::core::mem::offset_of!(atc_cache_statistics, struct_size) - 0usize];
    [
        "Offset of field: atc_cache_statistics::capacity",
    ][::core::mem::offset_of!(atc_cache_statistics, capacity) - 4usize];
    [
        "Offset of field: atc_cache_statistics::plans",
    ][::core::mem::offset_of!(atc_cache_statistics, plans) - 8usize];
    [
        "Offset of field: atc_cache_statistics::hits",
    ][::core::mem::offset_of!(atc_cache_statistics, hits) - 16usize];
    [
        "Offset of field: atc_cache_statistics::misses",
    ][::core::mem::offset_of!(atc_cache_statistics, misses) - 24usize];
    [
        "Offset of field: atc_cache_statistics::evictions",
    ][::core::mem::offset_of!(atc_cache_statistics, evictions) - 32usize];
    [
        "Offset of field: atc_cache_statistics::put_off",
    ][::core::mem::offset_of!(atc_cache_statistics, put_off) - 40usize];
    [
        "Offset of field: atc_cache_statistics::bytes",
    ][::core::mem::offset_of!(atc_cache_statistics, bytes) - 48usize];
    [
        "Offset of field: atc_cache_statistics::byte_limit",
    ][::core::mem::offset_of!(atc_cache_statistics, byte_limit) - 56usize];
};
#[repr(C)]
#[derive(Debug, Copy, Clone, PartialEq)]
pub struct atc_device_info {
    pub struct_size: u32,
    /// CUDA: number of multiprocessors. CPU: number of threads that a
    /// convolution uses
    pub compute_units: i32,
    /// size of the last-level cache, in bytes; 0: unknown
    pub cache_bytes: u64,
    /// total size of the device's memory, in bytes; 0: unknown
    pub memory_bytes: u64,
    /// CUDA compute capability (major, minor); 0 for the CPU
    pub compute_major: i32,
    pub compute_minor: i32,
    /// name of the device: "Intel(R) Xeon(R) …", "NVIDIA H200"
    pub name: [core::ffi::c_char; 128usize],
    /// CPU: the instruction sets that atc can use, "avx2 avx512f
    /// avx512_bf16 …"
    pub isa: [core::ffi::c_char; 128usize],
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of atc_device_info"][::core::mem::size_of::<atc_device_info>() - 288usize];
    [
        "Alignment of atc_device_info",
    ][::core::mem::align_of::<atc_device_info>() - 8usize];
    [
        "Offset of field: atc_device_info::struct_size",
    ][::core::mem::offset_of!(atc_device_info, struct_size) - 0usize];
    [
        "Offset of field: atc_device_info::compute_units",
    ][::core::mem::offset_of!(atc_device_info, compute_units) - 4usize];
    [
        "Offset of field: atc_device_info::cache_bytes",
    ][::core::mem::offset_of!(atc_device_info, cache_bytes) - 8usize];
    [
        "Offset of field: atc_device_info::memory_bytes",
    ][::core::mem::offset_of!(atc_device_info, memory_bytes) - 16usize];
    [
        "Offset of field: atc_device_info::compute_major",
    ][::core::mem::offset_of!(atc_device_info, compute_major) - 24usize];
    [
        "Offset of field: atc_device_info::compute_minor",
    ][::core::mem::offset_of!(atc_device_info, compute_minor) - 28usize];
    [
        "Offset of field: atc_device_info::name",
    ][::core::mem::offset_of!(atc_device_info, name) - 32usize];
    [
        "Offset of field: atc_device_info::isa",
    ][::core::mem::offset_of!(atc_device_info, isa) - 160usize];
};
impl Default for atc_device_info {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
/// A library that atc uses, or that atc would use if it were installed. If there is a CUDA device,
/// atc_library_describe opens the libraries of CUDA.
#[repr(C)]
#[derive(Debug, Copy, Clone, PartialEq)]
pub struct atc_library_info {
    pub struct_size: u32,
    /// 1: the library is loaded. 0: the library is missing, or atc has not
    /// searched for it; `note` has the details
    pub loaded: i32,
    /// "oneDNN", "CUDA driver", "cuDNN" …
    pub name: [core::ffi::c_char; 64usize],
    /// version of the library that is loaded; "" if it is not loaded
    pub version: [core::ffi::c_char; 64usize],
    /// version of this library's headers with which atc was compiled; "" if
    /// atc was compiled without them
    pub compiled_version: [core::ffi::c_char; 64usize],
    /// file from which the library was loaded; "" if it is not loaded
    pub file: [core::ffi::c_char; 512usize],
    /// the reason why the library is not loaded or not used, or the names of
    /// missing parts and of the functions of atc that need them; else ""
    pub note: [core::ffi::c_char; 512usize],
    /// warnings, one sentence per line; "" if there are none. There may be
    /// warnings of three sorts: parts of the library are of different
    /// versions; the library does not support a device yet; this version of
    /// the library has known faults
    pub remarks: [core::ffi::c_char; 2048usize],
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of atc_library_info"][::core::mem::size_of::<atc_library_info>() - 3272usize];
    [
        "Alignment of atc_library_info",
    ][::core::mem::align_of::<atc_library_info>() - 4usize];
    [
        "Offset of field: atc_library_info::struct_size",
    ][::core::mem::offset_of!(atc_library_info, struct_size) - 0usize];
    [
        "Offset of field: atc_library_info::loaded",
    ][::core::mem::offset_of!(atc_library_info, loaded) - 4usize];
    [
        "Offset of field: atc_library_info::name",
    ][::core::mem::offset_of!(atc_library_info, name) - 8usize];
    [
        "Offset of field: atc_library_info::version",
    ][::core::mem::offset_of!(atc_library_info, version) - 72usize];
    [
        "Offset of field: atc_library_info::compiled_version",
    ][::core::mem::offset_of!(atc_library_info, compiled_version) - 136usize];
    [
        "Offset of field: atc_library_info::file",
    ][::core::mem::offset_of!(atc_library_info, file) - 200usize];
    [
        "Offset of field: atc_library_info::note",
    ][::core::mem::offset_of!(atc_library_info, note) - 712usize];
    [
        "Offset of field: atc_library_info::remarks",
    ][::core::mem::offset_of!(atc_library_info, remarks) - 1224usize];
};
impl Default for atc_library_info {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
/// A list of problems. Each problem is listed with the device and the options on which its decision
/// depends. If the problem, the device and the options are equal, the problem is listed once.
#[repr(C)]
pub struct atc_problems {
    _data: [u8; 1 - 1],
    _marker: core::marker::PhantomData<(*mut u8, core::marker::PhantomPinned)>,
}
pub const ATC_RETUNE_PROVISIONAL: i32 = 3;
/// Options of atc_tune. A field that is 0 has its default. A switch is 0 (default), ATC_OFF or
/// ATC_ON. The number 1 means ATC_OFF: to turn a switch on, use atc_option_enable (base.h).
#[repr(C)]
#[derive(Debug, Copy, Clone, PartialEq)]
pub struct atc_tune_options {
    pub struct_size: u32,
    /// how candidates are timed (ATC_TECHNIQUE_*). 0:
    /// benchmark_technique (a switch of settings.h)
    pub technique: atc_technique,
    /// ATC_ON: use only deterministic kernels. 0: deterministic_cudnn or
    /// deterministic_algorithms (switches of settings.h)
    pub deterministic: i32,
    /// ATC_ON: allow TF32 in fp32 convolutions. 0: allow_tf32_cudnn (a
    /// switch of settings.h)
    pub allow_tf32: i32,
    /// 0: off. On: candidates are timed with packed weights, and the
    /// time of packing does not count; as in atc_conv_options
    pub constant_weights: i32,
    /// 0: off. ATC_ON: problems that have a decision are measured again.
    /// ATC_RETUNE_PROVISIONAL: problems that have a provisional decision are measured
    /// again
    pub retune: i32,
    /// the promised alignment of the operands in bytes; as in
    /// atc_conv_options
    pub alignment: u32,
    /// 0: on. On: if the switch benchmark_limit_cudnn has its default
    /// value, further candidates of cuDNN may be tried beyond this
    /// limit. A further candidate is tried if it is expected to save
    /// more time than trying takes (docs/tuning.md). Off: the limit
    /// holds
    pub widen: i32,
    /// the most bytes of workspace that a candidate may use. 0:
    /// workspace_limit on CUDA, 1 GiB on the CPU (workspace_limit is a
    /// switch of settings.h). ATC_NONE: no workspace. ATC_UNLIMITED: no
    /// limit
    pub workspace_limit: u64,
    /// the largest number of candidates of one problem that may be
    /// tried. 0: benchmark_limit_cudnn on CUDA, all on the CPU
    /// (benchmark_limit_cudnn is a switch of settings.h). ATC_UNLIMITED:
    /// no limit
    pub max_candidates: u64,
    /// seed of the random data with which tuning fills its tensors. 0:
    /// the last atc_manual_seed, else a fixed one
    pub seed: u64,
    /// the longest total time, in seconds, for preparing, checking and
    /// timing all candidates of one problem. 0: 2 s
    pub problem_budget_seconds: f64,
    /// the longest time of the whole call, in seconds. 0: no limit. If
    /// this budget is spent before a problem, the report says that the
    /// problem was not measured. If this budget leaves time for only
    /// some candidates of a problem, the decision is provisional
    pub total_budget_seconds: f64,
    /// the relative difference of times below which two candidates count
    /// as tied (equally fast). 0: 0.01. If the default and the fastest
    /// candidate are tied, the default wins. The default is the
    /// program's own convolution (ATC_ENGINE_ORIGINAL) if it is a
    /// candidate, else the choice of the default engine
    pub tie_margin: f64,
    /// names of the engines and rewrites whose candidates are
    /// considered, separated by ','. NULL: all
    pub engines_allowed: *const core::ffi::c_char,
    /// names of the engines and rewrites whose candidates are not
    /// considered, separated by ','. NULL: none
    pub engines_barred: *const core::ffi::c_char,
    /// 0: off. On: provisional (uncertain) records are ignored, and
    /// provisional decisions are not stored; as in atc_conv_options
    pub require_firm: i32,
    /// 0: off. On: the program's own convolution is refused if it is
    /// imprecise; as in atc_conv_options
    pub strict_precision: i32,
    /// 0: off. On: every candidate may round partial sums
    /// to the operands' type; as in atc_conv_options
    pub allow_reduced_precision_reduction: i32,
    /// 0: on. Off: no store is read or written; as in
    /// atc_conv_options
    pub use_store: i32,
    /// the store that this call reads and writes. NULL: the store in
    /// use; as in atc_conv_options
    pub store: *const atc_store,
    /// the allocator that provides the memory of the races of
    /// this call. The struct is copied. NULL: the process's
    /// allocator
    pub allocator: *const atc_allocator,
    /// a list of further problems, which are tuned and reported
    /// after the problems of the array. If a call has noted a
    /// problem (ATC_TUNE_LATER), the problem is tuned with the
    /// device, the options and the store of the call that has
    /// noted it. If that store is closed, the status of the
    /// problem is ATC_ERROR_NOT_TUNED. The following fields of
    /// this struct apply only to problems of the list that do not
    /// have the option themselves: deterministic, allow_tf32,
    /// constant_weights, alignment, workspace_limit,
    /// require_firm, strict_precision,
    /// allow_reduced_precision_reduction, use_store and store.
    /// NULL: none
    pub problems: *const atc_problems,
    /// the number of calls that are expected to use a decision: above 0,
    /// or infinity. A candidate is tried if, over this number of calls,
    /// it is expected to save more time than trying takes. 0:
    /// ATC_EXPECTED_CALLS, else 30000 (ATC_EXPECTED_CALLS is an
    /// environment variable)
    pub expected_calls: f64,
    /// a group of ranks (the processes of a job, group.h). With a group
    /// the call is collective: all ranks must call atc_tune, and they
    /// decide all their problems together. NULL: this process alone
    pub group: *const atc_group,
    /// the most bytes that a race may allocate in addition to the memory
    /// that the program holds; as in atc_conv_options. 0:
    /// race_memory_limit of the process, else a quarter of the free
    /// memory (atc_set_race_memory_limit)
    pub race_memory_limit: u64,
    /// whether a race times a candidate first that has won an earlier race
    /// on the same device model with another cuDNN (on the CPU: oneDNN) or
    /// another LibTorch; as in atc_conv_options. 0: ATC_OTHER_VERSIONS,
    /// else off
    pub other_versions: i32,
    /// 0
    pub reserved: i32,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of atc_tune_options"][::core::mem::size_of::<atc_tune_options>() - 168usize];
    [
        "Alignment of atc_tune_options",
    ][::core::mem::align_of::<atc_tune_options>() - 8usize];
    [
        "Offset of field: atc_tune_options::struct_size",
    ][::core::mem::offset_of!(atc_tune_options, struct_size) - 0usize];
    [
        "Offset of field: atc_tune_options::technique",
    ][::core::mem::offset_of!(atc_tune_options, technique) - 4usize];
    [
        "Offset of field: atc_tune_options::deterministic",
    ][::core::mem::offset_of!(atc_tune_options, deterministic) - 8usize];
    [
        "Offset of field: atc_tune_options::allow_tf32",
    ][::core::mem::offset_of!(atc_tune_options, allow_tf32) - 12usize];
    [
        "Offset of field: atc_tune_options::constant_weights",
    ][::core::mem::offset_of!(atc_tune_options, constant_weights) - 16usize];
    [
        "Offset of field: atc_tune_options::retune",
    ][::core::mem::offset_of!(atc_tune_options, retune) - 20usize];
    [
        "Offset of field: atc_tune_options::alignment",
    ][::core::mem::offset_of!(atc_tune_options, alignment) - 24usize];
    [
        "Offset of field: atc_tune_options::widen",
    ][::core::mem::offset_of!(atc_tune_options, widen) - 28usize];
    [
        "Offset of field: atc_tune_options::workspace_limit",
    ][::core::mem::offset_of!(atc_tune_options, workspace_limit) - 32usize];
    [
        "Offset of field: atc_tune_options::max_candidates",
    ][::core::mem::offset_of!(atc_tune_options, max_candidates) - 40usize];
    [
        "Offset of field: atc_tune_options::seed",
    ][::core::mem::offset_of!(atc_tune_options, seed) - 48usize];
    [
        "Offset of field: atc_tune_options::problem_budget_seconds",
    ][::core::mem::offset_of!(atc_tune_options, problem_budget_seconds) - 56usize];
    [
        "Offset of field: atc_tune_options::total_budget_seconds",
    ][::core::mem::offset_of!(atc_tune_options, total_budget_seconds) - 64usize];
    [
        "Offset of field: atc_tune_options::tie_margin",
    ][::core::mem::offset_of!(atc_tune_options, tie_margin) - 72usize];
    [
        "Offset of field: atc_tune_options::engines_allowed",
    ][::core::mem::offset_of!(atc_tune_options, engines_allowed) - 80usize];
    [
        "Offset of field: atc_tune_options::engines_barred",
    ][::core::mem::offset_of!(atc_tune_options, engines_barred) - 88usize];
    [
        "Offset of field: atc_tune_options::require_firm",
    ][::core::mem::offset_of!(atc_tune_options, require_firm) - 96usize];
    [
        "Offset of field: atc_tune_options::strict_precision",
    ][::core::mem::offset_of!(atc_tune_options, strict_precision) - 100usize];
    [
        "Offset of field: atc_tune_options::allow_reduced_precision_reduction",
    ][::core::mem::offset_of!(atc_tune_options, allow_reduced_precision_reduction)
        - 104usize];
    [
        "Offset of field: atc_tune_options::use_store",
    ][::core::mem::offset_of!(atc_tune_options, use_store) - 108usize];
    [
        "Offset of field: atc_tune_options::store",
    ][::core::mem::offset_of!(atc_tune_options, store) - 112usize];
    [
        "Offset of field: atc_tune_options::allocator",
    ][::core::mem::offset_of!(atc_tune_options, allocator) - 120usize];
    [
        "Offset of field: atc_tune_options::problems",
    ][::core::mem::offset_of!(atc_tune_options, problems) - 128usize];
    [
        "Offset of field: atc_tune_options::expected_calls",
    ][::core::mem::offset_of!(atc_tune_options, expected_calls) - 136usize];
    [
        "Offset of field: atc_tune_options::group",
    ][::core::mem::offset_of!(atc_tune_options, group) - 144usize];
    [
        "Offset of field: atc_tune_options::race_memory_limit",
    ][::core::mem::offset_of!(atc_tune_options, race_memory_limit) - 152usize];
    [
        "Offset of field: atc_tune_options::other_versions",
    ][::core::mem::offset_of!(atc_tune_options, other_versions) - 160usize];
    [
        "Offset of field: atc_tune_options::reserved",
    ][::core::mem::offset_of!(atc_tune_options, reserved) - 164usize];
};
impl Default for atc_tune_options {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[repr(C)]
pub struct atc_tune_report {
    _data: [u8; 1 - 1],
    _marker: core::marker::PhantomData<(*mut u8, core::marker::PhantomPinned)>,
}
/// the decision is provisional (uncertain). Possible reasons: clock
/// frequencies kept changing, the budget did not suffice to distinguish
/// the fastest candidates, or the total budget left time for only some
/// candidates. The decision is stored and used like a firm one, until a
/// firm decision replaces it. The firm decision may come from a race
/// with more budget, atc_tune_options.retune, an import or a merge
pub const ATC_TUNED_UNSTABLE: i32 = 1;
/// the decision was not stored. Possible reasons: a candidate ran out of
/// memory, the budget was over before two candidates were compared, or
/// the race was cancelled
pub const ATC_TUNED_INCOMPLETE: i32 = 2;
/// the decision was written to the store
pub const ATC_TUNED_STORED: i32 = 4;
pub const ATC_TUNED_CANCELLED: i32 = 8;
/// the store could not be written, so the decision exists only in this
/// process. The field `why` has the error
pub const ATC_TUNED_UNWRITTEN: i32 = 16;
#[repr(C)]
#[derive(Debug, Copy, Clone, PartialEq)]
pub struct atc_tuned_problem {
    pub struct_size: u32,
    /// status of this problem. The other fields are set if the status is
    /// ATC_OK
    pub status: atc_status,
    /// source of the decision, ATC_SOURCE_*
    pub source: i32,
    /// bits: ATC_TUNED_*
    pub flags: u32,
    /// index of the winning candidate; -1: none
    pub winner: i64,
    /// index of the candidate that would run without tuning; -1: none
    pub default_candidate: i64,
    pub candidates: u64,
    /// how often this call executed candidates of the problem; 0 if the
    /// decision was already known
    pub executions: u64,
    /// seconds that this call has spent on this problem
    pub seconds: f64,
    /// for a provisional (uncertain) decision: the fraction by which the
    /// choice may be slower than another candidate (0.1: 10 %). It is an
    /// estimate, which not every technique of timing gives. 0 in all other
    /// cases
    pub risk: f64,
    pub description: *const core::ffi::c_char,
    /// the chosen implementation (engine, version and configuration); "" if there is none
    pub choice: *const core::ffi::c_char,
    /// sentences that explain the flags; or the text of the error if
    /// `status` is an error; "" if there is nothing to explain
    pub why: *const core::ffi::c_char,
    /// the largest number of bytes of device memory (CPU: main memory)
    /// that the race of this call held at one time, in addition to the
    /// memory that the program holds. 0 if nothing was measured
    pub memory_bytes: u64,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of atc_tuned_problem"][::core::mem::size_of::<atc_tuned_problem>() - 96usize];
    [
        "Alignment of atc_tuned_problem",
    ][::core::mem::align_of::<atc_tuned_problem>() - 8usize];
    [
        "Offset of field: atc_tuned_problem::struct_size",
    ][::core::mem::offset_of!(atc_tuned_problem, struct_size) - 0usize];
    [
        "Offset of field: atc_tuned_problem::status",
    ][::core::mem::offset_of!(atc_tuned_problem, status) - 4usize];
    [
        "Offset of field: atc_tuned_problem::source",
    ][::core::mem::offset_of!(atc_tuned_problem, source) - 8usize];
    [
        "Offset of field: atc_tuned_problem::flags",
    ][::core::mem::offset_of!(atc_tuned_problem, flags) - 12usize];
    [
        "Offset of field: atc_tuned_problem::winner",
    ][::core::mem::offset_of!(atc_tuned_problem, winner) - 16usize];
    [
        "Offset of field: atc_tuned_problem::default_candidate",
    ][::core::mem::offset_of!(atc_tuned_problem, default_candidate) - 24usize];
    [
        "Offset of field: atc_tuned_problem::candidates",
    ][::core::mem::offset_of!(atc_tuned_problem, candidates) - 32usize];
    [
        "Offset of field: atc_tuned_problem::executions",
    ][::core::mem::offset_of!(atc_tuned_problem, executions) - 40usize];
    [
        "Offset of field: atc_tuned_problem::seconds",
    ][::core::mem::offset_of!(atc_tuned_problem, seconds) - 48usize];
    [
        "Offset of field: atc_tuned_problem::risk",
    ][::core::mem::offset_of!(atc_tuned_problem, risk) - 56usize];
    [
        "Offset of field: atc_tuned_problem::description",
    ][::core::mem::offset_of!(atc_tuned_problem, description) - 64usize];
    [
        "Offset of field: atc_tuned_problem::choice",
    ][::core::mem::offset_of!(atc_tuned_problem, choice) - 72usize];
    [
        "Offset of field: atc_tuned_problem::why",
    ][::core::mem::offset_of!(atc_tuned_problem, why) - 80usize];
    [
        "Offset of field: atc_tuned_problem::memory_bytes",
    ][::core::mem::offset_of!(atc_tuned_problem, memory_bytes) - 88usize];
};
impl Default for atc_tuned_problem {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
/// nothing was measured, and the winner is the first offer of the default engine
pub const ATC_RULE_FIRST_OFFER: i32 = 1;
/// no candidate but the winner was timed
pub const ATC_RULE_ALONE: i32 = 2;
/// the winner is the fastest candidate, and no comparison with the
/// default was needed: the winner is the default itself, or the default
/// was not timed
pub const ATC_RULE_FASTEST: i32 = 3;
/// the winner is faster than the default by more than the tie margin
pub const ATC_RULE_FASTER: i32 = 4;
/// the winner is the default: no other candidate is faster than it by
/// more than the tie margin and the noise of the measurement
pub const ATC_RULE_TIE_DEFAULT: i32 = 5;
/// the winner and the default are tied (equally fast within the tie
/// margin). The winner is preferred because the store keeps its compiled
/// form, while each process may have to compile the default
pub const ATC_RULE_TIE_KEPT: i32 = 6;
/// another candidate is slightly faster, but by less than the tie
/// margin. The winner is preferred because it has less to compile or
/// needs less workspace
pub const ATC_RULE_TIE_LIGHTER: i32 = 7;
/// another candidate is faster on the device, but the host takes longer
/// to issue that candidate, so the winner is preferred
pub const ATC_RULE_HOST: i32 = 8;
/// strict_precision is on, and the winner is the fastest candidate that
/// is precise enough
pub const ATC_RULE_PRECISE: i32 = 9;
#[repr(C)]
pub struct atc_explanation {
    _data: [u8; 1 - 1],
    _marker: core::marker::PhantomData<(*mut u8, core::marker::PhantomPinned)>,
}
#[repr(C)]
#[derive(Debug, Copy, Clone, PartialEq)]
pub struct atc_explained {
    pub struct_size: u32,
    /// source of the decision (ATC_SOURCE_*); 0 if no engine can run the problem
    pub source: i32,
    /// rule of the decision (ATC_RULE_*); 0 if no engine can run the problem
    pub rule: i32,
    /// bits: ATC_TUNED_UNSTABLE: the decision is provisional (uncertain).
    /// ATC_TUNED_STORED: the decision is in the store
    pub flags: u32,
    /// index of the winning candidate; -1: none
    pub winner: i64,
    /// index of the candidate that runs without tuning; -1: none
    pub default_candidate: i64,
    pub candidates: u64,
    pub entrants: u64,
    /// bytes that the convolution must read and write at least: the sizes
    /// of x, w, y, bias, scale and residual. If the result is added to the
    /// old output (`accumulate`), the output counts twice
    pub bytes: u64,
    /// number of floating-point operations if the sums are computed as
    /// defined, including products with the zeros of the padding
    pub flops: f64,
    /// the largest measured rate at which the device moves data, in bytes
    /// per second; 0: not measured
    pub bytes_per_second: f64,
    /// the largest measured rate at which the device computes with the
    /// problem's data types, in operations per second; 0: not measured
    pub flops_per_second: f64,
    /// for a provisional decision: the fraction by which the choice may be
    /// slower than another candidate; as in atc_tuned_problem
    pub risk: f64,
    /// text of the problem, as atc_conv_problem_describe writes it
    pub description: *const core::ffi::c_char,
    /// text of the winner (engine, version and configuration); "" if no engine can run
    /// the problem
    pub choice: *const core::ffi::c_char,
    /// a sentence that states the rule by which the winner was chosen,
    /// with the times. If no engine can run the problem: the reason of
    /// each engine
    pub why: *const core::ffi::c_char,
    /// why the decision is provisional (uncertain), or ""
    pub doubts: *const core::ffi::c_char,
    /// why the store has no usable decision for the problem, as a part of
    /// a sentence; "" if the store has one
    pub miss: *const core::ffi::c_char,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of atc_explained"][::core::mem::size_of::<atc_explained>() - 128usize];
    ["Alignment of atc_explained"][::core::mem::align_of::<atc_explained>() - 8usize];
    [
        "Offset of field: atc_explained::struct_size",
    ][::core::mem::offset_of!(atc_explained, struct_size) - 0usize];
    [
        "Offset of field: atc_explained::source",
    ][::core::mem::offset_of!(atc_explained, source) - 4usize];
    [
        "Offset of field: atc_explained::rule",
    ][::core::mem::offset_of!(atc_explained, rule) - 8usize];
    [
        "Offset of field: atc_explained::flags",
    ][::core::mem::offset_of!(atc_explained, flags) - 12usize];
    [
        "Offset of field: atc_explained::winner",
    ][::core::mem::offset_of!(atc_explained, winner) - 16usize];
    [
        "Offset of field: atc_explained::default_candidate",
    ][::core::mem::offset_of!(atc_explained, default_candidate) - 24usize];
    [
        "Offset of field: atc_explained::candidates",
    ][::core::mem::offset_of!(atc_explained, candidates) - 32usize];
    [
        "Offset of field: atc_explained::entrants",
    ][::core::mem::offset_of!(atc_explained, entrants) - 40usize];
    [
        "Offset of field: atc_explained::bytes",
    ][::core::mem::offset_of!(atc_explained, bytes) - 48usize];
    [
        "Offset of field: atc_explained::flops",
    ][::core::mem::offset_of!(atc_explained, flops) - 56usize];
    [
        "Offset of field: atc_explained::bytes_per_second",
    ][::core::mem::offset_of!(atc_explained, bytes_per_second) - 64usize];
    [
        "Offset of field: atc_explained::flops_per_second",
    ][::core::mem::offset_of!(atc_explained, flops_per_second) - 72usize];
    [
        "Offset of field: atc_explained::risk",
    ][::core::mem::offset_of!(atc_explained, risk) - 80usize];
    [
        "Offset of field: atc_explained::description",
    ][::core::mem::offset_of!(atc_explained, description) - 88usize];
    [
        "Offset of field: atc_explained::choice",
    ][::core::mem::offset_of!(atc_explained, choice) - 96usize];
    [
        "Offset of field: atc_explained::why",
    ][::core::mem::offset_of!(atc_explained, why) - 104usize];
    [
        "Offset of field: atc_explained::doubts",
    ][::core::mem::offset_of!(atc_explained, doubts) - 112usize];
    [
        "Offset of field: atc_explained::miss",
    ][::core::mem::offset_of!(atc_explained, miss) - 120usize];
};
impl Default for atc_explained {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
/// An engine or a rewrite that works on the device. A rewrite turns the problem into another
/// problem, which an engine computes.
#[repr(C)]
#[derive(Debug, Copy, Clone, PartialEq)]
pub struct atc_entrant {
    pub struct_size: u32,
    /// 0: an engine. 1: a rewrite
    pub is_rewrite: i32,
    /// number of implementations that the engine offers for the problem and
    /// that the options allow. For a rewrite: number of implementations that
    /// engines offer for the rewritten problem
    pub offers: u64,
    pub name: *const core::ffi::c_char,
    pub version: *const core::ffi::c_char,
    /// why the engine or rewrite has no offers, or no further offers; "" if
    /// there is no reason to state
    pub why_not: *const core::ffi::c_char,
    /// the options and settings that exclude offers of the engine. Each is
    /// followed by the number of offers that only this option or setting
    /// excludes: "workspace_limit:2,deterministic:1". Separated by ','
    /// without a space. "": none
    pub barriers: *const core::ffi::c_char,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of atc_entrant"][::core::mem::size_of::<atc_entrant>() - 48usize];
    ["Alignment of atc_entrant"][::core::mem::align_of::<atc_entrant>() - 8usize];
    [
        "Offset of field: atc_entrant::struct_size",
    ][::core::mem::offset_of!(atc_entrant, struct_size) - 0usize];
    [
        "Offset of field: atc_entrant::is_rewrite",
    ][::core::mem::offset_of!(atc_entrant, is_rewrite) - 4usize];
    [
        "Offset of field: atc_entrant::offers",
    ][::core::mem::offset_of!(atc_entrant, offers) - 8usize];
    [
        "Offset of field: atc_entrant::name",
    ][::core::mem::offset_of!(atc_entrant, name) - 16usize];
    [
        "Offset of field: atc_entrant::version",
    ][::core::mem::offset_of!(atc_entrant, version) - 24usize];
    [
        "Offset of field: atc_entrant::why_not",
    ][::core::mem::offset_of!(atc_entrant, why_not) - 32usize];
    [
        "Offset of field: atc_entrant::barriers",
    ][::core::mem::offset_of!(atc_entrant, barriers) - 40usize];
};
impl Default for atc_entrant {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
/// with equal inputs, two executions may give different bits
pub const ATC_ENGINE_NONDETERMINISTIC: i32 = 1;
/// the engine does not write to the caller's output: `execute`
/// returns the result in a buffer of the engine's own
/// (atc_engine_operands.result)
pub const ATC_ENGINE_RETURNS_OUTPUT: i32 = 2;
/// the method (Winograd or FFT, for example) transforms the data,
/// so that it rounds even if all operands are small integers. atc
/// checks each offer on small integers. Without this flag the
/// results must be exact; with it they must lie within an error
/// bound
pub const ATC_ENGINE_TRANSFORM: i32 = 4;
/// the sum is rounded to the output's dtype twice: before and
/// after the bias is added
pub const ATC_ENGINE_ROUNDS_TWICE: i32 = 8;
/// the offer is the convolution that the program runs without
/// atc. If the offer rounds partial sums more coarsely than the
/// options allow, the offer is marked and not refused
/// (atc_conv_options.strict_precision). If its result is wrong,
/// the offer is refused
pub const ATC_ENGINE_ORIGINAL: i32 = 16;
pub const ATC_ENGINE_EVERY_DEVICE: i32 = -1;
/// The limits within which an engine must offer and build implementations. They follow from the
/// options of the call and the process's switches.
#[repr(C)]
#[derive(Debug, Default, Copy, Clone, PartialEq)]
pub struct atc_engine_limits {
    pub struct_size: u32,
    /// 1: atc ignores offers with the flag ATC_ENGINE_NONDETERMINISTIC
    pub deterministic: i32,
    pub allow_tf32: i32,
    /// 1: the weights are constant, and atc will call `set_weights` with
    /// them. Nevertheless an execution may pass w, for example before that
    /// call
    pub constant_weights: i32,
    pub device: atc_device,
    /// the alignment in bytes: the addresses of x, w and y are multiples of
    /// this number
    pub alignment: u64,
    /// the largest workspace, in bytes, that an offer may need. Offers that
    /// need more are ignored
    pub workspace: u64,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of atc_engine_limits"][::core::mem::size_of::<atc_engine_limits>() - 40usize];
    [
        "Alignment of atc_engine_limits",
    ][::core::mem::align_of::<atc_engine_limits>() - 8usize];
    [
        "Offset of field: atc_engine_limits::struct_size",
    ][::core::mem::offset_of!(atc_engine_limits, struct_size) - 0usize];
    [
        "Offset of field: atc_engine_limits::deterministic",
    ][::core::mem::offset_of!(atc_engine_limits, deterministic) - 4usize];
    [
        "Offset of field: atc_engine_limits::allow_tf32",
    ][::core::mem::offset_of!(atc_engine_limits, allow_tf32) - 8usize];
    [
        "Offset of field: atc_engine_limits::constant_weights",
    ][::core::mem::offset_of!(atc_engine_limits, constant_weights) - 12usize];
    [
        "Offset of field: atc_engine_limits::device",
    ][::core::mem::offset_of!(atc_engine_limits, device) - 16usize];
    [
        "Offset of field: atc_engine_limits::alignment",
    ][::core::mem::offset_of!(atc_engine_limits, alignment) - 24usize];
    [
        "Offset of field: atc_engine_limits::workspace",
    ][::core::mem::offset_of!(atc_engine_limits, workspace) - 32usize];
};
#[repr(C)]
#[derive(Debug, Copy, Clone, PartialEq)]
pub struct atc_engine_offer {
    pub struct_size: u32,
    /// ATC_ENGINE_*
    pub flags: u32,
    /// bytes
    pub workspace: u64,
    /// the text by which the engine names this offer, in printable ASCII.
    /// The engine's name, its version and this text together identify the
    /// offer
    pub configuration: *const core::ffi::c_char,
    /// remarks for people. NULL counts as ""
    pub notes: *const core::ffi::c_char,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of atc_engine_offer"][::core::mem::size_of::<atc_engine_offer>() - 32usize];
    [
        "Alignment of atc_engine_offer",
    ][::core::mem::align_of::<atc_engine_offer>() - 8usize];
    [
        "Offset of field: atc_engine_offer::struct_size",
    ][::core::mem::offset_of!(atc_engine_offer, struct_size) - 0usize];
    [
        "Offset of field: atc_engine_offer::flags",
    ][::core::mem::offset_of!(atc_engine_offer, flags) - 4usize];
    [
        "Offset of field: atc_engine_offer::workspace",
    ][::core::mem::offset_of!(atc_engine_offer, workspace) - 8usize];
    [
        "Offset of field: atc_engine_offer::configuration",
    ][::core::mem::offset_of!(atc_engine_offer, configuration) - 16usize];
    [
        "Offset of field: atc_engine_offer::notes",
    ][::core::mem::offset_of!(atc_engine_offer, notes) - 24usize];
};
impl Default for atc_engine_offer {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
/// A function of atc that an engine calls inside its callback `offers`, to pass one offer to atc.
/// atc copies the offer. If this function returns a status other than ATC_OK, `offers` must return
/// this status.
pub type atc_offer_callback = ::core::option::Option<
    unsafe extern "C" fn(
        offer: *const atc_engine_offer,
        payload: *mut core::ffi::c_void,
    ) -> atc_status,
>;
/// The memory of one execution: addresses of operands and workspace. The problem's direction
/// determines which of x, w and y is the output.
#[repr(C)]
#[derive(Debug, Copy, Clone, PartialEq)]
pub struct atc_engine_operands {
    pub struct_size: u32,
    pub reserved: u32,
    pub x: *mut core::ffi::c_void,
    /// address of the weights. NULL: use the weights of set_weights
    pub w: *mut core::ffi::c_void,
    /// address of the bias; NULL if the problem has no bias (no epilogue)
    pub bias: *const core::ffi::c_void,
    pub y: *mut core::ffi::c_void,
    pub workspace: *mut core::ffi::c_void,
    pub workspace_size: u64,
    pub stream: atc_stream,
    /// for offers with ATC_ENGINE_RETURNS_OUTPUT: `execute` writes the address of
    /// the output to this field. The output must remain valid until the next
    /// callback with the same `prepared`
    pub result: *mut core::ffi::c_void,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of atc_engine_operands",
    ][::core::mem::size_of::<atc_engine_operands>() - 72usize];
    [
        "Alignment of atc_engine_operands",
    ][::core::mem::align_of::<atc_engine_operands>() - 8usize];
    [
        "Offset of field: atc_engine_operands::struct_size",
    ][::core::mem::offset_of!(atc_engine_operands, struct_size) - 0usize];
    [
        "Offset of field: atc_engine_operands::reserved",
    ][::core::mem::offset_of!(atc_engine_operands, reserved) - 4usize];
    [
        "Offset of field: atc_engine_operands::x",
    ][::core::mem::offset_of!(atc_engine_operands, x) - 8usize];
    [
        "Offset of field: atc_engine_operands::w",
    ][::core::mem::offset_of!(atc_engine_operands, w) - 16usize];
    [
        "Offset of field: atc_engine_operands::bias",
    ][::core::mem::offset_of!(atc_engine_operands, bias) - 24usize];
    [
        "Offset of field: atc_engine_operands::y",
    ][::core::mem::offset_of!(atc_engine_operands, y) - 32usize];
    [
        "Offset of field: atc_engine_operands::workspace",
    ][::core::mem::offset_of!(atc_engine_operands, workspace) - 40usize];
    [
        "Offset of field: atc_engine_operands::workspace_size",
    ][::core::mem::offset_of!(atc_engine_operands, workspace_size) - 48usize];
    [
        "Offset of field: atc_engine_operands::stream",
    ][::core::mem::offset_of!(atc_engine_operands, stream) - 56usize];
    [
        "Offset of field: atc_engine_operands::result",
    ][::core::mem::offset_of!(atc_engine_operands, result) - 64usize];
};
impl Default for atc_engine_operands {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct atc_engine {
    pub struct_size: u32,
    /// the type of device on which the engine works (ATC_DEVICE_*), or ATC_ENGINE_EVERY_DEVICE
    pub device_type: i32,
    /// unique name of letters, digits, '_' and '-'. The text is copied
    pub name: *const core::ffi::c_char,
    /// version of the engine. If atc asks the engine for offers for a decision,
    /// atc stores this version with the decision. The text is copied
    pub version: *const core::ffi::c_char,
    /// passed to each callback. Callbacks must return normally
    pub user: *mut core::ffi::c_void,
    /// A callback that calls `offer` once for each configuration that the engine has for the problem.
    /// The configuration that is probably the fastest comes first. If the engine does not support the
    /// problem, the callback makes no offer. It then returns ATC_OK, or ATC_ERROR_UNSUPPORTED with an
    /// error text (atc_error_set) that says why. The problem is never transposed, and its layout is
    /// always ATC_LAYOUT_STRIDED. Backward-data may have a bias, because atc passes a transposed
    /// convolution as backward-data.
    pub offers: ::core::option::Option<
        unsafe extern "C" fn(
            user: *mut core::ffi::c_void,
            problem: *const atc_conv_problem,
            limits: *const atc_engine_limits,
            offer: atc_offer_callback,
            payload: *mut core::ffi::c_void,
        ) -> atc_status,
    >,
    /// Builds one configuration and writes a handle of it to `*prepared`. atc passes this handle to
    /// `set_weights`, `execute` and, in the end, `release`. `problem` and `limits` are valid only
    /// during the call.
    pub prepare: ::core::option::Option<
        unsafe extern "C" fn(
            prepared: *mut *mut core::ffi::c_void,
            user: *mut core::ffi::c_void,
            problem: *const atc_conv_problem,
            limits: *const atc_engine_limits,
            configuration: *const core::ffi::c_char,
        ) -> atc_status,
    >,
    /// Packs constant weights for later executions. The callback may be NULL. Then, on the CPU, atc
    /// keeps a copy of the weights and passes it to `execute`. On CUDA, atc_conv_plan_set_weights then
    /// returns ATC_ERROR_UNSUPPORTED.
    pub set_weights: ::core::option::Option<
        unsafe extern "C" fn(
            user: *mut core::ffi::c_void,
            prepared: *mut core::ffi::c_void,
            w: *const core::ffi::c_void,
        ) -> atc_status,
    >,
    /// Runs the prepared configuration. On CUDA the callback queues its work on `operands->stream` and
    /// does not wait for the work. The stream may be in capture mode: programs capture the stream, and
    /// a race captures one execution to count its launches. If the callback returns an error in such a
    /// capture by a race, the race goes on, and atc regards this configuration as one that cannot be
    /// captured.
    pub execute: ::core::option::Option<
        unsafe extern "C" fn(
            user: *mut core::ffi::c_void,
            prepared: *mut core::ffi::c_void,
            operands: *mut atc_engine_operands,
        ) -> atc_status,
    >,
    pub release: ::core::option::Option<
        unsafe extern "C" fn(
            user: *mut core::ffi::c_void,
            prepared: *mut core::ffi::c_void,
        ),
    >,
    /// Frees `user`. May be NULL. atc calls `destroy` once, after the engine was unregistered and the
    /// last `release` has returned.
    pub destroy: ::core::option::Option<
        unsafe extern "C" fn(user: *mut core::ffi::c_void),
    >,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of atc_engine"][::core::mem::size_of::<atc_engine>() - 80usize];
    ["Alignment of atc_engine"][::core::mem::align_of::<atc_engine>() - 8usize];
    [
        "Offset of field: atc_engine::struct_size",
    ][::core::mem::offset_of!(atc_engine, struct_size) - 0usize];
    [
        "Offset of field: atc_engine::device_type",
    ][::core::mem::offset_of!(atc_engine, device_type) - 4usize];
    [
        "Offset of field: atc_engine::name",
    ][::core::mem::offset_of!(atc_engine, name) - 8usize];
    [
        "Offset of field: atc_engine::version",
    ][::core::mem::offset_of!(atc_engine, version) - 16usize];
    [
        "Offset of field: atc_engine::user",
    ][::core::mem::offset_of!(atc_engine, user) - 24usize];
    [
        "Offset of field: atc_engine::offers",
    ][::core::mem::offset_of!(atc_engine, offers) - 32usize];
    [
        "Offset of field: atc_engine::prepare",
    ][::core::mem::offset_of!(atc_engine, prepare) - 40usize];
    [
        "Offset of field: atc_engine::set_weights",
    ][::core::mem::offset_of!(atc_engine, set_weights) - 48usize];
    [
        "Offset of field: atc_engine::execute",
    ][::core::mem::offset_of!(atc_engine, execute) - 56usize];
    [
        "Offset of field: atc_engine::release",
    ][::core::mem::offset_of!(atc_engine, release) - 64usize];
    [
        "Offset of field: atc_engine::destroy",
    ][::core::mem::offset_of!(atc_engine, destroy) - 72usize];
};
impl Default for atc_engine {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[repr(C)]
#[derive(Debug, Copy, Clone, PartialEq)]
pub struct atc_engine_info {
    pub struct_size: u32,
    pub built_in: i32,
    pub serves_cpu: i32,
    pub serves_cuda: i32,
    pub name: [core::ffi::c_char; 64usize],
    pub version: [core::ffi::c_char; 64usize],
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of atc_engine_info"][::core::mem::size_of::<atc_engine_info>() - 144usize];
    [
        "Alignment of atc_engine_info",
    ][::core::mem::align_of::<atc_engine_info>() - 4usize];
    [
        "Offset of field: atc_engine_info::struct_size",
    ][::core::mem::offset_of!(atc_engine_info, struct_size) - 0usize];
    [
        "Offset of field: atc_engine_info::built_in",
    ][::core::mem::offset_of!(atc_engine_info, built_in) - 4usize];
    [
        "Offset of field: atc_engine_info::serves_cpu",
    ][::core::mem::offset_of!(atc_engine_info, serves_cpu) - 8usize];
    [
        "Offset of field: atc_engine_info::serves_cuda",
    ][::core::mem::offset_of!(atc_engine_info, serves_cuda) - 12usize];
    [
        "Offset of field: atc_engine_info::name",
    ][::core::mem::offset_of!(atc_engine_info, name) - 16usize];
    [
        "Offset of field: atc_engine_info::version",
    ][::core::mem::offset_of!(atc_engine_info, version) - 80usize];
};
impl Default for atc_engine_info {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub const ATC_SETTING_BENCHMARK_CUDNN: i32 = 1;
pub const ATC_SETTING_BENCHMARK_LIMIT_CUDNN: i32 = 2;
pub const ATC_SETTING_USER_ENABLED_CUDNN: i32 = 3;
pub const ATC_SETTING_DETERMINISTIC_CUDNN: i32 = 4;
pub const ATC_SETTING_DETERMINISTIC_ALGORITHMS: i32 = 5;
pub const ATC_SETTING_ALLOW_TF32_CUDNN: i32 = 6;
/// A source of settings: callbacks that read and write switches which another library (for example
/// LibTorch) stores. If `get` or `set` is NULL or returns ATC_ERROR_UNSUPPORTED for a switch, atc
/// itself stores this switch. If `manual_seed` or `synchronize` is NULL or returns
/// ATC_ERROR_UNSUPPORTED, atc itself does the action. Callbacks must return normally.
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct atc_settings_source {
    pub struct_size: u32,
    pub reserved: u32,
    pub user: *mut core::ffi::c_void,
    pub get: ::core::option::Option<
        unsafe extern "C" fn(
            out: *mut i64,
            user: *mut core::ffi::c_void,
            setting: i32,
        ) -> atc_status,
    >,
    pub set: ::core::option::Option<
        unsafe extern "C" fn(
            user: *mut core::ffi::c_void,
            setting: i32,
            value: i64,
        ) -> atc_status,
    >,
    pub manual_seed: ::core::option::Option<
        unsafe extern "C" fn(
            user: *mut core::ffi::c_void,
            seed: u64,
            all_devices: i32,
        ) -> atc_status,
    >,
    pub synchronize: ::core::option::Option<
        unsafe extern "C" fn(user: *mut core::ffi::c_void, index: i32) -> atc_status,
    >,
    /// Frees `user`. May be NULL. atc calls `destroy` once, after the source was replaced and its last
    /// callback has returned.
    pub destroy: ::core::option::Option<
        unsafe extern "C" fn(user: *mut core::ffi::c_void),
    >,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of atc_settings_source",
    ][::core::mem::size_of::<atc_settings_source>() - 56usize];
    [
        "Alignment of atc_settings_source",
    ][::core::mem::align_of::<atc_settings_source>() - 8usize];
    [
        "Offset of field: atc_settings_source::struct_size",
    ][::core::mem::offset_of!(atc_settings_source, struct_size) - 0usize];
    [
        "Offset of field: atc_settings_source::reserved",
    ][::core::mem::offset_of!(atc_settings_source, reserved) - 4usize];
    [
        "Offset of field: atc_settings_source::user",
    ][::core::mem::offset_of!(atc_settings_source, user) - 8usize];
    [
        "Offset of field: atc_settings_source::get",
    ][::core::mem::offset_of!(atc_settings_source, get) - 16usize];
    [
        "Offset of field: atc_settings_source::set",
    ][::core::mem::offset_of!(atc_settings_source, set) - 24usize];
    [
        "Offset of field: atc_settings_source::manual_seed",
    ][::core::mem::offset_of!(atc_settings_source, manual_seed) - 32usize];
    [
        "Offset of field: atc_settings_source::synchronize",
    ][::core::mem::offset_of!(atc_settings_source, synchronize) - 40usize];
    [
        "Offset of field: atc_settings_source::destroy",
    ][::core::mem::offset_of!(atc_settings_source, destroy) - 48usize];
};
impl Default for atc_settings_source {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
/// An allocator. It provides workspaces, the scratch memory of tuning, and the memory of weights
/// that are set (atc_conv_plan_set_weights). It does not provide the workspaces of captured calls,
/// because these live as long as their graphs. `alloc` returns NULL if there is no memory. Otherwise
/// it returns memory that may be used on `stream` and that is aligned to 64 bytes (CPU) or 256 bytes
/// (CUDA). Callbacks must return normally.
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct atc_allocator {
    pub struct_size: u32,
    /// the type of device (ATC_DEVICE_*) for which this allocator provides
    /// memory. For the other type, atc's own allocator is used. 0: this allocator
    /// provides memory for both types
    pub device_type: i32,
    pub user: *mut core::ffi::c_void,
    pub alloc: ::core::option::Option<
        unsafe extern "C" fn(
            user: *mut core::ffi::c_void,
            size: u64,
            device: atc_device,
            stream: atc_stream,
        ) -> *mut core::ffi::c_void,
    >,
    pub free: ::core::option::Option<
        unsafe extern "C" fn(
            user: *mut core::ffi::c_void,
            pointer: *mut core::ffi::c_void,
            device: atc_device,
            stream: atc_stream,
        ),
    >,
    /// Frees `user`. May be NULL. atc calls `destroy` once, after the allocator was replaced and the
    /// last `free` has returned.
    pub destroy: ::core::option::Option<
        unsafe extern "C" fn(user: *mut core::ffi::c_void),
    >,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of atc_allocator"][::core::mem::size_of::<atc_allocator>() - 40usize];
    ["Alignment of atc_allocator"][::core::mem::align_of::<atc_allocator>() - 8usize];
    [
        "Offset of field: atc_allocator::struct_size",
    ][::core::mem::offset_of!(atc_allocator, struct_size) - 0usize];
    [
        "Offset of field: atc_allocator::device_type",
    ][::core::mem::offset_of!(atc_allocator, device_type) - 4usize];
    [
        "Offset of field: atc_allocator::user",
    ][::core::mem::offset_of!(atc_allocator, user) - 8usize];
    [
        "Offset of field: atc_allocator::alloc",
    ][::core::mem::offset_of!(atc_allocator, alloc) - 16usize];
    [
        "Offset of field: atc_allocator::free",
    ][::core::mem::offset_of!(atc_allocator, free) - 24usize];
    [
        "Offset of field: atc_allocator::destroy",
    ][::core::mem::offset_of!(atc_allocator, destroy) - 32usize];
};
impl Default for atc_allocator {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub const ATC_LOG_OFF: i32 = 1;
pub const ATC_LOG_ERROR: i32 = 2;
pub const ATC_LOG_WARNING: i32 = 3;
pub const ATC_LOG_INFO: i32 = 4;
pub const ATC_LOG_DEBUG: i32 = 5;
pub const ATC_LOG_FORMAT_TEXT: i32 = 0;
pub const ATC_LOG_FORMAT_JSON: i32 = 1;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct atc_log_sink {
    pub struct_size: u32,
    /// format of the lines that the callback `write` gets (ATC_LOG_FORMAT_*). The
    /// environment variable ATC_LOG, which can choose a format, too, has no effect on
    /// it
    pub format: i32,
    pub user: *mut core::ffi::c_void,
    /// Receives one line of the log, without a newline. The pointer is valid during the call. Any
    /// thread may call `write`. It must return normally.
    pub write: ::core::option::Option<
        unsafe extern "C" fn(
            user: *mut core::ffi::c_void,
            level: i32,
            line: *const core::ffi::c_char,
        ),
    >,
    /// Frees `user`. May be NULL. atc calls `destroy` once, after the sink was replaced and the last
    /// `write` has returned.
    pub destroy: ::core::option::Option<
        unsafe extern "C" fn(user: *mut core::ffi::c_void),
    >,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of atc_log_sink"][::core::mem::size_of::<atc_log_sink>() - 32usize];
    ["Alignment of atc_log_sink"][::core::mem::align_of::<atc_log_sink>() - 8usize];
    [
        "Offset of field: atc_log_sink::struct_size",
    ][::core::mem::offset_of!(atc_log_sink, struct_size) - 0usize];
    [
        "Offset of field: atc_log_sink::format",
    ][::core::mem::offset_of!(atc_log_sink, format) - 4usize];
    [
        "Offset of field: atc_log_sink::user",
    ][::core::mem::offset_of!(atc_log_sink, user) - 8usize];
    [
        "Offset of field: atc_log_sink::write",
    ][::core::mem::offset_of!(atc_log_sink, write) - 16usize];
    [
        "Offset of field: atc_log_sink::destroy",
    ][::core::mem::offset_of!(atc_log_sink, destroy) - 24usize];
};
impl Default for atc_log_sink {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
/// A function of atc. The callbacks `create` and `get` of a group call it to pass the value of a key
/// to atc, at most once in each of their calls. atc copies the value. If the function returns a
/// status other than ATC_OK, the callback (`create` or `get`) must return this status.
pub type atc_group_answer = ::core::option::Option<
    unsafe extern "C" fn(
        value: *const core::ffi::c_void,
        size: usize,
        payload: *mut core::ffi::c_void,
    ) -> atc_status,
>;
/// A rank, and the store of keys and values that the rank shares with the other ranks. The store may
/// be a folder (atc_group_open_folder), a store of LibTorch's c10d (docs/distributed.md), or any
/// other store that the callbacks `create` and `get` can access. Everybody who can write to this
/// store can determine which implementations the ranks run (docs/trust.md).
///
/// atc promises that a key has at most 512 bytes, all ASCII, and that a value has at most 1 MiB. In
/// a call all ranks together write at most 4 MiB to the store. atc asks `get` to wait for at most 1
/// s, and never changes or removes a key. The callbacks are called by the thread that calls
/// atc_tune, without a lock of atc, and never inside a convolution. They must return normally, and
/// may set an error text (atc_error_set). If a callback fails, atc_tune returns ATC_ERROR_IO.
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct atc_group {
    pub struct_size: u32,
    /// from 0 to size - 1
    pub rank: u32,
    /// the number of ranks of the job
    pub size: u32,
    /// 0
    pub reserved: u32,
    /// the longest time, in seconds, that a rank waits for the other ranks
    /// while none of them makes progress; 0: 60 s
    pub bound_seconds: f64,
    /// the text with which all keys of the group begin, 1 to 380 bytes. Each
    /// job, and each attempt to run it, must have its own prefix. atc appends
    /// a number to the prefix, which counts the calls of atc_tune with this
    /// prefix
    pub prefix: *const core::ffi::c_char,
    /// passed to each callback
    pub user: *mut core::ffi::c_void,
    /// A callback. If the key does not exist, it writes the value. If the key exists, it leaves the
    /// key unchanged. In both cases it passes the value that the key has now to `answer`.
    pub create: ::core::option::Option<
        unsafe extern "C" fn(
            user: *mut core::ffi::c_void,
            key: *const core::ffi::c_char,
            value: *const core::ffi::c_void,
            size: usize,
            answer: atc_group_answer,
            payload: *mut core::ffi::c_void,
        ) -> atc_status,
    >,
    /// A callback. It waits until the key exists, but at most `timeout_seconds`. If the key exists, it
    /// passes the value to `answer`. Otherwise it returns ATC_OK without a call of `answer`.
    pub get: ::core::option::Option<
        unsafe extern "C" fn(
            user: *mut core::ffi::c_void,
            key: *const core::ffi::c_char,
            timeout_seconds: f64,
            answer: atc_group_answer,
            payload: *mut core::ffi::c_void,
        ) -> atc_status,
    >,
    /// atc_group_close calls this function, to free `user`. NULL: there is nothing to free.
    pub destroy: ::core::option::Option<
        unsafe extern "C" fn(user: *mut core::ffi::c_void),
    >,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of atc_group"][::core::mem::size_of::<atc_group>() - 64usize];
    ["Alignment of atc_group"][::core::mem::align_of::<atc_group>() - 8usize];
    [
        "Offset of field: atc_group::struct_size",
    ][::core::mem::offset_of!(atc_group, struct_size) - 0usize];
    [
        "Offset of field: atc_group::rank",
    ][::core::mem::offset_of!(atc_group, rank) - 4usize];
    [
        "Offset of field: atc_group::size",
    ][::core::mem::offset_of!(atc_group, size) - 8usize];
    [
        "Offset of field: atc_group::reserved",
    ][::core::mem::offset_of!(atc_group, reserved) - 12usize];
    [
        "Offset of field: atc_group::bound_seconds",
    ][::core::mem::offset_of!(atc_group, bound_seconds) - 16usize];
    [
        "Offset of field: atc_group::prefix",
    ][::core::mem::offset_of!(atc_group, prefix) - 24usize];
    [
        "Offset of field: atc_group::user",
    ][::core::mem::offset_of!(atc_group, user) - 32usize];
    [
        "Offset of field: atc_group::create",
    ][::core::mem::offset_of!(atc_group, create) - 40usize];
    [
        "Offset of field: atc_group::get",
    ][::core::mem::offset_of!(atc_group, get) - 48usize];
    [
        "Offset of field: atc_group::destroy",
    ][::core::mem::offset_of!(atc_group, destroy) - 56usize];
};
impl Default for atc_group {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
/// The outcome of a call of atc_tune with a group: whether the ranks have agreed, and why not. (The
/// decisions are in the report.)
#[repr(C)]
#[derive(Debug, Copy, Clone, PartialEq)]
pub struct atc_agreement {
    pub struct_size: u32,
    /// 1: the ranks have agreed. 0: no new decision is used; `rank` and `reason`
    /// have the cause
    pub agreed: i32,
    /// if the ranks have not agreed: the number of the rank that caused this
    pub rank: u64,
    /// the number of classes; 0 if the ranks have not agreed
    pub classes: u64,
    /// the index of the class of this rank
    pub own_class: u64,
    /// why the ranks have not agreed; "" if the ranks have agreed
    pub reason: *const core::ffi::c_char,
    /// a hash of the decisions of this rank's class. The hash is equal on all
    /// ranks of the class. "" if the ranks have not agreed
    pub digest: *const core::ffi::c_char,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of atc_agreement"][::core::mem::size_of::<atc_agreement>() - 48usize];
    ["Alignment of atc_agreement"][::core::mem::align_of::<atc_agreement>() - 8usize];
    [
        "Offset of field: atc_agreement::struct_size",
    ][::core::mem::offset_of!(atc_agreement, struct_size) - 0usize];
    [
        "Offset of field: atc_agreement::agreed",
    ][::core::mem::offset_of!(atc_agreement, agreed) - 4usize];
    [
        "Offset of field: atc_agreement::rank",
    ][::core::mem::offset_of!(atc_agreement, rank) - 8usize];
    [
        "Offset of field: atc_agreement::classes",
    ][::core::mem::offset_of!(atc_agreement, classes) - 16usize];
    [
        "Offset of field: atc_agreement::own_class",
    ][::core::mem::offset_of!(atc_agreement, own_class) - 24usize];
    [
        "Offset of field: atc_agreement::reason",
    ][::core::mem::offset_of!(atc_agreement, reason) - 32usize];
    [
        "Offset of field: atc_agreement::digest",
    ][::core::mem::offset_of!(atc_agreement, digest) - 40usize];
};
impl Default for atc_agreement {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
/// A class: ranks that have equal environments (device, versions, engines, terms), and therefore use
/// the same decisions.
#[repr(C)]
#[derive(Debug, Copy, Clone, PartialEq)]
pub struct atc_agreement_class {
    pub struct_size: u32,
    pub reserved: u32,
    /// the number of ranks of the class
    pub count: u64,
    /// the ranks of the class, in ascending order
    pub ranks: *const u64,
    /// the environment as JSON: device and versions, engines, terms
    pub environment: *const core::ffi::c_char,
    /// the differences between this environment and the environment of the
    /// first class; "" for the first class
    pub differences: *const core::ffi::c_char,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of atc_agreement_class",
    ][::core::mem::size_of::<atc_agreement_class>() - 40usize];
    [
        "Alignment of atc_agreement_class",
    ][::core::mem::align_of::<atc_agreement_class>() - 8usize];
    [
        "Offset of field: atc_agreement_class::struct_size",
    ][::core::mem::offset_of!(atc_agreement_class, struct_size) - 0usize];
    [
        "Offset of field: atc_agreement_class::reserved",
    ][::core::mem::offset_of!(atc_agreement_class, reserved) - 4usize];
    [
        "Offset of field: atc_agreement_class::count",
    ][::core::mem::offset_of!(atc_agreement_class, count) - 8usize];
    [
        "Offset of field: atc_agreement_class::ranks",
    ][::core::mem::offset_of!(atc_agreement_class, ranks) - 16usize];
    [
        "Offset of field: atc_agreement_class::environment",
    ][::core::mem::offset_of!(atc_agreement_class, environment) - 24usize];
    [
        "Offset of field: atc_agreement_class::differences",
    ][::core::mem::offset_of!(atc_agreement_class, differences) - 32usize];
};
impl Default for atc_agreement_class {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type atc_store_mode = i32;
/// the store is neither read nor written
pub const ATC_STORE_OFF: i32 = 1;
pub const ATC_STORE_READ: i32 = 2;
/// default
pub const ATC_STORE_READ_WRITE: i32 = 3;
/// the store is only read, and nothing is measured. A call whose problem
/// has no record fails with ATC_ERROR_NOT_TUNED
pub const ATC_STORE_REPLAY_ONLY: i32 = 4;
#[repr(C)]
#[derive(Debug, Copy, Clone, PartialEq)]
pub struct atc_store_info {
    pub struct_size: u32,
    pub mode: atc_store_mode,
    pub entries: u64,
    pub directory: [core::ffi::c_char; 1024usize],
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of atc_store_info"][::core::mem::size_of::<atc_store_info>() - 1040usize];
    ["Alignment of atc_store_info"][::core::mem::align_of::<atc_store_info>() - 8usize];
    [
        "Offset of field: atc_store_info::struct_size",
    ][::core::mem::offset_of!(atc_store_info, struct_size) - 0usize];
    [
        "Offset of field: atc_store_info::mode",
    ][::core::mem::offset_of!(atc_store_info, mode) - 4usize];
    [
        "Offset of field: atc_store_info::entries",
    ][::core::mem::offset_of!(atc_store_info, entries) - 8usize];
    [
        "Offset of field: atc_store_info::directory",
    ][::core::mem::offset_of!(atc_store_info, directory) - 16usize];
};
impl Default for atc_store_info {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
/// Options of atc_store_put. A field that is 0 has its default. A switch is 0 (default), ATC_OFF or
/// ATC_ON. The number 1 means ATC_OFF: to turn a switch on, use atc_option_enable (base.h).
#[repr(C)]
#[derive(Debug, Default, Copy, Clone, PartialEq)]
pub struct atc_store_put_options {
    pub struct_size: u32,
    /// 0: off. On: the new entry may replace a firm entry even if the new entry
    /// is provisional, that is, uncertain (its value has a member
    /// "provisional")
    pub replace_firm: i32,
    /// 0: off. On: compiled parts of the entry (machine code of its winner)
    /// are kept. Whoever wrote these parts determines which code runs here
    /// (docs/trust.md)
    pub trust_compiled: i32,
    /// 0
    pub reserved: u32,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of atc_store_put_options",
    ][::core::mem::size_of::<atc_store_put_options>() - 16usize];
    [
        "Alignment of atc_store_put_options",
    ][::core::mem::align_of::<atc_store_put_options>() - 4usize];
    [
        "Offset of field: atc_store_put_options::struct_size",
    ][::core::mem::offset_of!(atc_store_put_options, struct_size) - 0usize];
    [
        "Offset of field: atc_store_put_options::replace_firm",
    ][::core::mem::offset_of!(atc_store_put_options, replace_firm) - 4usize];
    [
        "Offset of field: atc_store_put_options::trust_compiled",
    ][::core::mem::offset_of!(atc_store_put_options, trust_compiled) - 8usize];
    [
        "Offset of field: atc_store_put_options::reserved",
    ][::core::mem::offset_of!(atc_store_put_options, reserved) - 12usize];
};
pub const ATC_REPLACE_JOIN: i32 = 3;
/// Options of atc_store_import. A field that is 0 has its default. A switch is 0 (default), ATC_OFF
/// or ATC_ON. The number 1 means ATC_OFF: to turn a switch on, use atc_option_enable (base.h).
#[repr(C)]
#[derive(Debug, Default, Copy, Clone, PartialEq)]
pub struct atc_store_import_options {
    pub struct_size: u32,
    /// the rule for an entry of the bundle whose key the store already has. 0: off:
    /// the store's entry remains, unless it is provisional (uncertain) and the
    /// bundle's entry is firm. On: the bundle's entry replaces the store's entry,
    /// unless it is provisional and the store's entry is firm. ATC_REPLACE_JOIN: the
    /// two entries are joined
    pub replace: i32,
    /// 0: off. On: compiled parts of the bundle (machine code) are kept.
    /// Whoever wrote these parts determines which code runs here
    /// (docs/trust.md)
    pub trust_compiled: i32,
    /// 0
    pub reserved: u32,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of atc_store_import_options",
    ][::core::mem::size_of::<atc_store_import_options>() - 16usize];
    [
        "Alignment of atc_store_import_options",
    ][::core::mem::align_of::<atc_store_import_options>() - 4usize];
    [
        "Offset of field: atc_store_import_options::struct_size",
    ][::core::mem::offset_of!(atc_store_import_options, struct_size) - 0usize];
    [
        "Offset of field: atc_store_import_options::replace",
    ][::core::mem::offset_of!(atc_store_import_options, replace) - 4usize];
    [
        "Offset of field: atc_store_import_options::trust_compiled",
    ][::core::mem::offset_of!(atc_store_import_options, trust_compiled) - 8usize];
    [
        "Offset of field: atc_store_import_options::reserved",
    ][::core::mem::offset_of!(atc_store_import_options, reserved) - 12usize];
};
/// Options of atc_store_merge. A field that is 0 has its default. A switch is 0 (default), ATC_OFF
/// or ATC_ON. The number 1 means ATC_OFF: to turn a switch on, use atc_option_enable (base.h).
#[repr(C)]
#[derive(Debug, Default, Copy, Clone, PartialEq)]
pub struct atc_store_merge_options {
    pub struct_size: u32,
    /// 0: off. On: compiled parts of the bundles (machine code) are kept.
    /// Whoever wrote these parts determines which code runs here
    /// (docs/trust.md)
    pub trust_compiled: i32,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of atc_store_merge_options",
    ][::core::mem::size_of::<atc_store_merge_options>() - 8usize];
    [
        "Alignment of atc_store_merge_options",
    ][::core::mem::align_of::<atc_store_merge_options>() - 4usize];
    [
        "Offset of field: atc_store_merge_options::struct_size",
    ][::core::mem::offset_of!(atc_store_merge_options, struct_size) - 0usize];
    [
        "Offset of field: atc_store_merge_options::trust_compiled",
    ][::core::mem::offset_of!(atc_store_merge_options, trust_compiled) - 4usize];
};
/// A copy of all valid entries of a store. The copy never changes, and any number of threads may read it.
#[repr(C)]
pub struct atc_store_entries {
    _data: [u8; 1 - 1],
    _marker: core::marker::PhantomData<(*mut u8, core::marker::PhantomPinned)>,
}
/// One entry of a store. If the entry holds several decisions, the struct describes the decision that is used first.
/// If this version of atc cannot read an entry (for example an entry of a newer version), `trouble`
/// has the reason, and only the readable fields are set. Texts are never NULL.
#[repr(C)]
#[derive(Debug, Copy, Clone, PartialEq)]
pub struct atc_store_entry {
    pub struct_size: u32,
    /// how candidates were timed, ATC_TECHNIQUE_*; 0: not known
    pub technique: i32,
    /// 1 if the decision is provisional (uncertain), else 0
    pub provisional: i32,
    /// number of threads with which convolutions ran in the race, if the
    /// device is a CPU; 0: not known
    pub threads: i32,
    /// index of the winning candidate; -1: none
    pub winner: i64,
    /// index of the candidate that runs without tuning; -1: none
    pub default_candidate: i64,
    /// index of the candidate that is the program's own convolution
    /// (ATC_ENGINE_ORIGINAL); -1: none
    pub original: i64,
    pub candidates: u64,
    /// number of executions of all candidates in the race
    pub executions: u64,
    /// seconds that the race took
    pub seconds: f64,
    /// for a provisional decision: the fraction by which the choice may be
    /// slower than another candidate; as in atc_tuned_problem
    pub risk: f64,
    /// the sizes of x, w and y together, in bytes; 0: not known
    pub bytes: f64,
    /// number of floating-point operations if the sums are computed as
    /// defined, including products with the zeros of the padding; 0: not
    /// known
    pub flops: f64,
    /// the largest measured rate at which the device of the entry moves
    /// data, in bytes per second; 0: not measured
    pub bytes_per_second: f64,
    /// the largest measured rate at which the device computes with the
    /// problem's data types, in operations per second; 0: not measured
    pub flops_per_second: f64,
    /// power limit of the device in watts. Like the next three fields
    /// (temperature and clocks), it was read at the end of the race. 0:
    /// not known
    pub power_limit_watts: f64,
    pub temperature_celsius: f64,
    pub clock_hz: f64,
    pub memory_clock_hz: f64,
    /// the entry as JSON text, as atc_store_get returns it
    pub entry: *const core::ffi::c_char,
    /// the key of the entry as JSON text: the problem, the options that
    /// change which results are allowed, and the environment (device,
    /// driver and versions of libraries)
    pub key: *const core::ffi::c_char,
    /// the problem in one line, "forward f32 x 8×64×56×56 w …"; "" if it cannot be read
    pub problem: *const core::ffi::c_char,
    /// the chosen implementation (engine, version and configuration); "" if it cannot be read
    pub choice: *const core::ffi::c_char,
    /// why the decision is provisional, or ""
    pub why: *const core::ffi::c_char,
    /// why the decision cannot be read, or ""
    pub trouble: *const core::ffi::c_char,
    /// type of the device, "cpu" or "cuda"; "": not known
    pub device: *const core::ffi::c_char,
    /// name of the device; "": not known
    pub device_name: *const core::ffi::c_char,
    /// the libraries whose versions the key of the entry contains, with
    /// these versions: "onednn:3.2". Several are separated by ',' without
    /// a space. "": none
    pub libraries: *const core::ffi::c_char,
    /// the machine that measured the decision, or ""
    pub host: *const core::ffi::c_char,
    /// date and time of the race, "2026-01-31T12:00:00Z", or ""
    pub date: *const core::ffi::c_char,
    /// version of the device's driver; "": not known
    pub driver: *const core::ffi::c_char,
    /// the reasons why the clocks were lowered during the race, one per
    /// line; or ""
    pub clocks_limited_by: *const core::ffi::c_char,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of atc_store_entry"][::core::mem::size_of::<atc_store_entry>() - 240usize];
    [
        "Alignment of atc_store_entry",
    ][::core::mem::align_of::<atc_store_entry>() - 8usize];
    [
        "Offset of field: atc_store_entry::struct_size",
    ][::core::mem::offset_of!(atc_store_entry, struct_size) - 0usize];
    [
        "Offset of field: atc_store_entry::technique",
    ][::core::mem::offset_of!(atc_store_entry, technique) - 4usize];
    [
        "Offset of field: atc_store_entry::provisional",
    ][::core::mem::offset_of!(atc_store_entry, provisional) - 8usize];
    [
        "Offset of field: atc_store_entry::threads",
    ][::core::mem::offset_of!(atc_store_entry, threads) - 12usize];
    [
        "Offset of field: atc_store_entry::winner",
    ][::core::mem::offset_of!(atc_store_entry, winner) - 16usize];
    [
        "Offset of field: atc_store_entry::default_candidate",
    ][::core::mem::offset_of!(atc_store_entry, default_candidate) - 24usize];
    [
        "Offset of field: atc_store_entry::original",
    ][::core::mem::offset_of!(atc_store_entry, original) - 32usize];
    [
        "Offset of field: atc_store_entry::candidates",
    ][::core::mem::offset_of!(atc_store_entry, candidates) - 40usize];
    [
        "Offset of field: atc_store_entry::executions",
    ][::core::mem::offset_of!(atc_store_entry, executions) - 48usize];
    [
        "Offset of field: atc_store_entry::seconds",
    ][::core::mem::offset_of!(atc_store_entry, seconds) - 56usize];
    [
        "Offset of field: atc_store_entry::risk",
    ][::core::mem::offset_of!(atc_store_entry, risk) - 64usize];
    [
        "Offset of field: atc_store_entry::bytes",
    ][::core::mem::offset_of!(atc_store_entry, bytes) - 72usize];
    [
        "Offset of field: atc_store_entry::flops",
    ][::core::mem::offset_of!(atc_store_entry, flops) - 80usize];
    [
        "Offset of field: atc_store_entry::bytes_per_second",
    ][::core::mem::offset_of!(atc_store_entry, bytes_per_second) - 88usize];
    [
        "Offset of field: atc_store_entry::flops_per_second",
    ][::core::mem::offset_of!(atc_store_entry, flops_per_second) - 96usize];
    [
        "Offset of field: atc_store_entry::power_limit_watts",
    ][::core::mem::offset_of!(atc_store_entry, power_limit_watts) - 104usize];
    [
        "Offset of field: atc_store_entry::temperature_celsius",
    ][::core::mem::offset_of!(atc_store_entry, temperature_celsius) - 112usize];
    [
        "Offset of field: atc_store_entry::clock_hz",
    ][::core::mem::offset_of!(atc_store_entry, clock_hz) - 120usize];
    [
        "Offset of field: atc_store_entry::memory_clock_hz",
    ][::core::mem::offset_of!(atc_store_entry, memory_clock_hz) - 128usize];
    [
        "Offset of field: atc_store_entry::entry",
    ][::core::mem::offset_of!(atc_store_entry, entry) - 136usize];
    [
        "Offset of field: atc_store_entry::key",
    ][::core::mem::offset_of!(atc_store_entry, key) - 144usize];
    [
        "Offset of field: atc_store_entry::problem",
    ][::core::mem::offset_of!(atc_store_entry, problem) - 152usize];
    [
        "Offset of field: atc_store_entry::choice",
    ][::core::mem::offset_of!(atc_store_entry, choice) - 160usize];
    [
        "Offset of field: atc_store_entry::why",
    ][::core::mem::offset_of!(atc_store_entry, why) - 168usize];
    [
        "Offset of field: atc_store_entry::trouble",
    ][::core::mem::offset_of!(atc_store_entry, trouble) - 176usize];
    [
        "Offset of field: atc_store_entry::device",
    ][::core::mem::offset_of!(atc_store_entry, device) - 184usize];
    [
        "Offset of field: atc_store_entry::device_name",
    ][::core::mem::offset_of!(atc_store_entry, device_name) - 192usize];
    [
        "Offset of field: atc_store_entry::libraries",
    ][::core::mem::offset_of!(atc_store_entry, libraries) - 200usize];
    [
        "Offset of field: atc_store_entry::host",
    ][::core::mem::offset_of!(atc_store_entry, host) - 208usize];
    [
        "Offset of field: atc_store_entry::date",
    ][::core::mem::offset_of!(atc_store_entry, date) - 216usize];
    [
        "Offset of field: atc_store_entry::driver",
    ][::core::mem::offset_of!(atc_store_entry, driver) - 224usize];
    [
        "Offset of field: atc_store_entry::clocks_limited_by",
    ][::core::mem::offset_of!(atc_store_entry, clocks_limited_by) - 232usize];
};
impl Default for atc_store_entry {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
/// Options of a trace. A field that is 0 has its default.
#[repr(C)]
#[derive(Debug, Copy, Clone, PartialEq)]
pub struct atc_trace_options {
    pub struct_size: u32,
    /// a number n: every n-th call is timed. The calls of each pair of a
    /// problem and a choice are counted separately, and the first one is timed.
    /// 0: 1 on the CPU, 8 on CUDA
    pub sample_every: u32,
    /// the largest number of pairs of a problem and a choice that have rows of
    /// their own. The calls of all further pairs are counted in one row, with
    /// the problem "other". 0: 1024. A pair takes at most 14 KB of memory, and
    /// usually less than 2 KB
    pub max_rows: u32,
    /// the largest number of timed calls that the timeline of the trace shows.
    /// If more calls were timed, the timeline shows the most recent ones. 0:
    /// 65,536. A call takes 32 bytes of memory
    pub max_events: u32,
    /// name of the file for the trace. atc_trace_stop writes the file; without
    /// atc_trace_stop it is written when the process exits. At the exit, calls
    /// that CUDA devices have not finished are left out. If the name ends in
    /// .txt, the file is a table, else JSON. %p stands for the process id, %%
    /// for a %. The folder must exist. If a regular file of this name exists,
    /// it is replaced. If the name is that of a directory, device or the like,
    /// it is refused. The text is copied. NULL: no file
    pub file: *const core::ffi::c_char,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of atc_trace_options"][::core::mem::size_of::<atc_trace_options>() - 24usize];
    [
        "Alignment of atc_trace_options",
    ][::core::mem::align_of::<atc_trace_options>() - 8usize];
    [
        "Offset of field: atc_trace_options::struct_size",
    ][::core::mem::offset_of!(atc_trace_options, struct_size) - 0usize];
    [
        "Offset of field: atc_trace_options::sample_every",
    ][::core::mem::offset_of!(atc_trace_options, sample_every) - 4usize];
    [
        "Offset of field: atc_trace_options::max_rows",
    ][::core::mem::offset_of!(atc_trace_options, max_rows) - 8usize];
    [
        "Offset of field: atc_trace_options::max_events",
    ][::core::mem::offset_of!(atc_trace_options, max_events) - 12usize];
    [
        "Offset of field: atc_trace_options::file",
    ][::core::mem::offset_of!(atc_trace_options, file) - 16usize];
};
impl Default for atc_trace_options {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
/// The results of a trace (atc_trace_stop).
#[repr(C)]
pub struct atc_trace {
    _data: [u8; 1 - 1],
    _marker: core::marker::PhantomData<(*mut u8, core::marker::PhantomPinned)>,
}
/// the row counts the calls of one problem with one choice on one
/// device
pub const ATC_TRACE_ROW_PROBLEM: i32 = 1;
/// the row counts all calls with one choice on one device, whatever
/// their problem
pub const ATC_TRACE_ROW_CHOICE: i32 = 2;
/// the row counts all calls. A trace has one such row, its last row
pub const ATC_TRACE_ROW_TOTAL: i32 = 3;
/// A row of a trace. Times are seconds per call, computed from the timed calls. If no call was
/// timed, they are 0. Median, p90 and p99 are quantiles (q = 0.5, 0.9, 0.99): the time with the
/// index floor(q * (n - 1)) among the n times in ascending order, with an error of at most 1 %. The
/// other figures are exact.
#[repr(C)]
#[derive(Debug, Copy, Clone, PartialEq)]
pub struct atc_trace_row {
    pub struct_size: u32,
    /// ATC_TRACE_ROW_*
    pub kind: i32,
    /// device of the calls; {0, 0} in the total
    pub device: atc_device,
    /// text of the problem, as atc_conv_problem_describe writes it; "" unless `kind` is
    /// ATC_TRACE_ROW_PROBLEM
    pub problem: *const core::ffi::c_char,
    /// the choice, "engine@version:configuration", or the text that a front end
    /// has reported (atc_trace_call_begin); "" in the row TOTAL
    pub choice: *const core::ffi::c_char,
    pub calls: u64,
    /// number of calls of this row that were timed
    pub timed: u64,
    /// estimated time of all calls of the row together, in seconds. It is the sum
    /// of (number of calls * mean time) over the pairs of a problem and a choice
    /// whose calls the row counts
    pub total: f64,
    pub mean: f64,
    pub median: f64,
    pub p90: f64,
    pub p99: f64,
    pub min: f64,
    pub max: f64,
    /// standard deviation of the n measured times, in seconds: the sum of squared
    /// differences from the mean is divided by n - 1
    pub deviation: f64,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of atc_trace_row"][::core::mem::size_of::<atc_trace_row>() - 112usize];
    ["Alignment of atc_trace_row"][::core::mem::align_of::<atc_trace_row>() - 8usize];
    [
        "Offset of field: atc_trace_row::struct_size",
    ][::core::mem::offset_of!(atc_trace_row, struct_size) - 0usize];
    [
        "Offset of field: atc_trace_row::kind",
    ][::core::mem::offset_of!(atc_trace_row, kind) - 4usize];
    [
        "Offset of field: atc_trace_row::device",
    ][::core::mem::offset_of!(atc_trace_row, device) - 8usize];
    [
        "Offset of field: atc_trace_row::problem",
    ][::core::mem::offset_of!(atc_trace_row, problem) - 16usize];
    [
        "Offset of field: atc_trace_row::choice",
    ][::core::mem::offset_of!(atc_trace_row, choice) - 24usize];
    [
        "Offset of field: atc_trace_row::calls",
    ][::core::mem::offset_of!(atc_trace_row, calls) - 32usize];
    [
        "Offset of field: atc_trace_row::timed",
    ][::core::mem::offset_of!(atc_trace_row, timed) - 40usize];
    [
        "Offset of field: atc_trace_row::total",
    ][::core::mem::offset_of!(atc_trace_row, total) - 48usize];
    [
        "Offset of field: atc_trace_row::mean",
    ][::core::mem::offset_of!(atc_trace_row, mean) - 56usize];
    [
        "Offset of field: atc_trace_row::median",
    ][::core::mem::offset_of!(atc_trace_row, median) - 64usize];
    [
        "Offset of field: atc_trace_row::p90",
    ][::core::mem::offset_of!(atc_trace_row, p90) - 72usize];
    [
        "Offset of field: atc_trace_row::p99",
    ][::core::mem::offset_of!(atc_trace_row, p99) - 80usize];
    [
        "Offset of field: atc_trace_row::min",
    ][::core::mem::offset_of!(atc_trace_row, min) - 88usize];
    [
        "Offset of field: atc_trace_row::max",
    ][::core::mem::offset_of!(atc_trace_row, max) - 96usize];
    [
        "Offset of field: atc_trace_row::deviation",
    ][::core::mem::offset_of!(atc_trace_row, deviation) - 104usize];
};
impl Default for atc_trace_row {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
/// a table for people
pub const ATC_TRACE_TABLE: i32 = 1;
/// a Chrome trace for Perfetto, in the time base of PyTorch's profiler. Its key `atc` has
/// the rows (docs/tracing.md)
pub const ATC_TRACE_JSON: i32 = 2;
/// A call of a front end that a trace is timing. Only one thread at a time may use the object.
#[repr(C)]
pub struct atc_trace_call {
    _data: [u8; 1 - 1],
    _marker: core::marker::PhantomData<(*mut u8, core::marker::PhantomPinned)>,
}
unsafe extern "C" {
    /// Returns the name of a status: "ATC_OK", "ATC_ERROR_IO", …, or "unknown status" for a number that this version does
    /// not know. The string is static and never NULL.
    pub fn atc1_status_name(status: atc_status) -> *const core::ffi::c_char;
    /// Returns the error text of this thread: the reason of the last call that failed on this thread.
    /// The text is one sentence of up to 8,191 bytes. The text names the argument, the value and a
    /// remedy. Only the next failing call of this thread replaces the text. Calls that succeed and
    /// `destroy` functions do not change the text. The library owns the text. The pointer is valid until
    /// the text is replaced. The text is "" before the first failure. The pointer is never NULL.
    /// Programs should decide by the status, and show the text to people.
    pub fn atc1_last_error() -> *const core::ffi::c_char;
    /// Sets the error text of this thread. It is for callbacks that a program has registered (extend.h):
    /// before such a callback returns an error status, it sets the text that explains the status. NULL
    /// counts as "".
    pub fn atc1_error_set(text: *const core::ffi::c_char);
    /// Returns the version of the running library, as a number like ATC_VERSION. The macro ATC_VERSION is the version of
    /// the headers with which the program was compiled.
    pub fn atc1_version() -> u32;
    /// Returns the version of the running library as a static string: "0.1.0".
    pub fn atc1_version_string() -> *const core::ffi::c_char;
    /// Returns the ATC_ABI_VERSION of the running library. A program that was compiled with another ATC_ABI_VERSION must
    /// not use the library.
    pub fn atc1_abi_version() -> u32;
    /// atc_bytes_data returns the address of the bytes, and atc_bytes_size returns their number. If the
    /// bytes are a text, a NUL follows the last byte, and the size does not count this NUL. The address
    /// is valid until atc_bytes_destroy. If `bytes` is NULL, the address is NULL and the size is 0.
    pub fn atc1_bytes_data(bytes: *const atc_bytes) -> *const core::ffi::c_char;
    pub fn atc1_bytes_size(bytes: *const atc_bytes) -> usize;
    pub fn atc1_bytes_destroy(bytes: *mut atc_bytes);
    /// benchmark_cudnn: if 1, the candidates of CUDA convolutions are measured, and the fastest is used.
    /// Default 0.
    pub fn atc1_set_benchmark_cudnn(enabled: i32) -> atc_status;
    pub fn atc1_get_benchmark_cudnn(out: *mut i32) -> atc_status;
    /// benchmark_limit_cudnn: the largest number of cuDNN's candidates that are timed for one
    /// convolution. 0: no limit. Default 10. With a bias, each of these candidates is timed in two
    /// forms: with the bias fused, and with the bias added by a separate pass. The number of candidates
    /// of other engines is limited separately (docs/engines.md). A negative limit is
    /// ATC_ERROR_INVALID_ARGUMENT.
    pub fn atc1_set_benchmark_limit_cudnn(limit: i32) -> atc_status;
    pub fn atc1_get_benchmark_limit_cudnn(out: *mut i32) -> atc_status;
    /// user_enabled_cudnn: if 0, the engine `cudnn` is not used. Default 1.
    pub fn atc1_set_user_enabled_cudnn(enabled: i32) -> atc_status;
    pub fn atc1_get_user_enabled_cudnn(out: *mut i32) -> atc_status;
    /// deterministic_cudnn: if 1, only deterministic convolution kernels are used. Default 0.
    pub fn atc1_set_deterministic_cudnn(enabled: i32) -> atc_status;
    pub fn atc1_get_deterministic_cudnn(out: *mut i32) -> atc_status;
    /// deterministic_algorithms: ATC_DETERMINISTIC_ALGORITHMS_*. For convolutions WARN and ERROR have
    /// the same effect: only deterministic kernels are used. If a bridge (for example to LibTorch) is
    /// loaded, the switch applies to all operators of the framework.
    pub fn atc1_set_deterministic_algorithms(mode: i32) -> atc_status;
    pub fn atc1_get_deterministic_algorithms(out: *mut i32) -> atc_status;
    /// allow_tf32_cudnn: if 1, fp32 convolutions on CUDA may use TF32. Default 1, as in LibTorch.
    pub fn atc1_set_allow_tf32_cudnn(enabled: i32) -> atc_status;
    pub fn atc1_get_allow_tf32_cudnn(out: *mut i32) -> atc_status;
    /// benchmark_technique: the technique (ATC_TECHNIQUE_*) by which tuning times the candidates of a
    /// convolution. Default ATC_TECHNIQUE_INTERLEAVED.
    pub fn atc1_set_benchmark_technique(technique: atc_technique) -> atc_status;
    pub fn atc1_get_benchmark_technique(out: *mut atc_technique) -> atc_status;
    /// workspace_limit: the most bytes of workspace that a candidate may use. The limit is rounded down to a class (0, 32
    /// MiB, 256 MiB, 1 GiB, 4 GiB), and the getter returns the class. The decisions of different classes
    /// are separate. ATC_UNLIMITED means the largest class. Default 1 GiB.
    pub fn atc1_set_workspace_limit(bytes: u64) -> atc_status;
    pub fn atc1_get_workspace_limit(out: *mut u64) -> atc_status;
    /// Sets race_memory_limit: the most bytes that a race may allocate on its device (on the CPU: in
    /// main memory), in addition to the memory that the program holds. ATC_UNLIMITED: no limit.
    /// ATC_AUTOMATIC (default): a quarter of the memory that is free when the race begins. If a race
    /// needs more, it first uses fewer sets of operands; then candidates whose workspace does not fit
    /// leave the race (docs/tuning.md). 0 and ATC_NONE: ATC_ERROR_INVALID_ARGUMENT. Environment:
    /// ATC_RACE_MEMORY_LIMIT.
    pub fn atc1_set_race_memory_limit(bytes: u64) -> atc_status;
    pub fn atc1_get_race_memory_limit(out: *mut u64) -> atc_status;
    /// Sets plan_memory_limit: the most bytes of host memory that the cached plans of the process may
    /// take. The plans that cuDNN has built for cached plans count, too. ATC_UNLIMITED: no limit.
    /// Default 2 GiB. If the plans take more, the least recently used plans are destroyed. The sizes are
    /// estimates (docs/threading.md). 0 and ATC_NONE: ATC_ERROR_INVALID_ARGUMENT. Environment:
    /// ATC_PLAN_MEMORY_LIMIT.
    pub fn atc1_set_plan_memory_limit(bytes: u64) -> atc_status;
    pub fn atc1_get_plan_memory_limit(out: *mut u64) -> atc_status;
    /// Sets the directories, separated by ':', in which atc searches for libcuda, cuDNN, cuBLASLt and
    /// NVML before all other places. NULL or "" clears the list. ATC_ERROR_BUSY: atc has already
    /// searched for one of these libraries.
    pub fn atc1_set_library_path(directories: *const core::ffi::c_char) -> atc_status;
    /// Writes the directories that atc_set_library_path or the environment variable ATC_LIBRARY_PATH has
    /// set, separated by ':'; "" if there are none. `*out` is owned by the library and valid until this
    /// thread's next call of this function.
    pub fn atc1_get_library_path(out: *mut *const core::ffi::c_char) -> atc_status;
    /// Reads the pin file `file`, and obeys its pins from now on. A pin prescribes the implementation of
    /// certain problems, or bars implementations (docs/pins.md). The new pins replace the pins of an
    /// earlier pin file, also of the file of ATC_PINS. NULL or "" means no pins. A pinned choice takes
    /// precedence over records and tuning. A choice that a call gives (atc_conv_options.choice) takes
    /// precedence over pins. If the file changes later, it is not read again. ATC_ERROR_IO: the file
    /// cannot be read. ATC_ERROR_INVALID_ARGUMENT: the file is not a valid pin file; the error text has
    /// the line, the field and its value. After an error the earlier pins remain in force. If ATC_PINS
    /// names a file with such an error, every call that needs a decision fails with this error until the
    /// program sets another pin file.
    pub fn atc1_set_pins(file: *const core::ffi::c_char) -> atc_status;
    /// Returns the name of the pin file in force, or "". `*out` is owned by the library and valid until this thread's next
    /// call of this function.
    pub fn atc1_get_pins(out: *mut *const core::ffi::c_char) -> atc_status;
    /// Writes a hash of the pins in force: of their patterns, choices and bars, but not of their names
    /// and comments. Writes 0 if there are no pins.
    pub fn atc1_get_pins_hash(out: *mut u64) -> atc_status;
    /// Writes the values of all switches to `out`. The caller sets `out->struct_size` before the call.
    /// No byte after this size is written.
    pub fn atc1_settings_get(out: *mut atc_settings) -> atc_status;
    /// Sets all switches to the values of the struct. If one of the values is not valid, the call fails
    /// and changes no switch.
    pub fn atc1_settings_apply(settings: *const atc_settings) -> atc_status;
    /// Reads the environment variables again and sets the switches accordingly, even if a call has set a
    /// switch before. ATC_ERROR_INVALID_ARGUMENT: a value is malformed, and nothing was changed.
    /// ATC_ERROR_IO: the store of ATC_STORE cannot be opened, or the file of ATC_PINS cannot be read. If
    /// the store can be read but not written, it is opened for reading, and one line is logged.
    pub fn atc1_settings_from_env() -> atc_status;
    /// Prepares a repeatable run: sets deterministic_cudnn = 1, deterministic_algorithms = ERROR and benchmark_cudnn = 0,
    /// and seeds all generators of random numbers. `out` (may be NULL) receives the conditions that
    /// could not be established. The call succeeds even if there are such conditions.
    pub fn atc1_set_reproducible(
        out: *mut atc_reproducible_report,
        seed: u64,
    ) -> atc_status;
    /// Fills all fields of `out`, `struct_size` included. The result is a forward fp32 problem of
    /// `spatial_dims` (1, 2 or 3) dimensions. Stride, dilation, groups, batch, channels, kernel and
    /// input extents are 1, the layout is channels first, and there is no epilogue. The parameter
    /// `struct_size` is the size of the caller's atc_conv_problem in bytes. No byte after this size is
    /// written. In atc.h the macro atc_conv_problem_init(&problem, 2) passes this size.
    /// ATC_ERROR_INVALID_ARGUMENT: `spatial_dims` is not 1, 2 or 3, or `struct_size` is not the size of
    /// any version of the struct.
    pub fn atc1_conv_problem_init_sized(
        out: *mut atc_conv_problem,
        struct_size: usize,
        spatial_dims: i32,
    ) -> atc_status;
    /// Writes a description of a problem as text, in one line. Reports and messages describe problems by
    /// the same text: "forward x=8x64x56x56 f32 w=…". The caller destroys `*out`.
    /// ATC_ERROR_INVALID_ARGUMENT is returned if the problem is not valid.
    pub fn atc1_conv_problem_describe(
        out: *mut *mut atc_bytes,
        problem: *const atc_conv_problem,
    ) -> atc_status;
    /// Writes the shape and the strides of one operand (ATC_OPERAND_*) of a problem, in elements. The
    /// caller's arrays `shape` and `strides` must have room for `spatial_dims + 2` entries; for bias and
    /// scale one entry is written. Either pointer may be NULL. ATC_ERROR_INVALID_ARGUMENT is returned if
    /// the problem is not valid.
    pub fn atc1_conv_operand_shape(
        shape: *mut i64,
        strides: *mut i64,
        problem: *const atc_conv_problem,
        operand: i32,
    ) -> atc_status;
    /// Returns the name of a source (ATC_SOURCE_*): "ATC_SOURCE_RECORD", …, or "unknown source" for a number that this
    /// version does not know. The string is static and never NULL.
    pub fn atc1_source_name(source: i32) -> *const core::ffi::c_char;
    /// Decides which implementation runs the problem, and prepares the plan. The decision comes from the
    /// first source that has one, in the order GIVEN, PINNED, AGREED, RECORD, MEMORY, TUNED, ADOPTED,
    /// INHERITED, PREDICTED, DEFAULT, REFERENCE (ATC_SOURCE_*). The option `tune` determines which of
    /// these sources are asked: MEMORY only if `tune` is not off; TUNED only with ATC_ON; ADOPTED and
    /// INHERITED only if the call may not measure; PREDICTED only with ATC_TUNE_PREDICT. `options` may be
    /// NULL. The caller destroys `*out`.
    ///
    ///   atc_conv_plan* plan = NULL;
    ///   atc_conv_problem p;
    ///   atc_conv_problem_init(&p, 2);
    ///   p.batch = 8; p.in_channels = 64; p.out_channels = 64; p.input[0] = p.input[1] = 56;
    ///   p.kernel[0] = p.kernel[1] = 3; p.padding_low[0] = p.padding_low[1] = 1; … padding_high too
    ///   if (atc_conv_plan_create(&plan, (atc_device){ATC_DEVICE_CPU, 0}, &p, NULL)) puts(atc_last_error());
    ///
    /// Errors:
    /// - ATC_ERROR_INVALID_ARGUMENT: the error text names the field.
    /// - ATC_ERROR_UNSUPPORTED: no engine can run the problem, or a pin cannot be obeyed.
    /// - ATC_ERROR_NOT_TUNED: the store is replay-only and has no record of the problem.
    /// - ATC_ERROR_LIBRARY, ATC_ERROR_DEVICE: CUDA or one of its libraries failed.
    /// - ATC_ERROR_CAPTURING: `tune` is ATC_ON and the stream is being captured.
    /// - ATC_ERROR_CANCELLED: the callback `options->progress` cancelled.
    pub fn atc1_conv_plan_create(
        out: *mut *mut atc_conv_plan,
        device: atc_device,
        problem: *const atc_conv_problem,
        options: *const atc_conv_options,
    ) -> atc_status;
    /// Makes a plan that runs the given `choice`. If the choice cannot be used, the call fails, and no
    /// other choice is taken. `choice` is a text in the form that atc_conv_plan_choice returns. The
    /// caller destroys `*out`. Errors:
    /// - ATC_ERROR_INVALID_ARGUMENT: the error text names the field, or says that `choice` is not of that form.
    /// - ATC_ERROR_UNSUPPORTED: the engine of the choice does not exist here, has another version or
    ///   cannot build the choice, or the choice computed wrong results when atc checked them.
    /// - ATC_ERROR_OUT_OF_MEMORY: memory does not suffice.
    /// - ATC_ERROR_LIBRARY: a library of CUDA or cuDNN that the engine needs is missing or cannot be used.
    /// - ATC_ERROR_DEVICE: CUDA failed.
    pub fn atc1_conv_plan_create_with_choice(
        out: *mut *mut atc_conv_plan,
        device: atc_device,
        problem: *const atc_conv_problem,
        options: *const atc_conv_options,
        choice: *const core::ffi::c_char,
    ) -> atc_status;
    /// Lists the pins that a plan of this device, problem and options obeys. A pin is an entry of the
    /// pin file (atc_set_pins): it gives the choice for certain problems, or bars engines, rewrites or
    /// choices. `*out` is the text of a JSON array of {"number": …, "line": …, "name": …}, each with a
    /// member "choice" or "bar". If a pin gives the choice, the array has this pin alone. Otherwise the
    /// array has all bars for the problem. If no pin is for the problem, the array is empty. `number` is
    /// the position of the pin in its file, from 1. If a bar names an unknown engine or rewrite, the
    /// member "unknown" maps this name to the most similar known name, or to "": {"onedn": "onednn"}.
    /// The call builds no plan. `options` may be NULL. The caller destroys `*out`.
    /// ATC_ERROR_INVALID_ARGUMENT: the error text names the field. If the file of ATC_PINS has an error,
    /// the status is that of atc_set_pins.
    pub fn atc1_conv_pins(
        out: *mut *mut atc_bytes,
        device: atc_device,
        problem: *const atc_conv_problem,
        options: *const atc_conv_options,
    ) -> atc_status;
    /// Writes the effect of the pins on a problem: ATC_PINS_CHOOSE, ATC_PINS_BAR, or 0 if no pin is for the problem.
    /// Arguments and errors are those of atc_conv_pins.
    pub fn atc1_conv_pins_effect(
        out: *mut i32,
        device: atc_device,
        problem: *const atc_conv_problem,
        options: *const atc_conv_options,
    ) -> atc_status;
    /// Destroys a plan. If `plan` is NULL, nothing happens. A plan may be destroyed while its work is
    /// queued or captured on CUDA: the work still runs. The operands, and a workspace that the caller
    /// provided, must remain valid until the work has run.
    pub fn atc1_conv_plan_destroy(plan: *mut atc_conv_plan);
    /// Writes the number of bytes of workspace that atc_conv_plan_execute needs for the plan. A
    /// workspace must be aligned to 64 bytes on the CPU and to 256 bytes on CUDA.
    pub fn atc1_conv_plan_workspace_size(
        out: *mut u64,
        plan: *const atc_conv_plan,
    ) -> atc_status;
    /// Runs the plan. A forward plan reads x, w and bias, and writes y. A backward-data plan reads w and
    /// y, and writes x. A backward-weight plan reads x and y, and writes w. `bias` is NULL unless the
    /// problem has an epilogue (a bias, with or without a ReLU). `w` may be NULL after
    /// atc_conv_plan_set_weights.
    ///
    /// The views must have the problem's shapes, strides and dtypes, and their memory must be on the
    /// plan's device. The addresses of x, w, y and the residual must be multiples of the plan's alignment
    /// (atc_conv_options). The output must not share a byte with another operand or with the workspace;
    /// if it does, the status is ATC_ERROR_INVALID_ARGUMENT. The output may interleave with another
    /// operand (its elements lie in the gaps that the other operand's strides leave). Inputs may overlap
    /// each other.
    ///
    /// `workspace` holds `workspace_size` bytes, at least atc_conv_plan_workspace_size. If `workspace`
    /// is NULL, the allocator provides a workspace for this call. On the CPU the call ignores `stream`
    /// and returns when the output is written. On CUDA the call queues its work on `stream`.
    ///
    /// If the stream is being captured and `workspace` is NULL, atc itself allocates the workspace,
    /// without the allocator. This workspace lives as long as the graph, and the captured calls of one
    /// stream share it. All executables of a graph use the same workspace and the same operands. So if
    /// two executables are to run at the same time, they must come from different graphs. Each of these
    /// graphs needs operands and a `workspace` of its own.
    ///
    /// ATC_ERROR_INVALID_ARGUMENT: the error text names the operand and the fault.
    /// ATC_ERROR_UNSUPPORTED: the choice is a front end's own convolution (ATC_ENGINE_RETURNS_OUTPUT),
    /// which only the front end can run.
    pub fn atc1_conv_plan_execute(
        plan: *mut atc_conv_plan,
        x: *const atc_tensor_view,
        w: *const atc_tensor_view,
        bias: *const atc_tensor_view,
        y: *const atc_tensor_view,
        workspace: *mut core::ffi::c_void,
        workspace_size: u64,
        stream: atc_stream,
    ) -> atc_status;
    /// Runs the plan like atc_conv_plan_execute. This function also supports problems with a scale or a
    /// residual.
    pub fn atc1_conv_plan_execute_v2(
        plan: *mut atc_conv_plan,
        operands: *const atc_conv_operands,
        workspace: *mut core::ffi::c_void,
        workspace_size: u64,
        stream: atc_stream,
    ) -> atc_status;
    /// Packs the weights `w` for this plan, so that atc_conv_plan_execute can be called with `w` = NULL. The buffer of `w`
    /// is read before the call returns and is not needed afterwards. On CUDA the buffer is read on the
    /// legacy default stream. If work on another stream writes the buffer, this work must have finished
    /// before the call. The function may be called again with other weights. Executions that were queued
    /// or captured earlier still use the earlier weights. ATC_ERROR_INVALID_ARGUMENT: the problem is
    /// backward-weight, so w is the output.
    pub fn atc1_conv_plan_set_weights(
        plan: *mut atc_conv_plan,
        w: *const atc_tensor_view,
    ) -> atc_status;
    /// Runs the plan once on operands that atc fills with normally distributed numbers, and writes `count` elements of the
    /// output to `out`. The elements are spread evenly over the output: out[i] is the element with the
    /// index i * (number of elements) / count, in row-major order of the shape. `seed` determines the
    /// numbers. Equal seeds give equal operands on every machine, so the results of two libraries or
    /// devices can be compared. The call returns when the device has finished. The call must not be made
    /// during a stream capture. Errors:
    /// - ATC_ERROR_INVALID_ARGUMENT: the output has no elements, or fewer than `count`.
    /// - ATC_ERROR_OUT_OF_MEMORY: the operands do not fit into memory.
    /// - ATC_ERROR_LIBRARY: the plan is for CUDA, and atc was built without device kernels.
    pub fn atc1_conv_plan_sample(
        out: *mut f64,
        count: usize,
        plan: *mut atc_conv_plan,
        seed: u64,
    ) -> atc_status;
    /// Returns the plan's choice as text: "engine@version:configuration", with a prefix
    /// "rewrite@version>" for each rewrite. (A rewrite turns the problem into another problem, which the
    /// engine computes.) The text is valid as long as the plan.
    pub fn atc1_conv_plan_choice(
        out: *mut *const core::ffi::c_char,
        plan: *const atc_conv_plan,
    ) -> atc_status;
    /// Returns the source of the plan's decision: ATC_SOURCE_*.
    pub fn atc1_conv_plan_source(
        out: *mut i32,
        plan: *const atc_conv_plan,
    ) -> atc_status;
    /// Writes 1 to `*out` if the plan's decision is provisional, else 0. A decision is provisional if
    /// its race could not show with certainty that the choice is the fastest. For a provisional
    /// decision, `*risk` estimates by which fraction the choice may be slower than another candidate
    /// (0.1: 10 %). `*risk` is 0 if the decision is not provisional, or if the technique of timing gives
    /// no estimate. `risk` may be NULL.
    pub fn atc1_conv_plan_provisional(
        out: *mut i32,
        risk: *mut f64,
        plan: *const atc_conv_plan,
    ) -> atc_status;
    /// Returns the name of a candidate's result (ATC_OUTCOME_*): "ATC_OUTCOME_WON", …, or "unknown outcome" for a number
    /// that this version does not know. The string is static and never NULL.
    pub fn atc1_outcome_name(outcome: i32) -> *const core::ffi::c_char;
    /// atc_conv_plan_candidate_count writes the number of candidates of the plan's decision.
    /// atc_conv_plan_candidate writes the candidate `index` to `out`. A candidate has times if a race of
    /// this process measured the candidate, or if the store's record has its times.
    pub fn atc1_conv_plan_candidate_count(
        out: *mut usize,
        plan: *const atc_conv_plan,
    ) -> atc_status;
    pub fn atc1_conv_plan_candidate(
        out: *mut atc_candidate,
        plan: *const atc_conv_plan,
        index: usize,
    ) -> atc_status;
    /// Runs a convolution: creates a plan or takes one from the cache, and executes it. The views
    /// determine the device. The plan's alignment is the alignment of the views' addresses. Decisions
    /// come from the store in use, and workspaces from the process's allocator. Any number of threads
    /// may call the function at once. The errors are those of atc_conv_plan_create and
    /// atc_conv_plan_execute.
    pub fn atc1_convolution(
        problem: *const atc_conv_problem,
        x: *const atc_tensor_view,
        w: *const atc_tensor_view,
        bias: *const atc_tensor_view,
        y: *const atc_tensor_view,
        stream: atc_stream,
    ) -> atc_status;
    /// Runs a convolution like atc_convolution. This function also supports problems with a scale or a
    /// residual.
    pub fn atc1_convolution_v2(
        problem: *const atc_conv_problem,
        operands: *const atc_conv_operands,
        stream: atc_stream,
    ) -> atc_status;
    /// Takes a plan for this device, problem and options out of the cache in which atc_convolution, too,
    /// keeps its plans. If the cache has none, the function makes a plan. This function is for front
    /// ends (programs that call atc for their own users). If a switch, the store or the known decisions
    /// of the problem have changed since the plan was made, the decision is made again. No other caller
    /// gets the plan until it is returned to the cache (atc_conv_plan_release, on any thread). Weights
    /// cannot be set on such a plan. `stream` is the stream on which the plan will be executed. If the
    /// call measures, it first waits for `stream`. If `stream` is being captured, nothing is measured:
    /// the plan uses a known decision or the default engine, and a later call measures. The errors are
    /// those of atc_conv_plan_create.
    pub fn atc1_conv_plan_acquire(
        out: *mut *mut atc_conv_plan,
        device: atc_device,
        problem: *const atc_conv_problem,
        options: *const atc_conv_options,
        stream: atc_stream,
    ) -> atc_status;
    /// Returns `plan` to the cache from which atc_conv_plan_acquire took it. If `plan` was made by
    /// atc_conv_plan_create, the plan is destroyed. NULL does nothing.
    pub fn atc1_conv_plan_release(plan: *mut atc_conv_plan);
    /// For front ends (programs that call atc for their own users, such as the LibTorch bridge) that
    /// have registered their own convolution as an engine (ATC_ENGINE_RETURNS_OUTPUT). If this
    /// convolution is the choice, the front end runs it without atc_conv_plan_execute. With these two
    /// functions ATC_TUNE_BESIDE can time such a run. The front end acquires the plan
    /// (atc_conv_plan_acquire), calls atc_conv_plan_own_run_begin directly before it issues the work to
    /// `stream`, and atc_conv_plan_own_run_end directly afterwards. Then the front end releases the
    /// plan. Both calls are made on one thread. The plan must not be used between the two calls.
    /// `*timed` (`timed` may be NULL) is 1 if this run is timed, else 0. If the run is timed, the front
    /// end should issue nothing else to `stream` before the second call. If the run fails, the front end
    /// must not make the second call.
    pub fn atc1_conv_plan_own_run_begin(
        timed: *mut i32,
        plan: *mut atc_conv_plan,
        stream: atc_stream,
    ) -> atc_status;
    pub fn atc1_conv_plan_own_run_end(
        plan: *mut atc_conv_plan,
        stream: atc_stream,
    ) -> atc_status;
    /// Frees the cached plans that no call is using, the workspaces that are kept for later calls, and
    /// the workspaces of captured graphs that no longer exist. A library such as cuDNN keeps plans for
    /// each thread. The plans of a running thread are freed at this thread's next call of atc. The call
    /// does not reset the counts of atc_cache_stats.
    pub fn atc1_cache_clear() -> atc_status;
    pub fn atc1_cache_stats(out: *mut atc_cache_statistics) -> atc_status;
    pub fn atc1_cuda_is_available(out: *mut i32) -> atc_status;
    pub fn atc1_cuda_device_count(out: *mut i32) -> atc_status;
    pub fn atc1_cudnn_is_available(out: *mut i32) -> atc_status;
    /// Writes the version of the running cuDNN, in cuDNN's own numbering (90100 is 9.1.0). If there is
    /// no cuDNN, writes 0.
    pub fn atc1_cudnn_version(out: *mut i64) -> atc_status;
    /// Writes the version of the cuDNN headers with which atc was compiled. If atc was compiled without
    /// cuDNN headers, writes 0.
    pub fn atc1_cudnn_compiled_version(out: *mut i64) -> atc_status;
    /// Describes a device. ATC_ERROR_INVALID_ARGUMENT: this machine has no device of this type or index.
    /// ATC_ERROR_DEVICE: the device is a CUDA device, and this process was forked from a process that
    /// had opened CUDA.
    pub fn atc1_device_describe(
        out: *mut atc_device_info,
        device: atc_device,
    ) -> atc_status;
    pub fn atc1_library_count(out: *mut usize) -> atc_status;
    pub fn atc1_library_describe(out: *mut atc_library_info, index: usize) -> atc_status;
    /// Lists the known faults of oneDNN, cuDNN and cuBLASLt that atc works around, as a JSON array of objects. The faults
    /// come from the table that is part of atc, and from the file that CUDNN_ERRATA_JSON_FILE names. The members "name",
    /// "library", "running" (version, or ""), "versions", "device", "directions", "implementations", "condition",
    /// "consequence", "handling", "description" and "source" are strings. The member "applies" is true if the running
    /// library has the fault on a device of this machine. The call opens the libraries of CUDA if there is a CUDA device.
    /// The caller destroys `*out` (atc_bytes_destroy).
    pub fn atc1_faults_describe(out: *mut *mut atc_bytes) -> atc_status;
    /// Sets the seed of the random data with which tuning fills tensors. If the bridge to another
    /// framework (for example LibTorch) is loaded, the call also seeds the framework's default
    /// generator.
    pub fn atc1_manual_seed(seed: u64) -> atc_status;
    /// Sets the seed of the random data with which tuning fills tensors, as atc_manual_seed does. If the
    /// bridge to another framework (for example LibTorch) is loaded, the call also seeds the framework's
    /// generators of all devices.
    pub fn atc1_manual_seed_all(seed: u64) -> atc_status;
    /// Waits until all queued work of the CUDA device `index` has run. -1 is the current device. Without
    /// CUDA the call returns ATC_OK at once. ATC_ERROR_INVALID_ARGUMENT: `index` is below -1 or, with
    /// CUDA, not below the device count. ATC_ERROR_DEVICE: this process was forked from a process that
    /// had opened CUDA.
    pub fn atc1_synchronize(index: i32) -> atc_status;
    /// Decides each problem of the array `problems`, and then each problem of `options->problems`. If
    /// the store or the memory of this process already has a decision, this decision is reported.
    /// Otherwise the problem is measured, and the new decision is kept in the store and in memory. If a
    /// problem fails, its status is in the report, the other problems are still tuned, and the call
    /// returns ATC_OK. If a problem of the array is not valid, the whole call is refused before anything
    /// is measured, and the error text names the index.
    ///
    /// The elements of `problems` lie `problems[0].struct_size` bytes apart. All elements must have this
    /// `struct_size`. `callback` may be NULL. Otherwise it is called with `payload` as conv.h
    /// (atc_tune_callback) describes, even for problems that are not measured. `out` may be NULL.
    /// Otherwise the caller destroys `*out`. If the callback cancels, the call returns
    /// ATC_ERROR_CANCELLED. `*out` is written in this case, too, and decisions that were made before are
    /// kept. Any thread may call the function. Races (measurements) never run at the same time: if
    /// several threads call, their races run one after the other.
    ///
    /// With `options->group`, each problem for which no rank has a decision is measured by one rank. In
    /// the report, the problems of the other ranks follow the problems of this rank.
    /// ATC_ERROR_NOT_AGREED: the ranks have not agreed, and no rank uses a new decision; the error text
    /// names the rank that caused this, and `*out` is written in this case, too. ATC_ERROR_IO: this rank
    /// cannot reach the group's store.
    pub fn atc1_tune(
        out: *mut *mut atc_tune_report,
        device: atc_device,
        problems: *const atc_conv_problem,
        count: usize,
        options: *const atc_tune_options,
        callback: atc_tune_callback,
        payload: *mut core::ffi::c_void,
    ) -> atc_status;
    /// Makes this process refuse a choice for a problem, as if the correctness gate (atc's check of
    /// results) had found that the choice computes wrong results. Later races with these options list
    /// the choice as a refused candidate, with `reason`, and do not run the choice. Plans do not run the
    /// choice either. The refusal lasts until the process ends or an engine is unregistered. The
    /// function is for programs that tune in a separate process. If a candidate crashes this process,
    /// the program starts a new process, and refuses the candidate there (atc_tune_progress.candidate
    /// names it). The race then runs with the other candidates, and the record contains the reason.
    /// `options` may be NULL. Any thread may call the function. ATC_ERROR_INVALID_ARGUMENT: the problem,
    /// an option or the text of the choice is not valid, or the reason is empty.
    pub fn atc1_tune_refuse(
        device: atc_device,
        problem: *const atc_conv_problem,
        options: *const atc_tune_options,
        choice: *const core::ffi::c_char,
        reason: *const core::ffi::c_char,
    ) -> atc_status;
    pub fn atc1_tune_report_destroy(report: *mut atc_tune_report);
    /// These functions read a report of atc_tune. They write the number of its problems, one problem, or
    /// one candidate of a problem to `out`. Strings are valid as long as the report.
    /// ATC_ERROR_INVALID_ARGUMENT: an index is out of range.
    pub fn atc1_tune_report_count(
        out: *mut usize,
        report: *const atc_tune_report,
    ) -> atc_status;
    /// Writes the number of problems in the report whose decision is provisional (uncertain).
    pub fn atc1_tune_report_provisional(
        out: *mut usize,
        report: *const atc_tune_report,
    ) -> atc_status;
    pub fn atc1_tune_report_problem(
        out: *mut atc_tuned_problem,
        report: *const atc_tune_report,
        problem: usize,
    ) -> atc_status;
    pub fn atc1_tune_report_candidate(
        out: *mut atc_candidate,
        report: *const atc_tune_report,
        problem: usize,
        candidate: usize,
    ) -> atc_status;
    /// Returns the name of a rule (ATC_RULE_*): "ATC_RULE_FASTER", …, or "unknown rule" for a number that this version
    /// does not know. The string is static and never NULL.
    pub fn atc1_rule_name(rule: i32) -> *const core::ffi::c_char;
    /// Explains which decision a plan of this device, problem and options would use if its creation
    /// measured nothing. So the option `tune` is ignored, unless it is ATC_TUNE_PREDICT. The call reads
    /// the store and the decisions of this process, and asks engines for their offers (the
    /// implementations that they have for the problem). It executes, builds and writes nothing.
    /// `options` may be NULL. The caller destroys `*out`. If no engine can run the problem, the call
    /// succeeds, and the explanation has no winner. As in atc_tune, candidates that only a front end
    /// such as the LibTorch bridge can run (ATC_ENGINE_RETURNS_OUTPUT) are listed, too. Any thread may
    /// call the function. Errors:
    /// - ATC_ERROR_INVALID_ARGUMENT: the error text names the field. A `batch` of 0 is an error, too.
    /// - ATC_ERROR_LIBRARY, ATC_ERROR_DEVICE: CUDA or one of its libraries failed.
    /// - ATC_ERROR_BUSY: the call was made in a callback.
    pub fn atc1_conv_explain(
        out: *mut *mut atc_explanation,
        device: atc_device,
        problem: *const atc_conv_problem,
        options: *const atc_conv_options,
    ) -> atc_status;
    pub fn atc1_explanation_destroy(explanation: *mut atc_explanation);
    /// Computes a digest: a hash over `count` problems (their keys, see below) and the choices that
    /// calls with these options run for them. If two processes have equal digests, they run the same
    /// choices. The function reads the store. It executes, builds and writes nothing.
    ///
    /// The choices are those of a call that measures nothing; eager calls and captured calls are both
    /// included. The choice of a problem comes from the first source that has one. The order is: the
    /// pins in force (atc_set_pins), then the store, then the decisions of this process (unless
    /// options.tune is ATC_OFF), then a prediction (if options.tune is ATC_TUNE_PREDICT), then the
    /// default engine. If the correctness gate (the check of results against a reference) has refused a
    /// choice, this choice is not used. A problem for which a call would fail counts as a problem
    /// without a choice.
    ///
    /// A key contains the device, the versions of libraries and the options that decisions depend on. So digests of
    /// different kinds of machines differ. The order of the problems does not change the digest, and a
    /// problem that occurs twice counts once. The elements of `problems` lie `problems[0].struct_size`
    /// bytes apart. All elements must have this `struct_size`. `problems` may be NULL if `count` is 0,
    /// and `options` may be NULL. Any thread may call the function. Errors:
    /// - ATC_ERROR_INVALID_ARGUMENT: the error text names the field and the index.
    /// - ATC_ERROR_LIBRARY, ATC_ERROR_DEVICE: CUDA or one of its libraries failed.
    /// - ATC_ERROR_BUSY: the call was made in a callback.
    pub fn atc1_conv_decisions_digest(
        out: *mut u64,
        device: atc_device,
        problems: *const atc_conv_problem,
        count: usize,
        options: *const atc_conv_options,
    ) -> atc_status;
    /// Measures the two ceilings of the device, which are the limits of its speed. The first ceiling is
    /// the most bytes per second that the device moves. It is measured by a copy. The second ceiling is
    /// the most operations per second that the device computes with the problem's data types. It is
    /// measured by tuning a product of matrices, for at most 3 s. A ceiling that is already known is not
    /// measured again. The process remembers both ceilings. If the store of the call is open for
    /// writing, the ceilings are also kept in the store, for this device and these library versions. If
    /// only the slow engine `reference` can compute products of these data types, the second ceiling
    /// remains unknown, and the call succeeds. The function must not be called during a stream capture.
    /// Errors:
    /// - ATC_ERROR_INVALID_ARGUMENT: the error text names the field.
    /// - ATC_ERROR_OUT_OF_MEMORY: on CUDA the measurement takes about 1.5 GiB, on the CPU 0.5 GiB.
    /// - ATC_ERROR_LIBRARY, ATC_ERROR_DEVICE: CUDA or one of its libraries failed.
    /// - ATC_ERROR_CAPTURING: a stream is being captured.
    /// - ATC_ERROR_BUSY: the call was made in a callback.
    pub fn atc1_conv_measure_ceilings(
        device: atc_device,
        problem: *const atc_conv_problem,
        options: *const atc_conv_options,
    ) -> atc_status;
    /// Writes the ceilings of the device for a problem: the most bytes per second that the device moves,
    /// and the most operations per second that the device computes. A ceiling that was not measured
    /// (atc_conv_measure_ceilings) is 0. The values are those of the fields bytes_per_second and
    /// flops_per_second of atc_explained. The call is cheaper than atc_conv_explain, because it does not
    /// ask engines for their offers. Either pointer may be NULL. Any thread may call the function.
    /// ATC_ERROR_INVALID_ARGUMENT: the error text names the field. ATC_ERROR_LIBRARY, ATC_ERROR_DEVICE:
    /// CUDA or one of its libraries failed.
    pub fn atc1_conv_ceilings(
        bytes_per_second: *mut f64,
        flops_per_second: *mut f64,
        device: atc_device,
        problem: *const atc_conv_problem,
        options: *const atc_conv_options,
    ) -> atc_status;
    /// The next three functions write a part of the explanation to `out`: its summary, a candidate, or an entrant (engine
    /// or rewrite). Strings are valid as long as the explanation. ATC_ERROR_INVALID_ARGUMENT: the index
    /// is out of range.
    pub fn atc1_explanation_describe(
        out: *mut atc_explained,
        explanation: *const atc_explanation,
    ) -> atc_status;
    /// Writes the candidate `index`. The candidate has times if a race of this process or a record of
    /// the store has measured the candidate. Otherwise its outcome is ATC_OUTCOME_OFFERED.
    pub fn atc1_explanation_candidate(
        out: *mut atc_candidate,
        explanation: *const atc_explanation,
        index: usize,
    ) -> atc_status;
    pub fn atc1_explanation_entrant(
        out: *mut atc_entrant,
        explanation: *const atc_explanation,
        index: usize,
    ) -> atc_status;
    /// Registers an engine. The struct is copied, and atc owns `engine->user` from now on.
    /// ATC_ERROR_INVALID_ARGUMENT: a callback is missing, or the name is taken or malformed. A
    /// registered engine never runs by default. It runs if the choice of a call or a record of the store
    /// names it, or if it wins a race. atc checks the results of a registered engine before it uses them
    /// (docs/trust.md). A race checks them on the problem itself. If the engine runs because of a record
    /// from another machine or user, they are also checked on the problem itself, before the first use.
    /// If a call gives the choice, they are checked once for each kind of problem (for example the same
    /// direction, types and groups).
    pub fn atc1_engine_register(engine: *const atc_engine) -> atc_status;
    /// Unregisters an engine. ATC_ERROR_BUSY: plans of the engine exist, or a call is using the engine.
    /// So a callback of the engine cannot unregister the engine. ATC_ERROR_INVALID_ARGUMENT: the name is
    /// unknown, or the engine is built in.
    pub fn atc1_engine_unregister(name: *const core::ffi::c_char) -> atc_status;
    pub fn atc1_engine_count(out: *mut usize) -> atc_status;
    pub fn atc1_engine_describe(out: *mut atc_engine_info, index: usize) -> atc_status;
    /// Loads a plug-in: opens a shared library and calls its function `atc_status atc1_plugin_init(void)`, which the
    /// library must export. The library remains loaded. The plug-in must be linked with libatc
    /// (`-latc`), because the program may have opened libatc with RTLD_LOCAL. ATC_ERROR_LIBRARY: the
    /// library cannot be opened or does not export atc1_plugin_init. Otherwise the call returns the
    /// status of atc1_plugin_init.
    pub fn atc1_plugin_load(file: *const core::ffi::c_char) -> atc_status;
    /// Registers the source of settings (the callbacks that read and write another library's switches).
    /// From now on this source, and not atc, stores the switches that it supports. If a switch was set
    /// explicitly (by a call or the environment), atc writes its value to the source. The values of all
    /// other switches are read from the source. If `source` is NULL, atc stores all switches again, with
    /// the last values of the previous source. When the function returns, no thread runs a callback of
    /// the previous source any more.
    pub fn atc1_settings_source_set(source: *const atc_settings_source) -> atc_status;
    /// Sets the process's allocator. It is used for calls whose options have no allocator
    /// (atc_conv_options.allocator). If `allocator` is NULL, atc's own allocator is used again. Memory
    /// is always freed by the allocator that has allocated it. So `free` of the previous allocator may
    /// still be called. When all memory of the previous allocator is freed, the `destroy` of the
    /// previous allocator is called.
    pub fn atc1_allocator_set(allocator: *const atc_allocator) -> atc_status;
    /// Sends log lines to `sink`; if `sink` is NULL, to standard error. When the function returns, no thread runs a
    /// callback of the previous sink any more.
    pub fn atc1_log_sink_set(sink: *const atc_log_sink) -> atc_status;
    /// Set and read the level of the log: ATC_LOG_*. The default is ATC_LOG_WARNING. The environment
    /// variable ATC_LOG=off|error|warning|info|debug sets the level, too. If ",json" follows the level
    /// in this variable, the lines on standard error are JSON. At ATC_LOG_INFO each decision about a
    /// convolution is logged as one line.
    pub fn atc1_log_level_set(level: i32) -> atc_status;
    pub fn atc1_log_level_get(out: *mut i32) -> atc_status;
    /// Makes a group for jobs without LibTorch. The ranks communicate through a folder that all of them
    /// can read and write. If the folder does not exist, it is made. Each key becomes a small file. atc
    /// does not remove these files: remove the folder after the job. A folder on NFS, version 3 or
    /// newer, is possible. Close `*out` with atc_group_close. ATC_ERROR_IO: the folder cannot be
    /// made.
    pub fn atc1_group_open_folder(
        out: *mut atc_group,
        path: *const core::ffi::c_char,
        rank: u32,
        size: u32,
        prefix: *const core::ffi::c_char,
    ) -> atc_status;
    /// Calls `destroy` of the group and sets the pointers of the struct to NULL. If `group` is NULL or
    /// was not opened, nothing happens.
    pub fn atc1_group_close(group: *mut atc_group);
    /// atc_tune_report_agreement writes the agreement of the ranks. atc_tune_report_class writes the
    /// class `index`. The pointers in the structs are valid until the report is destroyed.
    /// ATC_ERROR_INVALID_ARGUMENT: the call that made the report had no group, or there is no class with
    /// this index.
    pub fn atc1_tune_report_agreement(
        out: *mut atc_agreement,
        report: *const atc_tune_report,
    ) -> atc_status;
    pub fn atc1_tune_report_class(
        out: *mut atc_agreement_class,
        report: *const atc_tune_report,
        index: usize,
    ) -> atc_status;
    /// Creates an empty list of problems. The caller destroys `*out`.
    pub fn atc1_problems_create(out: *mut *mut atc_problems) -> atc_status;
    pub fn atc1_problems_destroy(problems: *mut atc_problems);
    /// Adds the problems that calls of this process have noted (ATC_TUNE_LATER) to the list, in the
    /// order of their first calls. A call notes its problem when it looks up the decision. The problem
    /// is noted once for each device model, and once for each combination of options that needs a
    /// decision of its own. If the plan of a call is in the cache, the call looks up no decision, and so
    /// notes nothing. A note is removed when atc_tune has decided its problem. If atc_tune could not
    /// decide a problem, the problem is not listed again and not noted again. At most 4,096 problems are
    /// noted. If there are more, one warning is logged, and the other problems are noted by their next
    /// calls after an atc_tune.
    pub fn atc1_problems_add_noted(problems: *mut atc_problems) -> atc_status;
    /// Removes all notes (problems that calls have noted because of ATC_TUNE_LATER), and forgets which
    /// problems could not be decided. Afterwards the problems can be noted again. A call whose plan is
    /// cached notes nothing, so call atc_cache_clear if such calls are to note their problems, too.
    pub fn atc1_problems_forget_noted() -> atc_status;
    /// Adds the problems of a JSON text of `size` bytes to the list. Recordings (the environment
    /// variable ATC_RECORD), atc_problems_json and `atc tune --json` write such texts. If the call
    /// fails, no problem is added. ATC_ERROR_INVALID_ARGUMENT: the error text names the problem and the
    /// member.
    pub fn atc1_problems_add_json(
        problems: *mut atc_problems,
        text: *const core::ffi::c_char,
        size: usize,
    ) -> atc_status;
    /// Adds one problem to the list. `count` says how many calls of the program run this problem (0:
    /// unknown). If `device` is NULL, the problem is tuned on the device of atc_tune. `options` may be
    /// NULL. Only the options that atc_problems_get writes are kept; all others are ignored.
    /// ATC_ERROR_INVALID_ARGUMENT: the error text names the field.
    pub fn atc1_problems_add(
        problems: *mut atc_problems,
        device: *const atc_device,
        problem: *const atc_conv_problem,
        options: *const atc_conv_options,
        count: u64,
    ) -> atc_status;
    pub fn atc1_problems_count(
        out: *mut usize,
        problems: *const atc_problems,
    ) -> atc_status;
    /// Writes one problem of the list. Each of the first four pointers may be NULL.
    /// - `device`: type 0 means the device of atc_tune. Index -1 means any device of the type; problems
    ///   that another process has noted have index -1.
    /// - `problem`: has explicit strides (ATC_LAYOUT_STRIDED). It is transposed if the problem of the
    ///   noting call was transposed.
    /// - `options`: deterministic, allow_tf32, allow_reference, constant_weights, alignment, workspace_limit, front_end,
    ///   require_firm, strict_precision and allow_reduced_precision_reduction are those of the noting
    ///   call. use_store is ATC_OFF if this call used no store. All other options are 0.
    /// - `count`: the number of calls; 0 if unknown.
    ///
    /// ATC_ERROR_INVALID_ARGUMENT: `index` is not below atc_problems_count.
    pub fn atc1_problems_get(
        device: *mut atc_device,
        problem: *mut atc_conv_problem,
        options: *mut atc_conv_options,
        count: *mut u64,
        problems: *const atc_problems,
        index: usize,
    ) -> atc_status;
    /// Writes the list as JSON text, one problem per line. `atc tune` and atc_problems_add_json read
    /// this text. The text does not contain the stores that the calls used. The caller destroys
    /// `*out`.
    pub fn atc1_problems_json(
        out: *mut *mut atc_bytes,
        problems: *const atc_problems,
    ) -> atc_status;
    /// Opens the store in `directory`. `mode` is ATC_STORE_*, or 0 for the default (read-write). In
    /// read-write mode the directory is created if it does not exist. ATC_ERROR_IO: the directory cannot
    /// be used. The caller closes `*out`.
    pub fn atc1_store_open(
        out: *mut *mut atc_store,
        directory: *const core::ffi::c_char,
        mode: atc_store_mode,
    ) -> atc_status;
    /// Opens a store that consists of `count` directories (layers). The first directory is opened as by atc_store_open, and
    /// the others are only read. If several layers have decisions for a problem, the best decision is
    /// used, by the rules of ATC_REPLACE_JOIN. If another user or another machine wrote a decision, atc
    /// checks its choice before the first use (docs/trust.md). New decisions are written to the first
    /// layer. Imports, exports, verify and prune work only on the first layer. If one of the other
    /// directories cannot be used, this directory is skipped, and one warning is logged; in replay-only
    /// mode the function returns ATC_ERROR_IO instead.
    pub fn atc1_store_open_layers(
        out: *mut *mut atc_store,
        directories: *const *const core::ffi::c_char,
        count: usize,
        mode: atc_store_mode,
    ) -> atc_status;
    /// Closes the handle; NULL does nothing. If the store is in use (atc_store_use), it remains in use. Plans that were
    /// made with the handle keep working.
    pub fn atc1_store_close(store: *mut atc_store);
    /// Sets the store in use: from now on plan creation, eager calls and atc_tune of this process read
    /// and write `store`. This store replaces the store that was in use before, also the store of
    /// ATC_STORE. NULL: no store is in use. If the options of a call have a store, the call uses that
    /// store.
    pub fn atc1_store_use(store: *const atc_store) -> atc_status;
    /// Writes a new handle of the store in use to `*out`. The caller closes the handle. If no store is
    /// in use, writes NULL. If ATC_MODE is replay-only and ATC_STORE cannot be read (settings.h), the
    /// function writes the handle of a replay-only store without entries.
    pub fn atc1_store_in_use(out: *mut *mut atc_store) -> atc_status;
    pub fn atc1_store_describe(
        out: *mut atc_store_info,
        store: *const atc_store,
    ) -> atc_status;
    /// Reads the entry (the stored decision) that a plan of this device, problem and options would use.
    /// `*out` is a JSON text: {"key": {"environment": …, "problem": …}, "value": {"choice": …,
    /// "candidates": […], …}}. If the decision is provisional (uncertain), the value has a member
    /// "provisional": {"risk": …, "why": …, "budget": …}. ATC_ERROR_NOT_TUNED: there is no such entry.
    /// `options` may be NULL. The fields `store` and `allocator` of `options` are checked but not used.
    /// The progress callback is not called.
    pub fn atc1_store_get(
        out: *mut *mut atc_bytes,
        store: *const atc_store,
        device: atc_device,
        problem: *const atc_conv_problem,
        options: *const atc_conv_options,
    ) -> atc_status;
    /// Writes an entry into the store. The entry is a JSON text in the form that atc_store_get returns.
    /// If the store has an entry with the same key, the new entry replaces it. But a provisional entry
    /// (its value has a member "provisional") does not replace a firm entry, unless `replace_firm` is
    /// on: the call then returns ATC_OK and changes nothing. Compiled parts of the entry are removed,
    /// unless `trust_compiled` is on. The entry is marked as "received" (not measured here), so its
    /// choice is checked before its first use (docs/trust.md). `options` may be NULL.
    /// ATC_ERROR_BAD_RECORD: the text is not a valid entry. ATC_ERROR_IO: the entry could not be
    /// written; but this process remembers the entry and uses it.
    pub fn atc1_store_put(
        store: *const atc_store,
        entry: *const core::ffi::c_char,
        size: usize,
        options: *const atc_store_put_options,
    ) -> atc_status;
    /// Writes all valid entries of the store to `*out`, as the text of one JSON array. Each element has
    /// the form that atc_store_get describes.
    pub fn atc1_store_list(
        out: *mut *mut atc_bytes,
        store: *const atc_store,
    ) -> atc_status;
    /// Removes an entry. `entry` is a JSON text of `size` bytes, as atc_store_get returns it; the entry
    /// with the same "key" is removed. `*removed` (`removed` may be NULL) is 1 if the store had this
    /// entry, else 0.
    pub fn atc1_store_remove(
        removed: *mut i32,
        store: *const atc_store,
        entry: *const core::ffi::c_char,
        size: usize,
    ) -> atc_status;
    /// Writes the number of valid entries of the store whose decision is provisional (uncertain). The
    /// call reads all files of the store.
    pub fn atc1_store_provisional(out: *mut u64, store: *const atc_store) -> atc_status;
    /// atc_store_export writes all valid entries of a store, and the compiled files beside them, into one bundle (a
    /// sequence of bytes). atc_store_import adds the entries of a bundle to a store. If the store
    /// already has an entry with the same key, `options->replace` decides. By default the entry of the
    /// store remains, except that a firm entry of the bundle replaces a provisional one. As in
    /// atc_store_put, compiled parts are removed unless `trust_compiled` is on, and imported entries are
    /// marked as "received". `*added` is the number of entries of the bundle that were written. `*kept`
    /// is the number of entries of the bundle that were not written. `added`, `kept` and `options` may
    /// be NULL. ATC_ERROR_BAD_RECORD: the bundle is damaged, and nothing was changed.
    pub fn atc1_store_export(
        out: *mut *mut atc_bytes,
        store: *const atc_store,
    ) -> atc_status;
    pub fn atc1_store_import(
        added: *mut u64,
        kept: *mut u64,
        store: *const atc_store,
        bundle: *const core::ffi::c_void,
        size: usize,
        options: *const atc_store_import_options,
    ) -> atc_status;
    /// Joins several bundles into one bundle, by the rules of ATC_REPLACE_JOIN. The order of the bundles
    /// has no influence on the result. Compiled parts are removed unless `trust_compiled` is on.
    /// `options` may be NULL. The caller destroys `*out`.
    pub fn atc1_store_merge(
        out: *mut *mut atc_bytes,
        bundles: *const *const core::ffi::c_void,
        sizes: *const usize,
        count: usize,
        options: *const atc_store_merge_options,
    ) -> atc_status;
    /// Writes a digest (a hash) of the store. If two stores have equal digests, they have equal choices
    /// for equal keys; firm and provisional choices count alike. If pins are in force (atc_set_pins),
    /// the hash of the pins is a part of the digest. So processes with equal digests make equal
    /// decisions, even with pins.
    pub fn atc1_store_digest(out: *mut u64, store: *const atc_store) -> atc_status;
    /// Checks every file of the store. `*out` is a text with one line for each damaged file. The text is
    /// empty if no file is damaged. The caller destroys `*out`.
    pub fn atc1_store_verify(
        out: *mut *mut atc_bytes,
        store: *const atc_store,
    ) -> atc_status;
    /// Removes files from the store. Three kinds of files are removed: damaged files; all entries except
    /// the newest `keep`; and compiled files that no entry names and that are at least one hour old.
    /// `*removed` (`removed` may be NULL) is the number of removed files. If a compiled file is removed
    /// together with its entry, only the entry counts.
    pub fn atc1_store_prune(
        removed: *mut u64,
        store: *const atc_store,
        keep: u64,
    ) -> atc_status;
    /// Reads every entry of a store, in the order of atc_store_list, and the ceilings (measured limits of the device's
    /// speed) that the store keeps. The caller destroys `*out`. If the store changes later, `*out` does
    /// not change. Any thread may call the function. ATC_ERROR_INVALID_ARGUMENT: the error text names a
    /// missing pointer.
    pub fn atc1_store_read(
        out: *mut *mut atc_store_entries,
        store: *const atc_store,
    ) -> atc_status;
    pub fn atc1_store_entries_destroy(entries: *mut atc_store_entries);
    pub fn atc1_store_entries_count(
        out: *mut usize,
        entries: *const atc_store_entries,
    ) -> atc_status;
    /// atc_store_entries_describe writes the entry `index`. atc_store_entries_candidate writes one
    /// candidate of this entry. Strings are valid as long as `entries`. ATC_ERROR_INVALID_ARGUMENT: an
    /// index is out of range.
    pub fn atc1_store_entries_describe(
        out: *mut atc_store_entry,
        entries: *const atc_store_entries,
        index: usize,
    ) -> atc_status;
    pub fn atc1_store_entries_candidate(
        out: *mut atc_candidate,
        entries: *const atc_store_entries,
        index: usize,
        candidate: usize,
    ) -> atc_status;
    /// Starts the trace of the process. `options` may be NULL. ATC_ERROR_BUSY: a trace is running.
    /// ATC_ERROR_INVALID_ARGUMENT: the file name has a % that is neither %p nor %%, or is too long. ATC_ERROR_IO: the file
    /// cannot be written.
    pub fn atc1_trace_start(options: *const atc_trace_options) -> atc_status;
    /// Ends the trace, even if ATC_TRACE has started it. If the trace has a file, the file is written.
    /// The call waits until CUDA devices have finished the timed calls. If other threads are making
    /// calls at this time, the trace may lack these calls. `out` may be NULL; otherwise the caller
    /// destroys `*out`. ATC_ERROR_INVALID_ARGUMENT: no trace is running. ATC_ERROR_IO: the file could
    /// not be written; the trace has ended and is lost.
    pub fn atc1_trace_stop(out: *mut *mut atc_trace) -> atc_status;
    pub fn atc1_trace_destroy(trace: *mut atc_trace);
    /// atc_trace_row_count writes the number of rows. atc_trace_row_get writes the row `index` to `out`.
    /// The order of the rows is: kind PROBLEM (grouped by device and problem), then kind CHOICE, then
    /// the TOTAL. Within a kind the rows with the largest total time come first. Strings are valid as
    /// long as the trace. ATC_ERROR_INVALID_ARGUMENT: the index is out of range.
    pub fn atc1_trace_row_count(out: *mut usize, trace: *const atc_trace) -> atc_status;
    pub fn atc1_trace_row_get(
        out: *mut atc_trace_row,
        trace: *const atc_trace,
        index: usize,
    ) -> atc_status;
    /// Writes the trace as text in UTF-8; `format` is ATC_TRACE_TABLE or ATC_TRACE_JSON. The caller destroys `*out`.
    /// ATC_ERROR_INVALID_ARGUMENT: `format` has another value.
    pub fn atc1_trace_text(
        out: *mut *mut atc_bytes,
        trace: *const atc_trace,
        format: i32,
    ) -> atc_status;
    /// Writes 1 to `*out` if a trace is running, else 0. If a front end (a program that runs
    /// convolutions by itself and reports them, such as the LibTorch bridge) describes problems only for
    /// the trace, it can skip the description if no trace is running.
    pub fn atc1_trace_is_running(out: *mut i32) -> atc_status;
    /// Reports to the trace a convolution that a front end is about to run by itself, without a plan of atc. `choice`
    /// names the library that computes the convolution, for example "libtorch". `problem` may be NULL if
    /// the problem cannot be described. The front end then queues its work on `stream` (ignored on the
    /// CPU) and calls atc_trace_call_end. `*out` is NULL if the call is not timed or no trace is
    /// running. ATC_ERROR_INVALID_ARGUMENT: the problem or the device is not valid; the error text names
    /// the field. If no trace is running, problem and device are not checked.
    pub fn atc1_trace_call_begin(
        out: *mut *mut atc_trace_call,
        device: atc_device,
        problem: *const atc_conv_problem,
        choice: *const core::ffi::c_char,
        stream: atc_stream,
    ) -> atc_status;
    /// Ends the report that atc_trace_call_begin has begun. On CUDA the front end calls this function
    /// when the work has been queued on the stream; on the CPU, when the work is done. The function
    /// frees `call`. NULL does nothing.
    pub fn atc1_trace_call_end(call: *mut atc_trace_call);
}
pub use self::{
    atc1_status_name as atc_status_name, atc1_last_error as atc_last_error,
    atc1_error_set as atc_error_set, atc1_version as atc_version,
    atc1_version_string as atc_version_string, atc1_abi_version as atc_abi_version,
    atc1_bytes_data as atc_bytes_data, atc1_bytes_size as atc_bytes_size,
    atc1_bytes_destroy as atc_bytes_destroy,
    atc1_set_benchmark_cudnn as atc_set_benchmark_cudnn,
    atc1_get_benchmark_cudnn as atc_get_benchmark_cudnn,
    atc1_set_benchmark_limit_cudnn as atc_set_benchmark_limit_cudnn,
    atc1_get_benchmark_limit_cudnn as atc_get_benchmark_limit_cudnn,
    atc1_set_user_enabled_cudnn as atc_set_user_enabled_cudnn,
    atc1_get_user_enabled_cudnn as atc_get_user_enabled_cudnn,
    atc1_set_deterministic_cudnn as atc_set_deterministic_cudnn,
    atc1_get_deterministic_cudnn as atc_get_deterministic_cudnn,
    atc1_set_deterministic_algorithms as atc_set_deterministic_algorithms,
    atc1_get_deterministic_algorithms as atc_get_deterministic_algorithms,
    atc1_set_allow_tf32_cudnn as atc_set_allow_tf32_cudnn,
    atc1_get_allow_tf32_cudnn as atc_get_allow_tf32_cudnn,
    atc1_set_benchmark_technique as atc_set_benchmark_technique,
    atc1_get_benchmark_technique as atc_get_benchmark_technique,
    atc1_set_workspace_limit as atc_set_workspace_limit,
    atc1_get_workspace_limit as atc_get_workspace_limit,
    atc1_set_race_memory_limit as atc_set_race_memory_limit,
    atc1_get_race_memory_limit as atc_get_race_memory_limit,
    atc1_set_plan_memory_limit as atc_set_plan_memory_limit,
    atc1_get_plan_memory_limit as atc_get_plan_memory_limit,
    atc1_set_library_path as atc_set_library_path,
    atc1_get_library_path as atc_get_library_path, atc1_set_pins as atc_set_pins,
    atc1_get_pins as atc_get_pins, atc1_get_pins_hash as atc_get_pins_hash,
    atc1_settings_get as atc_settings_get, atc1_settings_apply as atc_settings_apply,
    atc1_settings_from_env as atc_settings_from_env,
    atc1_set_reproducible as atc_set_reproducible,
    atc1_conv_problem_init_sized as atc_conv_problem_init_sized,
    atc1_conv_problem_describe as atc_conv_problem_describe,
    atc1_conv_operand_shape as atc_conv_operand_shape,
    atc1_source_name as atc_source_name, atc1_conv_plan_create as atc_conv_plan_create,
    atc1_conv_plan_create_with_choice as atc_conv_plan_create_with_choice,
    atc1_conv_pins as atc_conv_pins, atc1_conv_pins_effect as atc_conv_pins_effect,
    atc1_conv_plan_destroy as atc_conv_plan_destroy,
    atc1_conv_plan_workspace_size as atc_conv_plan_workspace_size,
    atc1_conv_plan_execute as atc_conv_plan_execute,
    atc1_conv_plan_execute_v2 as atc_conv_plan_execute_v2,
    atc1_conv_plan_set_weights as atc_conv_plan_set_weights,
    atc1_conv_plan_sample as atc_conv_plan_sample,
    atc1_conv_plan_choice as atc_conv_plan_choice,
    atc1_conv_plan_source as atc_conv_plan_source,
    atc1_conv_plan_provisional as atc_conv_plan_provisional,
    atc1_outcome_name as atc_outcome_name,
    atc1_conv_plan_candidate_count as atc_conv_plan_candidate_count,
    atc1_conv_plan_candidate as atc_conv_plan_candidate,
    atc1_convolution as atc_convolution, atc1_convolution_v2 as atc_convolution_v2,
    atc1_conv_plan_acquire as atc_conv_plan_acquire,
    atc1_conv_plan_release as atc_conv_plan_release,
    atc1_conv_plan_own_run_begin as atc_conv_plan_own_run_begin,
    atc1_conv_plan_own_run_end as atc_conv_plan_own_run_end,
    atc1_cache_clear as atc_cache_clear, atc1_cache_stats as atc_cache_stats,
    atc1_cuda_is_available as atc_cuda_is_available,
    atc1_cuda_device_count as atc_cuda_device_count,
    atc1_cudnn_is_available as atc_cudnn_is_available,
    atc1_cudnn_version as atc_cudnn_version,
    atc1_cudnn_compiled_version as atc_cudnn_compiled_version,
    atc1_device_describe as atc_device_describe, atc1_library_count as atc_library_count,
    atc1_library_describe as atc_library_describe,
    atc1_faults_describe as atc_faults_describe, atc1_manual_seed as atc_manual_seed,
    atc1_manual_seed_all as atc_manual_seed_all, atc1_synchronize as atc_synchronize,
    atc1_tune as atc_tune, atc1_tune_refuse as atc_tune_refuse,
    atc1_tune_report_destroy as atc_tune_report_destroy,
    atc1_tune_report_count as atc_tune_report_count,
    atc1_tune_report_provisional as atc_tune_report_provisional,
    atc1_tune_report_problem as atc_tune_report_problem,
    atc1_tune_report_candidate as atc_tune_report_candidate,
    atc1_rule_name as atc_rule_name, atc1_conv_explain as atc_conv_explain,
    atc1_explanation_destroy as atc_explanation_destroy,
    atc1_conv_decisions_digest as atc_conv_decisions_digest,
    atc1_conv_measure_ceilings as atc_conv_measure_ceilings,
    atc1_conv_ceilings as atc_conv_ceilings,
    atc1_explanation_describe as atc_explanation_describe,
    atc1_explanation_candidate as atc_explanation_candidate,
    atc1_explanation_entrant as atc_explanation_entrant,
    atc1_engine_register as atc_engine_register,
    atc1_engine_unregister as atc_engine_unregister,
    atc1_engine_count as atc_engine_count, atc1_engine_describe as atc_engine_describe,
    atc1_plugin_load as atc_plugin_load,
    atc1_settings_source_set as atc_settings_source_set,
    atc1_allocator_set as atc_allocator_set, atc1_log_sink_set as atc_log_sink_set,
    atc1_log_level_set as atc_log_level_set, atc1_log_level_get as atc_log_level_get,
    atc1_group_open_folder as atc_group_open_folder, atc1_group_close as atc_group_close,
    atc1_tune_report_agreement as atc_tune_report_agreement,
    atc1_tune_report_class as atc_tune_report_class,
    atc1_problems_create as atc_problems_create,
    atc1_problems_destroy as atc_problems_destroy,
    atc1_problems_add_noted as atc_problems_add_noted,
    atc1_problems_forget_noted as atc_problems_forget_noted,
    atc1_problems_add_json as atc_problems_add_json,
    atc1_problems_add as atc_problems_add, atc1_problems_count as atc_problems_count,
    atc1_problems_get as atc_problems_get, atc1_problems_json as atc_problems_json,
    atc1_store_open as atc_store_open, atc1_store_open_layers as atc_store_open_layers,
    atc1_store_close as atc_store_close, atc1_store_use as atc_store_use,
    atc1_store_in_use as atc_store_in_use, atc1_store_describe as atc_store_describe,
    atc1_store_get as atc_store_get, atc1_store_put as atc_store_put,
    atc1_store_list as atc_store_list, atc1_store_remove as atc_store_remove,
    atc1_store_provisional as atc_store_provisional,
    atc1_store_export as atc_store_export, atc1_store_import as atc_store_import,
    atc1_store_merge as atc_store_merge, atc1_store_digest as atc_store_digest,
    atc1_store_verify as atc_store_verify, atc1_store_prune as atc_store_prune,
    atc1_store_read as atc_store_read,
    atc1_store_entries_destroy as atc_store_entries_destroy,
    atc1_store_entries_count as atc_store_entries_count,
    atc1_store_entries_describe as atc_store_entries_describe,
    atc1_store_entries_candidate as atc_store_entries_candidate,
    atc1_trace_start as atc_trace_start, atc1_trace_stop as atc_trace_stop,
    atc1_trace_destroy as atc_trace_destroy, atc1_trace_row_count as atc_trace_row_count,
    atc1_trace_row_get as atc_trace_row_get, atc1_trace_text as atc_trace_text,
    atc1_trace_is_running as atc_trace_is_running,
    atc1_trace_call_begin as atc_trace_call_begin,
    atc1_trace_call_end as atc_trace_call_end,
};
