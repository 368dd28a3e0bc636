// The decisions that this process keeps in memory. All threads share them. Most of the decisions
// were measured by this process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "conv/record.hpp"
#include "store/store.hpp"

namespace atc::conv {

// A knowledge is the place in which a call looks for decisions and keeps new decisions. It consists
// of a store, or none, and of a part of this process's memory. The memory has one part for all
// calls that use the process's store (whichever store that is at the time), one part for all calls
// without a store, and one part for each store that is passed to calls.
class Knowledge {
 public:
  Knowledge() = default;          // makes the knowledge of a process that uses no store
  static Knowledge of_process();  // the store is the one that the process uses now
  static Knowledge without_store();
  static Knowledge of(std::shared_ptr<store::Store> store);  // `store` is not null

  const std::shared_ptr<store::Store>& store() const { return store_; }  // null: there is no store
  // The number of the memory part, and the number of the store (0: none). Within a process, a
  // number is never given to another memory part or store.
  std::uint64_t memory_id() const { return memory_; }
  std::uint64_t store_id() const { return store_ == nullptr ? 0 : store_->id(); }

 private:
  Knowledge(std::shared_ptr<store::Store> store, std::uint64_t memory)
      : store_(std::move(store)), memory_(memory) {}

  std::shared_ptr<store::Store> store_;
  std::uint64_t memory_ = 0;
};

// Refers to a Knowledge (a store and a part of the process's memory), but does not keep the store
// open.
class KnowledgeReference {
 public:
  explicit KnowledgeReference(const Knowledge& knowledge);
  // Returns the Knowledge with which the reference was made; nothing if its store has been closed
  // meanwhile. If it was the knowledge of the process, it is returned with the store that the
  // process uses now.
  std::optional<Knowledge> find() const;
  bool is_without_store() const;

 private:
  std::uint64_t memory_;
  std::weak_ptr<store::Store> store_;
};

// The largest number of keys in each part of the memory. If there are more, the key that was looked
// up longest ago is removed. The problem of a removed key is measured again, unless a store has its
// decision.
constexpr std::size_t kMostRemembered = 4096;

// Returns the decisions that this process has in memory for the key. The result is empty if there
// are none.
Record recall(const Knowledge& knowledge, const store::Key& key);
// Adds the decision to those that this process remembers for `key`. Decisions with other rosters
// (lists of the engines that were asked) are kept beside it. Increases the epoch, so that cached
// plans look up their decisions again.
void remember(const Knowledge& knowledge, const store::Key& key, Decision decision);
// Adds the decision as remember() does, but does not increase the epoch, by which cached plans
// notice changes. So cached plans remain as they are.
void remember_quietly(const Knowledge& knowledge, const store::Key& key, Decision decision);

// A decision on which the ranks (processes) of a distributed job have agreed, for one key
// (docs/distributed.md, "How ranks agree").
struct AgreedDecision {
  std::string key_text;   // store::CanonicalKey::text
  std::string front_end;  // the engine of the front end whose calls use the decision
  // Null: each rank runs the default, because some rank could not use any decision.
  std::shared_ptr<const Decision> decision;
};
// Adds agreed decisions. All of them take effect at the same moment. Each decision replaces the
// earlier one for the same key and front end (the framework that calls atc, such as LibTorch).
// Agreed decisions are never removed to save memory, because each rank might remove another
// decision, and then the ranks would run different choices.
void remember_agreed(const Knowledge& knowledge, std::vector<AgreedDecision> agreed);
// Returns the agreed decisions for the key. The decision for `front_end` is the first, if there is
// one.
std::vector<AgreedDecision> recall_agreed(const Knowledge& knowledge, const store::Key& key,
                                          const std::string& front_end);
bool has_agreed(const Knowledge& knowledge);

// Keeps a decision that was measured for all ranks of a distributed job. No call uses it yet,
// because the ranks have not agreed on it. A later agreement uses it.
void hold_back(const Knowledge& knowledge, const store::Key& key, Decision decision);
Record held_back(const Knowledge& knowledge, const store::Key& key);

// A race that was in vain: no candidate passed the correctness check. It is remembered because
// another race with the same or a smaller budget would have the same result.
struct InVain {
  Roster asked;
  double budget_seconds = 0;
  bool strict_precision = false;
};
std::optional<InVain> recall_in_vain(const Knowledge& knowledge, const store::Key& key);
void remember_in_vain(const Knowledge& knowledge, const store::Key& key, InVain race);

// Returns the epoch of the knowledge: a number that grows after each event that may change
// decisions. These events are: a decision was measured for this knowledge, the contents of its
// store changed, an engine was registered or unregistered. If the epoch has grown since a cached
// plan was made, the plan looks up its decision again. Epochs are comparable only as long as the
// knowledge has the same store.
std::uint64_t decisions_epoch(const Knowledge& knowledge);
// makes all cached plans look up their decisions again, by increasing all epochs
void decisions_changed();

}  // namespace atc::conv
