// Compares cublaslt_api.hpp with the headers of a real cuBLASLt at compile time, if the build finds
// them. Generates no code.
#include <cublasLt.h>

#include <type_traits>

#include "device/cuda/cublaslt_api.hpp"

namespace atc::cuda::lt {

template <typename Ours, typename Theirs>
constexpr bool equal(Ours ours, Theirs theirs) {
  return static_cast<int>(ours) == static_cast<int>(theirs);
}

// Whether a type has the same size and alignment as cuBLASLt's type, and both or neither are enums.
template <typename Ours, typename Theirs>
constexpr bool alike =
    sizeof(Ours) == sizeof(Theirs) &&
    alignof(Ours) == alignof(Theirs) && std::is_enum_v<Ours> == std::is_enum_v<Theirs>;

static_assert(equal(kSuccess, CUBLAS_STATUS_SUCCESS));
static_assert(equal(kNotInitialized, CUBLAS_STATUS_NOT_INITIALIZED));
static_assert(equal(kAllocationFailed, CUBLAS_STATUS_ALLOC_FAILED));
static_assert(equal(kMappingError, CUBLAS_STATUS_MAPPING_ERROR));
static_assert(equal(kExecutionFailed, CUBLAS_STATUS_EXECUTION_FAILED));
static_assert(equal(kNotSupported, CUBLAS_STATUS_NOT_SUPPORTED));

static_assert(equal(DataType::f32, CUDA_R_32F));
static_assert(equal(DataType::f16, CUDA_R_16F));
static_assert(equal(DataType::bf16, CUDA_R_16BF));
static_assert(equal(ComputeType::f32, CUBLAS_COMPUTE_32F));
static_assert(equal(ComputeType::fast_tf32, CUBLAS_COMPUTE_32F_FAST_TF32));
static_assert(equal(Transform::none, CUBLAS_OP_N));
static_assert(equal(Transform::transpose, CUBLAS_OP_T));
static_assert(equal(EpilogueKind::none, CUBLASLT_EPILOGUE_DEFAULT));
static_assert(equal(EpilogueKind::bias, CUBLASLT_EPILOGUE_BIAS));
static_assert(alike<DataType, cudaDataType>);
static_assert(alike<ComputeType, cublasComputeType_t>);
static_assert(sizeof(Status) == sizeof(cublasStatus_t));

static_assert(equal(OperationAttribute::transform_a, CUBLASLT_MATMUL_DESC_TRANSA));
static_assert(equal(OperationAttribute::transform_b, CUBLASLT_MATMUL_DESC_TRANSB));
static_assert(equal(OperationAttribute::epilogue, CUBLASLT_MATMUL_DESC_EPILOGUE));
static_assert(equal(OperationAttribute::bias_pointer, CUBLASLT_MATMUL_DESC_BIAS_POINTER));
static_assert(alike<OperationAttribute, cublasLtMatmulDescAttributes_t>);

static_assert(equal(LayoutAttribute::batch_count, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT));
static_assert(equal(LayoutAttribute::batch_stride, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET));
static_assert(alike<LayoutAttribute, cublasLtMatrixLayoutAttribute_t>);

static_assert(equal(PreferenceAttribute::most_workspace, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES));
static_assert(equal(PreferenceAttribute::reduction_schemes,
                    CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK));
static_assert(equal(PreferenceAttribute::alignment_a, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES));
static_assert(equal(PreferenceAttribute::alignment_b, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES));
static_assert(equal(PreferenceAttribute::alignment_c, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES));
static_assert(equal(PreferenceAttribute::alignment_d, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES));
static_assert(alike<PreferenceAttribute, cublasLtMatmulPreferenceAttributes_t>);

static_assert(equal(AlgorithmAttribute::id, CUBLASLT_ALGO_CONFIG_ID));
static_assert(equal(AlgorithmAttribute::tile, CUBLASLT_ALGO_CONFIG_TILE_ID));
static_assert(equal(AlgorithmAttribute::split, CUBLASLT_ALGO_CONFIG_SPLITK_NUM));
static_assert(equal(AlgorithmAttribute::reduction_scheme, CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME));
static_assert(equal(AlgorithmAttribute::swizzle, CUBLASLT_ALGO_CONFIG_CTA_SWIZZLING));
static_assert(equal(AlgorithmAttribute::custom_option, CUBLASLT_ALGO_CONFIG_CUSTOM_OPTION));
static_assert(equal(AlgorithmAttribute::stages, CUBLASLT_ALGO_CONFIG_STAGES_ID));
static_assert(equal(AlgorithmAttribute::inner_shape, CUBLASLT_ALGO_CONFIG_INNER_SHAPE_ID));
static_assert(equal(AlgorithmAttribute::cluster_shape, CUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID));
static_assert(alike<AlgorithmAttribute, cublasLtMatmulAlgoConfigAttributes_t>);

static_assert(equal(Capability::split, CUBLASLT_ALGO_CAP_SPLITK_SUPPORT));
static_assert(equal(Capability::reduction_schemes, CUBLASLT_ALGO_CAP_REDUCTION_SCHEME_MASK));
static_assert(equal(Capability::alignment_a, CUBLASLT_ALGO_CAP_MIN_ALIGNMENT_A_BYTES));
static_assert(equal(Capability::alignment_b, CUBLASLT_ALGO_CAP_MIN_ALIGNMENT_B_BYTES));
static_assert(equal(Capability::alignment_c, CUBLASLT_ALGO_CAP_MIN_ALIGNMENT_C_BYTES));
static_assert(equal(Capability::alignment_d, CUBLASLT_ALGO_CAP_MIN_ALIGNMENT_D_BYTES));
static_assert(alike<Capability, cublasLtMatmulAlgoCapAttributes_t>);

static_assert(equal(kNoReduction, CUBLASLT_REDUCTION_SCHEME_NONE));
static_assert(equal(kReductionInComputeType, CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE));

static_assert(alike<Algorithm, cublasLtMatmulAlgo_t>);
static_assert(alike<Proposal, cublasLtMatmulHeuristicResult_t>);
static_assert(offsetof(Proposal, workspace) ==
              offsetof(cublasLtMatmulHeuristicResult_t, workspaceSize));
static_assert(offsetof(Proposal, state) == offsetof(cublasLtMatmulHeuristicResult_t, state));
static_assert(offsetof(Proposal, waves) == offsetof(cublasLtMatmulHeuristicResult_t, wavesCount));

}  // namespace atc::cuda::lt
