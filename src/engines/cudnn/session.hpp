// A cuDNN handle with the plans that were built for it. A thread leases one per context from a pool
// of the process, keeps it until it ends, and hands it back without a call to cuDNN or CUDA: what a
// destructor at the end of a thread would tear down may be gone already.
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
  // The variant pack of the last execution, good for the same addresses.
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
  // The plan of this key, built where it is not there (any more). Valid until the next call.
  ExecutionPlan& plan(const std::string& key, const std::function<ExecutionPlan()>& build);
  // `has_bias` tells whether the plan's graph knows a bias. Captured plans stay for good: the graph
  // that the capture made runs their kernels.
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

// Every session forgets its plans when it is used next, but for captured ones.
void clear_plans();

}  // namespace atc::cudnn
