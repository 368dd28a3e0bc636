// A cache of the plans of eager calls. A plan is used by at most one caller at a time. The plans
// may take plan_memory_limit() bytes of host memory, less the bytes that engines use for plans. If
// they take more, the least recently used plans are destroyed.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "conv/memory.hpp"
#include "conv/run/plan.hpp"
#include "core/settings.hpp"

namespace atc::conv {

// Identifies a call. `call` has the bytes of the caller's problem. A cached plan is used for the
// call if its key is equal and three conditions hold: the settings are the same as when the plan
// was made, the number of threads is the same, and no decisions have changed since then.
struct CallKey {
  std::string_view call;
  DeviceId device;
  std::size_t alignment = 1;
  // The stream of the call. The key depends on the stream only if captured calls have a choice of
  // their own, because the plan then depends on whether the stream is being captured.
  Stream stream = nullptr;
  // The store and the memory part in which `make` must look for decisions.
  Knowledge knowledge = {};
};

// Owns a plan during a call. When the lease is destroyed, the plan goes back to the cache.
class PlanLease {
 public:
  using Make = std::function<std::unique_ptr<Plan>(const Settings&)>;
  // Takes an unused plan of this key from the cache. If there is none, calls `make` with the
  // current settings.
  PlanLease(const CallKey& key, const Make& make);
  // Owns a plan that is not from the cache. The plan is destroyed with the PlanLease object.
  explicit PlanLease(std::unique_ptr<Plan> plan) : plan_(std::move(plan)) {}
  ~PlanLease();
  PlanLease(const PlanLease&) = delete;
  PlanLease& operator=(const PlanLease&) = delete;
  bool from_cache() const { return slot_ != 0; }
  Plan& plan() const { return *plan_; }

 private:
  // Begins a call whose problem is being explored (beside/layer.hpp): the call may run a candidate
  // in place of the cached plan, and may be timed.
  void explore(Stream stream);
  // Called when the exploration of the layer has led to a decision or has ended without one. From
  // now on calls do not explore. If no other call is running the winner, the winner becomes the
  // cached plan.
  void end_exploration();

  std::uint64_t slot_ = 0;
  std::unique_ptr<Plan> plan_;
  // The layer of the call. Null: the call does not explore (try candidates).
  std::shared_ptr<beside::Layer> layer_;
  beside::Turn turn_;
  Plan::Watch watch_;
  // The cached plan of the call, while the lease runs a candidate instead of this plan.
  std::unique_ptr<Plan> cached_;
};

struct CacheStatistics {
  std::uint64_t plans = 0, hits = 0, misses = 0, evictions = 0, put_off = 0;
  // Host memory in bytes: `bytes` is an estimate of what all plans take, and `byte_limit` is the
  // limit of the cache.
  std::uint64_t bytes = 0, byte_limit = 0;
};

CacheStatistics cache_statistics();
void clear_plan_cache();
// Called before an engine is unregistered. Removes the unused plans of this engine, and all
// verdicts of the correctness gate. Decisions that were measured with the engine are kept. But as
// long as the engine is missing, no request can use a decision whose winner needs it.
void forget_engine(const std::string& name);

}  // namespace atc::conv
