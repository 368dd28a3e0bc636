// Tests decisions that a store has received from another machine. The gate (the check against the
// reference) checks their choices. The store keeps the verdicts for later processes of the user.
#include <gmock/gmock.h>

#include "conv/decide/from_records.hpp"
#include "conv/key.hpp"
#include "conv/race/verdicts.hpp"
#include "core/error.hpp"
#include "policy_fixture.hpp"
#include "store/entry.hpp"
#include "store/origin.hpp"

namespace atc::conv {
namespace {

store::ImportOptions from_outside(store::Present present = store::Present::stays) {
  store::ImportOptions options;
  options.marks = options.drops_compiled = true;
  options.present = present;
  return options;
}

class Received : public Policy {
 protected:
  void SetUp() override {
    Policy::SetUp();
    register_fake();
    only_ = request(problem_, true);
    only_.engines_allowed = {"fake"};
    use_store(store::Mode::read_write, "theirs");
    decide(problem_, only_);
    bundle_ = store_->export_bundle();
    next_process();
    store_->import_bundle(bundle_, from_outside());
  }
  // Forgets what the process knows, and opens the store again, as a new process would.
  void next_process(store::Mode mode = store::Mode::read_write) {
    forget_verdicts();
    use_store(mode);
  }
  Source source(const Request& asked) const {
    Request plain = asked;
    plain.tune = false;
    return decide(problem_, plain).decision->source;
  }
  int executed(const Request& asked) const {
    const int before = script_->executed;
    try {
      source(asked);
      // the gate (the check against the reference) has refused the only choice of the record
    } catch (const Error&) {
    }
    return script_->executed - before;
  }
  store::Json value() const { return store_->get(key_for(problem_, only_))->value; }

  const Problem problem_ = problem_of(261);
  Request only_;
  std::string bundle_;
};

TEST_F(Received, OneProcessPaysForTheCheck) {
  EXPECT_GT(executed(only_), 0) << "the gate did not check it";
  next_process();
  EXPECT_EQ(executed(only_), 0) << "checked again by the next process";
  EXPECT_EQ(source(only_), Source::record);
  EXPECT_TRUE(value().contains(store::kReceived)) << "it was not measured here";
  next_process(store::Mode::read);
  EXPECT_EQ(executed(only_), 0) << "a reader does not believe its own store";
}

TEST_F(Received, OneProcessPaysForARefusal) {
  script_->skips = [](const Problem&, const std::string&) { return true; };
  const int before = script_->executed;
  EXPECT_THROW(source(only_), Error) << "it has nothing else";
  EXPECT_GT(script_->executed, before);
  next_process();
  script_->skips = {};
  EXPECT_EQ(executed(only_), 0) << "checked again by the next process";
  EXPECT_THROW(source(only_), Error) << "the refusal was not kept";
}

TEST_F(Received, AStrictRequestDoesNotBelieveWhatTheLenientGatePassed) {
  EXPECT_GT(executed(only_), 0);
  Request strict = only_;
  strict.strict_precision = true;
  next_process();
  EXPECT_GT(executed(strict), 0);
  next_process();
  EXPECT_EQ(executed(strict), 0);
  EXPECT_EQ(executed(only_), 0);
}

TEST_F(Received, AnotherGatesResultIsNotBelieved) {
  EXPECT_GT(executed(only_), 0);
  store::Json kept = value();
  ASSERT_TRUE(kept.contains(store::kChecked));
  kept[store::kChecked]["by"] = "gate 0";
  store_->put(key_for(problem_, only_), kept);
  next_process();
  EXPECT_GT(executed(only_), 0) << "another gate's result was believed";
}

TEST_F(Received, AResultFromElsewhereIsNotBelieved) {
  EXPECT_GT(executed(only_), 0);
  ASSERT_TRUE(value().contains(store::kChecked));
  // changes the secret, as if another user had copied the store's folder
  secret_ = store::Secret{3, 4};
  next_process();
  EXPECT_GT(executed(only_), 0);
}

TEST_F(Received, TheLastWordOfAJoinIsCheckedToo) {
  EXPECT_GT(executed(only_), 0);
  next_process();
  store_->import_bundle(bundle_, from_outside(store::Present::joined));
  EXPECT_EQ(executed(only_), 0) << "the same decision came again, and has a result";
}

}  // namespace
}  // namespace atc::conv
