// Plans of eager calls, kept and handed out one caller at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "conv/plan.hpp"

namespace atc::conv {

// Everything a cached plan depends on. `call` stands for the caller's problem, byte for byte.
struct CallKey {
  std::string_view call;
  DeviceId device;
  std::size_t alignment = 1;
};

// A plan for a scope; goes back to the cache afterwards.
class PlanLease {
 public:
  // Takes an idle plan or makes one. Settings, store and thread count are read now.
  PlanLease(const CallKey& key, const std::function<std::unique_ptr<Plan>()>& make);
  ~PlanLease();
  PlanLease(const PlanLease&) = delete;
  PlanLease& operator=(const PlanLease&) = delete;
  Plan& plan() const { return *plan_; }

 private:
  std::uint64_t slot_ = 0;
  std::unique_ptr<Plan> plan_;
};

struct CacheStatistics {
  std::uint32_t capacity = 0;
  std::uint64_t plans = 0, hits = 0, misses = 0, evictions = 0;
};

CacheStatistics cache_statistics();
void clear_plan_cache();
// Drops the idle plans of an engine that is about to be unregistered, and what was measured with it
// in this process stays: a record whose engine is gone falls to its best candidate that is there.
void forget_engine(const std::string& name);

}  // namespace atc::conv
