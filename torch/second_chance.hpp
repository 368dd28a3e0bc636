// A map with texts as keys and a limit on the number of keys. If the map is full, a new key
// replaces an old one by the rule "second chance": the oldest key is removed if it was not looked
// up since it was last examined. If it was looked up, it becomes the newest key, and the next
// oldest key is examined. So a look-up only sets a flag of the key, and several threads may look up
// at the same time.
#pragma once

#include <atomic>
#include <cstddef>
#include <list>
#include <string>
#include <unordered_map>
#include <utility>

namespace atc_torch {

template <typename Value>
class SecondChance {
 public:
  explicit SecondChance(std::size_t most) : most_(most) {}  // the limit, at least 1
  SecondChance(const SecondChance&) = delete;
  SecondChance& operator=(const SecondChance&) = delete;

  // Returns the value of the key, or null if the map does not have the key. Several threads may
  // call `find` at the same time, as long as no thread calls `put`.
  const Value* find(const std::string& key) const {
    const auto found = entries_.find(key);
    if (found == entries_.end()) return nullptr;
    // The flag is written only if it changes. Otherwise threads that look up the same key would
    // write to the same cache line.
    std::atomic<bool>& used = found->second.used;
    if (!used.load(std::memory_order_relaxed)) used.store(true, std::memory_order_relaxed);
    return &found->second.value;
  }

  // Sets the value of the key. No other thread may call a function of this object during the call.
  void put(const std::string& key, Value value) {
    if (const auto found = entries_.find(key); found != entries_.end()) {
      found->second.value = std::move(value);
      return;
    }
    if (entries_.size() >= most_) forget_one();
    const auto at = entries_.try_emplace(key).first;
    at->second.value = std::move(value);
    turns_.push_back(at);
  }

  std::size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    Value value{};
    mutable std::atomic<bool> used{false};
  };
  using Entries = std::unordered_map<std::string, Entry>;

  void forget_one() {
    while (turns_.front()->second.used.exchange(false, std::memory_order_relaxed))
      turns_.splice(turns_.end(), turns_, turns_.begin());
    entries_.erase(turns_.front());
    turns_.pop_front();
  }

  const std::size_t most_;
  Entries entries_;
  std::list<typename Entries::iterator> turns_;  // the keys of the map, the oldest first
};

}  // namespace atc_torch
