#include "conv/memory.hpp"

#include <atomic>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <unordered_map>

#include "store/entry.hpp"

namespace atc::conv {

namespace {

std::atomic<std::uint64_t> epoch{1};

struct Memory {
  std::shared_mutex mutex;
  std::unordered_map<std::string, Record> records;
};

Memory& memory() {
  static auto* const memory = new Memory;  // outlives detached threads
  return *memory;
}

}  // namespace

Record recall(const store::Key& key) {
  Memory& known = memory();
  const std::string text = store::CanonicalKey(key).text();
  const std::shared_lock lock(known.mutex);
  const auto found = known.records.find(text);
  return found == known.records.end() ? Record{} : found->second;
}

void remember(const store::Key& key, Decision decision) {
  Memory& known = memory();
  std::string text = store::CanonicalKey(key).text();
  {
    const std::unique_lock lock(known.mutex);
    add(known.records[std::move(text)], std::move(decision));
  }
  decisions_changed();
}

std::uint64_t decisions_epoch() { return epoch.load(std::memory_order_acquire); }

void decisions_changed() { epoch.fetch_add(1, std::memory_order_acq_rel); }

}  // namespace atc::conv
