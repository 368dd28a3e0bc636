// Describes a matrix product to cuBLASLt, lists the algorithms of cuBLASLt that compute it, and
// executes one of them.
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

// Returns the cuBLASLt handle of a context. The context must be current. The process has one handle
// for each context. Any number of threads may use a handle at the same time, because atc changes no
// setting of a handle. A handle is never destroyed, because its context may no longer exist at that
// time. Throws Error if cuBLASLt fails (cuda::lt::check).
cuda::lt::Handle handle_of(cuda::Context context);

struct ConfiguredAlgorithm {
  Configuration configuration;
  cuda::lt::Algorithm algorithm;
  std::uint64_t workspace = 0;  // the bytes of workspace that cuBLASLt needs
  float waves = 0;              // how many waves of thread blocks the algorithm needs on the device
};

class Operation {
 public:
  // `problem` must have no epilogue, or a bias that cuBLASLt can add (can_be_fused). If `tf32` is
  // true, fp32 inputs are multiplied in TF32. Throws Error if cuBLASLt fails (cuda::lt::check).
  Operation(const Problem& problem, const Product& product, bool tf32);

  // Returns the algorithms that cuBLASLt's heuristics propose for operands aligned to `alignment`
  // bytes. The list is sorted by the time that the heuristics estimate for each algorithm, the
  // shortest time first. Algorithms that split sums and do not add the parts in fp32 are left out.
  // The list may be empty.
  std::vector<ConfiguredAlgorithm> proposals(cuda::lt::Handle handle, std::uint64_t workspace,
                                             std::size_t alignment) const;
  // Returns the algorithm of a configuration. Throws Error(unsupported) if this cuBLASLt does not
  // know the algorithm, cannot run it on this device, or requires a larger alignment of the
  // operands.
  ConfiguredAlgorithm build(cuda::lt::Handle handle, const Configuration& configuration,
                            std::size_t alignment) const;

  // Returns the bytes of workspace that execute() needs: the workspace of cuBLASLt, followed by
  // room for a copy of the bias. If the bias of a call is not aligned to 16 bytes, execute() makes
  // such a copy.
  std::uint64_t workspace_size(const ConfiguredAlgorithm& configured) const;
  // Enqueues the work on the stream. Allocates no memory. Two threads must not call `execute` of
  // one object at the same time.
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
  std::uint64_t bias_bytes_;  // the bytes of the bias; 0: there is no bias
  bool accumulate_, tf32_;
  cuda::lt::ComputeType compute_type_;
  std::unique_ptr<cuda::lt::OperationTag, Destroy> operation_;
  Layout a_, b_, output_;
};

}  // namespace atc::cublaslt
