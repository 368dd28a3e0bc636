#include "conv/plan.hpp"

#include "conv/workspace_pool.hpp"
#include "core/allocator.hpp"
#include "core/error.hpp"
#include "device/cuda/captured_memory.hpp"

namespace atc::conv {

Plan::Plan(Problem problem, const Request& request, Decided decided)
    : problem_(std::move(problem)),
      device_(request.device),
      alignment_(request.limits.alignment),
      decided_(std::move(decided)),
      choice_(to_string(decided_.decision->choice)) {}

void Plan::set_weights(const void* w) {
  decided_.prepared->set_weights(w);
  has_weights_ = true;
}

void Plan::execute(const Operands& operands, void* workspace, Stream stream) {
  if (decided_.prepared->returns_output())
    fail(Status::unsupported,
         "the choice '{}' leaves its result in a buffer of its engine's own: the front end runs it "
         "itself",
         choice_);
  const std::uint64_t size = workspace_size();
  if (device_.type == DeviceType::cuda) {
    if (workspace == nullptr && size != 0)
      workspace = cuda::captured_workspace(size, device_, stream);
    cuda::trim_captured_memory();
  }
  if (workspace != nullptr || size == 0) {
    decided_.prepared->execute(operands, workspace, stream);
    return;
  }
  if (device_.type == DeviceType::cuda) {
    const Allocation memory(size, device_, stream);  // comes and goes in stream order
    decided_.prepared->execute(operands, memory.data(), stream);
    return;
  }
  const WorkspaceLease lease(size, device_);
  decided_.prepared->execute(operands, lease.data(), stream);
}

}  // namespace atc::conv
