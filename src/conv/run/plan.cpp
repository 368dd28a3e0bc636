#include "conv/run/plan.hpp"

#include "conv/run/workspace_pool.hpp"
#include "core/error.hpp"
#include "device/released_memory.hpp"
#include "device/stream.hpp"

namespace atc::conv {

Plan::Plan(Problem problem, const Request& request, Decided decided)
    : problem_(std::move(problem)),
      device_(request.device),
      alignment_(request.limits.alignment),
      decided_(std::move(decided)),
      choice_(to_string(decided_.decision->choice)),
      allocator_(request.allocator) {}

std::uint64_t Plan::host_bytes() const {
  return sizeof(Plan) + conv::host_bytes(*decided_.decision) + decided_.prepared->host_bytes();
}

void Plan::set_weights(const void* w) {
  const AllocatorScope scope(allocator_);
  decided_.prepared->set_weights(w);
  has_weights_ = true;
}

void Plan::execute(const Operands& operands, void* workspace, Stream stream) {
  if (decided_.prepared->returns_output())
    fail(Status::unsupported,
         "the choice '{}' leaves its result in a buffer of its engine's own: the front end runs it "
         "itself",
         choice_);
  if (!trace::may_run()) {
    run(operands, workspace, stream);
    return;
  }
  trace::Call call(traced_, device_, problem_, choice_, stream);
  run(operands, workspace, stream);
  call.end();
}

void Plan::run(const Operands& operands, void* workspace, Stream stream) {
  const AllocatorScope scope(allocator_);
  const std::uint64_t size = workspace_size();
  if (workspace == nullptr && size != 0) workspace = workspace_if_captured(size, device_, stream);
  trim_released_memory(device_);
  if (workspace != nullptr || size == 0) {
    decided_.prepared->execute(operands, workspace, stream);
    return;
  }
  // On CUDA the workspace is allocated and freed in the order of the stream. With a caller's
  // allocator the workspace is freed after each call.
  if (device_.type == DeviceType::cuda || allocator_ != nullptr) {
    const Allocation memory(size, device_, stream);
    decided_.prepared->execute(operands, memory.data(), stream);
    return;
  }
  const WorkspaceLease lease(size, device_);
  decided_.prepared->execute(operands, lease.data(), stream);
}

}  // namespace atc::conv
