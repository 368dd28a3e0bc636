#include "conv/run/plan.hpp"

#include "conv/beside/room.hpp"
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
      allocator_(request.allocator) {
  if (request.explores && decided_.missed)
    layer_ = beside::layer_for(problem_, request, *decided_.decision);
}

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
  if (watch_ == nullptr)
    execute_traced(operands, workspace, stream);
  else
    execute_watched(operands, workspace, stream);
}

bool Plan::begin_own_run(Stream stream) {
  if (watch_ == nullptr || watch_->timer == nullptr) return false;
  ++watch_->executions;
  watch_->failed = true;
  watch_->timer->begin(stream);
  return true;
}

void Plan::end_own_run(Stream stream) {
  if (watch_ == nullptr || watch_->timer == nullptr) return;
  watch_->timer->end(stream);
  watch_->failed = false;
}

void Plan::execute_watched(const Operands& operands, void* workspace, Stream stream) {
  Watch& watch = *watch_;
  ++watch.executions;
  try {
    if (watch.timer != nullptr) watch.timer->begin(stream);
    execute_traced(operands, workspace, stream);
    if (watch.timer != nullptr) watch.timer->end(stream);
  } catch (const Error& error) {
    watch.failed = true;
    // The fallback (the plan of the default) computes the result in place of the failed candidate,
    // except in two cases: the device has failed; or the problem adds to the output, so that the
    // failed execution may already have added a part of its result.
    if (watch.fallback == nullptr || problem_.accumulate || error.status() == Status::device) throw;
    watch.fallback->execute(operands, nullptr, stream);
  }
}

void Plan::execute_traced(const Operands& operands, void* workspace, Stream stream) {
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
  // On CUDA the workspace is allocated and freed in stream order. If the caller gives an allocator,
  // the workspace is freed after each call, so that atc holds none of the caller's memory between
  // calls.
  if (device_.type == DeviceType::cuda || allocator_ != nullptr) {
    const Allocation memory(size, device_, stream);
    decided_.prepared->execute(operands, memory.data(), stream);
    return;
  }
  const WorkspaceLease lease(size, device_);
  decided_.prepared->execute(operands, lease.data(), stream);
}

}  // namespace atc::conv
