#include "packed_weights.hpp"

#include <ATen/Parallel.h>

#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "guard.hpp"
#include "plan.hpp"
#include "settings_source.hpp"
#include "trained_weights.hpp"
#include "weights_state.hpp"

namespace atc_torch {

namespace {

// The largest number of entries. Before an entry is added, the entries of weights that no longer
// exist are removed. If kMost entries remain, all entries are removed. The weights are then packed
// again when they are used.
constexpr std::size_t kMost = 1024;

struct Destroy {
  void operator()(atc_conv_plan* plan) const { atc_conv_plan_destroy(plan); }
};
using OwnPlan = std::unique_ptr<atc_conv_plan, Destroy>;

// A weight tensor that was used with a problem, and the implementation that was chosen for the
// problem.
struct Entry {
  WeightsState weights;
  std::string choice;
  // The plans with packed weights that no call is using now. There may be several, because calls
  // that run at the same time need a plan each.
  std::vector<OwnPlan> idle;
};

using Entries = std::unordered_map<std::string, Entry>;

struct Packed {
  std::mutex mutex;
  Entries entries;
  std::uint64_t generation = 0;
};

Packed& packed() {
  // This object is never destroyed, because detached threads may use it until the process ends.
  static auto* const packed = new Packed;
  return *packed;
}

// Returns the key of an entry. It consists of everything except the choice on which a plan with
// packed weights depends: the problem, the options, the storage and offset of the weights, and the
// number of threads.
std::string key_of(const atc_conv_problem& problem, const atc_conv_options& options,
                   const at::Tensor& w) {
  const void* const storage = w.storage().unsafeGetStorageImpl();
  const std::int64_t offset = w.storage_offset();
  const int threads = at::get_num_threads();
  std::string key;
  const auto append = [&](const void* data, std::size_t size) {
    key.append(static_cast<const char*>(data), size);
  };
  key.reserve(sizeof(problem) + sizeof(options) + sizeof(storage) + sizeof(offset) +
              sizeof(threads));
  append(&problem, sizeof(problem));
  append(&options, sizeof(options));
  append(&storage, sizeof(storage));
  append(&offset, sizeof(offset));
  append(&threads, sizeof(threads));
  return key;
}

OwnPlan pack(const atc_conv_problem& problem, const atc_conv_options& options, const char* choice,
             const at::Tensor& w) {
  atc_conv_plan* made = nullptr;
  check(atc_conv_plan_create_with_choice(&made, {ATC_DEVICE_CPU, 0}, &problem, &options, choice));
  OwnPlan plan(made);
  const atc_tensor_view view = view_of(w);
  check(atc_conv_plan_set_weights(plan.get(), &view));
  return plan;
}

// Removes the entries of weights that no longer exist. If at least kMost entries remain, removes
// all entries. Returns the removed entries.
std::vector<Entry> make_room(Entries& entries) {
  std::vector<Entry> dropped;
  const auto drop_if = [&](const auto& condition) {
    for (auto entry = entries.begin(); entry != entries.end();) {
      if (!condition(entry->second)) {
        ++entry;
        continue;
      }
      dropped.push_back(std::move(entry->second));
      entry = entries.erase(entry);
    }
  };
  drop_if([](const Entry& entry) { return entry.weights.is_gone(); });
  if (entries.size() >= kMost) drop_if([](const Entry&) { return true; });
  return dropped;
}

struct Found {
  // True if an earlier call used these weights, and the weights have not changed since.
  bool seen_before = false;
  OwnPlan idle;
  std::uint64_t generation = 0;
};

// Looks up the entry for the weights. If there is none, or if the weights or the choice have
// changed since it was made, makes a new entry. Takes an idle plan out of the entry if there is
// one.
Found look_up(const std::string& key, const WeightsState& weights, const char* choice) {
  Found found;
  // The entries that are removed. This variable is declared before the lock, so that the entries
  // are destroyed after the mutex is unlocked.
  std::vector<Entry> dropped;
  const std::lock_guard lock(packed().mutex);
  Entries& entries = packed().entries;
  found.generation = packed().generation;
  const auto at = entries.find(key);
  if (at == entries.end()) {
    dropped = make_room(entries);
    entries.emplace(key, Entry{weights, choice, {}});
    return found;
  }
  Entry& entry = at->second;
  found.seen_before = entry.weights == weights;
  if (!found.seen_before || entry.choice != choice) {
    dropped.push_back(std::move(entry));
    entry = Entry{weights, choice, {}};
  } else if (!entry.idle.empty()) {
    found.idle = std::move(entry.idle.back());
    entry.idle.pop_back();
  }
  return found;
}

// Stores the plan for later calls. The plan is destroyed instead if the weights, the choice or the
// generation (the count of calls of forget_packed_weights) have changed since look_up.
void hand_back(const std::string& key, const WeightsState& weights, const char* choice,
               std::uint64_t generation, OwnPlan plan) {
  const std::lock_guard lock(packed().mutex);
  if (generation != packed().generation) return;
  const auto at = packed().entries.find(key);
  if (at == packed().entries.end()) return;
  Entry& entry = at->second;
  if (entry.weights == weights && entry.choice == choice) entry.idle.push_back(std::move(plan));
}

}  // namespace

bool can_pack(const at::Tensor& w) {
  return w.is_cpu() && WeightsState::can_be_of(w) && !is_trained(w);
}

std::optional<Reason> run_packed(at::Tensor& y, const atc_conv_problem& problem,
                                 const Options& options, const at::Tensor& x, const at::Tensor& w,
                                 const at::Tensor* bias) {
  const Options now = with_switches_of_now(options);
  // The choice is looked up in each call, because it may change: if the store, a switch or a
  // decision of this process changes.
  const Plan chosen(problem, now, c10::Device(c10::DeviceType::CPU));
  if (const auto passed = chosen.passed()) return passed;
  const atc_conv_options asked = to_plan_options(now);
  const std::string key = key_of(problem, asked, w);
  const WeightsState weights(w);
  Found found = look_up(key, weights, chosen.choice());
  // Weights are not packed at their first use, because they may be used only once. For example,
  // autocast makes converted weights for a single call.
  if (!found.seen_before) {
    const at::Tensor none;
    y = chosen.run(problem, {x, w, none}, bias);
    return std::nullopt;
  }
  OwnPlan plan =
      found.idle != nullptr ? std::move(found.idle) : pack(problem, asked, chosen.choice(), w);
  y = execute(plan.get(), problem, &x, nullptr, nullptr, bias, x.device());
  hand_back(key, weights, chosen.choice(), found.generation, std::move(plan));
  return std::nullopt;
}

void forget_packed_weights() {
  Entries dropped;
  const std::lock_guard lock(packed().mutex);
  ++packed().generation;
  dropped.swap(packed().entries);
}

}  // namespace atc_torch
