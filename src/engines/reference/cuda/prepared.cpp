#include "engines/reference/cuda/prepared.hpp"

#include <utility>

#include "device/cuda/driver.hpp"
#include "device/cuda/kept_memory.hpp"
#include "engines/reference/cuda/device_values.hpp"
#include "engines/weights.hpp"

namespace atc::reference {

namespace {

class DevicePrepared final : public Prepared {
 public:
  DevicePrepared(Problem problem, int index) : problem_(std::move(problem)), index_(index) {}

  std::uint64_t workspace_size() const override { return 0; }

  void set_weights(const void* w) override {
    const cuda::ContextScope scope(index_);
    weights_ = cuda::kept_copy(w, problem_.w.span_bytes(), {DeviceType::cuda, index_});
  }

  void execute(const Operands& given, void*, Stream stream) override {
    Operands operands = given;
    if (operands.w == nullptr) operands.w = weights_.data();
    if (problem_.w.elements() != 0) require_weights(operands.w);
    const cuda::ContextScope scope(index_);
    convolve_on_device(problem_, operands, scope.context(), stream);
    if (given.w == nullptr) weights_.read_on(stream);
  }

 private:
  Problem problem_;
  int index_;
  cuda::KeptMemory weights_;
};

}  // namespace

std::unique_ptr<Prepared> prepare_on_device(const Problem& problem, const Limits& limits) {
  return std::make_unique<DevicePrepared>(problem, limits.device.index);
}

const char* device_objection() { return ""; }

}  // namespace atc::reference
