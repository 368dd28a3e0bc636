#include "engines/kernels/prepared.hpp"

#include <array>
#include <utility>

#include "device/cuda/driver.hpp"
#include "device/cuda/kept_memory.hpp"
#include "device/cuda/stream.hpp"
#include "engines/weights.hpp"

namespace atc::kernels {

namespace {

// For one execution of a plan: the address for each value of Pointer, such as that of the weights
// (Pointer::w).
class Pointers {
 public:
  void*& operator[](Pointer pointer) { return values_[static_cast<std::size_t>(pointer)]; }
  void** data() { return values_.data(); }

 private:
  std::array<void*, static_cast<std::size_t>(Pointer::count)> values_{};
};

// The launches of a plan. The constructor looks up their kernels in the images (compiled device
// code), so that run() only has to launch them.
class Ready {
 public:
  Ready(std::vector<Launch> launches, int device) : launches_(std::move(launches)) {
    kernels_.reserve(launches_.size());
    for (const Launch& launch : launches_) {
      kernels_.emplace_back(launch.image, launch.kernel.c_str(), device, launch.shape.shared_bytes);
      addresses_.emplace_back(launch.arguments.size());
    }
  }

  void run(Pointers& pointers, Stream stream) {
    for (std::size_t i = 0; i < launches_.size(); ++i) {
      for (std::size_t k = 0; k < addresses_[i].size(); ++k)
        addresses_[i][k] = launches_[i].arguments[k].address(pointers.data());
      kernels_[i].launch_raw(launches_[i].shape, stream, addresses_[i].data());
    }
  }

 private:
  std::vector<Launch> launches_;
  std::vector<cuda::Kernel> kernels_;
  // For each launch: the addresses, in host memory, of the arguments of the launch.
  std::vector<std::vector<void*>> addresses_;
};

class KernelsPrepared final : public Prepared {
 public:
  // When this constructor is called, a CUDA context of the device must be current in the calling
  // thread.
  KernelsPrepared(const Problem& problem, const Limits& limits, LaunchPlan plan)
      : device_(limits.device),
        direction_(problem.direction),
        has_bias_(problem.epilogue != Epilogue::none),
        weight_bytes_(problem.w.span_bytes()),
        packed_bytes_(plan.packed_bytes),
        workspace_(plan.workspace),
        launches_(std::move(plan.launches), limits.device.index),
        pack_(std::move(plan.pack), limits.device.index) {}

  std::uint64_t workspace_size() const override { return workspace_; }
  void set_weights(const void* w) override;
  void execute(const Operands& operands, void* workspace, Stream stream) override;

 private:
  bool writes_weights() const { return direction_ == Direction::backward_weight; }
  void pack(const void* w, void* to, Stream stream) {
    Pointers pointers;
    pointers[Pointer::w] = const_cast<void*>(w);
    pointers[Pointer::packed] = to;
    pack_.run(pointers, stream);
  }

  DeviceId device_;
  Direction direction_;
  bool has_bias_;
  std::uint64_t weight_bytes_, packed_bytes_, workspace_;
  Ready launches_, pack_;
  // A copy of the weights that set_weights received. It is packed if `packed_bytes_` is not 0.
  cuda::KeptMemory kept_;
};

void KernelsPrepared::set_weights(const void* w) {
  if (writes_weights()) return;
  const cuda::ContextScope scope(device_.index);
  if (packed_bytes_ == 0) {
    kept_ = cuda::kept_copy(w, weight_bytes_, device_);
    return;
  }
  cuda::KeptMemory packed(packed_bytes_, device_);
  pack(w, packed.data(), nullptr);
  cuda::synchronize(nullptr);
  kept_ = std::move(packed);
}

void KernelsPrepared::execute(const Operands& operands, void* workspace, Stream stream) {
  const bool forward = direction_ == Direction::forward;
  const bool keeps = !writes_weights() && operands.w == nullptr;
  void* filters = keeps ? kept_.data() : operands.w;
  if (!writes_weights()) require_weights(filters);
  const cuda::ContextScope scope(device_.index);
  if (!keeps && packed_bytes_ != 0) {
    pack(operands.w, workspace, stream);
    filters = workspace;
  }
  Pointers pointers;
  pointers[Pointer::in] = forward ? operands.x : operands.y;
  pointers[Pointer::filters] = filters;
  pointers[Pointer::bias] = has_bias_ ? const_cast<void*>(operands.bias) : nullptr;
  pointers[Pointer::out] = forward ? operands.y : operands.x;
  pointers[Pointer::x] = operands.x;
  pointers[Pointer::w] = operands.w;
  pointers[Pointer::y] = operands.y;
  pointers[Pointer::parts] = static_cast<unsigned char*>(workspace) + packed_bytes_;
  launches_.run(pointers, stream);
  if (keeps) kept_.read_on(stream);
}

}  // namespace

std::unique_ptr<Prepared> prepare(const Problem& problem, const Limits& limits, LaunchPlan plan) {
  const cuda::ContextScope scope(limits.device.index);
  return std::make_unique<KernelsPrepared>(problem, limits, std::move(plan));
}

}  // namespace atc::kernels
