#include "engines/cublaslt/prepared.hpp"

#include "core/error.hpp"
#include "device/cuda/driver.hpp"
#include "device/cuda/kept_memory.hpp"
#include "engines/cublaslt/bias.hpp"
#include "engines/cublaslt/known_faults.hpp"
#include "engines/cublaslt/operation.hpp"
#include "engines/epilogue/device_pass.hpp"
#include "engines/weights.hpp"

namespace atc::cublaslt {

namespace {

Product require_product(const Problem& problem) {
  std::string why_not;
  const std::optional<Product> product = product_of(problem, why_not);
  if (!product) fail(Status::unsupported, "{}", why_not);
  return *product;
}

// Returns the problem that cuBLASLt computes. If a separate kernel adds the bias, this is the
// problem without the bias. Throws Error(unsupported) if the configuration cannot compute the
// epilogue.
Problem fused_part(const Problem& problem, const Product& product,
                   const Configuration& configuration) {
  const bool possible = configuration.bias_apart
                            ? bias_can_be_apart(problem)
                            : problem.epilogue == Epilogue::none || can_be_fused(problem, product);
  if (!possible)
    fail(Status::unsupported, "'{}' {} a bias, which cannot be done here", to_string(configuration),
         configuration.bias_apart ? "adds by itself" : "has cuBLASLt add");
  return configuration.bias_apart ? without_bias(problem) : problem;
}

class CublasLtPrepared final : public Prepared {
 public:
  CublasLtPrepared(const Problem& problem, const Product& product, const Limits& limits,
                   const Configuration& configuration)
      : problem_(problem),
        device_(limits.device.index),
        operation_(fused_part(problem, product, configuration), product, configuration.tf32) {
    const cuda::ContextScope scope(device_);
    context_ = scope.context();
    handle_ = handle_of(context_);
    configured_ = operation_.build(handle_, configuration, limits.alignment);
    if (workspace_size() > limits.workspace)
      fail(Status::unsupported, "it needs {} bytes of workspace, {} are allowed", workspace_size(),
           limits.workspace);
  }

  std::uint64_t workspace_size() const override { return operation_.workspace_size(configured_); }

  // The weights are copied as they are, not packed into another layout. The copy is needed because
  // the caller may free its buffer after the call.
  void set_weights(const void* w) override {
    const cuda::ContextScope scope(device_);
    weights_ = cuda::kept_copy(w, problem_.w.span_bytes(), {DeviceType::cuda, device_});
  }

  void execute(const Operands& given, void* workspace, Stream stream) override {
    Operands operands = given;
    if (operands.w == nullptr) operands.w = weights_.data();
    require_weights(operands.w);
    const cuda::ContextScope scope(device_);
    // The current context differs from context_ if the caller has made another context of this
    // device current.
    if (scope.context() != context_) {
      handle_ = handle_of(scope.context());
      context_ = scope.context();
    }
    operation_.execute(handle_, configured_, operands, workspace, stream);
    if (configured_.configuration.bias_apart)
      apply_post_ops_on_device(problem_, operands, true, context_, stream);
    if (given.w == nullptr) weights_.read_on(stream);
  }

 private:
  Problem problem_;
  int device_;
  Operation operation_;
  cuda::Context context_ = nullptr;
  cuda::lt::Handle handle_ = nullptr;
  ConfiguredAlgorithm configured_;
  cuda::KeptMemory weights_;
};

}  // namespace

std::unique_ptr<Prepared> prepare(const Problem& problem, const Limits& limits,
                                  const std::string& configuration) {
  const Product product = require_product(problem);
  const Configuration parsed = parse_configuration(configuration);
  if (parsed.tf32 && (!limits.allow_tf32 || product.a.dtype != Dtype::f32))
    fail(Status::unsupported, "'{}' multiplies as TF32, which {}", configuration,
         limits.allow_tf32 ? "is for inputs in fp32" : "is not allowed");
  require_no_fault(problem, parsed, limits.device);
  return std::make_unique<CublasLtPrepared>(problem, product, limits, parsed);
}

}  // namespace atc::cublaslt
