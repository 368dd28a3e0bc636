// A map with texts as keys and a limit on the number of keys. If a new key exceeds the limit, the
// key that was least recently used is removed.
#pragma once

#include <cstddef>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace atc::conv {

template <typename Value>
class RecentMap {
 public:
  // `most` is the largest number of keys.
  explicit RecentMap(std::size_t most) : most_(most) {}
  RecentMap(const RecentMap&) = delete;
  RecentMap& operator=(const RecentMap&) = delete;

  Value* find(const std::string& key) {  // returns null if the map has no such key
    const auto found = places_.find(key);
    if (found == places_.end()) return nullptr;
    entries_.splice(entries_.begin(), entries_, found->second);
    return &found->second->second;
  }

  void clear() {
    places_.clear();
    entries_.clear();
  }

  // Returns the value of the key. If there is none, a default value is added. The reference is
  // valid until the next call of this operator, which may remove the entry.
  Value& operator[](const std::string& key) {
    if (Value* const known = find(key)) return *known;
    entries_.emplace_front(key, Value());
    places_.emplace(entries_.front().first, entries_.begin());
    if (entries_.size() > most_) {
      places_.erase(entries_.back().first);
      entries_.pop_back();
    }
    return entries_.front().second;
  }

 private:
  using Entries = std::list<std::pair<const std::string, Value>>;

  const std::size_t most_;
  Entries entries_;  // the most recently used entry is the first
  // The keys of this map refer to the texts in `entries_`.
  std::unordered_map<std::string_view, typename Entries::iterator> places_;
};

}  // namespace atc::conv
