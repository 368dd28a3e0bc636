#include "conv/nearest_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

namespace atc::conv {

namespace {

using store::Json;

// Looking through more would take seconds; each is read from disk.
constexpr std::size_t kMostEntries = 4096;
// What differs in more is another problem, and says nothing.
constexpr std::size_t kMostDifferences = 3;

// Members by their paths, such as "/problem/x/shape/0".
Json members(const store::Key& key) {
  return Json{{"environment", key.environment}, {"problem", key.problem}}.flatten();
}

std::vector<std::string> differences(const Json& recorded, const Json& wanted) {
  std::vector<std::string> found;
  for (const auto& [path, value] : wanted.items()) {
    const Json other = recorded.value(path, Json());
    if (other == value) continue;
    found.push_back(fmt::format("{} {}, here {}", path.substr(1), other.dump(), value.dump()));
    if (found.size() > kMostDifferences) break;
  }
  return found;
}

}  // namespace

std::string nearest_record(store::Store& store, const store::Key& key) {
  if (store.size() > kMostEntries) return "";
  const Json wanted = members(key);
  std::vector<std::string> fewest(kMostDifferences + 1);
  for (const auto& entry : store.list()) {
    std::vector<std::string> found = differences(members(entry->key), wanted);
    if (!found.empty() && found.size() < fewest.size()) fewest = std::move(found);
  }
  if (fewest.size() > kMostDifferences) return "";
  return fmt::format("recorded with {}", fmt::join(fewest, "; with "));
}

}  // namespace atc::conv
