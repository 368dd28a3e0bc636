// Generated with the bindings by `cargo run -p xtask -- bindings`; not edited by hand.

use atc_sys::*;
use super::Lines;
pub fn write(lines: &mut Lines) {
    lines.constant("ATC_VERSION_MAJOR", i128::from(ATC_VERSION_MAJOR));
    lines.constant("ATC_VERSION_MINOR", i128::from(ATC_VERSION_MINOR));
    lines.constant("ATC_VERSION_PATCH", i128::from(ATC_VERSION_PATCH));
    lines.constant("ATC_VERSION", i128::from(ATC_VERSION));
    lines.constant("ATC_ABI_VERSION", i128::from(ATC_ABI_VERSION));
    lines.constant("ATC_UNLIMITED", i128::from(ATC_UNLIMITED));
    lines.constant("ATC_NONE", i128::from(ATC_NONE));
    lines.constant("ATC_OK", i128::from(ATC_OK));
    lines.constant("ATC_ERROR_INVALID_ARGUMENT", i128::from(ATC_ERROR_INVALID_ARGUMENT));
    lines.constant("ATC_ERROR_UNSUPPORTED", i128::from(ATC_ERROR_UNSUPPORTED));
    lines.constant("ATC_ERROR_NOT_TUNED", i128::from(ATC_ERROR_NOT_TUNED));
    lines.constant("ATC_ERROR_OUT_OF_MEMORY", i128::from(ATC_ERROR_OUT_OF_MEMORY));
    lines.constant("ATC_ERROR_DEVICE", i128::from(ATC_ERROR_DEVICE));
    lines.constant("ATC_ERROR_LIBRARY", i128::from(ATC_ERROR_LIBRARY));
    lines.constant("ATC_ERROR_IO", i128::from(ATC_ERROR_IO));
    lines.constant("ATC_ERROR_BAD_RECORD", i128::from(ATC_ERROR_BAD_RECORD));
    lines.constant("ATC_ERROR_CAPTURING", i128::from(ATC_ERROR_CAPTURING));
    lines.constant("ATC_ERROR_BUSY", i128::from(ATC_ERROR_BUSY));
    lines.constant("ATC_ERROR_CANCELLED", i128::from(ATC_ERROR_CANCELLED));
    lines.constant("ATC_ERROR_INTERNAL", i128::from(ATC_ERROR_INTERNAL));
    lines.constant("ATC_OFF", i128::from(ATC_OFF));
    lines.constant("ATC_ON", i128::from(ATC_ON));
    lines.constant("ATC_DEVICE_CPU", i128::from(ATC_DEVICE_CPU));
    lines.constant("ATC_DEVICE_CUDA", i128::from(ATC_DEVICE_CUDA));
    lines.structure("atc_device", size_of::<atc_device>(), align_of::<atc_device>());
    lines
        .field(
            "atc_device.type",
            core::mem::offset_of!(atc_device, type_),
            |all: &atc_device| &all.type_,
        );
    lines
        .field(
            "atc_device.index",
            core::mem::offset_of!(atc_device, index),
            |all: &atc_device| &all.index,
        );
    lines
        .structure(
            "atc_data_type",
            size_of::<atc_data_type>(),
            align_of::<atc_data_type>(),
        );
    lines
        .field(
            "atc_data_type.code",
            core::mem::offset_of!(atc_data_type, code),
            |all: &atc_data_type| &all.code,
        );
    lines
        .field(
            "atc_data_type.bits",
            core::mem::offset_of!(atc_data_type, bits),
            |all: &atc_data_type| &all.bits,
        );
    lines
        .field(
            "atc_data_type.lanes",
            core::mem::offset_of!(atc_data_type, lanes),
            |all: &atc_data_type| &all.lanes,
        );
    lines.constant("ATC_CODE_FLOAT", i128::from(ATC_CODE_FLOAT));
    lines.constant("ATC_CODE_BFLOAT", i128::from(ATC_CODE_BFLOAT));
    lines
        .structure(
            "atc_tensor_view",
            size_of::<atc_tensor_view>(),
            align_of::<atc_tensor_view>(),
        );
    lines
        .field(
            "atc_tensor_view.data",
            core::mem::offset_of!(atc_tensor_view, data),
            |all: &atc_tensor_view| &all.data,
        );
    lines
        .field(
            "atc_tensor_view.device",
            core::mem::offset_of!(atc_tensor_view, device),
            |all: &atc_tensor_view| &all.device,
        );
    lines
        .field(
            "atc_tensor_view.ndim",
            core::mem::offset_of!(atc_tensor_view, ndim),
            |all: &atc_tensor_view| &all.ndim,
        );
    lines
        .field(
            "atc_tensor_view.dtype",
            core::mem::offset_of!(atc_tensor_view, dtype),
            |all: &atc_tensor_view| &all.dtype,
        );
    lines
        .field(
            "atc_tensor_view.shape",
            core::mem::offset_of!(atc_tensor_view, shape),
            |all: &atc_tensor_view| &all.shape,
        );
    lines
        .field(
            "atc_tensor_view.strides",
            core::mem::offset_of!(atc_tensor_view, strides),
            |all: &atc_tensor_view| &all.strides,
        );
    lines
        .field(
            "atc_tensor_view.byte_offset",
            core::mem::offset_of!(atc_tensor_view, byte_offset),
            |all: &atc_tensor_view| &all.byte_offset,
        );
    lines.constant("ATC_TECHNIQUE_ONCE", i128::from(ATC_TECHNIQUE_ONCE));
    lines
        .constant(
            "ATC_TECHNIQUE_MEDIAN_OF_THREE",
            i128::from(ATC_TECHNIQUE_MEDIAN_OF_THREE),
        );
    lines.constant("ATC_TECHNIQUE_TILL_STABLE", i128::from(ATC_TECHNIQUE_TILL_STABLE));
    lines.constant("ATC_TECHNIQUE_INTERLEAVED", i128::from(ATC_TECHNIQUE_INTERLEAVED));
    lines.constant("ATC_TECHNIQUE_SUSTAINED", i128::from(ATC_TECHNIQUE_SUSTAINED));
    lines
        .constant(
            "ATC_DETERMINISTIC_ALGORITHMS_OFF",
            i128::from(ATC_DETERMINISTIC_ALGORITHMS_OFF),
        );
    lines
        .constant(
            "ATC_DETERMINISTIC_ALGORITHMS_WARN",
            i128::from(ATC_DETERMINISTIC_ALGORITHMS_WARN),
        );
    lines
        .constant(
            "ATC_DETERMINISTIC_ALGORITHMS_ERROR",
            i128::from(ATC_DETERMINISTIC_ALGORITHMS_ERROR),
        );
    lines
        .structure(
            "atc_settings",
            size_of::<atc_settings>(),
            align_of::<atc_settings>(),
        );
    lines
        .field(
            "atc_settings.struct_size",
            core::mem::offset_of!(atc_settings, struct_size),
            |all: &atc_settings| &all.struct_size,
        );
    lines
        .field(
            "atc_settings.benchmark_cudnn",
            core::mem::offset_of!(atc_settings, benchmark_cudnn),
            |all: &atc_settings| &all.benchmark_cudnn,
        );
    lines
        .field(
            "atc_settings.benchmark_limit_cudnn",
            core::mem::offset_of!(atc_settings, benchmark_limit_cudnn),
            |all: &atc_settings| &all.benchmark_limit_cudnn,
        );
    lines
        .field(
            "atc_settings.user_enabled_cudnn",
            core::mem::offset_of!(atc_settings, user_enabled_cudnn),
            |all: &atc_settings| &all.user_enabled_cudnn,
        );
    lines
        .field(
            "atc_settings.deterministic_cudnn",
            core::mem::offset_of!(atc_settings, deterministic_cudnn),
            |all: &atc_settings| &all.deterministic_cudnn,
        );
    lines
        .field(
            "atc_settings.deterministic_algorithms",
            core::mem::offset_of!(atc_settings, deterministic_algorithms),
            |all: &atc_settings| &all.deterministic_algorithms,
        );
    lines
        .field(
            "atc_settings.allow_tf32_cudnn",
            core::mem::offset_of!(atc_settings, allow_tf32_cudnn),
            |all: &atc_settings| &all.allow_tf32_cudnn,
        );
    lines
        .field(
            "atc_settings.benchmark_technique",
            core::mem::offset_of!(atc_settings, benchmark_technique),
            |all: &atc_settings| &all.benchmark_technique,
        );
    lines
        .field(
            "atc_settings.workspace_limit",
            core::mem::offset_of!(atc_settings, workspace_limit),
            |all: &atc_settings| &all.workspace_limit,
        );
    lines
        .constant(
            "ATC_REPRODUCIBLE_NO_CUDA_SEED",
            i128::from(ATC_REPRODUCIBLE_NO_CUDA_SEED),
        );
    lines
        .constant(
            "ATC_REPRODUCIBLE_OPEN_SELECTION",
            i128::from(ATC_REPRODUCIBLE_OPEN_SELECTION),
        );
    lines
        .constant(
            "ATC_REPRODUCIBLE_CUBLAS_WORKSPACE",
            i128::from(ATC_REPRODUCIBLE_CUBLAS_WORKSPACE),
        );
    lines
        .constant(
            "ATC_REPRODUCIBLE_CPU_THREADS",
            i128::from(ATC_REPRODUCIBLE_CPU_THREADS),
        );
    lines
        .structure(
            "atc_reproducible_report",
            size_of::<atc_reproducible_report>(),
            align_of::<atc_reproducible_report>(),
        );
    lines
        .field(
            "atc_reproducible_report.struct_size",
            core::mem::offset_of!(atc_reproducible_report, struct_size),
            |all: &atc_reproducible_report| &all.struct_size,
        );
    lines
        .field(
            "atc_reproducible_report.missing",
            core::mem::offset_of!(atc_reproducible_report, missing),
            |all: &atc_reproducible_report| &all.missing,
        );
    lines
        .field(
            "atc_reproducible_report.text",
            core::mem::offset_of!(atc_reproducible_report, text),
            |all: &atc_reproducible_report| &all.text,
        );
    lines.constant("ATC_FORWARD", i128::from(ATC_FORWARD));
    lines.constant("ATC_BACKWARD_DATA", i128::from(ATC_BACKWARD_DATA));
    lines.constant("ATC_BACKWARD_WEIGHT", i128::from(ATC_BACKWARD_WEIGHT));
    lines.constant("ATC_DTYPE_F32", i128::from(ATC_DTYPE_F32));
    lines.constant("ATC_DTYPE_BF16", i128::from(ATC_DTYPE_BF16));
    lines.constant("ATC_DTYPE_F16", i128::from(ATC_DTYPE_F16));
    lines.constant("ATC_LAYOUT_CHANNELS_FIRST", i128::from(ATC_LAYOUT_CHANNELS_FIRST));
    lines.constant("ATC_LAYOUT_CHANNELS_LAST", i128::from(ATC_LAYOUT_CHANNELS_LAST));
    lines.constant("ATC_LAYOUT_STRIDED", i128::from(ATC_LAYOUT_STRIDED));
    lines.constant("ATC_EPILOGUE_NONE", i128::from(ATC_EPILOGUE_NONE));
    lines.constant("ATC_EPILOGUE_BIAS", i128::from(ATC_EPILOGUE_BIAS));
    lines.constant("ATC_EPILOGUE_BIAS_RELU", i128::from(ATC_EPILOGUE_BIAS_RELU));
    lines
        .structure(
            "atc_conv_problem",
            size_of::<atc_conv_problem>(),
            align_of::<atc_conv_problem>(),
        );
    lines
        .field(
            "atc_conv_problem.struct_size",
            core::mem::offset_of!(atc_conv_problem, struct_size),
            |all: &atc_conv_problem| &all.struct_size,
        );
    lines
        .field(
            "atc_conv_problem.direction",
            core::mem::offset_of!(atc_conv_problem, direction),
            |all: &atc_conv_problem| &all.direction,
        );
    lines
        .field(
            "atc_conv_problem.spatial_dims",
            core::mem::offset_of!(atc_conv_problem, spatial_dims),
            |all: &atc_conv_problem| &all.spatial_dims,
        );
    lines
        .field(
            "atc_conv_problem.transposed",
            core::mem::offset_of!(atc_conv_problem, transposed),
            |all: &atc_conv_problem| &all.transposed,
        );
    lines
        .field(
            "atc_conv_problem.batch",
            core::mem::offset_of!(atc_conv_problem, batch),
            |all: &atc_conv_problem| &all.batch,
        );
    lines
        .field(
            "atc_conv_problem.in_channels",
            core::mem::offset_of!(atc_conv_problem, in_channels),
            |all: &atc_conv_problem| &all.in_channels,
        );
    lines
        .field(
            "atc_conv_problem.out_channels",
            core::mem::offset_of!(atc_conv_problem, out_channels),
            |all: &atc_conv_problem| &all.out_channels,
        );
    lines
        .field(
            "atc_conv_problem.groups",
            core::mem::offset_of!(atc_conv_problem, groups),
            |all: &atc_conv_problem| &all.groups,
        );
    lines
        .field(
            "atc_conv_problem.input",
            core::mem::offset_of!(atc_conv_problem, input),
            |all: &atc_conv_problem| &all.input,
        );
    lines
        .field(
            "atc_conv_problem.kernel",
            core::mem::offset_of!(atc_conv_problem, kernel),
            |all: &atc_conv_problem| &all.kernel,
        );
    lines
        .field(
            "atc_conv_problem.stride",
            core::mem::offset_of!(atc_conv_problem, stride),
            |all: &atc_conv_problem| &all.stride,
        );
    lines
        .field(
            "atc_conv_problem.dilation",
            core::mem::offset_of!(atc_conv_problem, dilation),
            |all: &atc_conv_problem| &all.dilation,
        );
    lines
        .field(
            "atc_conv_problem.padding_low",
            core::mem::offset_of!(atc_conv_problem, padding_low),
            |all: &atc_conv_problem| &all.padding_low,
        );
    lines
        .field(
            "atc_conv_problem.padding_high",
            core::mem::offset_of!(atc_conv_problem, padding_high),
            |all: &atc_conv_problem| &all.padding_high,
        );
    lines
        .field(
            "atc_conv_problem.output_padding",
            core::mem::offset_of!(atc_conv_problem, output_padding),
            |all: &atc_conv_problem| &all.output_padding,
        );
    lines
        .field(
            "atc_conv_problem.x_dtype",
            core::mem::offset_of!(atc_conv_problem, x_dtype),
            |all: &atc_conv_problem| &all.x_dtype,
        );
    lines
        .field(
            "atc_conv_problem.w_dtype",
            core::mem::offset_of!(atc_conv_problem, w_dtype),
            |all: &atc_conv_problem| &all.w_dtype,
        );
    lines
        .field(
            "atc_conv_problem.y_dtype",
            core::mem::offset_of!(atc_conv_problem, y_dtype),
            |all: &atc_conv_problem| &all.y_dtype,
        );
    lines
        .field(
            "atc_conv_problem.layout",
            core::mem::offset_of!(atc_conv_problem, layout),
            |all: &atc_conv_problem| &all.layout,
        );
    lines
        .field(
            "atc_conv_problem.epilogue",
            core::mem::offset_of!(atc_conv_problem, epilogue),
            |all: &atc_conv_problem| &all.epilogue,
        );
    lines
        .field(
            "atc_conv_problem.accumulate",
            core::mem::offset_of!(atc_conv_problem, accumulate),
            |all: &atc_conv_problem| &all.accumulate,
        );
    lines
        .field(
            "atc_conv_problem.x_strides",
            core::mem::offset_of!(atc_conv_problem, x_strides),
            |all: &atc_conv_problem| &all.x_strides,
        );
    lines
        .field(
            "atc_conv_problem.w_strides",
            core::mem::offset_of!(atc_conv_problem, w_strides),
            |all: &atc_conv_problem| &all.w_strides,
        );
    lines
        .field(
            "atc_conv_problem.y_strides",
            core::mem::offset_of!(atc_conv_problem, y_strides),
            |all: &atc_conv_problem| &all.y_strides,
        );
    lines.constant("ATC_OPERAND_X", i128::from(ATC_OPERAND_X));
    lines.constant("ATC_OPERAND_W", i128::from(ATC_OPERAND_W));
    lines.constant("ATC_OPERAND_BIAS", i128::from(ATC_OPERAND_BIAS));
    lines.constant("ATC_OPERAND_Y", i128::from(ATC_OPERAND_Y));
    lines.constant("ATC_SOURCE_GIVEN", i128::from(ATC_SOURCE_GIVEN));
    lines.constant("ATC_SOURCE_RECORD", i128::from(ATC_SOURCE_RECORD));
    lines.constant("ATC_SOURCE_INHERITED", i128::from(ATC_SOURCE_INHERITED));
    lines.constant("ATC_SOURCE_MEMORY", i128::from(ATC_SOURCE_MEMORY));
    lines.constant("ATC_SOURCE_TUNED", i128::from(ATC_SOURCE_TUNED));
    lines.constant("ATC_SOURCE_DEFAULT", i128::from(ATC_SOURCE_DEFAULT));
    lines.constant("ATC_SOURCE_REFERENCE", i128::from(ATC_SOURCE_REFERENCE));
    lines
        .structure(
            "atc_conv_options",
            size_of::<atc_conv_options>(),
            align_of::<atc_conv_options>(),
        );
    lines
        .field(
            "atc_conv_options.struct_size",
            core::mem::offset_of!(atc_conv_options, struct_size),
            |all: &atc_conv_options| &all.struct_size,
        );
    lines
        .field(
            "atc_conv_options.tune",
            core::mem::offset_of!(atc_conv_options, tune),
            |all: &atc_conv_options| &all.tune,
        );
    lines
        .field(
            "atc_conv_options.deterministic",
            core::mem::offset_of!(atc_conv_options, deterministic),
            |all: &atc_conv_options| &all.deterministic,
        );
    lines
        .field(
            "atc_conv_options.allow_tf32",
            core::mem::offset_of!(atc_conv_options, allow_tf32),
            |all: &atc_conv_options| &all.allow_tf32,
        );
    lines
        .field(
            "atc_conv_options.allow_reference",
            core::mem::offset_of!(atc_conv_options, allow_reference),
            |all: &atc_conv_options| &all.allow_reference,
        );
    lines
        .field(
            "atc_conv_options.constant_weights",
            core::mem::offset_of!(atc_conv_options, constant_weights),
            |all: &atc_conv_options| &all.constant_weights,
        );
    lines
        .field(
            "atc_conv_options.technique",
            core::mem::offset_of!(atc_conv_options, technique),
            |all: &atc_conv_options| &all.technique,
        );
    lines
        .field(
            "atc_conv_options.alignment",
            core::mem::offset_of!(atc_conv_options, alignment),
            |all: &atc_conv_options| &all.alignment,
        );
    lines
        .field(
            "atc_conv_options.workspace_limit",
            core::mem::offset_of!(atc_conv_options, workspace_limit),
            |all: &atc_conv_options| &all.workspace_limit,
        );
    lines
        .field(
            "atc_conv_options.budget_seconds",
            core::mem::offset_of!(atc_conv_options, budget_seconds),
            |all: &atc_conv_options| &all.budget_seconds,
        );
    lines
        .field(
            "atc_conv_options.front_end",
            core::mem::offset_of!(atc_conv_options, front_end),
            |all: &atc_conv_options| &all.front_end,
        );
    lines
        .field(
            "atc_conv_options.require_firm",
            core::mem::offset_of!(atc_conv_options, require_firm),
            |all: &atc_conv_options| &all.require_firm,
        );
    lines
        .field(
            "atc_conv_options.strict_precision",
            core::mem::offset_of!(atc_conv_options, strict_precision),
            |all: &atc_conv_options| &all.strict_precision,
        );
    lines
        .field(
            "atc_conv_options.allow_reduced_precision_reduction",
            core::mem::offset_of!(atc_conv_options, allow_reduced_precision_reduction),
            |all: &atc_conv_options| &all.allow_reduced_precision_reduction,
        );
    lines
        .field(
            "atc_conv_options.use_store",
            core::mem::offset_of!(atc_conv_options, use_store),
            |all: &atc_conv_options| &all.use_store,
        );
    lines
        .field(
            "atc_conv_options.store",
            core::mem::offset_of!(atc_conv_options, store),
            |all: &atc_conv_options| &all.store,
        );
    lines
        .field(
            "atc_conv_options.allocator",
            core::mem::offset_of!(atc_conv_options, allocator),
            |all: &atc_conv_options| &all.allocator,
        );
    lines.constant("ATC_OUTCOME_WON", i128::from(ATC_OUTCOME_WON));
    lines.constant("ATC_OUTCOME_LOST", i128::from(ATC_OUTCOME_LOST));
    lines.constant("ATC_OUTCOME_DROPPED", i128::from(ATC_OUTCOME_DROPPED));
    lines.constant("ATC_OUTCOME_TIED", i128::from(ATC_OUTCOME_TIED));
    lines.constant("ATC_OUTCOME_NOT_PREPARED", i128::from(ATC_OUTCOME_NOT_PREPARED));
    lines.constant("ATC_OUTCOME_WRONG_RESULT", i128::from(ATC_OUTCOME_WRONG_RESULT));
    lines.constant("ATC_OUTCOME_FAILED", i128::from(ATC_OUTCOME_FAILED));
    lines.constant("ATC_OUTCOME_OUT_OF_MEMORY", i128::from(ATC_OUTCOME_OUT_OF_MEMORY));
    lines.constant("ATC_OUTCOME_SKIPPED", i128::from(ATC_OUTCOME_SKIPPED));
    lines.constant("ATC_OUTCOME_OFFERED", i128::from(ATC_OUTCOME_OFFERED));
    lines.constant("ATC_CANDIDATE_IN_GRAPH", i128::from(ATC_CANDIDATE_IN_GRAPH));
    lines.constant("ATC_CANDIDATE_HOST_BOUND", i128::from(ATC_CANDIDATE_HOST_BOUND));
    lines.constant("ATC_CANDIDATE_CAPTURED", i128::from(ATC_CANDIDATE_CAPTURED));
    lines.constant("ATC_CANDIDATE_IMPRECISE", i128::from(ATC_CANDIDATE_IMPRECISE));
    lines
        .structure(
            "atc_candidate",
            size_of::<atc_candidate>(),
            align_of::<atc_candidate>(),
        );
    lines
        .field(
            "atc_candidate.struct_size",
            core::mem::offset_of!(atc_candidate, struct_size),
            |all: &atc_candidate| &all.struct_size,
        );
    lines
        .field(
            "atc_candidate.outcome",
            core::mem::offset_of!(atc_candidate, outcome),
            |all: &atc_candidate| &all.outcome,
        );
    lines
        .field(
            "atc_candidate.engine",
            core::mem::offset_of!(atc_candidate, engine),
            |all: &atc_candidate| &all.engine,
        );
    lines
        .field(
            "atc_candidate.version",
            core::mem::offset_of!(atc_candidate, version),
            |all: &atc_candidate| &all.version,
        );
    lines
        .field(
            "atc_candidate.configuration",
            core::mem::offset_of!(atc_candidate, configuration),
            |all: &atc_candidate| &all.configuration,
        );
    lines
        .field(
            "atc_candidate.notes",
            core::mem::offset_of!(atc_candidate, notes),
            |all: &atc_candidate| &all.notes,
        );
    lines
        .field(
            "atc_candidate.reason",
            core::mem::offset_of!(atc_candidate, reason),
            |all: &atc_candidate| &all.reason,
        );
    lines
        .field(
            "atc_candidate.workspace",
            core::mem::offset_of!(atc_candidate, workspace),
            |all: &atc_candidate| &all.workspace,
        );
    lines
        .field(
            "atc_candidate.samples",
            core::mem::offset_of!(atc_candidate, samples),
            |all: &atc_candidate| &all.samples,
        );
    lines
        .field(
            "atc_candidate.executions",
            core::mem::offset_of!(atc_candidate, executions),
            |all: &atc_candidate| &all.executions,
        );
    lines
        .field(
            "atc_candidate.mean",
            core::mem::offset_of!(atc_candidate, mean),
            |all: &atc_candidate| &all.mean,
        );
    lines
        .field(
            "atc_candidate.median",
            core::mem::offset_of!(atc_candidate, median),
            |all: &atc_candidate| &all.median,
        );
    lines
        .field(
            "atc_candidate.min",
            core::mem::offset_of!(atc_candidate, min),
            |all: &atc_candidate| &all.min,
        );
    lines
        .field(
            "atc_candidate.max",
            core::mem::offset_of!(atc_candidate, max),
            |all: &atc_candidate| &all.max,
        );
    lines
        .field(
            "atc_candidate.deviation",
            core::mem::offset_of!(atc_candidate, deviation),
            |all: &atc_candidate| &all.deviation,
        );
    lines
        .field(
            "atc_candidate.clock_hz",
            core::mem::offset_of!(atc_candidate, clock_hz),
            |all: &atc_candidate| &all.clock_hz,
        );
    lines
        .field(
            "atc_candidate.rewrites",
            core::mem::offset_of!(atc_candidate, rewrites),
            |all: &atc_candidate| &all.rewrites,
        );
    lines
        .field(
            "atc_candidate.host",
            core::mem::offset_of!(atc_candidate, host),
            |all: &atc_candidate| &all.host,
        );
    lines
        .field(
            "atc_candidate.launches",
            core::mem::offset_of!(atc_candidate, launches),
            |all: &atc_candidate| &all.launches,
        );
    lines
        .field(
            "atc_candidate.flags",
            core::mem::offset_of!(atc_candidate, flags),
            |all: &atc_candidate| &all.flags,
        );
    lines
        .field(
            "atc_candidate.reserved",
            core::mem::offset_of!(atc_candidate, reserved),
            |all: &atc_candidate| &all.reserved,
        );
    lines
        .structure(
            "atc_cache_statistics",
            size_of::<atc_cache_statistics>(),
            align_of::<atc_cache_statistics>(),
        );
    lines
        .field(
            "atc_cache_statistics.struct_size",
            core::mem::offset_of!(atc_cache_statistics, struct_size),
            |all: &atc_cache_statistics| &all.struct_size,
        );
    lines
        .field(
            "atc_cache_statistics.capacity",
            core::mem::offset_of!(atc_cache_statistics, capacity),
            |all: &atc_cache_statistics| &all.capacity,
        );
    lines
        .field(
            "atc_cache_statistics.plans",
            core::mem::offset_of!(atc_cache_statistics, plans),
            |all: &atc_cache_statistics| &all.plans,
        );
    lines
        .field(
            "atc_cache_statistics.hits",
            core::mem::offset_of!(atc_cache_statistics, hits),
            |all: &atc_cache_statistics| &all.hits,
        );
    lines
        .field(
            "atc_cache_statistics.misses",
            core::mem::offset_of!(atc_cache_statistics, misses),
            |all: &atc_cache_statistics| &all.misses,
        );
    lines
        .field(
            "atc_cache_statistics.evictions",
            core::mem::offset_of!(atc_cache_statistics, evictions),
            |all: &atc_cache_statistics| &all.evictions,
        );
    lines
        .field(
            "atc_cache_statistics.put_off",
            core::mem::offset_of!(atc_cache_statistics, put_off),
            |all: &atc_cache_statistics| &all.put_off,
        );
    lines
        .structure(
            "atc_device_info",
            size_of::<atc_device_info>(),
            align_of::<atc_device_info>(),
        );
    lines
        .field(
            "atc_device_info.struct_size",
            core::mem::offset_of!(atc_device_info, struct_size),
            |all: &atc_device_info| &all.struct_size,
        );
    lines
        .field(
            "atc_device_info.compute_units",
            core::mem::offset_of!(atc_device_info, compute_units),
            |all: &atc_device_info| &all.compute_units,
        );
    lines
        .field(
            "atc_device_info.cache_bytes",
            core::mem::offset_of!(atc_device_info, cache_bytes),
            |all: &atc_device_info| &all.cache_bytes,
        );
    lines
        .field(
            "atc_device_info.memory_bytes",
            core::mem::offset_of!(atc_device_info, memory_bytes),
            |all: &atc_device_info| &all.memory_bytes,
        );
    lines
        .field(
            "atc_device_info.compute_major",
            core::mem::offset_of!(atc_device_info, compute_major),
            |all: &atc_device_info| &all.compute_major,
        );
    lines
        .field(
            "atc_device_info.compute_minor",
            core::mem::offset_of!(atc_device_info, compute_minor),
            |all: &atc_device_info| &all.compute_minor,
        );
    lines
        .field(
            "atc_device_info.name",
            core::mem::offset_of!(atc_device_info, name),
            |all: &atc_device_info| &all.name,
        );
    lines
        .field(
            "atc_device_info.isa",
            core::mem::offset_of!(atc_device_info, isa),
            |all: &atc_device_info| &all.isa,
        );
    lines
        .structure(
            "atc_library_info",
            size_of::<atc_library_info>(),
            align_of::<atc_library_info>(),
        );
    lines
        .field(
            "atc_library_info.struct_size",
            core::mem::offset_of!(atc_library_info, struct_size),
            |all: &atc_library_info| &all.struct_size,
        );
    lines
        .field(
            "atc_library_info.loaded",
            core::mem::offset_of!(atc_library_info, loaded),
            |all: &atc_library_info| &all.loaded,
        );
    lines
        .field(
            "atc_library_info.name",
            core::mem::offset_of!(atc_library_info, name),
            |all: &atc_library_info| &all.name,
        );
    lines
        .field(
            "atc_library_info.version",
            core::mem::offset_of!(atc_library_info, version),
            |all: &atc_library_info| &all.version,
        );
    lines
        .field(
            "atc_library_info.compiled_version",
            core::mem::offset_of!(atc_library_info, compiled_version),
            |all: &atc_library_info| &all.compiled_version,
        );
    lines
        .field(
            "atc_library_info.file",
            core::mem::offset_of!(atc_library_info, file),
            |all: &atc_library_info| &all.file,
        );
    lines
        .field(
            "atc_library_info.note",
            core::mem::offset_of!(atc_library_info, note),
            |all: &atc_library_info| &all.note,
        );
    lines
        .field(
            "atc_library_info.remarks",
            core::mem::offset_of!(atc_library_info, remarks),
            |all: &atc_library_info| &all.remarks,
        );
    lines
        .constant(
            "ATC_ENGINE_NONDETERMINISTIC",
            i128::from(ATC_ENGINE_NONDETERMINISTIC),
        );
    lines.constant("ATC_ENGINE_RETURNS_OUTPUT", i128::from(ATC_ENGINE_RETURNS_OUTPUT));
    lines.constant("ATC_ENGINE_TRANSFORM", i128::from(ATC_ENGINE_TRANSFORM));
    lines.constant("ATC_ENGINE_ROUNDS_TWICE", i128::from(ATC_ENGINE_ROUNDS_TWICE));
    lines.constant("ATC_ENGINE_ORIGINAL", i128::from(ATC_ENGINE_ORIGINAL));
    lines.constant("ATC_ENGINE_EVERY_DEVICE", i128::from(ATC_ENGINE_EVERY_DEVICE));
    lines
        .structure(
            "atc_engine_limits",
            size_of::<atc_engine_limits>(),
            align_of::<atc_engine_limits>(),
        );
    lines
        .field(
            "atc_engine_limits.struct_size",
            core::mem::offset_of!(atc_engine_limits, struct_size),
            |all: &atc_engine_limits| &all.struct_size,
        );
    lines
        .field(
            "atc_engine_limits.deterministic",
            core::mem::offset_of!(atc_engine_limits, deterministic),
            |all: &atc_engine_limits| &all.deterministic,
        );
    lines
        .field(
            "atc_engine_limits.allow_tf32",
            core::mem::offset_of!(atc_engine_limits, allow_tf32),
            |all: &atc_engine_limits| &all.allow_tf32,
        );
    lines
        .field(
            "atc_engine_limits.constant_weights",
            core::mem::offset_of!(atc_engine_limits, constant_weights),
            |all: &atc_engine_limits| &all.constant_weights,
        );
    lines
        .field(
            "atc_engine_limits.device",
            core::mem::offset_of!(atc_engine_limits, device),
            |all: &atc_engine_limits| &all.device,
        );
    lines
        .field(
            "atc_engine_limits.alignment",
            core::mem::offset_of!(atc_engine_limits, alignment),
            |all: &atc_engine_limits| &all.alignment,
        );
    lines
        .field(
            "atc_engine_limits.workspace",
            core::mem::offset_of!(atc_engine_limits, workspace),
            |all: &atc_engine_limits| &all.workspace,
        );
    lines
        .structure(
            "atc_engine_offer",
            size_of::<atc_engine_offer>(),
            align_of::<atc_engine_offer>(),
        );
    lines
        .field(
            "atc_engine_offer.struct_size",
            core::mem::offset_of!(atc_engine_offer, struct_size),
            |all: &atc_engine_offer| &all.struct_size,
        );
    lines
        .field(
            "atc_engine_offer.flags",
            core::mem::offset_of!(atc_engine_offer, flags),
            |all: &atc_engine_offer| &all.flags,
        );
    lines
        .field(
            "atc_engine_offer.workspace",
            core::mem::offset_of!(atc_engine_offer, workspace),
            |all: &atc_engine_offer| &all.workspace,
        );
    lines
        .field(
            "atc_engine_offer.configuration",
            core::mem::offset_of!(atc_engine_offer, configuration),
            |all: &atc_engine_offer| &all.configuration,
        );
    lines
        .field(
            "atc_engine_offer.notes",
            core::mem::offset_of!(atc_engine_offer, notes),
            |all: &atc_engine_offer| &all.notes,
        );
    lines
        .structure(
            "atc_engine_operands",
            size_of::<atc_engine_operands>(),
            align_of::<atc_engine_operands>(),
        );
    lines
        .field(
            "atc_engine_operands.struct_size",
            core::mem::offset_of!(atc_engine_operands, struct_size),
            |all: &atc_engine_operands| &all.struct_size,
        );
    lines
        .field(
            "atc_engine_operands.reserved",
            core::mem::offset_of!(atc_engine_operands, reserved),
            |all: &atc_engine_operands| &all.reserved,
        );
    lines
        .field(
            "atc_engine_operands.x",
            core::mem::offset_of!(atc_engine_operands, x),
            |all: &atc_engine_operands| &all.x,
        );
    lines
        .field(
            "atc_engine_operands.w",
            core::mem::offset_of!(atc_engine_operands, w),
            |all: &atc_engine_operands| &all.w,
        );
    lines
        .field(
            "atc_engine_operands.bias",
            core::mem::offset_of!(atc_engine_operands, bias),
            |all: &atc_engine_operands| &all.bias,
        );
    lines
        .field(
            "atc_engine_operands.y",
            core::mem::offset_of!(atc_engine_operands, y),
            |all: &atc_engine_operands| &all.y,
        );
    lines
        .field(
            "atc_engine_operands.workspace",
            core::mem::offset_of!(atc_engine_operands, workspace),
            |all: &atc_engine_operands| &all.workspace,
        );
    lines
        .field(
            "atc_engine_operands.workspace_size",
            core::mem::offset_of!(atc_engine_operands, workspace_size),
            |all: &atc_engine_operands| &all.workspace_size,
        );
    lines
        .field(
            "atc_engine_operands.stream",
            core::mem::offset_of!(atc_engine_operands, stream),
            |all: &atc_engine_operands| &all.stream,
        );
    lines
        .field(
            "atc_engine_operands.result",
            core::mem::offset_of!(atc_engine_operands, result),
            |all: &atc_engine_operands| &all.result,
        );
    lines.structure("atc_engine", size_of::<atc_engine>(), align_of::<atc_engine>());
    lines
        .field(
            "atc_engine.struct_size",
            core::mem::offset_of!(atc_engine, struct_size),
            |all: &atc_engine| &all.struct_size,
        );
    lines
        .field(
            "atc_engine.device_type",
            core::mem::offset_of!(atc_engine, device_type),
            |all: &atc_engine| &all.device_type,
        );
    lines
        .field(
            "atc_engine.name",
            core::mem::offset_of!(atc_engine, name),
            |all: &atc_engine| &all.name,
        );
    lines
        .field(
            "atc_engine.version",
            core::mem::offset_of!(atc_engine, version),
            |all: &atc_engine| &all.version,
        );
    lines
        .field(
            "atc_engine.user",
            core::mem::offset_of!(atc_engine, user),
            |all: &atc_engine| &all.user,
        );
    lines
        .field(
            "atc_engine.offers",
            core::mem::offset_of!(atc_engine, offers),
            |all: &atc_engine| &all.offers,
        );
    lines
        .field(
            "atc_engine.prepare",
            core::mem::offset_of!(atc_engine, prepare),
            |all: &atc_engine| &all.prepare,
        );
    lines
        .field(
            "atc_engine.set_weights",
            core::mem::offset_of!(atc_engine, set_weights),
            |all: &atc_engine| &all.set_weights,
        );
    lines
        .field(
            "atc_engine.execute",
            core::mem::offset_of!(atc_engine, execute),
            |all: &atc_engine| &all.execute,
        );
    lines
        .field(
            "atc_engine.release",
            core::mem::offset_of!(atc_engine, release),
            |all: &atc_engine| &all.release,
        );
    lines
        .field(
            "atc_engine.destroy",
            core::mem::offset_of!(atc_engine, destroy),
            |all: &atc_engine| &all.destroy,
        );
    lines
        .structure(
            "atc_engine_info",
            size_of::<atc_engine_info>(),
            align_of::<atc_engine_info>(),
        );
    lines
        .field(
            "atc_engine_info.struct_size",
            core::mem::offset_of!(atc_engine_info, struct_size),
            |all: &atc_engine_info| &all.struct_size,
        );
    lines
        .field(
            "atc_engine_info.built_in",
            core::mem::offset_of!(atc_engine_info, built_in),
            |all: &atc_engine_info| &all.built_in,
        );
    lines
        .field(
            "atc_engine_info.serves_cpu",
            core::mem::offset_of!(atc_engine_info, serves_cpu),
            |all: &atc_engine_info| &all.serves_cpu,
        );
    lines
        .field(
            "atc_engine_info.serves_cuda",
            core::mem::offset_of!(atc_engine_info, serves_cuda),
            |all: &atc_engine_info| &all.serves_cuda,
        );
    lines
        .field(
            "atc_engine_info.name",
            core::mem::offset_of!(atc_engine_info, name),
            |all: &atc_engine_info| &all.name,
        );
    lines
        .field(
            "atc_engine_info.version",
            core::mem::offset_of!(atc_engine_info, version),
            |all: &atc_engine_info| &all.version,
        );
    lines
        .constant(
            "ATC_SETTING_BENCHMARK_CUDNN",
            i128::from(ATC_SETTING_BENCHMARK_CUDNN),
        );
    lines
        .constant(
            "ATC_SETTING_BENCHMARK_LIMIT_CUDNN",
            i128::from(ATC_SETTING_BENCHMARK_LIMIT_CUDNN),
        );
    lines
        .constant(
            "ATC_SETTING_USER_ENABLED_CUDNN",
            i128::from(ATC_SETTING_USER_ENABLED_CUDNN),
        );
    lines
        .constant(
            "ATC_SETTING_DETERMINISTIC_CUDNN",
            i128::from(ATC_SETTING_DETERMINISTIC_CUDNN),
        );
    lines
        .constant(
            "ATC_SETTING_DETERMINISTIC_ALGORITHMS",
            i128::from(ATC_SETTING_DETERMINISTIC_ALGORITHMS),
        );
    lines
        .constant(
            "ATC_SETTING_ALLOW_TF32_CUDNN",
            i128::from(ATC_SETTING_ALLOW_TF32_CUDNN),
        );
    lines
        .structure(
            "atc_settings_source",
            size_of::<atc_settings_source>(),
            align_of::<atc_settings_source>(),
        );
    lines
        .field(
            "atc_settings_source.struct_size",
            core::mem::offset_of!(atc_settings_source, struct_size),
            |all: &atc_settings_source| &all.struct_size,
        );
    lines
        .field(
            "atc_settings_source.reserved",
            core::mem::offset_of!(atc_settings_source, reserved),
            |all: &atc_settings_source| &all.reserved,
        );
    lines
        .field(
            "atc_settings_source.user",
            core::mem::offset_of!(atc_settings_source, user),
            |all: &atc_settings_source| &all.user,
        );
    lines
        .field(
            "atc_settings_source.get",
            core::mem::offset_of!(atc_settings_source, get),
            |all: &atc_settings_source| &all.get,
        );
    lines
        .field(
            "atc_settings_source.set",
            core::mem::offset_of!(atc_settings_source, set),
            |all: &atc_settings_source| &all.set,
        );
    lines
        .field(
            "atc_settings_source.manual_seed",
            core::mem::offset_of!(atc_settings_source, manual_seed),
            |all: &atc_settings_source| &all.manual_seed,
        );
    lines
        .field(
            "atc_settings_source.synchronize",
            core::mem::offset_of!(atc_settings_source, synchronize),
            |all: &atc_settings_source| &all.synchronize,
        );
    lines
        .field(
            "atc_settings_source.destroy",
            core::mem::offset_of!(atc_settings_source, destroy),
            |all: &atc_settings_source| &all.destroy,
        );
    lines
        .structure(
            "atc_allocator",
            size_of::<atc_allocator>(),
            align_of::<atc_allocator>(),
        );
    lines
        .field(
            "atc_allocator.struct_size",
            core::mem::offset_of!(atc_allocator, struct_size),
            |all: &atc_allocator| &all.struct_size,
        );
    lines
        .field(
            "atc_allocator.device_type",
            core::mem::offset_of!(atc_allocator, device_type),
            |all: &atc_allocator| &all.device_type,
        );
    lines
        .field(
            "atc_allocator.user",
            core::mem::offset_of!(atc_allocator, user),
            |all: &atc_allocator| &all.user,
        );
    lines
        .field(
            "atc_allocator.alloc",
            core::mem::offset_of!(atc_allocator, alloc),
            |all: &atc_allocator| &all.alloc,
        );
    lines
        .field(
            "atc_allocator.free",
            core::mem::offset_of!(atc_allocator, free),
            |all: &atc_allocator| &all.free,
        );
    lines
        .field(
            "atc_allocator.destroy",
            core::mem::offset_of!(atc_allocator, destroy),
            |all: &atc_allocator| &all.destroy,
        );
    lines.constant("ATC_LOG_OFF", i128::from(ATC_LOG_OFF));
    lines.constant("ATC_LOG_ERROR", i128::from(ATC_LOG_ERROR));
    lines.constant("ATC_LOG_WARNING", i128::from(ATC_LOG_WARNING));
    lines.constant("ATC_LOG_INFO", i128::from(ATC_LOG_INFO));
    lines.constant("ATC_LOG_DEBUG", i128::from(ATC_LOG_DEBUG));
    lines
        .structure(
            "atc_log_sink",
            size_of::<atc_log_sink>(),
            align_of::<atc_log_sink>(),
        );
    lines
        .field(
            "atc_log_sink.struct_size",
            core::mem::offset_of!(atc_log_sink, struct_size),
            |all: &atc_log_sink| &all.struct_size,
        );
    lines
        .field(
            "atc_log_sink.reserved",
            core::mem::offset_of!(atc_log_sink, reserved),
            |all: &atc_log_sink| &all.reserved,
        );
    lines
        .field(
            "atc_log_sink.user",
            core::mem::offset_of!(atc_log_sink, user),
            |all: &atc_log_sink| &all.user,
        );
    lines
        .field(
            "atc_log_sink.write",
            core::mem::offset_of!(atc_log_sink, write),
            |all: &atc_log_sink| &all.write,
        );
    lines
        .field(
            "atc_log_sink.destroy",
            core::mem::offset_of!(atc_log_sink, destroy),
            |all: &atc_log_sink| &all.destroy,
        );
    lines.constant("ATC_STORE_OFF", i128::from(ATC_STORE_OFF));
    lines.constant("ATC_STORE_READ", i128::from(ATC_STORE_READ));
    lines.constant("ATC_STORE_READ_WRITE", i128::from(ATC_STORE_READ_WRITE));
    lines.constant("ATC_STORE_REPLAY_ONLY", i128::from(ATC_STORE_REPLAY_ONLY));
    lines
        .structure(
            "atc_store_info",
            size_of::<atc_store_info>(),
            align_of::<atc_store_info>(),
        );
    lines
        .field(
            "atc_store_info.struct_size",
            core::mem::offset_of!(atc_store_info, struct_size),
            |all: &atc_store_info| &all.struct_size,
        );
    lines
        .field(
            "atc_store_info.mode",
            core::mem::offset_of!(atc_store_info, mode),
            |all: &atc_store_info| &all.mode,
        );
    lines
        .field(
            "atc_store_info.entries",
            core::mem::offset_of!(atc_store_info, entries),
            |all: &atc_store_info| &all.entries,
        );
    lines
        .field(
            "atc_store_info.directory",
            core::mem::offset_of!(atc_store_info, directory),
            |all: &atc_store_info| &all.directory,
        );
    lines.constant("ATC_RETUNE_PROVISIONAL", i128::from(ATC_RETUNE_PROVISIONAL));
    lines
        .structure(
            "atc_tune_options",
            size_of::<atc_tune_options>(),
            align_of::<atc_tune_options>(),
        );
    lines
        .field(
            "atc_tune_options.struct_size",
            core::mem::offset_of!(atc_tune_options, struct_size),
            |all: &atc_tune_options| &all.struct_size,
        );
    lines
        .field(
            "atc_tune_options.technique",
            core::mem::offset_of!(atc_tune_options, technique),
            |all: &atc_tune_options| &all.technique,
        );
    lines
        .field(
            "atc_tune_options.deterministic",
            core::mem::offset_of!(atc_tune_options, deterministic),
            |all: &atc_tune_options| &all.deterministic,
        );
    lines
        .field(
            "atc_tune_options.allow_tf32",
            core::mem::offset_of!(atc_tune_options, allow_tf32),
            |all: &atc_tune_options| &all.allow_tf32,
        );
    lines
        .field(
            "atc_tune_options.constant_weights",
            core::mem::offset_of!(atc_tune_options, constant_weights),
            |all: &atc_tune_options| &all.constant_weights,
        );
    lines
        .field(
            "atc_tune_options.retune",
            core::mem::offset_of!(atc_tune_options, retune),
            |all: &atc_tune_options| &all.retune,
        );
    lines
        .field(
            "atc_tune_options.alignment",
            core::mem::offset_of!(atc_tune_options, alignment),
            |all: &atc_tune_options| &all.alignment,
        );
    lines
        .field(
            "atc_tune_options.widen",
            core::mem::offset_of!(atc_tune_options, widen),
            |all: &atc_tune_options| &all.widen,
        );
    lines
        .field(
            "atc_tune_options.workspace_limit",
            core::mem::offset_of!(atc_tune_options, workspace_limit),
            |all: &atc_tune_options| &all.workspace_limit,
        );
    lines
        .field(
            "atc_tune_options.max_candidates",
            core::mem::offset_of!(atc_tune_options, max_candidates),
            |all: &atc_tune_options| &all.max_candidates,
        );
    lines
        .field(
            "atc_tune_options.seed",
            core::mem::offset_of!(atc_tune_options, seed),
            |all: &atc_tune_options| &all.seed,
        );
    lines
        .field(
            "atc_tune_options.problem_budget_seconds",
            core::mem::offset_of!(atc_tune_options, problem_budget_seconds),
            |all: &atc_tune_options| &all.problem_budget_seconds,
        );
    lines
        .field(
            "atc_tune_options.total_budget_seconds",
            core::mem::offset_of!(atc_tune_options, total_budget_seconds),
            |all: &atc_tune_options| &all.total_budget_seconds,
        );
    lines
        .field(
            "atc_tune_options.tie_margin",
            core::mem::offset_of!(atc_tune_options, tie_margin),
            |all: &atc_tune_options| &all.tie_margin,
        );
    lines
        .field(
            "atc_tune_options.engines_allowed",
            core::mem::offset_of!(atc_tune_options, engines_allowed),
            |all: &atc_tune_options| &all.engines_allowed,
        );
    lines
        .field(
            "atc_tune_options.engines_barred",
            core::mem::offset_of!(atc_tune_options, engines_barred),
            |all: &atc_tune_options| &all.engines_barred,
        );
    lines
        .field(
            "atc_tune_options.require_firm",
            core::mem::offset_of!(atc_tune_options, require_firm),
            |all: &atc_tune_options| &all.require_firm,
        );
    lines
        .field(
            "atc_tune_options.strict_precision",
            core::mem::offset_of!(atc_tune_options, strict_precision),
            |all: &atc_tune_options| &all.strict_precision,
        );
    lines
        .field(
            "atc_tune_options.allow_reduced_precision_reduction",
            core::mem::offset_of!(atc_tune_options, allow_reduced_precision_reduction),
            |all: &atc_tune_options| &all.allow_reduced_precision_reduction,
        );
    lines
        .field(
            "atc_tune_options.use_store",
            core::mem::offset_of!(atc_tune_options, use_store),
            |all: &atc_tune_options| &all.use_store,
        );
    lines
        .field(
            "atc_tune_options.store",
            core::mem::offset_of!(atc_tune_options, store),
            |all: &atc_tune_options| &all.store,
        );
    lines
        .field(
            "atc_tune_options.allocator",
            core::mem::offset_of!(atc_tune_options, allocator),
            |all: &atc_tune_options| &all.allocator,
        );
    lines
        .structure(
            "atc_tune_progress",
            size_of::<atc_tune_progress>(),
            align_of::<atc_tune_progress>(),
        );
    lines
        .field(
            "atc_tune_progress.struct_size",
            core::mem::offset_of!(atc_tune_progress, struct_size),
            |all: &atc_tune_progress| &all.struct_size,
        );
    lines
        .field(
            "atc_tune_progress.reserved",
            core::mem::offset_of!(atc_tune_progress, reserved),
            |all: &atc_tune_progress| &all.reserved,
        );
    lines
        .field(
            "atc_tune_progress.problem",
            core::mem::offset_of!(atc_tune_progress, problem),
            |all: &atc_tune_progress| &all.problem,
        );
    lines
        .field(
            "atc_tune_progress.problems",
            core::mem::offset_of!(atc_tune_progress, problems),
            |all: &atc_tune_progress| &all.problems,
        );
    lines
        .field(
            "atc_tune_progress.problem_fraction",
            core::mem::offset_of!(atc_tune_progress, problem_fraction),
            |all: &atc_tune_progress| &all.problem_fraction,
        );
    lines
        .field(
            "atc_tune_progress.seconds",
            core::mem::offset_of!(atc_tune_progress, seconds),
            |all: &atc_tune_progress| &all.seconds,
        );
    lines
        .field(
            "atc_tune_progress.description",
            core::mem::offset_of!(atc_tune_progress, description),
            |all: &atc_tune_progress| &all.description,
        );
    lines.constant("ATC_TUNED_UNSTABLE", i128::from(ATC_TUNED_UNSTABLE));
    lines.constant("ATC_TUNED_INCOMPLETE", i128::from(ATC_TUNED_INCOMPLETE));
    lines.constant("ATC_TUNED_STORED", i128::from(ATC_TUNED_STORED));
    lines.constant("ATC_TUNED_CANCELLED", i128::from(ATC_TUNED_CANCELLED));
    lines
        .structure(
            "atc_tuned_problem",
            size_of::<atc_tuned_problem>(),
            align_of::<atc_tuned_problem>(),
        );
    lines
        .field(
            "atc_tuned_problem.struct_size",
            core::mem::offset_of!(atc_tuned_problem, struct_size),
            |all: &atc_tuned_problem| &all.struct_size,
        );
    lines
        .field(
            "atc_tuned_problem.status",
            core::mem::offset_of!(atc_tuned_problem, status),
            |all: &atc_tuned_problem| &all.status,
        );
    lines
        .field(
            "atc_tuned_problem.source",
            core::mem::offset_of!(atc_tuned_problem, source),
            |all: &atc_tuned_problem| &all.source,
        );
    lines
        .field(
            "atc_tuned_problem.flags",
            core::mem::offset_of!(atc_tuned_problem, flags),
            |all: &atc_tuned_problem| &all.flags,
        );
    lines
        .field(
            "atc_tuned_problem.winner",
            core::mem::offset_of!(atc_tuned_problem, winner),
            |all: &atc_tuned_problem| &all.winner,
        );
    lines
        .field(
            "atc_tuned_problem.default_candidate",
            core::mem::offset_of!(atc_tuned_problem, default_candidate),
            |all: &atc_tuned_problem| &all.default_candidate,
        );
    lines
        .field(
            "atc_tuned_problem.candidates",
            core::mem::offset_of!(atc_tuned_problem, candidates),
            |all: &atc_tuned_problem| &all.candidates,
        );
    lines
        .field(
            "atc_tuned_problem.executions",
            core::mem::offset_of!(atc_tuned_problem, executions),
            |all: &atc_tuned_problem| &all.executions,
        );
    lines
        .field(
            "atc_tuned_problem.seconds",
            core::mem::offset_of!(atc_tuned_problem, seconds),
            |all: &atc_tuned_problem| &all.seconds,
        );
    lines
        .field(
            "atc_tuned_problem.risk",
            core::mem::offset_of!(atc_tuned_problem, risk),
            |all: &atc_tuned_problem| &all.risk,
        );
    lines
        .field(
            "atc_tuned_problem.description",
            core::mem::offset_of!(atc_tuned_problem, description),
            |all: &atc_tuned_problem| &all.description,
        );
    lines
        .field(
            "atc_tuned_problem.choice",
            core::mem::offset_of!(atc_tuned_problem, choice),
            |all: &atc_tuned_problem| &all.choice,
        );
    lines
        .field(
            "atc_tuned_problem.why",
            core::mem::offset_of!(atc_tuned_problem, why),
            |all: &atc_tuned_problem| &all.why,
        );
}
