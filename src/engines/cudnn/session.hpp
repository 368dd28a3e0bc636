// A cuDNN handle with the plans that were built for it. A thread leases one session for each
// context from a pool of the process, and gives it back when the thread ends. Giving back makes no
// call to cuDNN or CUDA, because these may have shut down by then.
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
  std::uint64_t workspace = 0;  // bytes
  // The variant pack (addresses for cuDNN) of the last execution. It is used again if the addresses
  // are the same.
  Descriptor pack;
  Operands packed;
  void* packed_workspace = nullptr;
  // The CUDA graphs that run the plan's kernels. As long as there are any, the plan must live.
  std::unique_ptr<cuda::GraphUse> graphs = std::make_unique<cuda::GraphUse>();
};

class Session {
 public:
  Session();  // a handle of the current context
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  Handle handle() const { return handle_; }
  // Returns the plan of this key, and builds it if the session does not have it. The result is
  // valid until the next call.
  ExecutionPlan& plan(const std::string& key, const std::function<ExecutionPlan()>& build);
  // `has_bias`: whether the plan's graph adds a bias.
  void execute(ExecutionPlan& plan, const Operands& operands, bool has_bias, void* workspace,
               Stream stream);
  // Destroys the plans if `clear_plans` was called since the last call of this function. The
  // session's context must be current.
  void drop_stale();

 private:
  struct Entry {
    std::string key;
    ExecutionPlan plan;
  };
  using Entries = std::list<Entry>;  // most recently used first

  void destroy_all_but(std::uint64_t most);

  Handle handle_ = nullptr;
  Stream stream_ = nullptr;
  std::uint64_t generation_;
  Entries entries_;
  std::unordered_map<std::string, Entries::iterator> by_key_;
};

// Returns the calling thread's session for the context, which must be current.
Session& session(cuda::Context context);

// Destroys all plans that no CUDA graph runs. Sessions of ended threads do so at once; a session of
// a running thread does so at the thread's next call.
void clear_plans();

}  // namespace atc::cudnn
