#include <utility>

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

class CudaMover final : public Mover {
 public:
  CudaMover(const MoverSpec& spec, int device_index) : device_index_(device_index) {
    const cuda::ContextScope scope(device_index_);
    for (const Move& move : spec.moves)
      for (MoveLaunch& launch :
           plan(move, spec.width, spec.source_alignment, spec.target_alignment)) {
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

}  // namespace

std::unique_ptr<Mover> make_mover(const MoverSpec& spec, int device_index) {
  return std::make_unique<CudaMover>(spec, device_index);
}

const char* objection() { return cuda::kernels_objection(); }

}  // namespace atc::rewrite::cuda_moves
