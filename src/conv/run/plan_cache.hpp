// A cache of the plans of eager calls. At each moment a plan belongs to at most one caller. The
// plans take at most plan_memory_limit() bytes of host memory, less those of engines; beyond, those
// that were used least recently are destroyed.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "conv/memory.hpp"
#include "conv/run/plan.hpp"
#include "core/settings.hpp"

namespace atc::conv {

// Identifies a call. `call` has the bytes of the caller's problem. A cached plan is not used for
// the call if it was made under other settings or with another number of threads, or if decisions
// have changed since then.
struct CallKey {
  std::string_view call;
  DeviceId device;
  std::size_t alignment = 1;
  Stream stream = nullptr;   // part of the key only if captured calls have a choice of their own:
                             // then the plan depends on whether this stream is being captured
  Knowledge knowledge = {};  // `make` must decide by it
};

// Owns a plan as long as the lease exists. Afterwards the plan goes back to the cache.
class PlanLease {
 public:
  using Make = std::function<std::unique_ptr<Plan>(const Settings&)>;
  // Takes an idle plan from the cache. If there is none, calls `make` with the current settings.
  PlanLease(const CallKey& key, const Make& make);
  // Owns a plan that is not from the cache, and destroys it.
  explicit PlanLease(std::unique_ptr<Plan> plan) : plan_(std::move(plan)) {}
  ~PlanLease();
  PlanLease(const PlanLease&) = delete;
  PlanLease& operator=(const PlanLease&) = delete;
  bool from_cache() const { return slot_ != 0; }
  Plan& plan() const { return *plan_; }

 private:
  std::uint64_t slot_ = 0;
  std::unique_ptr<Plan> plan_;
};

struct CacheStatistics {
  std::uint64_t plans = 0, hits = 0, misses = 0, evictions = 0, put_off = 0;
  std::uint64_t bytes = 0, byte_limit = 0;  // of host memory: the plans' estimate, and the limit
};

CacheStatistics cache_statistics();
void clear_plan_cache();
// Called before an engine is unregistered. Removes the idle plans of this engine, and the gate's
// verdicts. Decisions measured with the engine are kept, but no request can use them as long as the
// engine of their winner is missing.
void forget_engine(const std::string& name);

}  // namespace atc::conv
