#include "conv/decide/nearest_record.hpp"

#include <algorithm>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "core/format.hpp"
#include "core/json_object.hpp"
#include "store/entry.hpp"

namespace atc::conv {

namespace {

using store::Json;

// The largest number of entries of a store that is searched. Each entry is read from disk, so
// searching a larger store would take seconds.
constexpr std::size_t kMostEntries = 4096;
// The largest number of members in which the key of a shown record may differ. A record whose key
// differs in more members is for another problem, and showing it would not help the user.
constexpr std::size_t kMostDifferences = 3;

// Returns the members of a key by their paths, such as "/problem/x/shape/0".
Json members(const store::Key& key) {
  return json_object({{"environment", key.environment}, {"problem", key.problem}}).flatten();
}

std::vector<std::string> differences(const Json& recorded, const Json& wanted) {
  std::vector<std::string> found;
  for (const auto& [path, value] : wanted.items()) {
    const Json other = recorded.value(path, Json());
    if (other == value) continue;
    found.push_back(format("{} {}, here {}", path.substr(1), other.dump(), value.dump()));
    if (found.size() > kMostDifferences) break;
  }
  return found;
}

std::string look_for(store::Store& store, const store::Key& key) {
  const Json wanted = members(key);
  std::vector<std::string> fewest(kMostDifferences + 1);
  for (const auto& entry : store.list()) {
    std::vector<std::string> found = differences(members(entry->key), wanted);
    if (!found.empty() && found.size() < fewest.size()) fewest = std::move(found);
  }
  if (fewest.size() > kMostDifferences) return "";
  return format("recorded with {}", joined(fewest, "; with "));
}

// Earlier results by key, for one store and one number of entries. They are kept because a program
// that continues after an error may ask for the same key in each call.
struct Found {
  std::mutex mutex;
  std::weak_ptr<store::Store> store;
  std::size_t entries = 0;
  std::unordered_map<std::string, std::string> texts;
};

Found& found() {
  // This static object is never destroyed, because detached threads may still use it at the end of
  // the process.
  static auto* const found = new Found;
  return *found;
}

}  // namespace

std::string nearest_record(const std::shared_ptr<store::Store>& store, const store::Key& key) {
  const std::size_t entries = store->size();
  if (entries > kMostEntries) return "";
  const std::string wanted = store::CanonicalKey(key).text();
  Found& known = found();
  {
    const std::lock_guard lock(known.mutex);
    if (known.store.lock() != store || known.entries != entries ||
        known.texts.size() >= kMostEntries) {
      known.store = store;
      known.entries = entries;
      known.texts.clear();
    }
    const auto at = known.texts.find(wanted);
    if (at != known.texts.end()) return at->second;
  }
  std::string text = look_for(*store, key);
  const std::lock_guard lock(known.mutex);
  if (known.store.lock() == store && known.entries == entries) known.texts.emplace(wanted, text);
  return text;
}

}  // namespace atc::conv
