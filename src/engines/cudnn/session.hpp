// A cuDNN handle with the plans that were built for it. A thread leases one session for each
// context from a pool of the process and hands it back when the thread ends. That makes no call to
// cuDNN or CUDA, which may have shut down by then.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <string>
#include <unordered_map>

#include "core/problem.hpp"
#include "device/cuda/driver_api.hpp"
#include "engines/cudnn/descriptor.hpp"

namespace atc::cudnn {

struct ExecutionPlan {
  Descriptor plan;
  std::uint64_t workspace = 0;  // bytes
  // The variant pack of the last execution, used again for the same addresses.
  Descriptor pack;
  Operands packed;
  void* packed_workspace = nullptr;
};

class Session {
 public:
  Session();  // a handle of the current context
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  Handle handle() const { return handle_; }
  // The plan of this key, built where the session does not hold it (any more). Valid until the next
  // call.
  ExecutionPlan& plan(const std::string& key, const std::function<ExecutionPlan()>& build);
  // `has_bias` tells whether the plan's graph adds a bias. A plan that was executed in a stream
  // capture is kept for good, because the CUDA graph goes on running its kernels.
  void execute(const std::string& key, ExecutionPlan& plan, const Operands& operands, bool has_bias,
               void* workspace, Stream stream);

 private:
  struct Entry {
    std::string key;
    ExecutionPlan plan;
  };
  using Entries = std::list<Entry>;  // most recently used first

  void drop_stale();

  Handle handle_ = nullptr;
  Stream stream_ = nullptr;
  std::uint64_t generation_;
  Entries entries_, captured_;
  std::unordered_map<std::string, Entries::iterator> by_key_;
};

// The calling thread's session for the context, which must be current.
Session& session(cuda::Context context);

// At its next use, every session destroys its plans, except captured ones.
void clear_plans();

}  // namespace atc::cudnn
