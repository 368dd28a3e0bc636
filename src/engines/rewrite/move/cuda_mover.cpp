#include <utility>
#include <variant>
#include <vector>

#include "device/cuda/driver.hpp"
#include "device/cuda/kernel.hpp"
#include "device/cuda/stream.hpp"
#include "engines/rewrite/move/mover.hpp"
#include "engines/rewrite/move/plan.hpp"

namespace atc::cuda {

extern const unsigned char kMoveKernels[];

}  // namespace atc::cuda

namespace atc::rewrite::cuda_moves {

namespace {

std::vector<MoveLaunch> plan_all(const MoverSpec& spec) {
  std::vector<MoveLaunch> launches;
  for (const Move& move : spec.moves)
    for (MoveLaunch& launch : plan(move, spec.width, spec.source_alignment, spec.target_alignment))
      launches.push_back(std::move(launch));
  return launches;
}

class CudaMover final : public Mover {
 public:
  CudaMover(const MoverSpec& spec, int device_index) : device_index_(device_index) {
    const cuda::ContextScope scope(device_index_);
    for (MoveLaunch& launch : plan_all(spec)) {
      const cuda::Kernel kernel(cuda::kMoveKernels, launch.kernel, device_index);
      launches_.emplace_back(kernel, std::move(launch));
    }
  }

  void run(const void* source, void* target, Stream stream) const override {
    const cuda::ContextScope scope(device_index_);
    for (const auto& [kernel, launch] : launches_) {
      const cuda::LaunchShape shape{{launch.blocks}, {kMoveThreads}};
      const void* const from = static_cast<const char*>(source) + launch.source_offset;
      void* const to = static_cast<char*>(target) + launch.target_offset;
      std::visit(
          [&, &kernel = kernel](const auto& parameters) {
            kernel.launch(shape, stream, to, from, parameters);
          },
          launch.parameters);
    }
  }

  void run_now(const void* source, void* target) const override {
    const cuda::ContextScope scope(device_index_);
    run(source, target, nullptr);
    cuda::synchronize(nullptr);
  }

 private:
  int device_index_;
  std::vector<std::pair<cuda::Kernel, MoveLaunch>> launches_;
};

class CudaJointMover final : public JointMover {
 public:
  CudaJointMover(const MoveLaunch& first, const MoveLaunch& second, int device_index)
      : device_index_(device_index), launches_{first, second} {
    const cuda::ContextScope scope(device_index_);
    kernel_ = cuda::Kernel(cuda::kMoveKernels, "atc_move_tile_pair", device_index);
    for (int i = 0; i < 2; ++i) pair_.moves[i] = std::get<TileMove>(launches_[i].parameters);
  }

  void run(const Ends& first, const Ends& second, Stream stream) const override {
    const cuda::ContextScope scope(device_index_);
    TileMovePair pair = pair_;
    const Ends* const ends[] = {&first, &second};
    for (int i = 0; i < 2; ++i) {
      pair.sources[i] = static_cast<const char*>(ends[i]->source) + launches_[i].source_offset;
      pair.targets[i] = static_cast<char*>(ends[i]->target) + launches_[i].target_offset;
    }
    kernel_.launch({{launches_[0].blocks + launches_[1].blocks}, {kMoveThreads}}, stream, pair);
  }

 private:
  int device_index_;
  MoveLaunch launches_[2];
  cuda::Kernel kernel_;
  TileMovePair pair_;
};

}  // namespace

std::unique_ptr<JointMover> make_joint_mover(const MoverSpec& first, const MoverSpec& second,
                                             int device_index) {
  const std::vector<MoveLaunch> one = plan_all(first), other = plan_all(second);
  if (one.size() != 1 || other.size() != 1 ||
      !std::holds_alternative<TileMove>(one.front().parameters) ||
      !std::holds_alternative<TileMove>(other.front().parameters))
    return nullptr;
  return std::make_unique<CudaJointMover>(one.front(), other.front(), device_index);
}

std::unique_ptr<Mover> make_mover(const MoverSpec& spec, int device_index) {
  return std::make_unique<CudaMover>(spec, device_index);
}

void fill_with_zeros(void* at, std::uint64_t bytes, int device_index, Stream stream) {
  const cuda::ContextScope scope(device_index);
  cuda::set_bytes(at, 0, bytes, stream);
}

const char* objection() { return cuda::kernels_objection(); }

}  // namespace atc::rewrite::cuda_moves
