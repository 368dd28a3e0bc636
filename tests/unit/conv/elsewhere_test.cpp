// Tests records of a store that were written by another machine, or by an atc without seals
// (signatures of the entries). The gate (the check against the reference) checks the choice of such
// a record once. Then the record counts as this machine's own.
#include <gmock/gmock.h>

#include "conv/decide/from_records.hpp"
#include "conv/key.hpp"
#include "conv/race/verdicts.hpp"
#include "core/error.hpp"
#include "policy_fixture.hpp"
#include "store/entry.hpp"
#include "store/origin.hpp"
#include "store/sidecar.hpp"

namespace atc::conv {
namespace {

class Elsewhere : public Policy {
 protected:
  // Makes a store with one record, whose winner has a compiled part. Then changes the user's
  // secret, with which entries are signed, so that the store seems to come from another machine.
  void SetUp() override {
    Policy::SetUp();
    only_ = recorded_compiled(problem_, "text");
    // Removes the verdict of the gate (the check against the reference) in the race above, because
    // the test must not use it.
    forget_verdicts();
    secret_ = store::Secret{3, 4};
    script_->loaded = 0;
  }
  int executed_by_plan() {
    const int before = script_->executed;
    Request plain = only_;
    plain.tune = false;
    EXPECT_EQ(decide(problem_, plain).decision->source, Source::record);
    return script_->executed - before;
  }
  std::optional<std::string> sidecar() const {
    return store_->sidecar(key_for(problem_, only_), store::name_of_sidecar("text"));
  }
  bool is_elsewhere() const { return store_->get(key_for(problem_, only_))->elsewhere; }

  const Problem problem_ = problem_of(260);
  Request only_;
};

TEST_F(Elsewhere, ACheckedChoiceAndWhatItCompilesToBecomeOwn) {
  use_store(store::Mode::read_write);
  EXPECT_TRUE(is_elsewhere());
  EXPECT_EQ(sidecar(), std::nullopt);
  EXPECT_GT(executed_by_plan(), 0) << "the gate did not check it";
  EXPECT_EQ(script_->loaded, 1) << "the gate alone loads what was compiled here";
  EXPECT_FALSE(is_elsewhere());
  EXPECT_EQ(sidecar(), "text");
  forget_verdicts();
  script_->loaded = 0;
  use_store(store::Mode::read_write);
  EXPECT_EQ(executed_by_plan(), 0) << "checked a second time";
  EXPECT_EQ(script_->loaded, 1);
}

TEST_F(Elsewhere, AStoreThatIsOnlyReadIsCheckedAndStays) {
  for (const store::Mode mode : {store::Mode::read, store::Mode::replay_only}) {
    use_store(mode);
    forget_verdicts();
    EXPECT_GT(executed_by_plan(), 0);
    EXPECT_EQ(sidecar(), std::nullopt);
    EXPECT_TRUE(is_elsewhere());
  }
}

TEST_F(Elsewhere, AChoiceThatTheGateRefusesIsNotUsedAndIsCheckedOnce) {
  use_store(store::Mode::read_write);
  script_->skips = [](const Problem&, const std::string&) { return true; };
  Request plain = only_;
  plain.tune = false;
  const int before = script_->executed;
  EXPECT_THROW(decide(problem_, plain), Error) << "it has nothing else";
  EXPECT_GT(script_->executed, before) << "the gate did not check it";
  EXPECT_FALSE(is_elsewhere());
  EXPECT_TRUE(store_->get(key_for(problem_, only_))->value.contains(store::kReceived));
  forget_verdicts();
  use_store(store::Mode::read_write);
  const int after = script_->executed;
  EXPECT_THROW(decide(problem_, plain), Error);
  EXPECT_EQ(script_->executed, after) << "checked a second time";
}

// An entry has several decisions, one for each roster (list of engines that took part). Each
// decision has a choice of its own. Only the decision whose choice runs is checked.
TEST_F(Elsewhere, OtherDecisionsOfTheEntryRemainToBeChecked) {
  secret_ = store::Secret{1, 2};
  use_store(store::Mode::read_write);
  const store::Key key = key_for(problem_, only_);
  store::Json value = store_->get(key)->value, other = value;
  for (store::Json* part : {&other["choice"], &other["candidates"][0]})
    (*part)["configuration"] = "unknown";
  other["roster"].push_back({"more", "1"});
  value["others"] = {other};
  store_->put(key, value);
  secret_ = store::Secret{3, 4};
  use_store(store::Mode::read_write);
  EXPECT_GT(executed_by_plan(), 0);
  EXPECT_FALSE(is_elsewhere());
  const store::Json kept = store_->get(key)->value;
  EXPECT_FALSE(kept.contains(store::kReceived)) << kept;
  EXPECT_EQ(kept["others"][0].value(store::kReceived, false), true) << kept;
}

}  // namespace
}  // namespace atc::conv
