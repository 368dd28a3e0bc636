#include "fault/cudnn/execute.hpp"

#include <chrono>
#include <thread>

#include "fault/cudnn/convolve.hpp"
#include "fault/cudnn/cudnn.hpp"
#include "fault/cudnn/engines.hpp"

using namespace atc::fault;

namespace {

constexpr Status kExecutionFailed = 5000;

Status execute(Handle& handle, const Node& plan, const Node& pack) {
  const Engine* const engine = engine_of(*plan.node(Attribute::plan_config));
  if (engine == nullptr) return refuse(kExecutionFailed, "the plan's engine is gone");
  if (handle.busy.exchange(true)) machine().misused("a handle is used by two threads at once");
  if (engine->host_seconds > 0)
    std::this_thread::sleep_for(std::chrono::duration<double>(engine->host_seconds));
  const bool in_graph = machine().graphs.is_recorded(handle.stream);
  machine().work(in_graph && engine->graph_seconds > 0 ? engine->graph_seconds : engine->seconds);
  machine().graphs.add_work(handle.stream, engine->kernels);
  const auto ids = pack.numbers<std::int64_t>(Attribute::pack_unique_ids);
  const auto addresses = pack.numbers<float*>(Attribute::pack_pointers);
  Pointers pointers;
  for (std::size_t i = 0; i < ids.size(); ++i) pointers[ids[i]] = addresses[i];
  auto* const workspace = pack.number<float*>(Attribute::pack_workspace);
  Status status = engine->execution_status;
  if (engine->workspace > 0 && workspace == nullptr) {
    machine().misused("an engine with a workspace is executed without one");
    status = kBadParameter;
  }
  const Shared described = plan.node(Attribute::plan_config)->node(Attribute::config_engine);
  if (status == 0)
    convolve(*described->node(Attribute::engine_graph), pointers, workspace, *engine);
  handle.busy = false;
  return status == 0 ? status : refuse(status, "the script says that it fails");
}

}  // namespace

EXPORT Status cudnnBackendExecute(void* handle, RawDescriptor plan, RawDescriptor pack) {
  if (const Status status = entered(__func__)) return status;
  const Node *const planned = node_of(plan), *const packed = node_of(pack);
  if (handle == nullptr || planned == nullptr || packed == nullptr || !planned->finalized ||
      !packed->finalized)
    return refuse(kBadParameter, "it is not finalized");
  return execute(*static_cast<Handle*>(handle), *planned, *packed);
}
