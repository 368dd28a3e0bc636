// A session is a cuDNN handle with the plans that were built for the handle. A thread takes one
// session for each context from a pool of the process. When the thread ends, it returns its
// sessions to the pool. The return makes no call to cuDNN or CUDA, because these libraries may be
// shut down already.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <unordered_map>

#include "core/problem.hpp"
#include "device/cuda/driver_api.hpp"
#include "device/cuda/graph_use.hpp"
#include "engines/cudnn/descriptor.hpp"

namespace atc::cudnn {

struct ExecutionPlan {
  Descriptor plan;
  std::uint64_t workspace = 0;  // the bytes of workspace that an execution needs
  // The addresses of the operands at the last execution, as a descriptor of cuDNN (a "variant
  // pack"). If the next execution has the same addresses, this descriptor is used again.
  Descriptor pack;
  Operands packed;
  void* packed_workspace = nullptr;
  // Counts the CUDA graphs that run the plan's kernels. The plan must not be destroyed as long as
  // such a graph exists.
  std::unique_ptr<cuda::GraphUse> graphs = std::make_unique<cuda::GraphUse>();
};

class Session {
 public:
  Session();  // creates a cuDNN handle for the current context
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  Handle handle() const { return handle_; }
  // Returns the session's plan with this key. If there is none, build() makes it. The returned
  // reference is valid until the next call of this function.
  ExecutionPlan& plan(const std::string& key, const std::function<ExecutionPlan()>& build);
  // Executes the plan on the stream. Bias, scale and residual must be null if the graph of the plan
  // does not have them.
  void execute(ExecutionPlan& plan, const Operands& operands, void* workspace, Stream stream);
  // Destroys the plans of this session, except those that a CUDA graph runs, if clear_plans() was
  // called since the last call of this function. The context of the session must be current.
  void drop_stale();

 private:
  struct Entry {
    std::string key;
    ExecutionPlan plan;
  };
  using Entries = std::list<Entry>;  // the plan that was used last comes first

  void destroy_all_but(std::uint64_t most);

  Handle handle_ = nullptr;
  Stream stream_ = nullptr;
  std::uint64_t generation_;
  Entries entries_;
  std::unordered_map<std::string, Entries::iterator> by_key_;
};

// Returns the session of the calling thread for a context. The context must be current.
Session& session(cuda::Context context);

// Destroys all plans that no CUDA graph runs. The plans of sessions that no thread uses are
// destroyed at once. The plans of a thread's session are destroyed when the thread next uses the
// session.
void clear_plans();

}  // namespace atc::cudnn
