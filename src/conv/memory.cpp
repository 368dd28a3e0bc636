#include "conv/memory.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>

#include "conv/recent_map.hpp"
#include "store/entry.hpp"
#include "store/in_use.hpp"

namespace atc::conv {

namespace {

// The memory of decisions has several parts, and each has a number. The part kProcess is for calls
// that use the process's store, and kNoStore is for calls without a store. The numbers from kOwn on
// are for stores that were passed to calls, one part for each store.
constexpr std::uint64_t kProcess = 0, kNoStore = 1, kOwn = 2;

std::atomic<std::uint64_t> engines_epoch{1};
// The epochs of the memory parts kProcess and kNoStore. (An epoch is a number that grows when
// decisions change.)
std::atomic<std::uint64_t> shared_epochs[kOwn] = {};

struct Part {
  // The store to which this part of the memory belongs. Only used if the part's number is kOwn or
  // larger.
  std::weak_ptr<store::Store> store;
  RecentMap<Record> records{kMostRemembered};
  RecentMap<InVain> in_vain{kMostRemembered};
  RecentMap<Record> held{kMostRemembered};
  std::unordered_map<std::string, std::vector<AgreedDecision>> agreed;  // by the text of the key
};

struct Memory {
  std::mutex mutex;
  std::unordered_map<std::uint64_t, Part> parts;
};

Memory& memory() {
  // This static object is never destroyed, because detached threads may still use it at the end of
  // the process.
  static auto* const memory = new Memory;
  return *memory;
}

// Returns the part of the memory that belongs to `knowledge`, and makes it if necessary. Removes
// the parts of stores that no longer exist.
Part& part_for(Memory& known, const Knowledge& knowledge) {
  const std::uint64_t id = knowledge.memory_id();
  for (auto part = known.parts.begin(); part != known.parts.end();)
    part = part->first >= kOwn && part->second.store.expired() ? known.parts.erase(part)
                                                               : std::next(part);
  const auto [at, made] = known.parts.try_emplace(id);
  if (made && id >= kOwn) at->second.store = knowledge.store();
  return at->second;
}

// Increases the number (epoch) by which cached plans notice that decisions have changed. So all
// cached plans that use this knowledge look up their decisions again.
void count_change(const Knowledge& knowledge) {
  if (knowledge.memory_id() < kOwn)
    shared_epochs[knowledge.memory_id()].fetch_add(1, std::memory_order_acq_rel);
  if (knowledge.store() != nullptr) knowledge.store()->changed();
}

}  // namespace

Knowledge Knowledge::of_process() { return {store::in_use(), kProcess}; }

Knowledge Knowledge::without_store() { return {nullptr, kNoStore}; }

Knowledge Knowledge::of(std::shared_ptr<store::Store> store) {
  const std::uint64_t memory = kOwn + store->id();
  return {std::move(store), memory};
}

KnowledgeReference::KnowledgeReference(const Knowledge& knowledge)
    : memory_(knowledge.memory_id()), store_(knowledge.store()) {}

bool KnowledgeReference::is_without_store() const { return memory_ == kNoStore; }

std::optional<Knowledge> KnowledgeReference::find() const {
  if (memory_ == kProcess) return Knowledge::of_process();
  if (memory_ == kNoStore) return Knowledge::without_store();
  auto store = store_.lock();
  if (store == nullptr) return std::nullopt;
  return Knowledge::of(std::move(store));
}

Record recall(const Knowledge& knowledge, const store::Key& key) {
  Memory& known = memory();
  const std::string text = store::CanonicalKey(key).text();
  const std::lock_guard lock(known.mutex);
  const auto part = known.parts.find(knowledge.memory_id());
  if (part == known.parts.end()) return {};
  const Record* const found = part->second.records.find(text);
  return found == nullptr ? Record{} : *found;
}

void remember_quietly(const Knowledge& knowledge, const store::Key& key, Decision decision) {
  Memory& known = memory();
  const std::string text = store::CanonicalKey(key).text();
  const std::lock_guard lock(known.mutex);
  add(part_for(known, knowledge).records[text], std::move(decision));
}

void remember(const Knowledge& knowledge, const store::Key& key, Decision decision) {
  remember_quietly(knowledge, key, std::move(decision));
  count_change(knowledge);
}

void remember_agreed(const Knowledge& knowledge, std::vector<AgreedDecision> agreed) {
  Memory& known = memory();
  {
    const std::lock_guard lock(known.mutex);
    Part& part = part_for(known, knowledge);
    for (AgreedDecision& one : agreed) {
      auto& of_key = part.agreed[one.key_text];
      const auto same = std::find_if(of_key.begin(), of_key.end(), [&](const AgreedDecision& old) {
        return old.front_end == one.front_end;
      });
      if (same == of_key.end())
        of_key.push_back(std::move(one));
      else
        *same = std::move(one);
    }
  }
  count_change(knowledge);
}

std::vector<AgreedDecision> recall_agreed(const Knowledge& knowledge, const store::Key& key,
                                          const std::string& front_end) {
  Memory& known = memory();
  const std::string text = store::CanonicalKey(key).text();
  const std::lock_guard lock(known.mutex);
  const auto part = known.parts.find(knowledge.memory_id());
  if (part == known.parts.end()) return {};
  const auto found = part->second.agreed.find(text);
  if (found == part->second.agreed.end()) return {};
  std::vector<AgreedDecision> agreed = found->second;
  std::stable_partition(agreed.begin(), agreed.end(),
                        [&](const AgreedDecision& one) { return one.front_end == front_end; });
  return agreed;
}

bool has_agreed(const Knowledge& knowledge) {
  Memory& known = memory();
  const std::lock_guard lock(known.mutex);
  const auto part = known.parts.find(knowledge.memory_id());
  return part != known.parts.end() && !part->second.agreed.empty();
}

void hold_back(const Knowledge& knowledge, const store::Key& key, Decision decision) {
  Memory& known = memory();
  const std::string text = store::CanonicalKey(key).text();
  const std::lock_guard lock(known.mutex);
  add(part_for(known, knowledge).held[text], std::move(decision));
}

Record held_back(const Knowledge& knowledge, const store::Key& key) {
  Memory& known = memory();
  const std::string text = store::CanonicalKey(key).text();
  const std::lock_guard lock(known.mutex);
  const auto part = known.parts.find(knowledge.memory_id());
  if (part == known.parts.end()) return {};
  const Record* const found = part->second.held.find(text);
  return found == nullptr ? Record{} : *found;
}

std::optional<InVain> recall_in_vain(const Knowledge& knowledge, const store::Key& key) {
  Memory& known = memory();
  const std::string text = store::CanonicalKey(key).text();
  const std::lock_guard lock(known.mutex);
  const auto part = known.parts.find(knowledge.memory_id());
  if (part == known.parts.end()) return std::nullopt;
  const InVain* const found = part->second.in_vain.find(text);
  return found == nullptr ? std::nullopt : std::optional(*found);
}

void remember_in_vain(const Knowledge& knowledge, const store::Key& key, InVain race) {
  Memory& known = memory();
  const std::string text = store::CanonicalKey(key).text();
  const std::lock_guard lock(known.mutex);
  part_for(known, knowledge).in_vain[text] = std::move(race);
}

std::uint64_t decisions_epoch(const Knowledge& knowledge) {
  std::uint64_t epoch = engines_epoch.load(std::memory_order_acquire);
  if (knowledge.memory_id() < kOwn)
    epoch += shared_epochs[knowledge.memory_id()].load(std::memory_order_acquire);
  return knowledge.store() == nullptr ? epoch : epoch + knowledge.store()->epoch();
}

void decisions_changed() { engines_epoch.fetch_add(1, std::memory_order_acq_rel); }

}  // namespace atc::conv
