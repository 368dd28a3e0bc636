#include "engines/epilogue/separate_pass.hpp"

#include <utility>

#include "core/error.hpp"
#include "engines/epilogue/device_pass.hpp"
#include "engines/epilogue/pass.hpp"

namespace atc {

namespace {

class SeparatePrepared final : public Prepared {
 public:
  SeparatePrepared(Problem problem, DeviceId device, std::unique_ptr<Prepared> convolution)
      : problem_(std::move(problem)), device_(device), convolution_(std::move(convolution)) {}

  std::uint64_t workspace_size() const override { return convolution_->workspace_size(); }
  void set_weights(const void* w) override { convolution_->set_weights(w); }
  void execute(const Operands& operands, void* workspace, Stream stream) override {
    const bool has_scale = problem_.post_ops.scale;
    Operands plain = operands;
    plain.scale = plain.residual = nullptr;
    if (has_scale) plain.bias = nullptr;
    convolution_->execute(plain, workspace, stream);
    const bool with_bias = has_scale && problem_.epilogue != Epilogue::none;
    if (device_.type == DeviceType::cpu)
      apply_post_ops(problem_, operands, with_bias);
    else
      apply_post_ops_on_device(problem_, operands, with_bias, device_.index, stream);
  }
  std::string compiled() const override { return convolution_->compiled(); }
  std::uint64_t host_bytes() const override { return convolution_->host_bytes(); }

 private:
  const Problem problem_;
  const DeviceId device_;
  const std::unique_ptr<Prepared> convolution_;
};

}  // namespace

std::string separate_pass_objection(const Problem& problem, DeviceId device) {
  return device.type == DeviceType::cpu ? "" : device_pass_objection(problem);
}

Problem without_post_ops(const Problem& problem) {
  Problem plain = problem;
  plain.post_ops = {};
  if (problem.post_ops.scale) plain.epilogue = Epilogue::none;
  return plain;
}

Exactness behind_separate_pass(const Problem& problem, Exactness exactness) {
  // The convolution rounds the sum to the output's dtype, and the pass rounds the final result
  // again. So if the dtype is not f32, the result is only Exactness::bounded: it may differ from a
  // result that is rounded once.
  const bool rounds = problem.output().dtype != Dtype::f32;
  return exactness == Exactness::exact && rounds ? Exactness::bounded : exactness;
}

std::unique_ptr<Prepared> with_separate_pass(const Problem& problem, DeviceId device,
                                             std::unique_ptr<Prepared> convolution) {
  if (convolution->returns_output())
    fail(Status::unsupported,
         "the result is a buffer of the engine's own, to which no post-ops can be applied");
  if (const std::string objection = separate_pass_objection(problem, device); !objection.empty())
    fail(Status::unsupported, "{}", objection);
  return std::make_unique<SeparatePrepared>(problem, device, std::move(convolution));
}

}  // namespace atc
