// Plans of eager calls, kept and handed out one caller at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "conv/plan.hpp"
#include "core/settings.hpp"

namespace atc::conv {

// Everything a cached plan depends on. `call` stands for the caller's problem, byte for byte.
struct CallKey {
  std::string_view call;
  DeviceId device;
  std::size_t alignment = 1;
  Stream stream = nullptr;  // a plan stays what it is, but where captured calls have a choice of
                            // their own they have plans of their own
};

// A plan for as long as it lives; goes back to the cache afterwards.
class PlanLease {
 public:
  using Make = std::function<std::unique_ptr<Plan>(const Settings&)>;
  // Takes an idle plan, or makes one under the settings it hands over, which are those of now.
  PlanLease(const CallKey& key, const Make& make);
  // A plan that comes from no cache, and is destroyed.
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
  std::uint32_t capacity = 0;
  std::uint64_t plans = 0, hits = 0, misses = 0, evictions = 0, put_off = 0;
};

CacheStatistics cache_statistics();
void clear_plan_cache();
// Drops the idle plans of an engine that is about to be unregistered. What was measured with it
// stays: where the winner's engine is gone, the best candidate that is there runs.
void forget_engine(const std::string& name);

}  // namespace atc::conv
