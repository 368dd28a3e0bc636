"""The C ABI for ctypes: constants, structs and prototypes under their names in the C headers.

Generated from include/atc by python/generate.py; not edited by hand.
"""

import ctypes as c

ATC_VERSION_MAJOR = 0
ATC_VERSION_MINOR = 1
ATC_VERSION_PATCH = 0
ATC_VERSION = 100
ATC_ABI_VERSION = 1
ATC_UNLIMITED = 0xFFFFFFFFFFFFFFFF
ATC_NONE = 0xFFFFFFFFFFFFFFFE
ATC_AUTOMATIC = 0xFFFFFFFFFFFFFFFD
ATC_OK = 0
ATC_ERROR_INVALID_ARGUMENT = 1
ATC_ERROR_UNSUPPORTED = 2
ATC_ERROR_NOT_TUNED = 3
ATC_ERROR_OUT_OF_MEMORY = 4
ATC_ERROR_DEVICE = 5
ATC_ERROR_LIBRARY = 6
ATC_ERROR_IO = 7
ATC_ERROR_BAD_RECORD = 8
ATC_ERROR_CAPTURING = 9
ATC_ERROR_BUSY = 10
ATC_ERROR_CANCELLED = 11
ATC_ERROR_INTERNAL = 12
ATC_ERROR_NOT_AGREED = 13
ATC_OFF = 1
ATC_ON = 2
ATC_DEVICE_CPU = 1
ATC_DEVICE_CUDA = 2
ATC_CODE_FLOAT = 2
ATC_CODE_BFLOAT = 4
ATC_TECHNIQUE_ONCE = 1
ATC_TECHNIQUE_MEDIAN_OF_THREE = 2
ATC_TECHNIQUE_TILL_STABLE = 3
ATC_TECHNIQUE_INTERLEAVED = 4
ATC_TECHNIQUE_SUSTAINED = 5
ATC_DETERMINISTIC_ALGORITHMS_OFF = 1
ATC_DETERMINISTIC_ALGORITHMS_WARN = 2
ATC_DETERMINISTIC_ALGORITHMS_ERROR = 3
ATC_REPRODUCIBLE_NO_CUDA_SEED = 1
ATC_REPRODUCIBLE_OPEN_SELECTION = 2
ATC_REPRODUCIBLE_CUBLAS_WORKSPACE = 4
ATC_REPRODUCIBLE_CPU_THREADS = 8
ATC_FORWARD = 1
ATC_BACKWARD_DATA = 2
ATC_BACKWARD_WEIGHT = 3
ATC_DTYPE_F32 = 1
ATC_DTYPE_BF16 = 2
ATC_DTYPE_F16 = 3
ATC_LAYOUT_CHANNELS_FIRST = 1
ATC_LAYOUT_CHANNELS_LAST = 2
ATC_LAYOUT_STRIDED = 3
ATC_EPILOGUE_NONE = 1
ATC_EPILOGUE_BIAS = 2
ATC_EPILOGUE_BIAS_RELU = 3
ATC_ACTIVATION_NONE = 0
ATC_ACTIVATION_RELU = 1
ATC_ACTIVATION_RELU6 = 2
ATC_ACTIVATION_CLAMP = 3
ATC_ACTIVATION_SILU = 4
ATC_ACTIVATION_GELU = 5
ATC_ACTIVATION_GELU_TANH = 6
ATC_ACTIVATION_HARD_SWISH = 7
ATC_ACTIVATION_SIGMOID = 8
ATC_ACTIVATION_LEAKY_RELU = 9
ATC_OPERAND_X = 1
ATC_OPERAND_W = 2
ATC_OPERAND_BIAS = 3
ATC_OPERAND_Y = 4
ATC_OPERAND_SCALE = 5
ATC_OPERAND_RESIDUAL = 6
ATC_SOURCE_GIVEN = 1
ATC_SOURCE_RECORD = 2
ATC_SOURCE_INHERITED = 3
ATC_SOURCE_MEMORY = 4
ATC_SOURCE_TUNED = 5
ATC_SOURCE_DEFAULT = 6
ATC_SOURCE_REFERENCE = 7
ATC_SOURCE_PINNED = 8
ATC_SOURCE_AGREED = 9
ATC_SOURCE_BESIDE = 10
ATC_SOURCE_PREDICTED = 11
ATC_SOURCE_ADOPTED = 12
ATC_TUNE_LATER = 3
ATC_TUNE_BESIDE = 4
ATC_TUNE_PREDICT = 5
ATC_PINS_CHOOSE = 1
ATC_PINS_BAR = 2
ATC_OUTCOME_WON = 1
ATC_OUTCOME_LOST = 2
ATC_OUTCOME_DROPPED = 3
ATC_OUTCOME_TIED = 4
ATC_OUTCOME_NOT_PREPARED = 5
ATC_OUTCOME_WRONG_RESULT = 6
ATC_OUTCOME_FAILED = 7
ATC_OUTCOME_OUT_OF_MEMORY = 8
ATC_OUTCOME_SKIPPED = 9
ATC_OUTCOME_OFFERED = 10
ATC_CANDIDATE_IN_GRAPH = 1
ATC_CANDIDATE_HOST_BOUND = 2
ATC_CANDIDATE_CAPTURED = 4
ATC_CANDIDATE_IMPRECISE = 8
ATC_RETUNE_PROVISIONAL = 3
ATC_TUNED_UNSTABLE = 1
ATC_TUNED_INCOMPLETE = 2
ATC_TUNED_STORED = 4
ATC_TUNED_CANCELLED = 8
ATC_TUNED_UNWRITTEN = 16
ATC_RULE_FIRST_OFFER = 1
ATC_RULE_ALONE = 2
ATC_RULE_FASTEST = 3
ATC_RULE_FASTER = 4
ATC_RULE_TIE_DEFAULT = 5
ATC_RULE_TIE_KEPT = 6
ATC_RULE_TIE_LIGHTER = 7
ATC_RULE_HOST = 8
ATC_RULE_PRECISE = 9
ATC_ENGINE_NONDETERMINISTIC = 1
ATC_ENGINE_RETURNS_OUTPUT = 2
ATC_ENGINE_TRANSFORM = 4
ATC_ENGINE_ROUNDS_TWICE = 8
ATC_ENGINE_ORIGINAL = 16
ATC_SETTING_BENCHMARK_CUDNN = 1
ATC_SETTING_BENCHMARK_LIMIT_CUDNN = 2
ATC_SETTING_USER_ENABLED_CUDNN = 3
ATC_SETTING_DETERMINISTIC_CUDNN = 4
ATC_SETTING_DETERMINISTIC_ALGORITHMS = 5
ATC_SETTING_ALLOW_TF32_CUDNN = 6
ATC_LOG_OFF = 1
ATC_LOG_ERROR = 2
ATC_LOG_WARNING = 3
ATC_LOG_INFO = 4
ATC_LOG_DEBUG = 5
ATC_LOG_FORMAT_TEXT = 0
ATC_LOG_FORMAT_JSON = 1
ATC_STORE_OFF = 1
ATC_STORE_READ = 2
ATC_STORE_READ_WRITE = 3
ATC_STORE_REPLAY_ONLY = 4
ATC_REPLACE_JOIN = 3
ATC_TRACE_ROW_PROBLEM = 1
ATC_TRACE_ROW_CHOICE = 2
ATC_TRACE_ROW_TOTAL = 3
ATC_TRACE_TABLE = 1
ATC_TRACE_JSON = 2
ATC_TORCH_CUDA_ABSENT = 1
ATC_TORCH_CUDA_NOT_LOADED = 2
ATC_TORCH_CUDA_LOADED = 3
ATC_TORCH_PRECISION_HIGHEST = 1
ATC_TORCH_PRECISION_HIGH = 2
ATC_TORCH_PRECISION_MEDIUM = 3
ATC_TORCH_PASSED_NOTHING_KNOWN = 0
ATC_TORCH_PASSED_CHOSEN = 1
ATC_TORCH_PASSED_DEVICE = 2
ATC_TORCH_PASSED_DTYPE = 3
ATC_TORCH_PASSED_LAYOUT = 4
ATC_TORCH_PASSED_SHAPE = 5
ATC_TORCH_PASSED_FAILED = 6
ATC_TORCH_PASSED_NOT_RECORDED = 7
ATC_TORCH_PASSED_REASONS = 8


class atc_device(c.Structure):
    _fields_ = [
        ("type", c.c_int32),
        ("index", c.c_int32),
    ]


class atc_data_type(c.Structure):
    _fields_ = [
        ("code", c.c_uint8),
        ("bits", c.c_uint8),
        ("lanes", c.c_uint16),
    ]


class atc_tensor_view(c.Structure):
    _fields_ = [
        ("data", c.c_void_p),
        ("device", atc_device),
        ("ndim", c.c_int32),
        ("dtype", atc_data_type),
        ("shape", c.POINTER(c.c_int64)),
        ("strides", c.POINTER(c.c_int64)),
        ("byte_offset", c.c_uint64),
    ]


class atc_settings(c.Structure):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("benchmark_cudnn", c.c_int32),
        ("benchmark_limit_cudnn", c.c_int32),
        ("user_enabled_cudnn", c.c_int32),
        ("deterministic_cudnn", c.c_int32),
        ("deterministic_algorithms", c.c_int32),
        ("allow_tf32_cudnn", c.c_int32),
        ("benchmark_technique", c.c_int32),
        ("workspace_limit", c.c_uint64),
    ]


class atc_reproducible_report(c.Structure):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("missing", c.c_uint32),
        ("text", c.c_char * 504),
    ]


class atc_conv_problem(c.Structure):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("direction", c.c_int32),
        ("spatial_dims", c.c_int32),
        ("transposed", c.c_int32),
        ("batch", c.c_int64),
        ("in_channels", c.c_int64),
        ("out_channels", c.c_int64),
        ("groups", c.c_int64),
        ("input", c.c_int64 * 3),
        ("kernel", c.c_int64 * 3),
        ("stride", c.c_int64 * 3),
        ("dilation", c.c_int64 * 3),
        ("padding_low", c.c_int64 * 3),
        ("padding_high", c.c_int64 * 3),
        ("output_padding", c.c_int64 * 3),
        ("x_dtype", c.c_int32),
        ("w_dtype", c.c_int32),
        ("y_dtype", c.c_int32),
        ("layout", c.c_int32),
        ("epilogue", c.c_int32),
        ("accumulate", c.c_int32),
        ("x_strides", c.c_int64 * 5),
        ("w_strides", c.c_int64 * 5),
        ("y_strides", c.c_int64 * 5),
        ("scale", c.c_int32),
        ("residual", c.c_int32),
        ("activation", c.c_int32),
        ("activation_low", c.c_float),
        ("activation_high", c.c_float),
        ("activation_slope", c.c_float),
    ]


class atc_tune_progress(c.Structure):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("reserved", c.c_uint32),
        ("problem", c.c_uint64),
        ("problems", c.c_uint64),
        ("problem_fraction", c.c_double),
        ("seconds", c.c_double),
        ("description", c.c_char_p),
        ("candidate", c.c_char_p),
    ]


atc_tune_callback = c.CFUNCTYPE(c.c_int32, c.POINTER(atc_tune_progress), c.c_void_p)


class atc_conv_options(c.Structure):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("tune", c.c_int32),
        ("deterministic", c.c_int32),
        ("allow_tf32", c.c_int32),
        ("allow_reference", c.c_int32),
        ("constant_weights", c.c_int32),
        ("technique", c.c_int32),
        ("alignment", c.c_uint32),
        ("workspace_limit", c.c_uint64),
        ("budget_seconds", c.c_double),
        ("front_end", c.c_char * 64),
        ("require_firm", c.c_int32),
        ("strict_precision", c.c_int32),
        ("allow_reduced_precision_reduction", c.c_int32),
        ("use_store", c.c_int32),
        ("store", c.c_void_p),
        ("allocator", c.c_void_p),
        ("progress", atc_tune_callback),
        ("progress_payload", c.c_void_p),
        ("choice", c.c_char_p),
        ("race_memory_limit", c.c_uint64),
        ("near_shapes", c.c_int32),
        ("other_versions", c.c_int32),
    ]


class atc_conv_operands(c.Structure):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("reserved", c.c_uint32),
        ("x", c.POINTER(atc_tensor_view)),
        ("w", c.POINTER(atc_tensor_view)),
        ("bias", c.POINTER(atc_tensor_view)),
        ("y", c.POINTER(atc_tensor_view)),
        ("scale", c.POINTER(atc_tensor_view)),
        ("residual", c.POINTER(atc_tensor_view)),
    ]


class atc_candidate(c.Structure):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("outcome", c.c_int32),
        ("engine", c.c_char_p),
        ("version", c.c_char_p),
        ("configuration", c.c_char_p),
        ("notes", c.c_char_p),
        ("reason", c.c_char_p),
        ("workspace", c.c_uint64),
        ("samples", c.c_uint64),
        ("executions", c.c_uint64),
        ("mean", c.c_double),
        ("median", c.c_double),
        ("min", c.c_double),
        ("max", c.c_double),
        ("deviation", c.c_double),
        ("clock_hz", c.c_double),
        ("rewrites", c.c_char_p),
        ("host", c.c_double),
        ("launches", c.c_uint64),
        ("flags", c.c_uint32),
        ("reserved", c.c_uint32),
    ]


class atc_cache_statistics(c.Structure):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("capacity", c.c_uint32),
        ("plans", c.c_uint64),
        ("hits", c.c_uint64),
        ("misses", c.c_uint64),
        ("evictions", c.c_uint64),
        ("put_off", c.c_uint64),
        ("bytes", c.c_uint64),
        ("byte_limit", c.c_uint64),
    ]


class atc_device_info(c.Structure):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("compute_units", c.c_int32),
        ("cache_bytes", c.c_uint64),
        ("memory_bytes", c.c_uint64),
        ("compute_major", c.c_int32),
        ("compute_minor", c.c_int32),
        ("name", c.c_char * 128),
        ("isa", c.c_char * 128),
    ]


class atc_library_info(c.Structure):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("loaded", c.c_int32),
        ("name", c.c_char * 64),
        ("version", c.c_char * 64),
        ("compiled_version", c.c_char * 64),
        ("file", c.c_char * 512),
        ("note", c.c_char * 512),
        ("remarks", c.c_char * 2048),
    ]


class atc_tune_options(c.Structure):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("technique", c.c_int32),
        ("deterministic", c.c_int32),
        ("allow_tf32", c.c_int32),
        ("constant_weights", c.c_int32),
        ("retune", c.c_int32),
        ("alignment", c.c_uint32),
        ("widen", c.c_int32),
        ("workspace_limit", c.c_uint64),
        ("max_candidates", c.c_uint64),
        ("seed", c.c_uint64),
        ("problem_budget_seconds", c.c_double),
        ("total_budget_seconds", c.c_double),
        ("tie_margin", c.c_double),
        ("engines_allowed", c.c_char_p),
        ("engines_barred", c.c_char_p),
        ("require_firm", c.c_int32),
        ("strict_precision", c.c_int32),
        ("allow_reduced_precision_reduction", c.c_int32),
        ("use_store", c.c_int32),
        ("store", c.c_void_p),
        ("allocator", c.c_void_p),
        ("problems", c.c_void_p),
        ("expected_calls", c.c_double),
        ("group", c.c_void_p),
        ("race_memory_limit", c.c_uint64),
        ("other_versions", c.c_int32),
        ("reserved", c.c_int32),
    ]


class atc_tuned_problem(c.Structure):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("status", c.c_int32),
        ("source", c.c_int32),
        ("flags", c.c_uint32),
        ("winner", c.c_int64),
        ("default_candidate", c.c_int64),
        ("candidates", c.c_uint64),
        ("executions", c.c_uint64),
        ("seconds", c.c_double),
        ("risk", c.c_double),
        ("description", c.c_char_p),
        ("choice", c.c_char_p),
        ("why", c.c_char_p),
        ("memory_bytes", c.c_uint64),
    ]


class atc_explained(c.Structure):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("source", c.c_int32),
        ("rule", c.c_int32),
        ("flags", c.c_uint32),
        ("winner", c.c_int64),
        ("default_candidate", c.c_int64),
        ("candidates", c.c_uint64),
        ("entrants", c.c_uint64),
        ("bytes", c.c_uint64),
        ("flops", c.c_double),
        ("bytes_per_second", c.c_double),
        ("flops_per_second", c.c_double),
        ("risk", c.c_double),
        ("description", c.c_char_p),
        ("choice", c.c_char_p),
        ("why", c.c_char_p),
        ("doubts", c.c_char_p),
        ("miss", c.c_char_p),
    ]


class atc_entrant(c.Structure):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("is_rewrite", c.c_int32),
        ("offers", c.c_uint64),
        ("name", c.c_char_p),
        ("version", c.c_char_p),
        ("why_not", c.c_char_p),
        ("barriers", c.c_char_p),
    ]


class atc_engine_limits(c.Structure):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("deterministic", c.c_int32),
        ("allow_tf32", c.c_int32),
        ("constant_weights", c.c_int32),
        ("device", atc_device),
        ("alignment", c.c_uint64),
        ("workspace", c.c_uint64),
    ]


class atc_engine_offer(c.Structure):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("flags", c.c_uint32),
        ("workspace", c.c_uint64),
        ("configuration", c.c_char_p),
        ("notes", c.c_char_p),
    ]


atc_offer_callback = c.CFUNCTYPE(c.c_int32, c.POINTER(atc_engine_offer), c.c_void_p)


class atc_engine_operands(c.Structure):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("reserved", c.c_uint32),
        ("x", c.c_void_p),
        ("w", c.c_void_p),
        ("bias", c.c_void_p),
        ("y", c.c_void_p),
        ("workspace", c.c_void_p),
        ("workspace_size", c.c_uint64),
        ("stream", c.c_void_p),
        ("result", c.c_void_p),
    ]


class atc_engine(c.Structure):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("device_type", c.c_int32),
        ("name", c.c_char_p),
        ("version", c.c_char_p),
        ("user", c.c_void_p),
        ("offers", c.CFUNCTYPE(c.c_int32, c.c_void_p, c.POINTER(atc_conv_problem), c.POINTER(atc_engine_limits), atc_offer_callback, c.c_void_p)),
        ("prepare", c.CFUNCTYPE(c.c_int32, c.POINTER(c.c_void_p), c.c_void_p, c.POINTER(atc_conv_problem), c.POINTER(atc_engine_limits), c.c_char_p)),
        ("set_weights", c.CFUNCTYPE(c.c_int32, c.c_void_p, c.c_void_p, c.c_void_p)),
        ("execute", c.CFUNCTYPE(c.c_int32, c.c_void_p, c.c_void_p, c.POINTER(atc_engine_operands))),
        ("release", c.CFUNCTYPE(None, c.c_void_p, c.c_void_p)),
        ("destroy", c.CFUNCTYPE(None, c.c_void_p)),
    ]


class atc_engine_info(c.Structure):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("built_in", c.c_int32),
        ("serves_cpu", c.c_int32),
        ("serves_cuda", c.c_int32),
        ("name", c.c_char * 64),
        ("version", c.c_char * 64),
    ]


class atc_settings_source(c.Structure):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("reserved", c.c_uint32),
        ("user", c.c_void_p),
        ("get", c.CFUNCTYPE(c.c_int32, c.POINTER(c.c_int64), c.c_void_p, c.c_int32)),
        ("set", c.CFUNCTYPE(c.c_int32, c.c_void_p, c.c_int32, c.c_int64)),
        ("manual_seed", c.CFUNCTYPE(c.c_int32, c.c_void_p, c.c_uint64, c.c_int32)),
        ("synchronize", c.CFUNCTYPE(c.c_int32, c.c_void_p, c.c_int32)),
        ("destroy", c.CFUNCTYPE(None, c.c_void_p)),
    ]


class atc_allocator(c.Structure):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("device_type", c.c_int32),
        ("user", c.c_void_p),
        ("alloc", c.CFUNCTYPE(c.c_void_p, c.c_void_p, c.c_uint64, atc_device, c.c_void_p)),
        ("free", c.CFUNCTYPE(None, c.c_void_p, c.c_void_p, atc_device, c.c_void_p)),
        ("destroy", c.CFUNCTYPE(None, c.c_void_p)),
    ]


class atc_log_sink(c.Structure):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("format", c.c_int32),
        ("user", c.c_void_p),
        ("write", c.CFUNCTYPE(None, c.c_void_p, c.c_int32, c.c_char_p)),
        ("destroy", c.CFUNCTYPE(None, c.c_void_p)),
    ]


atc_group_answer = c.CFUNCTYPE(c.c_int32, c.c_void_p, c.c_size_t, c.c_void_p)


class atc_group(c.Structure):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("rank", c.c_uint32),
        ("size", c.c_uint32),
        ("reserved", c.c_uint32),
        ("bound_seconds", c.c_double),
        ("prefix", c.c_char_p),
        ("user", c.c_void_p),
        ("create", c.CFUNCTYPE(c.c_int32, c.c_void_p, c.c_char_p, c.c_void_p, c.c_size_t, atc_group_answer, c.c_void_p)),
        ("get", c.CFUNCTYPE(c.c_int32, c.c_void_p, c.c_char_p, c.c_double, atc_group_answer, c.c_void_p)),
        ("destroy", c.CFUNCTYPE(None, c.c_void_p)),
    ]


class atc_agreement(c.Structure):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("agreed", c.c_int32),
        ("rank", c.c_uint64),
        ("classes", c.c_uint64),
        ("own_class", c.c_uint64),
        ("reason", c.c_char_p),
        ("digest", c.c_char_p),
    ]


class atc_agreement_class(c.Structure):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("reserved", c.c_uint32),
        ("count", c.c_uint64),
        ("ranks", c.POINTER(c.c_uint64)),
        ("environment", c.c_char_p),
        ("differences", c.c_char_p),
    ]


class atc_store_info(c.Structure):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("mode", c.c_int32),
        ("entries", c.c_uint64),
        ("directory", c.c_char * 1024),
    ]


class atc_store_put_options(c.Structure):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("replace_firm", c.c_int32),
        ("trust_compiled", c.c_int32),
        ("reserved", c.c_uint32),
    ]


class atc_store_import_options(c.Structure):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("replace", c.c_int32),
        ("trust_compiled", c.c_int32),
        ("reserved", c.c_uint32),
    ]


class atc_store_merge_options(c.Structure):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("trust_compiled", c.c_int32),
    ]


class atc_store_entry(c.Structure):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("technique", c.c_int32),
        ("provisional", c.c_int32),
        ("threads", c.c_int32),
        ("winner", c.c_int64),
        ("default_candidate", c.c_int64),
        ("original", c.c_int64),
        ("candidates", c.c_uint64),
        ("executions", c.c_uint64),
        ("seconds", c.c_double),
        ("risk", c.c_double),
        ("bytes", c.c_double),
        ("flops", c.c_double),
        ("bytes_per_second", c.c_double),
        ("flops_per_second", c.c_double),
        ("power_limit_watts", c.c_double),
        ("temperature_celsius", c.c_double),
        ("clock_hz", c.c_double),
        ("memory_clock_hz", c.c_double),
        ("entry", c.c_char_p),
        ("key", c.c_char_p),
        ("problem", c.c_char_p),
        ("choice", c.c_char_p),
        ("why", c.c_char_p),
        ("trouble", c.c_char_p),
        ("device", c.c_char_p),
        ("device_name", c.c_char_p),
        ("libraries", c.c_char_p),
        ("host", c.c_char_p),
        ("date", c.c_char_p),
        ("driver", c.c_char_p),
        ("clocks_limited_by", c.c_char_p),
    ]


class atc_trace_options(c.Structure):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("sample_every", c.c_uint32),
        ("max_rows", c.c_uint32),
        ("max_events", c.c_uint32),
        ("file", c.c_char_p),
    ]


class atc_trace_row(c.Structure):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("kind", c.c_int32),
        ("device", atc_device),
        ("problem", c.c_char_p),
        ("choice", c.c_char_p),
        ("calls", c.c_uint64),
        ("timed", c.c_uint64),
        ("total", c.c_double),
        ("mean", c.c_double),
        ("median", c.c_double),
        ("p90", c.c_double),
        ("p99", c.c_double),
        ("min", c.c_double),
        ("max", c.c_double),
        ("deviation", c.c_double),
    ]


class atc_torch_info(c.Structure):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("initialized", c.c_int32),
        ("installed", c.c_int32),
        ("cuda", c.c_int32),
        ("cuda_available", c.c_int32),
        ("reserved", c.c_int32),
        ("cudnn_version", c.c_int64),
        ("cudnn_compiled_version", c.c_int64),
        ("version", c.c_char * 64),
        ("built_for", c.c_char * 64),
        ("file", c.c_char * 1024),
        ("cuda_file", c.c_char * 1024),
    ]


class atc_torch_options(c.Structure):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("tune", c.c_int32),
        ("constant_weights", c.c_int32),
        ("allow_reference", c.c_int32),
        ("budget_seconds", c.c_double),
        ("require_firm", c.c_int32),
        ("strict_precision", c.c_int32),
        ("choice", c.c_char * 256),
        ("choice_backward_data", c.c_char * 256),
        ("choice_backward_weight", c.c_char * 256),
    ]


class atc_torch_statistics(c.Structure):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("reserved", c.c_uint32),
        ("taken", c.c_uint64),
        ("passed", c.c_uint64 * 8),
    ]


class atc_torch_geometry(c.Structure):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("spatial_dims", c.c_int32),
        ("transposed", c.c_int32),
        ("reserved", c.c_int32),
        ("groups", c.c_int64),
        ("stride", c.c_int64 * 3),
        ("padding", c.c_int64 * 3),
        ("dilation", c.c_int64 * 3),
        ("output_padding", c.c_int64 * 3),
    ]


# Result and parameters of each function.
FUNCTIONS = {
    "atc1_status_name": (c.c_char_p, [c.c_int32]),
    "atc1_last_error": (c.c_char_p, []),
    "atc1_error_set": (None, [c.c_char_p]),
    "atc1_version": (c.c_uint32, []),
    "atc1_version_string": (c.c_char_p, []),
    "atc1_abi_version": (c.c_uint32, []),
    "atc1_bytes_data": (c.c_void_p, [c.c_void_p]),
    "atc1_bytes_size": (c.c_size_t, [c.c_void_p]),
    "atc1_bytes_destroy": (None, [c.c_void_p]),
    "atc1_set_benchmark_cudnn": (c.c_int32, [c.c_int32]),
    "atc1_get_benchmark_cudnn": (c.c_int32, [c.POINTER(c.c_int32)]),
    "atc1_set_benchmark_limit_cudnn": (c.c_int32, [c.c_int32]),
    "atc1_get_benchmark_limit_cudnn": (c.c_int32, [c.POINTER(c.c_int32)]),
    "atc1_set_user_enabled_cudnn": (c.c_int32, [c.c_int32]),
    "atc1_get_user_enabled_cudnn": (c.c_int32, [c.POINTER(c.c_int32)]),
    "atc1_set_deterministic_cudnn": (c.c_int32, [c.c_int32]),
    "atc1_get_deterministic_cudnn": (c.c_int32, [c.POINTER(c.c_int32)]),
    "atc1_set_deterministic_algorithms": (c.c_int32, [c.c_int32]),
    "atc1_get_deterministic_algorithms": (c.c_int32, [c.POINTER(c.c_int32)]),
    "atc1_set_allow_tf32_cudnn": (c.c_int32, [c.c_int32]),
    "atc1_get_allow_tf32_cudnn": (c.c_int32, [c.POINTER(c.c_int32)]),
    "atc1_set_benchmark_technique": (c.c_int32, [c.c_int32]),
    "atc1_get_benchmark_technique": (c.c_int32, [c.POINTER(c.c_int32)]),
    "atc1_set_workspace_limit": (c.c_int32, [c.c_uint64]),
    "atc1_get_workspace_limit": (c.c_int32, [c.POINTER(c.c_uint64)]),
    "atc1_set_race_memory_limit": (c.c_int32, [c.c_uint64]),
    "atc1_get_race_memory_limit": (c.c_int32, [c.POINTER(c.c_uint64)]),
    "atc1_set_plan_memory_limit": (c.c_int32, [c.c_uint64]),
    "atc1_get_plan_memory_limit": (c.c_int32, [c.POINTER(c.c_uint64)]),
    "atc1_set_library_path": (c.c_int32, [c.c_char_p]),
    "atc1_get_library_path": (c.c_int32, [c.POINTER(c.c_char_p)]),
    "atc1_set_pins": (c.c_int32, [c.c_char_p]),
    "atc1_get_pins": (c.c_int32, [c.POINTER(c.c_char_p)]),
    "atc1_get_pins_hash": (c.c_int32, [c.POINTER(c.c_uint64)]),
    "atc1_settings_get": (c.c_int32, [c.POINTER(atc_settings)]),
    "atc1_settings_apply": (c.c_int32, [c.POINTER(atc_settings)]),
    "atc1_settings_from_env": (c.c_int32, []),
    "atc1_set_reproducible": (c.c_int32, [c.POINTER(atc_reproducible_report), c.c_uint64]),
    "atc1_conv_problem_init_sized": (c.c_int32, [c.POINTER(atc_conv_problem), c.c_size_t, c.c_int32]),
    "atc1_conv_problem_describe": (c.c_int32, [c.POINTER(c.c_void_p), c.POINTER(atc_conv_problem)]),
    "atc1_conv_operand_shape": (c.c_int32, [
        c.POINTER(c.c_int64), c.POINTER(c.c_int64), c.POINTER(atc_conv_problem), c.c_int32]),
    "atc1_source_name": (c.c_char_p, [c.c_int32]),
    "atc1_conv_plan_create": (c.c_int32, [
        c.POINTER(c.c_void_p), atc_device, c.POINTER(atc_conv_problem), c.POINTER(atc_conv_options)]),
    "atc1_conv_plan_create_with_choice": (c.c_int32, [
        c.POINTER(c.c_void_p), atc_device, c.POINTER(atc_conv_problem), c.POINTER(atc_conv_options), c.c_char_p]),
    "atc1_conv_pins": (c.c_int32, [
        c.POINTER(c.c_void_p), atc_device, c.POINTER(atc_conv_problem), c.POINTER(atc_conv_options)]),
    "atc1_conv_pins_effect": (c.c_int32, [
        c.POINTER(c.c_int32), atc_device, c.POINTER(atc_conv_problem), c.POINTER(atc_conv_options)]),
    "atc1_conv_plan_destroy": (None, [c.c_void_p]),
    "atc1_conv_plan_workspace_size": (c.c_int32, [c.POINTER(c.c_uint64), c.c_void_p]),
    "atc1_conv_plan_execute": (c.c_int32, [
        c.c_void_p, c.POINTER(atc_tensor_view), c.POINTER(atc_tensor_view), c.POINTER(atc_tensor_view),
        c.POINTER(atc_tensor_view), c.c_void_p, c.c_uint64, c.c_void_p]),
    "atc1_conv_plan_execute_v2": (c.c_int32, [
        c.c_void_p, c.POINTER(atc_conv_operands), c.c_void_p, c.c_uint64, c.c_void_p]),
    "atc1_conv_plan_set_weights": (c.c_int32, [c.c_void_p, c.POINTER(atc_tensor_view)]),
    "atc1_conv_plan_sample": (c.c_int32, [c.POINTER(c.c_double), c.c_size_t, c.c_void_p, c.c_uint64]),
    "atc1_conv_plan_choice": (c.c_int32, [c.POINTER(c.c_char_p), c.c_void_p]),
    "atc1_conv_plan_source": (c.c_int32, [c.POINTER(c.c_int32), c.c_void_p]),
    "atc1_conv_plan_provisional": (c.c_int32, [c.POINTER(c.c_int32), c.POINTER(c.c_double), c.c_void_p]),
    "atc1_outcome_name": (c.c_char_p, [c.c_int32]),
    "atc1_conv_plan_candidate_count": (c.c_int32, [c.POINTER(c.c_size_t), c.c_void_p]),
    "atc1_conv_plan_candidate": (c.c_int32, [c.POINTER(atc_candidate), c.c_void_p, c.c_size_t]),
    "atc1_convolution": (c.c_int32, [
        c.POINTER(atc_conv_problem), c.POINTER(atc_tensor_view), c.POINTER(atc_tensor_view), c.POINTER(atc_tensor_view),
        c.POINTER(atc_tensor_view), c.c_void_p]),
    "atc1_convolution_v2": (c.c_int32, [c.POINTER(atc_conv_problem), c.POINTER(atc_conv_operands), c.c_void_p]),
    "atc1_conv_plan_acquire": (c.c_int32, [
        c.POINTER(c.c_void_p), atc_device, c.POINTER(atc_conv_problem), c.POINTER(atc_conv_options), c.c_void_p]),
    "atc1_conv_plan_release": (None, [c.c_void_p]),
    "atc1_conv_plan_own_run_begin": (c.c_int32, [c.POINTER(c.c_int32), c.c_void_p, c.c_void_p]),
    "atc1_conv_plan_own_run_end": (c.c_int32, [c.c_void_p, c.c_void_p]),
    "atc1_cache_clear": (c.c_int32, []),
    "atc1_cache_stats": (c.c_int32, [c.POINTER(atc_cache_statistics)]),
    "atc1_cuda_is_available": (c.c_int32, [c.POINTER(c.c_int32)]),
    "atc1_cuda_device_count": (c.c_int32, [c.POINTER(c.c_int32)]),
    "atc1_cudnn_is_available": (c.c_int32, [c.POINTER(c.c_int32)]),
    "atc1_cudnn_version": (c.c_int32, [c.POINTER(c.c_int64)]),
    "atc1_cudnn_compiled_version": (c.c_int32, [c.POINTER(c.c_int64)]),
    "atc1_device_describe": (c.c_int32, [c.POINTER(atc_device_info), atc_device]),
    "atc1_library_count": (c.c_int32, [c.POINTER(c.c_size_t)]),
    "atc1_library_describe": (c.c_int32, [c.POINTER(atc_library_info), c.c_size_t]),
    "atc1_faults_describe": (c.c_int32, [c.POINTER(c.c_void_p)]),
    "atc1_manual_seed": (c.c_int32, [c.c_uint64]),
    "atc1_manual_seed_all": (c.c_int32, [c.c_uint64]),
    "atc1_synchronize": (c.c_int32, [c.c_int32]),
    "atc1_tune": (c.c_int32, [
        c.POINTER(c.c_void_p), atc_device, c.POINTER(atc_conv_problem), c.c_size_t, c.POINTER(atc_tune_options),
        atc_tune_callback, c.c_void_p]),
    "atc1_tune_refuse": (c.c_int32, [
        atc_device, c.POINTER(atc_conv_problem), c.POINTER(atc_tune_options), c.c_char_p, c.c_char_p]),
    "atc1_tune_report_destroy": (None, [c.c_void_p]),
    "atc1_tune_report_count": (c.c_int32, [c.POINTER(c.c_size_t), c.c_void_p]),
    "atc1_tune_report_provisional": (c.c_int32, [c.POINTER(c.c_size_t), c.c_void_p]),
    "atc1_tune_report_problem": (c.c_int32, [c.POINTER(atc_tuned_problem), c.c_void_p, c.c_size_t]),
    "atc1_tune_report_candidate": (c.c_int32, [c.POINTER(atc_candidate), c.c_void_p, c.c_size_t, c.c_size_t]),
    "atc1_rule_name": (c.c_char_p, [c.c_int32]),
    "atc1_conv_explain": (c.c_int32, [
        c.POINTER(c.c_void_p), atc_device, c.POINTER(atc_conv_problem), c.POINTER(atc_conv_options)]),
    "atc1_explanation_destroy": (None, [c.c_void_p]),
    "atc1_conv_decisions_digest": (c.c_int32, [
        c.POINTER(c.c_uint64), atc_device, c.POINTER(atc_conv_problem), c.c_size_t, c.POINTER(atc_conv_options)]),
    "atc1_conv_measure_ceilings": (c.c_int32, [atc_device, c.POINTER(atc_conv_problem), c.POINTER(atc_conv_options)]),
    "atc1_conv_ceilings": (c.c_int32, [
        c.POINTER(c.c_double), c.POINTER(c.c_double), atc_device, c.POINTER(atc_conv_problem),
        c.POINTER(atc_conv_options)]),
    "atc1_explanation_describe": (c.c_int32, [c.POINTER(atc_explained), c.c_void_p]),
    "atc1_explanation_candidate": (c.c_int32, [c.POINTER(atc_candidate), c.c_void_p, c.c_size_t]),
    "atc1_explanation_entrant": (c.c_int32, [c.POINTER(atc_entrant), c.c_void_p, c.c_size_t]),
    "atc1_engine_register": (c.c_int32, [c.POINTER(atc_engine)]),
    "atc1_engine_unregister": (c.c_int32, [c.c_char_p]),
    "atc1_engine_count": (c.c_int32, [c.POINTER(c.c_size_t)]),
    "atc1_engine_describe": (c.c_int32, [c.POINTER(atc_engine_info), c.c_size_t]),
    "atc1_plugin_load": (c.c_int32, [c.c_char_p]),
    "atc1_settings_source_set": (c.c_int32, [c.POINTER(atc_settings_source)]),
    "atc1_allocator_set": (c.c_int32, [c.POINTER(atc_allocator)]),
    "atc1_log_sink_set": (c.c_int32, [c.POINTER(atc_log_sink)]),
    "atc1_log_level_set": (c.c_int32, [c.c_int32]),
    "atc1_log_level_get": (c.c_int32, [c.POINTER(c.c_int32)]),
    "atc1_group_open_folder": (c.c_int32, [c.POINTER(atc_group), c.c_char_p, c.c_uint32, c.c_uint32, c.c_char_p]),
    "atc1_group_close": (None, [c.POINTER(atc_group)]),
    "atc1_tune_report_agreement": (c.c_int32, [c.POINTER(atc_agreement), c.c_void_p]),
    "atc1_tune_report_class": (c.c_int32, [c.POINTER(atc_agreement_class), c.c_void_p, c.c_size_t]),
    "atc1_problems_create": (c.c_int32, [c.POINTER(c.c_void_p)]),
    "atc1_problems_destroy": (None, [c.c_void_p]),
    "atc1_problems_add_noted": (c.c_int32, [c.c_void_p]),
    "atc1_problems_forget_noted": (c.c_int32, []),
    "atc1_problems_add_json": (c.c_int32, [c.c_void_p, c.c_char_p, c.c_size_t]),
    "atc1_problems_add": (c.c_int32, [
        c.c_void_p, c.POINTER(atc_device), c.POINTER(atc_conv_problem), c.POINTER(atc_conv_options), c.c_uint64]),
    "atc1_problems_count": (c.c_int32, [c.POINTER(c.c_size_t), c.c_void_p]),
    "atc1_problems_get": (c.c_int32, [
        c.POINTER(atc_device), c.POINTER(atc_conv_problem), c.POINTER(atc_conv_options), c.POINTER(c.c_uint64),
        c.c_void_p, c.c_size_t]),
    "atc1_problems_json": (c.c_int32, [c.POINTER(c.c_void_p), c.c_void_p]),
    "atc1_store_open": (c.c_int32, [c.POINTER(c.c_void_p), c.c_char_p, c.c_int32]),
    "atc1_store_open_layers": (c.c_int32, [c.POINTER(c.c_void_p), c.POINTER(c.c_char_p), c.c_size_t, c.c_int32]),
    "atc1_store_close": (None, [c.c_void_p]),
    "atc1_store_use": (c.c_int32, [c.c_void_p]),
    "atc1_store_in_use": (c.c_int32, [c.POINTER(c.c_void_p)]),
    "atc1_store_describe": (c.c_int32, [c.POINTER(atc_store_info), c.c_void_p]),
    "atc1_store_get": (c.c_int32, [
        c.POINTER(c.c_void_p), c.c_void_p, atc_device, c.POINTER(atc_conv_problem), c.POINTER(atc_conv_options)]),
    "atc1_store_put": (c.c_int32, [c.c_void_p, c.c_char_p, c.c_size_t, c.POINTER(atc_store_put_options)]),
    "atc1_store_list": (c.c_int32, [c.POINTER(c.c_void_p), c.c_void_p]),
    "atc1_store_remove": (c.c_int32, [c.POINTER(c.c_int32), c.c_void_p, c.c_char_p, c.c_size_t]),
    "atc1_store_provisional": (c.c_int32, [c.POINTER(c.c_uint64), c.c_void_p]),
    "atc1_store_export": (c.c_int32, [c.POINTER(c.c_void_p), c.c_void_p]),
    "atc1_store_import": (c.c_int32, [
        c.POINTER(c.c_uint64), c.POINTER(c.c_uint64), c.c_void_p, c.c_void_p, c.c_size_t,
        c.POINTER(atc_store_import_options)]),
    "atc1_store_merge": (c.c_int32, [
        c.POINTER(c.c_void_p), c.POINTER(c.c_void_p), c.POINTER(c.c_size_t), c.c_size_t,
        c.POINTER(atc_store_merge_options)]),
    "atc1_store_digest": (c.c_int32, [c.POINTER(c.c_uint64), c.c_void_p]),
    "atc1_store_verify": (c.c_int32, [c.POINTER(c.c_void_p), c.c_void_p]),
    "atc1_store_prune": (c.c_int32, [c.POINTER(c.c_uint64), c.c_void_p, c.c_uint64]),
    "atc1_store_read": (c.c_int32, [c.POINTER(c.c_void_p), c.c_void_p]),
    "atc1_store_entries_destroy": (None, [c.c_void_p]),
    "atc1_store_entries_count": (c.c_int32, [c.POINTER(c.c_size_t), c.c_void_p]),
    "atc1_store_entries_describe": (c.c_int32, [c.POINTER(atc_store_entry), c.c_void_p, c.c_size_t]),
    "atc1_store_entries_candidate": (c.c_int32, [c.POINTER(atc_candidate), c.c_void_p, c.c_size_t, c.c_size_t]),
    "atc1_trace_start": (c.c_int32, [c.POINTER(atc_trace_options)]),
    "atc1_trace_stop": (c.c_int32, [c.POINTER(c.c_void_p)]),
    "atc1_trace_destroy": (None, [c.c_void_p]),
    "atc1_trace_row_count": (c.c_int32, [c.POINTER(c.c_size_t), c.c_void_p]),
    "atc1_trace_row_get": (c.c_int32, [c.POINTER(atc_trace_row), c.c_void_p, c.c_size_t]),
    "atc1_trace_text": (c.c_int32, [c.POINTER(c.c_void_p), c.c_void_p, c.c_int32]),
    "atc1_trace_is_running": (c.c_int32, [c.POINTER(c.c_int32)]),
    "atc1_trace_call_begin": (c.c_int32, [
        c.POINTER(c.c_void_p), atc_device, c.POINTER(atc_conv_problem), c.c_char_p, c.c_void_p]),
    "atc1_trace_call_end": (None, [c.c_void_p]),
}

TORCH_FUNCTIONS = {
    "atc1_torch_init": (c.c_int32, []),
    "atc1_torch_describe": (c.c_int32, [c.POINTER(atc_torch_info)]),
    "atc1_torch_load_cuda": (c.c_int32, []),
    "atc1_torch_set_fill_uninitialized_memory": (c.c_int32, [c.c_int32]),
    "atc1_torch_get_fill_uninitialized_memory": (c.c_int32, [c.POINTER(c.c_int32)]),
    "atc1_torch_set_float32_matmul_precision": (c.c_int32, [c.c_int32]),
    "atc1_torch_get_float32_matmul_precision": (c.c_int32, [c.POINTER(c.c_int32)]),
    "atc1_torch_install": (c.c_int32, [c.POINTER(atc_torch_options)]),
    "atc1_torch_uninstall": (c.c_int32, []),
    "atc1_torch_statistics_get": (c.c_int32, [c.POINTER(atc_torch_statistics)]),
    "atc1_torch_statistics_reset": (c.c_int32, []),
    "atc1_torch_forget_weights": (c.c_int32, []),
    "atc1_torch_geometry_init_sized": (c.c_int32, [c.POINTER(atc_torch_geometry), c.c_size_t, c.c_int32]),
    "atc1_torch_convolution": (c.c_int32, [
        c.POINTER(c.c_void_p), c.c_void_p, c.c_void_p, c.c_void_p, c.POINTER(atc_torch_geometry),
        c.POINTER(atc_torch_options)]),
    "atc1_torch_record_start": (c.c_int32, [c.c_char_p]),
    "atc1_torch_record_stop": (c.c_int32, [c.POINTER(c.c_uint64)]),
    "atc1_torch_group_open": (c.c_int32, [c.POINTER(atc_group), c.c_char_p, c.c_uint32, c.c_uint32, c.c_double]),
}
