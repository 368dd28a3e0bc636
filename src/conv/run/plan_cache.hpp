// Plans of eager calls, kept and handed out one caller at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "conv/memory.hpp"
#include "conv/run/plan.hpp"
#include "core/settings.hpp"

namespace atc::conv {

// What identifies a call of the cache. A plan that was made under other settings, with another
// number of threads, or before the decisions changed is not used for it. `call` stands for the
// caller's problem, byte for byte.
struct CallKey {
  std::string_view call;
  DeviceId device;
  std::size_t alignment = 1;
  Stream stream = nullptr;   // part of the key only if captured calls have a choice of their own:
                             // then the plan depends on whether this stream is being captured
  Knowledge knowledge = {};  // `make` must decide by it
};

// Owns a plan for as long as the lease lives; hands it back to the cache afterwards.
class PlanLease {
 public:
  using Make = std::function<std::unique_ptr<Plan>(const Settings&)>;
  // Takes an idle plan, or calls `make` with the current settings.
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
  std::uint32_t capacity = 0;
  std::uint64_t plans = 0, hits = 0, misses = 0, evictions = 0, put_off = 0;
};

CacheStatistics cache_statistics();
void clear_plan_cache();
// Drops the idle plans of an engine that is about to be unregistered, and the gate's verdicts.
// Decisions measured with it are kept, but no request can use them while the engine of their winner
// is missing.
void forget_engine(const std::string& name);

}  // namespace atc::conv
