// Generated with the bindings by `cargo run -p xtask -- bindings`; not edited by hand.

layout! { {
    ATC_VERSION_MAJOR
    ATC_VERSION_MINOR
    ATC_VERSION_PATCH
    ATC_VERSION
    ATC_ABI_VERSION
    ATC_UNLIMITED
    ATC_NONE
    ATC_AUTOMATIC
    ATC_OK
    ATC_ERROR_INVALID_ARGUMENT
    ATC_ERROR_UNSUPPORTED
    ATC_ERROR_NOT_TUNED
    ATC_ERROR_OUT_OF_MEMORY
    ATC_ERROR_DEVICE
    ATC_ERROR_LIBRARY
    ATC_ERROR_IO
    ATC_ERROR_BAD_RECORD
    ATC_ERROR_CAPTURING
    ATC_ERROR_BUSY
    ATC_ERROR_CANCELLED
    ATC_ERROR_INTERNAL
    ATC_ERROR_NOT_AGREED
    ATC_OFF
    ATC_ON
    ATC_DEVICE_CPU
    ATC_DEVICE_CUDA
    ATC_CODE_FLOAT
    ATC_CODE_BFLOAT
    ATC_TECHNIQUE_ONCE
    ATC_TECHNIQUE_MEDIAN_OF_THREE
    ATC_TECHNIQUE_TILL_STABLE
    ATC_TECHNIQUE_INTERLEAVED
    ATC_TECHNIQUE_SUSTAINED
    ATC_DETERMINISTIC_ALGORITHMS_OFF
    ATC_DETERMINISTIC_ALGORITHMS_WARN
    ATC_DETERMINISTIC_ALGORITHMS_ERROR
    ATC_REPRODUCIBLE_NO_CUDA_SEED
    ATC_REPRODUCIBLE_OPEN_SELECTION
    ATC_REPRODUCIBLE_CUBLAS_WORKSPACE
    ATC_REPRODUCIBLE_CPU_THREADS
    ATC_FORWARD
    ATC_BACKWARD_DATA
    ATC_BACKWARD_WEIGHT
    ATC_DTYPE_F32
    ATC_DTYPE_BF16
    ATC_DTYPE_F16
    ATC_LAYOUT_CHANNELS_FIRST
    ATC_LAYOUT_CHANNELS_LAST
    ATC_LAYOUT_STRIDED
    ATC_EPILOGUE_NONE
    ATC_EPILOGUE_BIAS
    ATC_EPILOGUE_BIAS_RELU
    ATC_ACTIVATION_NONE
    ATC_ACTIVATION_RELU
    ATC_ACTIVATION_RELU6
    ATC_ACTIVATION_CLAMP
    ATC_ACTIVATION_SILU
    ATC_ACTIVATION_GELU
    ATC_ACTIVATION_GELU_TANH
    ATC_ACTIVATION_HARD_SWISH
    ATC_ACTIVATION_SIGMOID
    ATC_ACTIVATION_LEAKY_RELU
    ATC_OPERAND_X
    ATC_OPERAND_W
    ATC_OPERAND_BIAS
    ATC_OPERAND_Y
    ATC_OPERAND_SCALE
    ATC_OPERAND_RESIDUAL
    ATC_SOURCE_GIVEN
    ATC_SOURCE_RECORD
    ATC_SOURCE_INHERITED
    ATC_SOURCE_MEMORY
    ATC_SOURCE_TUNED
    ATC_SOURCE_DEFAULT
    ATC_SOURCE_REFERENCE
    ATC_SOURCE_PINNED
    ATC_SOURCE_AGREED
    ATC_SOURCE_BESIDE
    ATC_SOURCE_PREDICTED
    ATC_SOURCE_ADOPTED
    ATC_TUNE_LATER
    ATC_TUNE_BESIDE
    ATC_TUNE_PREDICT
    ATC_PINS_CHOOSE
    ATC_PINS_BAR
    ATC_OUTCOME_WON
    ATC_OUTCOME_LOST
    ATC_OUTCOME_DROPPED
    ATC_OUTCOME_TIED
    ATC_OUTCOME_NOT_PREPARED
    ATC_OUTCOME_WRONG_RESULT
    ATC_OUTCOME_FAILED
    ATC_OUTCOME_OUT_OF_MEMORY
    ATC_OUTCOME_SKIPPED
    ATC_OUTCOME_OFFERED
    ATC_CANDIDATE_IN_GRAPH
    ATC_CANDIDATE_HOST_BOUND
    ATC_CANDIDATE_CAPTURED
    ATC_CANDIDATE_IMPRECISE
    ATC_RETUNE_PROVISIONAL
    ATC_TUNED_UNSTABLE
    ATC_TUNED_INCOMPLETE
    ATC_TUNED_STORED
    ATC_TUNED_CANCELLED
    ATC_TUNED_UNWRITTEN
    ATC_RULE_FIRST_OFFER
    ATC_RULE_ALONE
    ATC_RULE_FASTEST
    ATC_RULE_FASTER
    ATC_RULE_TIE_DEFAULT
    ATC_RULE_TIE_KEPT
    ATC_RULE_TIE_LIGHTER
    ATC_RULE_HOST
    ATC_RULE_PRECISE
    ATC_ENGINE_NONDETERMINISTIC
    ATC_ENGINE_RETURNS_OUTPUT
    ATC_ENGINE_TRANSFORM
    ATC_ENGINE_ROUNDS_TWICE
    ATC_ENGINE_ORIGINAL
    ATC_ENGINE_EVERY_DEVICE
    ATC_SETTING_BENCHMARK_CUDNN
    ATC_SETTING_BENCHMARK_LIMIT_CUDNN
    ATC_SETTING_USER_ENABLED_CUDNN
    ATC_SETTING_DETERMINISTIC_CUDNN
    ATC_SETTING_DETERMINISTIC_ALGORITHMS
    ATC_SETTING_ALLOW_TF32_CUDNN
    ATC_LOG_OFF
    ATC_LOG_ERROR
    ATC_LOG_WARNING
    ATC_LOG_INFO
    ATC_LOG_DEBUG
    ATC_LOG_FORMAT_TEXT
    ATC_LOG_FORMAT_JSON
    ATC_STORE_OFF
    ATC_STORE_READ
    ATC_STORE_READ_WRITE
    ATC_STORE_REPLAY_ONLY
    ATC_REPLACE_JOIN
    ATC_TRACE_ROW_PROBLEM
    ATC_TRACE_ROW_CHOICE
    ATC_TRACE_ROW_TOTAL
    ATC_TRACE_TABLE
    ATC_TRACE_JSON
} {
    atc_device { type_ index }
    atc_data_type { code bits lanes }
    atc_tensor_view { data device ndim dtype shape strides byte_offset }
    atc_settings { struct_size benchmark_cudnn benchmark_limit_cudnn user_enabled_cudnn deterministic_cudnn deterministic_algorithms allow_tf32_cudnn benchmark_technique workspace_limit }
    atc_reproducible_report { struct_size missing text }
    atc_conv_problem { struct_size direction spatial_dims transposed batch in_channels out_channels groups input kernel stride dilation padding_low padding_high output_padding x_dtype w_dtype y_dtype layout epilogue accumulate x_strides w_strides y_strides scale residual activation activation_low activation_high activation_slope }
    atc_tune_progress { struct_size reserved problem problems problem_fraction seconds description candidate }
    atc_conv_options { struct_size tune deterministic allow_tf32 allow_reference constant_weights technique alignment workspace_limit budget_seconds front_end require_firm strict_precision allow_reduced_precision_reduction use_store store allocator progress progress_payload choice race_memory_limit near_shapes other_versions }
    atc_conv_operands { struct_size reserved x w bias y scale residual }
    atc_candidate { struct_size outcome engine version configuration notes reason workspace samples executions mean median min max deviation clock_hz rewrites host launches flags reserved }
    atc_cache_statistics { struct_size capacity plans hits misses evictions put_off bytes byte_limit }
    atc_device_info { struct_size compute_units cache_bytes memory_bytes compute_major compute_minor name isa }
    atc_library_info { struct_size loaded name version compiled_version file note remarks }
    atc_tune_options { struct_size technique deterministic allow_tf32 constant_weights retune alignment widen workspace_limit max_candidates seed problem_budget_seconds total_budget_seconds tie_margin engines_allowed engines_barred require_firm strict_precision allow_reduced_precision_reduction use_store store allocator problems expected_calls group race_memory_limit other_versions reserved }
    atc_tuned_problem { struct_size status source flags winner default_candidate candidates executions seconds risk description choice why memory_bytes }
    atc_explained { struct_size source rule flags winner default_candidate candidates entrants bytes flops bytes_per_second flops_per_second risk description choice why doubts miss }
    atc_entrant { struct_size is_rewrite offers name version why_not barriers }
    atc_engine_limits { struct_size deterministic allow_tf32 constant_weights device alignment workspace }
    atc_engine_offer { struct_size flags workspace configuration notes }
    atc_engine_operands { struct_size reserved x w bias y workspace workspace_size stream result }
    atc_engine { struct_size device_type name version user offers prepare set_weights execute release destroy }
    atc_engine_info { struct_size built_in serves_cpu serves_cuda name version }
    atc_settings_source { struct_size reserved user get set manual_seed synchronize destroy }
    atc_allocator { struct_size device_type user alloc free destroy }
    atc_log_sink { struct_size format user write destroy }
    atc_group { struct_size rank size reserved bound_seconds prefix user create get destroy }
    atc_agreement { struct_size agreed rank classes own_class reason digest }
    atc_agreement_class { struct_size reserved count ranks environment differences }
    atc_store_info { struct_size mode entries directory }
    atc_store_put_options { struct_size replace_firm trust_compiled reserved }
    atc_store_import_options { struct_size replace trust_compiled reserved }
    atc_store_merge_options { struct_size trust_compiled }
    atc_store_entry { struct_size technique provisional threads winner default_candidate original candidates executions seconds risk bytes flops bytes_per_second flops_per_second power_limit_watts temperature_celsius clock_hz memory_clock_hz entry key problem choice why trouble device device_name libraries host date driver clocks_limited_by }
    atc_trace_options { struct_size sample_every max_rows max_events file }
    atc_trace_row { struct_size kind device problem choice calls timed total mean median p90 p99 min max deviation }
} }
