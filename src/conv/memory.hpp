// Decisions measured in this process, shared by all threads.
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

// A knowledge is where a call looks for decisions and keeps them: a store, and a part of this
// process's memory. There is one part for all calls that use the process's store (whichever store
// that is at the time), one part for all calls without a store, and one part for each store that is
// passed to calls.
class Knowledge {
 public:
  Knowledge() = default;          // constructs the knowledge of a process that uses no store
  static Knowledge of_process();  // with the store in use
  static Knowledge without_store();
  static Knowledge of(std::shared_ptr<store::Store> store);  // not null

  const std::shared_ptr<store::Store>& store() const { return store_; }  // null: none
  // The numbers of the part of the memory and of the store. Within a process, no other memory or
  // store ever gets the same number.
  std::uint64_t memory_id() const { return memory_; }
  std::uint64_t store_id() const { return store_ == nullptr ? 0 : store_->id(); }

 private:
  Knowledge(std::shared_ptr<store::Store> store, std::uint64_t memory)
      : store_(std::move(store)), memory_(memory) {}

  std::shared_ptr<store::Store> store_;
  std::uint64_t memory_ = 0;
};

// Refers to a Knowledge without keeping the store of the Knowledge open.
class KnowledgeReference {
 public:
  explicit KnowledgeReference(const Knowledge& knowledge);
  // Returns the knowledge that was referred to. If it is the knowledge of the process, it has the
  // store that is in use now. Empty if the store is closed.
  std::optional<Knowledge> find() const;
  bool is_without_store() const;

 private:
  std::uint64_t memory_;
  std::weak_ptr<store::Store> store_;
};

// The largest number of keys in each part of the memory. If there are more, the key that was asked
// for longest ago is forgotten. Its problem is raced again, unless a store has the decision.
constexpr std::size_t kMostRemembered = 4096;

Record recall(const Knowledge& knowledge, const store::Key& key);  // empty: not measured here
// Adds the decision to those of its key. Decisions of other rosters are kept.
void remember(const Knowledge& knowledge, const store::Key& key, Decision decision);
// Keeps the decision like the function above, but the epoch does not change, so cached plans remain
// as they are.
void remember_quietly(const Knowledge& knowledge, const store::Key& key, Decision decision);

// The agreement of the ranks of a job for a key (docs/distributed.md, "How ranks agree").
struct AgreedDecision {
  std::string key_text;   // store::CanonicalKey::text
  std::string front_end;  // the front end whose calls the decision is for
  // Null: each rank runs the default, because some rank could not use any decision.
  std::shared_ptr<const Decision> decision;
};
// The decisions take effect together. Each replaces the decision that was agreed on earlier for the
// same key and front end. They are never forgotten, because the ranks would forget different ones.
void remember_agreed(const Knowledge& knowledge, std::vector<AgreedDecision> agreed);
// The decisions for the key. That of the front end `front_end` comes first.
std::vector<AgreedDecision> recall_agreed(const Knowledge& knowledge, const store::Key& key,
                                          const std::string& front_end);
bool has_agreed(const Knowledge& knowledge);

// Keeps a decision that was measured for all ranks of a job. No call uses it before the ranks have
// agreed, but a later agreement does.
void hold_back(const Knowledge& knowledge, const store::Key& key, Decision decision);
Record held_back(const Knowledge& knowledge, const store::Key& key);

// Remembers a race in which no candidate passed. Another race with the same or a smaller budget
// would have the same result.
struct InVain {
  Roster asked;
  double budget_seconds = 0;
  bool strict_precision = false;
};
std::optional<InVain> recall_in_vain(const Knowledge& knowledge, const store::Key& key);
void remember_in_vain(const Knowledge& knowledge, const store::Key& key, InVain race);

// A number that grows after each event after which a new decision may differ from that of a cached
// plan with the same knowledge: something was measured for this knowledge, the contents of its
// store changed, an engine was registered or unregistered. The number grows as long as the store
// remains the same.
std::uint64_t decisions_epoch(const Knowledge& knowledge);
void decisions_changed();  // whatever the knowledge

}  // namespace atc::conv
