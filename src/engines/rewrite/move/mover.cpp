#include "engines/rewrite/move/mover.hpp"

#include <cstring>
#include <utility>

namespace atc::rewrite {

namespace {

class HostMover final : public Mover {
 public:
  explicit HostMover(MoverSpec spec) : spec_(std::move(spec)) {}
  void run(const void* source, void* target, Stream) const override { run_now(source, target); }
  void run_now(const void* source, void* target) const override {
    for (const Move& move : spec_.moves) move_on_host(move, spec_.width, source, target);
  }

 private:
  MoverSpec spec_;
};

}  // namespace

std::unique_ptr<Mover> make_mover(const MoverSpec& spec, DeviceId device) {
  if (spec.moves.empty()) return nullptr;
  if (device.type == DeviceType::cuda) return cuda_moves::make_mover(spec, device.index);
  return std::make_unique<HostMover>(spec);
}

std::unique_ptr<JointMover> make_joint_mover(const MoverSpec& first, const MoverSpec& second,
                                             DeviceId device) {
  if (device.type != DeviceType::cuda) return nullptr;
  return cuda_moves::make_joint_mover(first, second, device.index);
}

void fill_with_zeros(void* at, std::uint64_t bytes, DeviceId device, Stream stream) {
  if (device.type == DeviceType::cuda)
    return cuda_moves::fill_with_zeros(at, bytes, device.index, stream);
  std::memset(at, 0, static_cast<std::size_t>(bytes));
}

const char* moving_objection(DeviceType device) {
  return device == DeviceType::cuda ? cuda_moves::objection() : "";
}

}  // namespace atc::rewrite
