// The part of cuBLASLt's interface that atc uses. This part is the same in all versions 12 and 13
// of cuBLASLt. It is declared here with the numbers of cuBLASLt's headers, so that atc can be built
// without these headers. If the build finds the headers, cublaslt_header_check.cpp compares the
// declarations here with the headers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/device_type.hpp"

namespace atc::cuda::lt {

using Status = int;                           // cublasStatus_t
using Handle = struct HandleTag*;             // cublasLtHandle_t
using RawOperation = struct OperationTag*;    // cublasLtMatmulDesc_t
using RawLayout = struct LayoutTag*;          // cublasLtMatrixLayout_t
using RawPreference = struct PreferenceTag*;  // cublasLtMatmulPreference_t

constexpr Status kSuccess = 0, kNotInitialized = 1, kAllocationFailed = 3, kMappingError = 11,
                 kExecutionFailed = 13, kNotSupported = 15;

enum class DataType : int { f32 = 0, f16 = 2, bf16 = 14 };        // cudaDataType
enum class ComputeType : int { f32 = 68, fast_tf32 = 77 };        // cublasComputeType_t
enum class Transform : std::int32_t { none = 0, transpose = 1 };  // cublasOperation_t
enum class EpilogueKind : std::uint32_t { none = 1, bias = 4 };   // cublasLtEpilogue_t

enum class OperationAttribute : int {  // cublasLtMatmulDescAttributes_t
  transform_a = 3,
  transform_b = 4,
  epilogue = 7,
  bias_pointer = 8,
};

enum class LayoutAttribute : int {  // cublasLtMatrixLayoutAttribute_t
  batch_count = 5,
  batch_stride = 6,
};

enum class PreferenceAttribute : int {  // cublasLtMatmulPreferenceAttributes_t
  most_workspace = 1,
  reduction_schemes = 3,
  alignment_a = 5,
  alignment_b = 6,
  alignment_c = 7,
  alignment_d = 8,
};

enum class AlgorithmAttribute : int {  // cublasLtMatmulAlgoConfigAttributes_t
  id = 0,
  tile = 1,
  split = 2,
  reduction_scheme = 3,
  swizzle = 4,
  custom_option = 5,
  stages = 6,
  inner_shape = 7,
  cluster_shape = 8,
};

enum class Capability : int {  // cublasLtMatmulAlgoCapAttributes_t
  split = 0,
  reduction_schemes = 1,
  alignment_a = 16,
  alignment_b = 17,
  alignment_c = 18,
  alignment_d = 19,
};

// cublasLtReductionScheme_t. The values 1 and 4 are not declared here, because with them cuBLASLt
// rounds partial sums to the type of the output.
constexpr std::uint32_t kNoReduction = 0, kReductionInComputeType = 2;

struct Algorithm {  // cublasLtMatmulAlgo_t
  std::uint64_t data[8] = {};
};

struct Proposal {  // cublasLtMatmulHeuristicResult_t
  Algorithm algorithm;
  std::size_t workspace = 0;  // the bytes of workspace that the algorithm needs
  Status state = 0;
  float waves = 0;
  int reserved[4] = {};
};

struct Api {
  std::size_t (*version)() = nullptr;
  std::size_t (*runtime_version)() = nullptr;
  const char* (*status_name)(Status) = nullptr;
  Status (*create)(Handle*) = nullptr;
  Status (*create_operation)(RawOperation*, ComputeType, DataType) = nullptr;
  Status (*destroy_operation)(RawOperation) = nullptr;
  Status (*set_operation)(RawOperation, OperationAttribute, const void*, std::size_t) = nullptr;
  Status (*create_layout)(RawLayout*, DataType, std::uint64_t, std::uint64_t,
                          std::int64_t) = nullptr;
  Status (*destroy_layout)(RawLayout) = nullptr;
  Status (*set_layout)(RawLayout, LayoutAttribute, const void*, std::size_t) = nullptr;
  Status (*create_preference)(RawPreference*) = nullptr;
  Status (*destroy_preference)(RawPreference) = nullptr;
  Status (*set_preference)(RawPreference, PreferenceAttribute, const void*, std::size_t) = nullptr;
  Status (*propose)(Handle, RawOperation, RawLayout, RawLayout, RawLayout, RawLayout, RawPreference,
                    int, Proposal*, int*) = nullptr;
  Status (*init_algorithm)(Handle, ComputeType, DataType, DataType, DataType, DataType, DataType,
                           int, Algorithm*) = nullptr;
  Status (*set_algorithm)(Algorithm*, AlgorithmAttribute, const void*, std::size_t) = nullptr;
  Status (*get_algorithm)(const Algorithm*, AlgorithmAttribute, void*, std::size_t,
                          std::size_t*) = nullptr;
  Status (*get_capability)(const Algorithm*, Capability, void*, std::size_t,
                           std::size_t*) = nullptr;
  Status (*check_algorithm)(Handle, RawOperation, RawLayout, RawLayout, RawLayout, RawLayout,
                            const Algorithm*, Proposal*) = nullptr;
  Status (*multiply)(Handle, RawOperation, const void*, const void*, RawLayout, const void*,
                     RawLayout, const void*, const void*, RawLayout, void*, RawLayout,
                     const Algorithm*, void*, std::size_t, Stream) = nullptr;
};

}  // namespace atc::cuda::lt
