// A fixture for tests of decisions. It has an engine that a script controls, a store in its own
// folder, and requests whose decisions are firm (not provisional) even on a busy machine.
#pragma once

#include <gtest/gtest.h>

#include <limits>
#include <memory>

#include "conv/decide/policy.hpp"
#include "conv/key.hpp"
#include "engines/registry.hpp"
#include "fake_engine.hpp"
#include "fake_rewrite.hpp"
#include "store/entry.hpp"
#include "store/in_use.hpp"
#include "support/temp_folder.hpp"

namespace atc::conv {

using atc_test::FakeEngine;
using atc_test::offer;
using atc_test::problem_of;
using atc_test::rewrite_script;
using atc_test::Script;

class Policy : public testing::Test {
 protected:
  void SetUp() override {
    script_ = std::make_shared<Script>();
    script_->offers = {offer("one"), offer("two")};
  }
  void TearDown() override {
    store::use(nullptr);
    rewrite_script() = {};
    if (registered_) EngineRegistry::instance().remove(script_->name);
  }

  void register_fake() {
    EngineRegistry::instance().add(std::make_shared<FakeEngine>(script_));
    registered_ = true;
  }
  void use_store(store::Mode mode, const char* name = "store") {
    store::Options options;
    options.mode = mode;
    options.secret = secret_;
    store_ = store::Store::open(folder_ / name, options);
    store::use(store_);
  }
  Request request(const Problem& problem, bool tune = false) const {
    PlanOptions options;
    options.tune = tune ? TuningMode::on : TuningMode::off;
    // A decision by the technique `once` never counts as unstable (provisional), so the tests do
    // not depend on how well times can be measured.
    options.technique = tune::Technique::once;
    // The budget of a race in seconds. Races with so few candidates end long before the budget is
    // used up.
    options.budget_seconds = 10;
    // A candidate gets a turn (is timed) if it may save more time in the expected calls than the
    // turn costs. With infinitely many expected calls, each candidate gets a turn.
    options.expected_calls = std::numeric_limits<double>::infinity();
    return resolve({}, problem, options, Settings{});
  }
  // Decides a race whose only candidate is the fake engine's "one", whose compiled form is `text`.
  // The decision is stored in a store that is open for writing. Returns the request.
  Request recorded_compiled(const Problem& problem, const std::string& text) {
    register_fake();
    script_->offers = {offer("one")};
    script_->offers[0].compiles = true;
    script_->compiled = text;
    use_store(store::Mode::read_write);
    Request only = request(problem, true);
    only.engines_allowed = {"fake"};
    decide(problem, only);
    return only;
  }
  // Returns the choice that this build makes for the problem without a store and without tuning.
  Choice default_choice(const Problem& problem) {
    store::use(nullptr);
    return decide(problem, request(problem)).decision->choice;
  }
  // Returns a decision with three candidates: `fallback`, which is the default, and "one" and "two"
  // of the fake engine. "one" has won.
  Decision record(const Choice& fallback) const {
    Decision decision;
    decision.candidates.resize(3);
    decision.candidates[0].choice = fallback;
    decision.candidates[1].choice = {"fake", "1", "one", {}};
    decision.candidates[2].choice = {"fake", "1", "two", {}};
    const double medians[] = {3e-3, 1e-3, 2e-3};
    for (int i = 0; i < 3; ++i) {
      Candidate& candidate = decision.candidates[static_cast<std::size_t>(i)];
      candidate.outcome = i == 1 ? tune::Outcome::won : tune::Outcome::lost;
      candidate.statistics.samples = 5;
      candidate.statistics.median = medians[i];
    }
    decision.winner = 1;
    decision.default_candidate = 0;
    decision.choice = decision.candidates[1].choice;
    decision.roster = {{fallback.engine, fallback.version}, {"fake", "1"}};
    return decision;
  }
  void put(const Problem& problem, const Decision& decision) {
    store_->put(key_for(problem, request(problem)), to_json(decision));
  }

  const test::TempFolder folder_;
  std::shared_ptr<Script> script_;
  std::shared_ptr<store::Store> store_;
  // the secret with which the entries of each store are signed
  std::optional<store::Secret> secret_ = store::Secret{1, 2};
  bool registered_ = false;
};

}  // namespace atc::conv
