// A matrix product as cuBLASLt's descriptors, and the algorithms that compute it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "device/cuda/cublaslt.hpp"
#include "device/cuda/driver_api.hpp"
#include "engines/cublaslt/configuration.hpp"
#include "engines/cublaslt/product.hpp"
#include "engines/engine.hpp"

namespace atc::cublaslt {

// Returns the handle of a context, which must be current. The process has one handle for each
// context: a handle holds no settings of a caller, and any number of threads may use it at once. A
// handle is never destroyed, because its context may already be destroyed by then. Throws the
// errors of cuda::lt::check.
cuda::lt::Handle handle_of(cuda::Context context);

struct ConfiguredAlgorithm {
  Configuration configuration;
  cuda::lt::Algorithm algorithm;
  std::uint64_t workspace = 0;  // bytes, of cuBLASLt's own
  float waves = 0;              // of blocks over the device
};

class Operation {
 public:
  // `problem` has no epilogue, or it has a bias and the product's rows are channels. `tf32`: fp32
  // inputs are multiplied as TF32. Throws the errors of cuda::lt::check.
  Operation(const Problem& problem, const Product& product, bool tf32);

  // Returns the algorithms that cuBLASLt's heuristics propose for operands aligned to `alignment`
  // bytes, the one with the shortest estimated time first. The list may be empty. It leaves out
  // algorithms that divide sums into parts and do not add up the parts in fp32.
  std::vector<ConfiguredAlgorithm> proposals(cuda::lt::Handle handle, std::uint64_t workspace,
                                             std::size_t alignment) const;
  // Returns the algorithm of a configuration. Throws Error(unsupported) if this cuBLASLt does not
  // know it, cannot run it on this device, or requires operands of another alignment.
  ConfiguredAlgorithm build(cuda::lt::Handle handle, const Configuration& configuration,
                            std::size_t alignment) const;

  // Bytes of workspace that `execute` needs: cuBLASLt's own, followed by room for a copy of the
  // bias in case it is not aligned to 16 bytes.
  std::uint64_t workspace_size(const ConfiguredAlgorithm& configured) const;
  // Puts the work on the stream. Allocates nothing. Only one call may run at a time.
  void execute(cuda::lt::Handle handle, const ConfiguredAlgorithm& configured,
               const Operands& operands, void* workspace, Stream stream);

 private:
  struct Destroy {
    void operator()(cuda::lt::RawOperation operation) const;
    void operator()(cuda::lt::RawLayout layout) const;
  };
  using Layout = std::unique_ptr<cuda::lt::LayoutTag, Destroy>;

  static Layout make_layout(const Matrix& matrix, std::int64_t batch);
  void set_bias(const void* bias);

  Product product_;
  std::uint64_t bias_bytes_;  // 0: there is none
  bool accumulate_, tf32_;
  cuda::lt::ComputeType compute_type_;
  std::unique_ptr<cuda::lt::OperationTag, Destroy> operation_;
  Layout a_, b_, output_;
};

}  // namespace atc::cublaslt
