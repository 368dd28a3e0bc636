// Declares the part of cuDNN's backend interface that atc uses, with the same numbers as in cuDNN's
// headers. So atc can be built without cuDNN's headers. If the build finds these headers,
// header_check.cpp compares them with this file. The comment after a declaration is the name of the
// type in cuDNN.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/device_type.hpp"

namespace atc::cudnn {

using Status = int;                              // cudnnStatus_t
using Handle = void*;                            // cudnnHandle_t
using RawDescriptor = struct RawDescriptorTag*;  // cudnnBackendDescriptor_t

// kExecutionFailed is the status of a failed execution. cuDNN's statuses for particular failures of
// an execution have larger numbers.
constexpr Status kSuccess = 0, kNotInitialized = 1001, kVersionMismatch = 1002,
                 kLoadingFailed = 1008, kHostAllocationFailed = 4003,
                 kDeviceAllocationFailed = 4004, kExecutionFailed = 5000;

enum class Kind : int {  // cudnnBackendDescriptorType_t
  pointwise = 0,
  convolution = 1,
  engine = 2,
  engine_config = 3,
  heuristics = 4,
  plan = 5,
  knob_choice = 7,
  convolution_forward = 10,
  convolution_backward_filter = 11,
  convolution_backward_data = 12,
  operation_pointwise = 13,
  graph = 15,
  variant_pack = 16,
  tensor = 17,
};

enum class Type : int {  // cudnnBackendAttributeType_t
  handle = 0,
  data_type = 1,
  boolean = 2,
  int64 = 3,
  float32 = 4,
  float64 = 5,
  pointer = 6,
  convolution_mode = 7,
  heuristics_mode = 8,
  knob_type = 9,
  numerical_note = 11,
  pointwise_mode = 14,
  descriptor = 15,
  behavior_note = 19,
  character = 24,
};

enum class Attribute : int {  // cudnnBackendAttributeName_t
  pointwise_mode = 0,
  pointwise_precision = 1,
  pointwise_relu_lower_clip = 3,
  pointwise_relu_upper_clip = 4,
  pointwise_relu_slope = 9,
  convolution_compute_type = 100,
  convolution_mode = 101,
  convolution_dilations = 102,
  convolution_strides = 103,
  convolution_post_paddings = 104,
  convolution_pre_paddings = 105,
  convolution_spatial_dims = 106,
  heuristics_mode = 200,
  heuristics_graph = 201,
  heuristics_results = 202,
  config_engine = 300,
  config_knob_choices = 302,
  config_workspace_size = 303,
  plan_handle = 400,
  plan_config = 401,
  plan_workspace_size = 402,
  plan_json = 405,
  knob_choice_type = 600,
  knob_choice_value = 601,
  forward_alpha = 700,
  forward_beta = 701,
  forward_convolution = 702,
  forward_w = 703,
  forward_x = 704,
  forward_y = 705,
  backward_data_alpha = 706,
  backward_data_beta = 707,
  backward_data_convolution = 708,
  backward_data_w = 709,
  backward_data_dx = 710,
  backward_data_dy = 711,
  backward_filter_alpha = 712,
  backward_filter_beta = 713,
  backward_filter_convolution = 714,
  backward_filter_dw = 715,
  backward_filter_x = 716,
  backward_filter_dy = 717,
  operation_pointwise_descriptor = 750,
  operation_pointwise_x = 751,
  operation_pointwise_b = 752,
  operation_pointwise_y = 753,
  graph_handle = 800,
  graph_operations = 801,
  graph_engine_count = 802,
  tensor_alignment = 900,
  tensor_data_type = 901,
  tensor_dimensions = 902,
  tensor_strides = 903,
  tensor_unique_id = 906,
  tensor_is_virtual = 907,
  pack_unique_ids = 1000,
  pack_pointers = 1001,
  pack_workspace = 1003,
  engine_graph = 1300,
  engine_index = 1301,
  engine_numerical_notes = 1303,
  engine_behavior_notes = 1305,
};

constexpr int kFloat = 0, kHalf = 2, kBfloat16 = 9;  // cudnnDataType_t
constexpr int kCrossCorrelation = 1;                 // cudnnConvolutionMode_t
constexpr int kPointwiseAdd = 0, kPointwiseMultiply = 1, kPointwiseRelu = 100,
              kPointwiseSigmoid = 102, kPointwiseGelu = 104, kPointwiseSwish = 106,
              kPointwiseGeluTanh = 107;  // cudnnPointwiseMode_t
constexpr int kHeuristicsFallback = 2,
              kHeuristicsA = 3;  // cudnnBackendHeurMode_t

enum NumericalNote : int {  // cudnnBackendNumericalNote_t
  kTensorCore = 0,
  kDownConvertInputs = 1,
  kReducedPrecisionReduction = 2,
  kFft = 3,
  kNondeterministic = 4,
  kWinograd = 5,
};

enum BehaviorNote : int {  // cudnnBackendBehaviorNote_t
  kRuntimeCompilation = 0,
  kFilterReorder = 1,
  kBiasReorder = 2,
  kCublasLt = 4,
};

// The oldest version of cuDNN that atc uses. Since this version cuDNN reports the workspace of an
// engine configuration without compiling the configuration.
constexpr std::size_t kOldestVersion = 90200;

struct Api {
  Status (*create)(Handle*) = nullptr;
  Status (*set_stream)(Handle, Stream) = nullptr;
  std::size_t (*version)() = nullptr;
  void (*last_error)(char*, std::size_t) = nullptr;
  const char* (*error_name)(Status) = nullptr;
  Status (*create_descriptor)(Kind, RawDescriptor*) = nullptr;
  Status (*destroy_descriptor)(RawDescriptor) = nullptr;
  Status (*finalize)(RawDescriptor) = nullptr;
  Status (*set_attribute)(RawDescriptor, Attribute, Type, std::int64_t, const void*) = nullptr;
  Status (*get_attribute)(RawDescriptor, Attribute, Type, std::int64_t, std::int64_t*,
                          void*) = nullptr;
  Status (*execute)(Handle, RawDescriptor, RawDescriptor) = nullptr;
  // If the loaded cuDNN lacks one of the functions below, the pointer to this function is null.
  std::size_t (*runtime_version)() =
      nullptr;  // returns the CUDA version for which cuDNN was built: 13000 for 13.0
  // Returns the newest compute capability that cuDNN supports: 1210 is 12.1.
  std::size_t (*newest_device)() = nullptr;
  Status (*graph_check)() = nullptr, (*ops_check)() = nullptr, (*cnn_check)() = nullptr,
         (*adv_check)() = nullptr, (*ext_check)() = nullptr;
};

}  // namespace atc::cudnn
