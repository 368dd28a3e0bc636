// Decisions measured in this process, shared by all threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "conv/record.hpp"
#include "store/store.hpp"

namespace atc::conv {

// Where a call looks for decisions and keeps them: a store, and a part of this process's memory.
// There is one part for all calls that use the process's store (whichever that is at the time), one
// for all calls without a store, and one for each store that is passed to calls.
class Knowledge {
 public:
  Knowledge() = default;          // the process's memory, and no store
  static Knowledge of_process();  // with the store in use
  static Knowledge without_store();
  static Knowledge of(std::shared_ptr<store::Store> store);  // not null

  const std::shared_ptr<store::Store>& store() const { return store_; }  // null: none
  // Neither number is ever that of another memory or store of the process.
  std::uint64_t memory_id() const { return memory_; }
  std::uint64_t store_id() const { return store_ == nullptr ? 0 : store_->id(); }

 private:
  Knowledge(std::shared_ptr<store::Store> store, std::uint64_t memory)
      : store_(std::move(store)), memory_(memory) {}

  std::shared_ptr<store::Store> store_;
  std::uint64_t memory_ = 0;
};

// A knowledge that does not keep its store open.
class KnowledgeReference {
 public:
  explicit KnowledgeReference(const Knowledge& knowledge);
  // That of the process with the store in use now; none if the store of the call is closed.
  std::optional<Knowledge> find() const;
  bool is_without_store() const;

 private:
  std::uint64_t memory_;
  std::weak_ptr<store::Store> store_;
};

// Keys of each part of the memory. With more, the decision that was asked for longest ago is
// forgotten; the problem is raced again, unless a store has the decision.
constexpr std::size_t kMostRemembered = 4096;

Record recall(const Knowledge& knowledge, const store::Key& key);  // empty: not measured here
// Adds the decision beside those of other rosters.
void remember(const Knowledge& knowledge, const store::Key& key, Decision decision);

// A race in which no candidate passed. Another race with no more budget would have the same result.
struct InVain {
  Roster asked;
  double budget_seconds = 0;
  bool strict_precision = false;
};
std::optional<InVain> recall_in_vain(const Knowledge& knowledge, const store::Key& key);
void remember_in_vain(const Knowledge& knowledge, const store::Key& key, InVain race);

// Changes after each event that may let a new decision differ from that of a cached plan with the
// same knowledge: something was measured for it, its store's contents changed, an engine came or
// went. Grows as long as the store stays the same.
std::uint64_t decisions_epoch(const Knowledge& knowledge);
void decisions_changed();  // whatever the knowledge

}  // namespace atc::conv
