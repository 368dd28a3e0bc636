// A map with texts as keys and a limit on the number of keys. If there are more, one key is
// forgotten: the oldest one that was not looked up since its last turn ("second chance"). So a
// look-up changes nothing but a flag, and several threads may look up at once.
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
  explicit SecondChance(std::size_t most) : most_(most) {}  // at least 1
  SecondChance(const SecondChance&) = delete;
  SecondChance& operator=(const SecondChance&) = delete;

  // Null if the key is not known. Several threads may call this at once, as long as none calls put.
  const Value* find(const std::string& key) const {
    const auto found = entries_.find(key);
    if (found == entries_.end()) return nullptr;
    // The flag is written only if it changes, so that threads do not share a line that is written.
    std::atomic<bool>& used = found->second.used;
    if (!used.load(std::memory_order_relaxed)) used.store(true, std::memory_order_relaxed);
    return &found->second.value;
  }

  // Sets the value of the key. No other thread may be in a call of this object.
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
  std::list<typename Entries::iterator> turns_;  // the oldest first
};

}  // namespace atc_torch
