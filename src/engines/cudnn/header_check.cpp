// Compares the declarations in backend.hpp with cuDNN's headers by static assertions. Compiled only
// if the build finds these headers. Generates no code.
#include <cudnn_graph.h>

#include "engines/cudnn/backend.hpp"

#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#endif

namespace atc::cudnn {

template <typename Ours, typename Theirs>
constexpr bool equal(Ours ours, Theirs theirs) {
  return static_cast<int>(ours) == static_cast<int>(theirs);
}

static_assert(equal(Kind::pointwise, CUDNN_BACKEND_POINTWISE_DESCRIPTOR));
static_assert(equal(Kind::convolution, CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR));
static_assert(equal(Kind::engine, CUDNN_BACKEND_ENGINE_DESCRIPTOR));
static_assert(equal(Kind::engine_config, CUDNN_BACKEND_ENGINECFG_DESCRIPTOR));
static_assert(equal(Kind::heuristics, CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR));
static_assert(equal(Kind::plan, CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR));
static_assert(equal(Kind::knob_choice, CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR));
static_assert(equal(Kind::convolution_forward,
                    CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR));
static_assert(equal(Kind::convolution_backward_filter,
                    CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR));
static_assert(equal(Kind::convolution_backward_data,
                    CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR));
static_assert(equal(Kind::operation_pointwise, CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR));
static_assert(equal(Kind::graph, CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR));
static_assert(equal(Kind::variant_pack, CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR));
static_assert(equal(Kind::tensor, CUDNN_BACKEND_TENSOR_DESCRIPTOR));

static_assert(equal(Type::handle, CUDNN_TYPE_HANDLE));
static_assert(equal(Type::data_type, CUDNN_TYPE_DATA_TYPE));
static_assert(equal(Type::boolean, CUDNN_TYPE_BOOLEAN));
static_assert(equal(Type::int64, CUDNN_TYPE_INT64));
static_assert(equal(Type::float32, CUDNN_TYPE_FLOAT));
static_assert(equal(Type::float64, CUDNN_TYPE_DOUBLE));
static_assert(equal(Type::pointer, CUDNN_TYPE_VOID_PTR));
static_assert(equal(Type::convolution_mode, CUDNN_TYPE_CONVOLUTION_MODE));
static_assert(equal(Type::heuristics_mode, CUDNN_TYPE_HEUR_MODE));
static_assert(equal(Type::knob_type, CUDNN_TYPE_KNOB_TYPE));
static_assert(equal(Type::numerical_note, CUDNN_TYPE_NUMERICAL_NOTE));
static_assert(equal(Type::pointwise_mode, CUDNN_TYPE_POINTWISE_MODE));
static_assert(equal(Type::descriptor, CUDNN_TYPE_BACKEND_DESCRIPTOR));
static_assert(equal(Type::behavior_note, CUDNN_TYPE_BEHAVIOR_NOTE));
static_assert(equal(Type::character, CUDNN_TYPE_CHAR));

static_assert(equal(Attribute::pointwise_mode, CUDNN_ATTR_POINTWISE_MODE));
static_assert(equal(Attribute::pointwise_precision, CUDNN_ATTR_POINTWISE_MATH_PREC));
static_assert(equal(Attribute::pointwise_relu_lower_clip, CUDNN_ATTR_POINTWISE_RELU_LOWER_CLIP));
static_assert(equal(Attribute::pointwise_relu_upper_clip, CUDNN_ATTR_POINTWISE_RELU_UPPER_CLIP));
static_assert(equal(Attribute::pointwise_relu_slope, CUDNN_ATTR_POINTWISE_RELU_LOWER_CLIP_SLOPE));
static_assert(equal(Attribute::convolution_compute_type, CUDNN_ATTR_CONVOLUTION_COMP_TYPE));
static_assert(equal(Attribute::convolution_mode, CUDNN_ATTR_CONVOLUTION_CONV_MODE));
static_assert(equal(Attribute::convolution_dilations, CUDNN_ATTR_CONVOLUTION_DILATIONS));
static_assert(equal(Attribute::convolution_strides, CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES));
static_assert(equal(Attribute::convolution_post_paddings, CUDNN_ATTR_CONVOLUTION_POST_PADDINGS));
static_assert(equal(Attribute::convolution_pre_paddings, CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS));
static_assert(equal(Attribute::convolution_spatial_dims, CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS));
static_assert(equal(Attribute::heuristics_mode, CUDNN_ATTR_ENGINEHEUR_MODE));
static_assert(equal(Attribute::heuristics_graph, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH));
static_assert(equal(Attribute::heuristics_results, CUDNN_ATTR_ENGINEHEUR_RESULTS));
static_assert(equal(Attribute::config_engine, CUDNN_ATTR_ENGINECFG_ENGINE));
static_assert(equal(Attribute::config_knob_choices, CUDNN_ATTR_ENGINECFG_KNOB_CHOICES));
static_assert(equal(Attribute::config_workspace_size, CUDNN_ATTR_ENGINECFG_WORKSPACE_SIZE));
static_assert(equal(Attribute::plan_handle, CUDNN_ATTR_EXECUTION_PLAN_HANDLE));
static_assert(equal(Attribute::plan_config, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG));
static_assert(equal(Attribute::plan_workspace_size, CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE));
static_assert(equal(Attribute::plan_json, CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION));
static_assert(equal(Attribute::knob_choice_type, CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE));
static_assert(equal(Attribute::knob_choice_value, CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE));
static_assert(equal(Attribute::forward_alpha, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA));
static_assert(equal(Attribute::forward_beta, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA));
static_assert(equal(Attribute::forward_convolution,
                    CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC));
static_assert(equal(Attribute::forward_w, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W));
static_assert(equal(Attribute::forward_x, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X));
static_assert(equal(Attribute::forward_y, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y));
static_assert(equal(Attribute::backward_data_alpha,
                    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA));
static_assert(equal(Attribute::backward_data_beta, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA));
static_assert(equal(Attribute::backward_data_convolution,
                    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC));
static_assert(equal(Attribute::backward_data_w, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W));
static_assert(equal(Attribute::backward_data_dx, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX));
static_assert(equal(Attribute::backward_data_dy, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY));
static_assert(equal(Attribute::backward_filter_alpha,
                    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA));
static_assert(equal(Attribute::backward_filter_beta,
                    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA));
static_assert(equal(Attribute::backward_filter_convolution,
                    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC));
static_assert(equal(Attribute::backward_filter_dw, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW));
static_assert(equal(Attribute::backward_filter_x, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X));
static_assert(equal(Attribute::backward_filter_dy, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY));
static_assert(equal(Attribute::operation_pointwise_descriptor,
                    CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR));
static_assert(equal(Attribute::operation_pointwise_x, CUDNN_ATTR_OPERATION_POINTWISE_XDESC));
static_assert(equal(Attribute::operation_pointwise_b, CUDNN_ATTR_OPERATION_POINTWISE_BDESC));
static_assert(equal(Attribute::operation_pointwise_y, CUDNN_ATTR_OPERATION_POINTWISE_YDESC));
static_assert(equal(Attribute::graph_handle, CUDNN_ATTR_OPERATIONGRAPH_HANDLE));
static_assert(equal(Attribute::graph_operations, CUDNN_ATTR_OPERATIONGRAPH_OPS));
static_assert(equal(Attribute::graph_engine_count, CUDNN_ATTR_OPERATIONGRAPH_ENGINE_GLOBAL_COUNT));
static_assert(equal(Attribute::tensor_alignment, CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT));
static_assert(equal(Attribute::tensor_data_type, CUDNN_ATTR_TENSOR_DATA_TYPE));
static_assert(equal(Attribute::tensor_dimensions, CUDNN_ATTR_TENSOR_DIMENSIONS));
static_assert(equal(Attribute::tensor_strides, CUDNN_ATTR_TENSOR_STRIDES));
static_assert(equal(Attribute::tensor_unique_id, CUDNN_ATTR_TENSOR_UNIQUE_ID));
static_assert(equal(Attribute::tensor_is_virtual, CUDNN_ATTR_TENSOR_IS_VIRTUAL));
static_assert(equal(Attribute::pack_unique_ids, CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS));
static_assert(equal(Attribute::pack_pointers, CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS));
static_assert(equal(Attribute::pack_workspace, CUDNN_ATTR_VARIANT_PACK_WORKSPACE));
static_assert(equal(Attribute::engine_graph, CUDNN_ATTR_ENGINE_OPERATION_GRAPH));
static_assert(equal(Attribute::engine_index, CUDNN_ATTR_ENGINE_GLOBAL_INDEX));
static_assert(equal(Attribute::engine_numerical_notes, CUDNN_ATTR_ENGINE_NUMERICAL_NOTE));
static_assert(equal(Attribute::engine_behavior_notes, CUDNN_ATTR_ENGINE_BEHAVIOR_NOTE));

static_assert(equal(kFloat, CUDNN_DATA_FLOAT));
static_assert(equal(kHalf, CUDNN_DATA_HALF));
static_assert(equal(kBfloat16, CUDNN_DATA_BFLOAT16));
static_assert(equal(kCrossCorrelation, CUDNN_CROSS_CORRELATION));
static_assert(equal(kPointwiseAdd, CUDNN_POINTWISE_ADD));
static_assert(equal(kPointwiseMultiply, CUDNN_POINTWISE_MUL));
static_assert(equal(kPointwiseRelu, CUDNN_POINTWISE_RELU_FWD));
static_assert(equal(kPointwiseSigmoid, CUDNN_POINTWISE_SIGMOID_FWD));
static_assert(equal(kPointwiseGelu, CUDNN_POINTWISE_GELU_FWD));
static_assert(equal(kPointwiseSwish, CUDNN_POINTWISE_SWISH_FWD));
static_assert(equal(kPointwiseGeluTanh, CUDNN_POINTWISE_GELU_APPROX_TANH_FWD));
static_assert(equal(kHeuristicsFallback, CUDNN_HEUR_MODE_FALLBACK));
static_assert(equal(kHeuristicsA, CUDNN_HEUR_MODE_A));
static_assert(equal(kTensorCore, CUDNN_NUMERICAL_NOTE_TENSOR_CORE));
static_assert(equal(kDownConvertInputs, CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS));
static_assert(equal(kReducedPrecisionReduction, CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION));
static_assert(equal(kFft, CUDNN_NUMERICAL_NOTE_FFT));
static_assert(equal(kNondeterministic, CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC));
static_assert(equal(kWinograd, CUDNN_NUMERICAL_NOTE_WINOGRAD));
static_assert(equal(kRuntimeCompilation, CUDNN_BEHAVIOR_NOTE_RUNTIME_COMPILATION));
static_assert(equal(kFilterReorder, CUDNN_BEHAVIOR_NOTE_REQUIRES_FILTER_INT8x32_REORDER));
static_assert(equal(kBiasReorder, CUDNN_BEHAVIOR_NOTE_REQUIRES_BIAS_INT8x32_REORDER));
static_assert(equal(kSuccess, CUDNN_STATUS_SUCCESS));
static_assert(equal(kNotInitialized, CUDNN_STATUS_NOT_INITIALIZED));
static_assert(equal(kVersionMismatch, CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH));
static_assert(equal(kLoadingFailed, CUDNN_STATUS_SUBLIBRARY_LOADING_FAILED));
static_assert(equal(kHostAllocationFailed, CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED));
static_assert(equal(kDeviceAllocationFailed, CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED));
static_assert(equal(kExecutionFailed, CUDNN_STATUS_EXECUTION_FAILED));

}  // namespace atc::cudnn
