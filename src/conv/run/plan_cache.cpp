#define XXH_INLINE_ALL
#include "conv/run/plan_cache.hpp"

#include <xxhash.h>

#include <algorithm>
#include <list>
#include <mutex>
#include <new>
#include <string>
#include <unordered_map>
#include <vector>

#include "conv/beside/room.hpp"
#include "conv/decide/checked_once.hpp"
#include "conv/memory.hpp"
#include "conv/run/workspace_pool.hpp"
#include "core/memory_limits.hpp"
#include "core/settings.hpp"
#include "device/description.hpp"
#include "device/released_memory.hpp"
#include "device/stream.hpp"
#include "engines/registry.hpp"

namespace atc::conv {

namespace {

// A slot of the cache: the plans for one call, and the state of the process in which these plans
// were decided. If several threads use the slot at the same time, each of them has a plan of its
// own.
struct Slot {
  std::uint64_t id = 0, hash = 0;
  std::string call;
  DeviceId device;
  std::size_t alignment = 1;
  Settings settings;
  int threads = 0;
  // Identifies the decisions that the plans were made from: the number of the part of the process's
  // memory, the number of the store, and the epoch, which grows when decisions change.
  std::uint64_t memory = 0, store = 0, epoch = 0;
  // The store of the plans, which the slot does not keep open.
  std::weak_ptr<store::Store> opened;
  // True if the decision has one choice for captured calls (in a CUDA graph) and another one for
  // eager calls. Then the two kinds of calls have different plans, and so different slots.
  bool one_mode = false;
  // Used only if one_mode is true: whether these plans are for captured calls.
  bool captured = false;
  std::vector<std::unique_ptr<Plan>> idle;
  std::uint64_t bytes = 0;  // an estimate of the bytes of all plans of the slot, also those in use
  // The problem for which the calls of this slot try candidates (beside/layer.hpp). Null: they try
  // none.
  std::shared_ptr<beside::Layer> layer;

  bool matches(const CallKey& key) const {
    return call == key.call && device == key.device && alignment == key.alignment &&
           memory == key.knowledge.memory_id();
  }
  // Whether the store of this slot is closed. Then no call can use the slot any more.
  bool is_orphan() const { return store != 0 && opened.expired(); }
};

using Slots = std::list<Slot>;  // the most recently used slot is the first

struct Cache {
  std::mutex mutex;
  Slots slots;
  std::unordered_multimap<std::uint64_t, Slots::iterator> by_hash;
  std::unordered_map<std::uint64_t, Slots::iterator> by_id;
  std::uint64_t next_id = 1;
  std::uint64_t bytes = 0;  // the sum over all slots
  CacheStatistics statistics;

  // Removes the slot and returns its plans. The caller has to destroy the plans after releasing the
  // mutex.
  std::vector<std::unique_ptr<Plan>> remove(Slots::iterator slot) {
    const auto range = by_hash.equal_range(slot->hash);
    for (auto entry = range.first; entry != range.second; ++entry) {
      if (entry->second != slot) continue;
      by_hash.erase(entry);
      break;
    }
    by_id.erase(slot->id);
    bytes -= slot->bytes;
    auto plans = std::move(slot->idle);
    slots.erase(slot);
    return plans;
  }

  // Adds `size` bytes for a new plan to the first slot. If the cache then exceeds its limit, the
  // least recently used slots are removed until the cache fits. The first slot is never removed.
  // The plans of removed slots are moved to `removed`. The caller has to destroy these plans after
  // releasing the mutex.
  void add(std::uint64_t size, std::vector<std::vector<std::unique_ptr<Plan>>>& removed) {
    slots.front().bytes += size;
    bytes += size;
    const std::uint64_t limit = plan_memory_limit();
    const std::uint64_t room = limit - std::min(limit, engine_plan_bytes());
    while (bytes > room && slots.size() > 1) {
      removed.push_back(remove(std::prev(slots.end())));
      ++statistics.evictions;
    }
  }
};

Cache& cache() {
  // This static object is never destroyed, because detached threads may still use it at the end of
  // the process.
  static auto* const cache = new Cache;
  return *cache;
}

std::uint64_t hash_of(const CallKey& key) {
  const std::uint64_t seed = (static_cast<std::uint64_t>(key.device.type) << 32) ^
                             (static_cast<std::uint64_t>(key.device.index) << 16) ^ key.alignment;
  return XXH3_64bits_withSeed(key.call.data(), key.call.size(),
                              seed ^ (key.knowledge.memory_id() << 40));
}

// Says whether the stream of the call is being captured. The driver is asked only if the answer is
// needed, and at most once.
class Mode {
 public:
  explicit Mode(const CallKey& key) : key_(key) {}
  bool captured() {
    if (!asked_) captured_ = is_captured(key_.device, key_.stream);
    asked_ = true;
    return captured_;
  }

 private:
  const CallKey& key_;
  bool asked_ = false, captured_ = false;
};

}  // namespace

PlanLease::PlanLease(const CallKey& key, const Make& make) {
  const Settings settings = current_settings();
  const int threads = computing_threads();
  const std::uint64_t epoch = decisions_epoch(key.knowledge);
  const std::uint64_t store = key.knowledge.store_id();
  const std::uint64_t hash = hash_of(key);
  Mode mode(key);
  std::vector<std::vector<std::unique_ptr<Plan>>> stale;
  {
    Cache& known = cache();
    const std::lock_guard lock(known.mutex);
    const auto range = known.by_hash.equal_range(hash);
    for (auto entry = range.first; entry != range.second;) {
      const auto slot = (entry++)->second;
      if (!slot->matches(key) || slot->threads != threads) continue;
      if (slot->epoch != epoch || slot->store != store || !(slot->settings == settings)) {
        stale.push_back(known.remove(slot));
        continue;
      }
      if (slot->one_mode && slot->captured != mode.captured()) continue;
      slot_ = slot->id;
      known.slots.splice(known.slots.begin(), known.slots, slot);
      if (!slot->idle.empty()) {
        plan_ = std::move(slot->idle.back());
        slot->idle.pop_back();
        ++known.statistics.hits;
      }
      layer_ = slot->layer;
      break;
    }
    if (plan_ == nullptr) ++known.statistics.misses;
  }
  if (layer_ != nullptr) explore(key.stream);
  if (plan_ != nullptr) return;
  stale.clear();
  plan_ = make(settings);
  if (plan_->decision().owed != Owed::nothing) {
    // The plan could not be tuned or checked, because the stream is being captured. The plan is not
    // cached, so that the next call outside of a capture makes a plan that is tuned and checked.
    slot_ = 0;
    if (plan_->decision().owed != Owed::tuning) return;
    Cache& known = cache();
    const std::lock_guard lock(known.mutex);
    ++known.statistics.put_off;
    return;
  }
  const std::uint64_t size = plan_->host_bytes() + sizeof(Slot) + key.call.size();
  if (slot_ != 0) {
    Cache& known = cache();
    const std::lock_guard lock(known.mutex);
    if (const auto slot = known.by_id.find(slot_); slot != known.by_id.end()) {
      known.slots.splice(known.slots.begin(), known.slots, slot->second);
      known.add(size, stale);
    }
    return;
  }

  Slot slot;
  slot.hash = hash;
  slot.call = key.call;
  slot.device = key.device;
  slot.alignment = key.alignment;
  slot.settings = settings;
  slot.threads = threads;
  // This is the epoch before the plan was made. If decisions have changed meanwhile, the next call
  // finds another epoch, and makes a new plan.
  slot.memory = key.knowledge.memory_id();
  slot.store = store;
  slot.opened = key.knowledge.store();
  slot.epoch = epoch;
  slot.one_mode = plan_->decision().captured.has_value();
  slot.captured = slot.one_mode && mode.captured();
  slot.layer = plan_->take_layer();
  {
    Cache& known = cache();
    const std::lock_guard lock(known.mutex);
    for (auto at = known.slots.begin(); at != known.slots.end();)
      if (const auto other = at++; other->is_orphan()) stale.push_back(known.remove(other));
    slot.id = slot_ = known.next_id++;
    known.slots.push_front(std::move(slot));
    known.by_hash.emplace(hash, known.slots.begin());
    known.by_id.emplace(slot_, known.slots.begin());
    known.add(size, stale);
  }
}

void PlanLease::explore(Stream stream) {
  if (layer_->is_settled()) {
    end_exploration();
    return;
  }
  turn_ = layer_->begin(stream);
  if (turn_.candidate) {
    cached_ = std::move(plan_);
    try {
      plan_ =
          std::make_unique<Plan>(layer_->problem(), layer_->request(), std::move(*turn_.candidate));
    } catch (const std::bad_alloc&) {
      layer_->give_up();
      turn_ = {};
      plan_ = std::move(cached_);
      return;
    }
    watch_.fallback = cached_.get();
  }
  watch_.timer = turn_.timer.get();
  if (plan_ != nullptr) plan_->use_watch(&watch_);
}

void PlanLease::end_exploration() {
  const std::shared_ptr<beside::Layer> layer = std::move(layer_);
  std::optional<Decided> winner = layer->take_winner();
  // The next call makes a new plan from the decision.
  if (!winner && layer->has_other_winner()) plan_ = nullptr;
  std::vector<std::unique_ptr<Plan>> former;
  {
    Cache& known = cache();
    const std::lock_guard lock(known.mutex);
    const auto slot = known.by_id.find(slot_);
    if (slot != known.by_id.end() && slot->second->layer == layer) {
      slot->second->layer = nullptr;
      if (layer->has_other_winner()) former.swap(slot->second->idle);
    }
  }
  if (!winner) return;
  former.push_back(std::move(plan_));
  plan_ = std::make_unique<Plan>(layer->problem(), layer->request(), std::move(*winner));
}

PlanLease::~PlanLease() {
  if (plan_ != nullptr) plan_->use_watch(nullptr);
  if (layer_ != nullptr) {
    if (turn_.candidate) turn_.candidate = plan_->release();
    if (cached_ != nullptr || turn_.candidate) plan_ = std::move(cached_);
    layer_->end(std::move(turn_), watch_.executions, watch_.failed);
  }
  if (plan_ == nullptr || slot_ == 0) return;
  // The plan forgets the allocator of this caller, because the next caller may have another one.
  plan_->use_allocator(nullptr);
  Cache& known = cache();
  const std::lock_guard lock(known.mutex);
  const auto slot = known.by_id.find(slot_);
  if (slot == known.by_id.end()) return;
  try {
    slot->second->idle.push_back(std::move(plan_));
  } catch (const std::bad_alloc&) {
    // The list of idle plans could not grow, so the plan is destroyed. The next call makes a new
    // plan.
  }
}

CacheStatistics cache_statistics() {
  Cache& known = cache();
  const std::lock_guard lock(known.mutex);
  CacheStatistics statistics = known.statistics;
  statistics.bytes = known.bytes;
  statistics.byte_limit = plan_memory_limit();
  for (const Slot& slot : known.slots) statistics.plans += slot.idle.size();
  return statistics;
}

void clear_plan_cache() {
  Slots freed;
  {
    Cache& known = cache();
    const std::lock_guard lock(known.mutex);
    freed.swap(known.slots);
    known.by_hash.clear();
    known.by_id.clear();
    known.bytes = 0;
  }
  freed.clear();
  beside::abandon_layers(false);
  clear_workspace_pool();
  free_released_memory();
  for (const RegisteredEngine& entry : EngineRegistry::instance().all())
    entry.engine->drop_caches();
}

void forget_engine(const std::string& name) {
  beside::abandon_layers(true);
  std::vector<std::unique_ptr<Plan>> freed;
  {
    Cache& known = cache();
    const std::lock_guard lock(known.mutex);
    for (auto slot = known.slots.begin(); slot != known.slots.end();) {
      const auto current = slot++;
      const bool uses =
          std::any_of(current->idle.begin(), current->idle.end(),
                      [&](const auto& plan) { return names(plan->decision().choice, name); });
      if (!uses) continue;
      for (auto& plan : known.remove(current)) freed.push_back(std::move(plan));
    }
  }
  forget_verdicts();
  decisions_changed();
}

}  // namespace atc::conv
