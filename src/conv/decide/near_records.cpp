#include "conv/decide/near_records.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "conv/key.hpp"
#include "core/dtype.hpp"
#include "core/format.hpp"
#include "core/json_object.hpp"
#include "core/log.hpp"
#include "store/entry.hpp"

namespace atc::conv {

namespace {

using store::Json;

// the largest number of entries that are searched
constexpr std::size_t kMostEntries = 4096;
// the size of the widest memory access of a GPU, in bytes
constexpr std::uint64_t kWidestAccess = 16;

std::vector<std::uint64_t> numbers(const Json& list) {
  return list.get<std::vector<std::uint64_t>>();
}

std::uint64_t bytes_of(const Json& dtype) { return dtype == name_of(Dtype::f32) ? 4 : 2; }

// The largest power of two, at most kWidestAccess, that divides the number of bytes.
std::uint64_t alignment_of(std::uint64_t bytes) {
  return std::min(bytes & (~bytes + 1), kWidestAccess);
}

// Removes from the tensor (in the JSON of a key) the parts in which near problems may differ: the
// batch, the spatial extents, and the strides that follow from both.
void generalize(Json& tensor) {
  const std::vector<std::uint64_t> shape = numbers(tensor.at("shape"));
  const std::vector<std::uint64_t> strides = numbers(tensor.at("strides"));
  // the dimensions with more than one element, ordered by stride, the smallest stride first
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < shape.size() && i < strides.size(); ++i)
    if (shape[i] > 1) order.push_back(i);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return strides[a] < strides[b]; });
  std::uint64_t dense = 1;
  Json pitches = Json::array();
  bool is_dense = true;
  for (const std::size_t i : order) {
    is_dense = is_dense && strides[i] == dense;
    dense *= shape[i];
    pitches.push_back(alignment_of(strides[i] * bytes_of(tensor.at("dtype"))));
  }
  tensor.at("shape").at(0) = 0;
  if (!is_dense) {
    tensor.at("strides").at(0) = 0;
    return;
  }
  for (std::size_t i = 2; i < shape.size(); ++i) tensor.at("shape").at(i) = 0;
  tensor["strides"] = json_object({{"order", order}, {"pitches", std::move(pitches)}});
}

// The keys of all entries of one environment (device and library versions), and the state of the
// store when they were read.
struct Keys {
  std::uint64_t epoch = 0;
  std::size_t entries = 0;
  store::Seen seen;
  std::unordered_map<std::string, std::vector<store::Key>> by_kin;
};

struct OfStore {
  std::weak_ptr<store::Store> store;
  std::unordered_map<std::string, Keys> by_environment;
};

struct Known {
  std::mutex mutex;
  std::unordered_map<std::uint64_t, OfStore> by_store;
};

Known& known() {
  // This static object is never destroyed, because detached threads may still use it at the end of
  // the process.
  static auto* const known = new Known;
  return *known;
}

// Returns the keys of those entries of the store whose problem has the text `kin`, that is, for
// which kin_of() returns this text.
std::vector<store::Key> keys_of_kin(const std::shared_ptr<store::Store>& store, std::size_t entries,
                                    const Json& environment, const std::string& kin) {
  const std::uint64_t epoch = store->epoch();
  Known& all = known();
  const std::lock_guard lock(all.mutex);
  for (auto one = all.by_store.begin(); one != all.by_store.end();)
    one = one->second.store.expired() ? all.by_store.erase(one) : std::next(one);
  OfStore& of_store = all.by_store[store->id()];
  of_store.store = store;
  const auto [at, is_new] = of_store.by_environment.try_emplace(environment.dump());
  Keys& here = at->second;
  if (is_new || here.epoch != epoch || here.entries != entries) {
    for (store::Key& key : store->unseen_keys(environment, here.seen)) {
      try {
        std::string text = kin_of(key.problem);
        here.by_kin[std::move(text)].push_back(std::move(key));
      } catch (const Json::exception& error) {
        log_once(LogLevel::warning, format("a record is ignored: {}", error.what()));
      }
    }
    here.epoch = epoch;
    here.entries = entries;
  }
  const auto found = here.by_kin.find(kin);
  return found == here.by_kin.end() ? std::vector<store::Key>() : found->second;
}

// Returns the keys of those entries whose problem differs from the problem of the key in the batch
// alone. The family of an entry is computed from its problem, because the family that the entry
// states may be wrong.
std::vector<store::Key> keys_of_family(store::Store& store, const store::Key& key) {
  std::vector<store::Key> keys;
  store.find(key.environment, key.family, [&](const store::Entry& entry) {
    try {
      if (family_of(entry.key.problem) == key.family) keys.push_back(entry.key);
    } catch (const Json::exception& error) {
      log_once(LogLevel::warning, format("a record is ignored: {}", error.what()));
    }
    return false;
  });
  return keys;
}

}  // namespace

std::string kin_of(const Json& problem) {
  Json kin = problem;
  generalize(kin.at("x"));
  generalize(kin.at("y"));
  return kin.dump();
}

std::optional<double> distance_between(const Json& problem, const Json& other) {
  const std::vector<std::uint64_t> shape = numbers(problem.at("x").at("shape"));
  const std::vector<std::uint64_t> others = numbers(other.at("x").at("shape"));
  if (shape.size() != others.size()) return std::nullopt;
  double distance = 0;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    // Dimension 1 is left out, because the number of channels is equal in both problems.
    if (i == 1) continue;
    if (shape[i] == 0 || others[i] == 0) return std::nullopt;
    const double logarithm =
        std::abs(std::log2(static_cast<double>(shape[i]) / static_cast<double>(others[i])));
    if (logarithm > std::log2(kMostRatio)) return std::nullopt;
    distance += logarithm;
  }
  return distance;
}

std::vector<store::Key> near_keys(const std::shared_ptr<store::Store>& store,
                                  const store::Key& key) {
  std::vector<std::pair<double, store::Key>> near;
  const std::size_t entries = store->size();
  const std::vector<store::Key> kin =
      entries > kMostEntries ? keys_of_family(*store, key)
                             : keys_of_kin(store, entries, key.environment, kin_of(key.problem));
  for (const store::Key& one : kin) {
    if (one.problem == key.problem) continue;
    if (const auto distance = distance_between(key.problem, one.problem))
      near.emplace_back(*distance, one);
  }
  std::sort(near.begin(), near.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first < b.first
                              : a.second.problem.dump() < b.second.problem.dump();
  });
  std::vector<store::Key> keys;
  keys.reserve(near.size());
  for (auto& [distance, one] : near) keys.push_back(std::move(one));
  return keys;
}

}  // namespace atc::conv
