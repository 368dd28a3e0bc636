// Tests engines that a program registers. Their candidates take part in races (in which the
// candidates of a problem are timed), their results are checked, and decisions for them are stored.
// Each kind of faulty engine is refused.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>

#include "conv_call.hpp"
#include "status.hpp"

namespace {

using atc_test::Call;
using atc_test::kCpu;
using atc_test::PlanDeleter;
using testing::HasSubstr;

// Returns a problem with one channel and one filter element, y = w * x, for which an engine is a
// simple loop. Each call returns another height, because a process remembers its measurements of a
// problem and does not repeat them.
atc_conv_problem scaling() {
  static std::int64_t height = 3;
  atc_conv_problem problem;
  atc_conv_problem_init(&problem, 2);
  problem.input[0] = ++height;
  problem.input[1] = 16;
  return problem;
}

struct OfferMade {
  const char* configuration;
  std::uint32_t flags = 0;
  std::uint64_t workspace = 0;
  atc_status answer = -1;  // the status that the callback `offer` returned for this offer
};

struct Scaler {
  std::vector<OfferMade> offers = {{"loop"}};
  atc_status offers_status = ATC_OK, prepare_status = ATC_OK, execute_status = ATC_OK;
  const char* text = nullptr;  // the error text that a failing callback sets
  // A function that changes the output after the engine has computed the right result.
  std::function<void(float*, std::int64_t)> spoil;
  bool own_buffer = false, own_buffer_missing = false;
  bool writes_x = false, writes_w = false;
  int prepared = 0, executed = 0, released = 0, weights_set = 0;
  bool saw_weights = false;
  atc_engine_limits limits{};
  atc_conv_problem problem{};
};

struct Prepared {
  std::int64_t elements;
  std::vector<float> own;
  float weight = 0;
};

atc_status say(const Scaler& scaler, atc_status status) {
  if (status != ATC_OK && scaler.text != nullptr) atc_error_set(scaler.text);
  return status;
}

atc_status scaler_offers(void* user, const atc_conv_problem* problem,
                         const atc_engine_limits* limits, atc_offer_callback offer, void* payload) {
  auto& scaler = *static_cast<Scaler*>(user);
  scaler.problem = *problem;
  scaler.limits = *limits;
  for (OfferMade& made : scaler.offers) {
    atc_engine_offer given{};
    given.struct_size = sizeof(given);
    given.configuration = made.configuration;
    given.flags = made.flags;
    given.workspace = made.workspace;
    made.answer = offer(&given, payload);
  }
  return say(scaler, scaler.offers_status);
}

atc_status scaler_prepare(void** prepared, void* user, const atc_conv_problem* problem,
                          const atc_engine_limits*, const char*) {
  auto& scaler = *static_cast<Scaler*>(user);
  if (scaler.prepare_status != ATC_OK) return say(scaler, scaler.prepare_status);
  ++scaler.prepared;
  *prepared = new Prepared{problem->batch * problem->input[0] * problem->input[1], {}};
  return ATC_OK;
}

atc_status scaler_set_weights(void* user, void* prepared, const void* w) {
  ++static_cast<Scaler*>(user)->weights_set;
  static_cast<Prepared*>(prepared)->weight = *static_cast<const float*>(w);
  return ATC_OK;
}

atc_status scaler_execute(void* user, void* prepared, atc_engine_operands* operands) {
  auto& scaler = *static_cast<Scaler*>(user);
  auto& mine = *static_cast<Prepared*>(prepared);
  ++scaler.executed;
  if (scaler.execute_status != ATC_OK) return say(scaler, scaler.execute_status);
  scaler.saw_weights = operands->w != nullptr;
  const float w = operands->w != nullptr ? *static_cast<const float*>(operands->w) : mine.weight;
  auto* y = static_cast<float*>(operands->y);
  if (scaler.own_buffer) {
    mine.own.resize(static_cast<std::size_t>(mine.elements));
    y = mine.own.data();
    if (!scaler.own_buffer_missing) operands->result = y;
  }
  const auto* x = static_cast<const float*>(operands->x);
  for (std::int64_t i = 0; i < mine.elements; ++i) y[i] = w * x[i];
  if (scaler.spoil) scaler.spoil(y, mine.elements);
  if (scaler.writes_x) *static_cast<float*>(operands->x) += 1;
  if (scaler.writes_w) *static_cast<float*>(operands->w) += 1;
  return ATC_OK;
}

void scaler_release(void* user, void* prepared) {
  ++static_cast<Scaler*>(user)->released;
  delete static_cast<Prepared*>(prepared);
}

atc_engine table(Scaler& scaler) {
  atc_engine engine{};
  engine.struct_size = sizeof(engine);
  engine.device_type = ATC_DEVICE_CPU;
  engine.name = "scaler";
  engine.version = "1.0";
  engine.user = &scaler;
  engine.offers = scaler_offers;
  engine.prepare = scaler_prepare;
  engine.execute = scaler_execute;
  engine.release = scaler_release;
  return engine;
}

std::vector<std::string> engine_names() {
  std::size_t count = 0;
  EXPECT_DONE(atc_engine_count(&count));
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) {
    atc_engine_info info{};
    info.struct_size = sizeof(info);
    EXPECT_DONE(atc_engine_describe(&info, i));
    names.emplace_back(info.name);
  }
  return names;
}

// The result of a race: its status (with `why`, the reason for a failure) and its choice, and the
// outcome of the test engine's first candidate, with the reason.
struct Outcome {
  atc_status status = -1;
  std::int32_t outcome = 0;
  std::string reason, choice, why;
};

// The engines of races in which the test's engine "scaler" needs a competitor. The competitor is
// the reference engine, because every build has it.
constexpr const char* kAgainst = "reference,scaler";

class RegisteredEngine : public testing::Test {
 protected:
  void SetUp() override {
    const atc_engine engine = table(scaler_);
    ASSERT_DONE(atc_engine_register(&engine));
  }
  void TearDown() override {
    EXPECT_DONE(atc_engine_unregister("scaler"));
    EXPECT_EQ(scaler_.prepared, scaler_.released);
  }

  Outcome race(const atc_conv_problem& problem, const char* allowed = nullptr,
               std::int32_t deterministic = 0, std::uint64_t workspace = 0) {
    atc_tune_options options{};
    options.struct_size = sizeof(options);
    options.problem_budget_seconds = 5;  // the budget in seconds; small problems need far less
    options.engines_allowed = allowed;
    options.deterministic = deterministic;
    options.workspace_limit = workspace;
    atc_tune_report* report = nullptr;
    EXPECT_DONE(atc_tune(&report, kCpu, &problem, 1, &options, nullptr, nullptr));
    Outcome result;
    atc_tuned_problem tuned{};
    tuned.struct_size = sizeof(tuned);
    EXPECT_DONE(atc_tune_report_problem(&tuned, report, 0));
    result.status = tuned.status;
    result.choice = tuned.choice;
    result.why = tuned.why;
    for (std::size_t i = 0; i < tuned.candidates; ++i) {
      atc_candidate candidate{};
      candidate.struct_size = sizeof(candidate);
      EXPECT_DONE(atc_tune_report_candidate(&candidate, report, 0, i));
      if (std::string(candidate.engine) != "scaler" || result.outcome != 0) continue;
      result.outcome = candidate.outcome;
      result.reason = candidate.reason;
    }
    atc_tune_report_destroy(report);
    return result;
  }

  // Makes a plan whose choice is the test's engine.
  std::unique_ptr<atc_conv_plan, PlanDeleter> plan(const atc_conv_problem& problem) {
    atc_conv_plan* made = nullptr;
    EXPECT_DONE(
        atc_conv_plan_create_with_choice(&made, kCpu, &problem, nullptr, "scaler@1.0:loop"));
    return std::unique_ptr<atc_conv_plan, PlanDeleter>(made);
  }

  static std::vector<float> expected(const Call& call) {
    std::vector<float> y;
    for (const float x : call.x.data) y.push_back(call.w.data[0] * x);
    return y;
  }

  Scaler scaler_;
};

// ---- Correct engines
// --------------------------------------------------------------------------------------

TEST_F(RegisteredEngine, RacesWinsAndIsRemembered) {
  const atc_conv_problem problem = scaling();
  const Outcome raced = race(problem, "scaler");
  EXPECT_EQ(raced.status, ATC_OK) << raced.why;
  EXPECT_EQ(raced.outcome, ATC_OUTCOME_WON) << raced.reason;
  EXPECT_EQ(raced.choice, "scaler@1.0:loop");
  // The engine must have received the problem that the caller has described.
  EXPECT_EQ(scaler_.problem.layout, ATC_LAYOUT_STRIDED);
  EXPECT_EQ(scaler_.problem.transposed, 0);
  EXPECT_EQ(scaler_.problem.y_strides[2], 16);
  EXPECT_EQ(scaler_.limits.device.type, ATC_DEVICE_CPU);
  // The first race admitted only the test's engine. This plan admits all engines, so the other
  // engines are now timed against the stored winner. The result is stored, so the second plan
  // measures nothing.
  atc_conv_options options{};
  options.struct_size = sizeof(options);
  options.tune = ATC_ON;
  std::string chosen;
  const auto engines = engine_names();
  const bool others = std::count(engines.begin(), engines.end(), "onednn") != 0;
  for (const std::int32_t expected :
       {others ? ATC_SOURCE_TUNED : ATC_SOURCE_MEMORY, ATC_SOURCE_MEMORY}) {
    atc_conv_plan* made = nullptr;
    ASSERT_DONE(atc_conv_plan_create(&made, kCpu, &problem, &options));
    const std::unique_ptr<atc_conv_plan, PlanDeleter> owner(made);
    std::int32_t source = 0;
    EXPECT_DONE(atc_conv_plan_source(&source, made));
    EXPECT_EQ(source, expected);
    const char* choice = nullptr;
    EXPECT_DONE(atc_conv_plan_choice(&choice, made));
    if (!chosen.empty()) {
      EXPECT_EQ(choice, chosen);
    }
    chosen = choice;
  }
}

TEST_F(RegisteredEngine, RunsByChoiceAndNeverByDefault) {
  Call call(scaling());
  ASSERT_DONE(call.eager());
  EXPECT_EQ(scaler_.executed, 0);
  const auto owner = plan(call.problem);
  EXPECT_EQ(scaler_.executed, 2) << "by the correctness gate";
  ASSERT_DONE(call.run(owner.get()));
  EXPECT_EQ(scaler_.executed, 3);
  EXPECT_EQ(call.y.data, expected(call));
}

TEST_F(RegisteredEngine, WithoutSetWeightsACopyIsKept) {
  Call call(scaling());
  const auto owner = plan(call.problem);
  ASSERT_DONE(atc_conv_plan_set_weights(owner.get(), &call.w.view));
  const std::vector<float> y = expected(call);
  // Changing the caller's weights must have no effect, because the plan has a copy of the old
  // weights.
  call.w.data[0] = 1000;
  ASSERT_DONE(atc_conv_plan_execute(owner.get(), &call.x.view, nullptr, nullptr, &call.y.view,
                                    nullptr, 0, nullptr));
  EXPECT_EQ(call.y.data, y);
  EXPECT_TRUE(scaler_.saw_weights);
}

TEST_F(RegisteredEngine, WithSetWeightsItIsGivenThem) {
  ASSERT_DONE(atc_engine_unregister("scaler"));
  atc_engine engine = table(scaler_);
  engine.set_weights = scaler_set_weights;
  ASSERT_DONE(atc_engine_register(&engine));
  Call call(scaling());
  const auto owner = plan(call.problem);
  ASSERT_DONE(atc_conv_plan_set_weights(owner.get(), &call.w.view));
  ASSERT_DONE(atc_conv_plan_execute(owner.get(), &call.x.view, nullptr, nullptr, &call.y.view,
                                    nullptr, 0, nullptr));
  EXPECT_EQ(call.y.data, expected(call));
  EXPECT_EQ(scaler_.weights_set, 1);
  EXPECT_FALSE(scaler_.saw_weights);
}

// ---- Offers
// -----------------------------------------------------------------------------------------------

TEST_F(RegisteredEngine, OffersAreTakenOnceAndWithinTheLimits) {
  scaler_.offers = {{"loop"},
                    {"loop"},
                    {"random", ATC_ENGINE_NONDETERMINISTIC},
                    {"large", 0, std::uint64_t{1} << 40}};
  const Outcome raced = race(scaling(), "scaler", ATC_ON);
  EXPECT_EQ(raced.status, ATC_OK) << raced.why;
  // The offers have only one allowed configuration, "loop", and atc_tune makes no plan after the
  // race. So the engine was prepared only once.
  EXPECT_EQ(scaler_.prepared, 1);
  for (const OfferMade& offer : scaler_.offers) EXPECT_EQ(offer.answer, ATC_OK);
  scaler_.offers = {{"random", ATC_ENGINE_NONDETERMINISTIC}};
  const Outcome none = race(scaling(), "scaler", ATC_ON);
  EXPECT_EQ(none.status, ATC_ERROR_UNSUPPORTED);
  EXPECT_THAT(none.why, HasSubstr("scaler: 'random' is not deterministic"));
  scaler_.offers = {{"large", 0, 1}};
  const Outcome large = race(scaling(), "scaler", 0, ATC_NONE);
  EXPECT_EQ(large.status, ATC_ERROR_UNSUPPORTED);
  EXPECT_THAT(large.why, HasSubstr("'large' needs 1 bytes of workspace, 0 are allowed"));
}

TEST_F(RegisteredEngine, MalformedOffersAreRefusedAndTheOthersStand) {
  const std::string long_one(513, 'x'), longest(512, 'x');
  scaler_.offers = {{nullptr},          {""},          {"tab\t"},         {"\u00e9"},
                    {long_one.c_str()}, {"flags", 32}, {longest.c_str()}, {"loop"}};
  const Outcome raced = race(scaling(), "scaler");
  EXPECT_EQ(raced.status, ATC_OK) << raced.why;
  for (std::size_t i = 0; i < 6; ++i)
    EXPECT_EQ(scaler_.offers[i].answer, ATC_ERROR_INVALID_ARGUMENT) << i;
  EXPECT_EQ(scaler_.offers[6].answer, ATC_OK);
  EXPECT_EQ(scaler_.offers[7].answer, ATC_OK);
}

TEST_F(RegisteredEngine, ReasonsForNoOfferArePassedOn) {
  scaler_.offers.clear();
  scaler_.offers_status = ATC_ERROR_UNSUPPORTED;
  scaler_.text = "only on Sundays";
  atc_error_set("from before");
  const Outcome raced = race(scaling(), "scaler");
  EXPECT_EQ(raced.status, ATC_ERROR_UNSUPPORTED);
  EXPECT_THAT(raced.why, HasSubstr("only on Sundays"));
  // atc_tune itself has succeeded, so the last error is still the text that was set before the
  // call.
  EXPECT_STREQ(atc_last_error(), "from before");
}

TEST_F(RegisteredEngine, TroubleWithOffersKeepsTheOthersRacing) {
  scaler_.offers_status = 4711;
  const Outcome raced = race(scaling());
#ifdef ATC_TEST_ONEDNN_BUILD
  EXPECT_EQ(raced.status, ATC_OK) << raced.why;
#endif
  EXPECT_EQ(raced.outcome, 0);
  EXPECT_EQ(scaler_.executed, 0);
  const Outcome alone = race(scaling(), "scaler");
  EXPECT_EQ(alone.status, ATC_ERROR_UNSUPPORTED);
  EXPECT_THAT(alone.why, HasSubstr("4711"));
}

// ---- Faulty engines
// ----------------------------------------------------------------------------------------

TEST_F(RegisteredEngine, AWrongResultIsRefused) {
  scaler_.spoil = [](float* y, std::int64_t elements) { y[elements / 2] += 1; };
  const Outcome raced = race(scaling(), kAgainst);
  EXPECT_EQ(raced.outcome, ATC_OUTCOME_WRONG_RESULT) << raced.reason;
  EXPECT_EQ(raced.choice.find("scaler"), std::string::npos);
}

TEST_F(RegisteredEngine, WhatIsNotWrittenIsRefused) {
  scaler_.spoil = [](float* y, std::int64_t elements) {
    y[elements - 1] = std::numeric_limits<float>::quiet_NaN();
  };
  EXPECT_EQ(race(scaling(), kAgainst).outcome, ATC_OUTCOME_WRONG_RESULT);
}

TEST_F(RegisteredEngine, WritingOutsideTheOutputIsRefused) {
  scaler_.spoil = [](float* y, std::int64_t elements) { y[elements] = 0; };
  const Outcome behind = race(scaling(), kAgainst);
  EXPECT_EQ(behind.outcome, ATC_OUTCOME_WRONG_RESULT) << behind.reason;
  scaler_.spoil = [](float* y, std::int64_t) { y[-1] = 0; };
  const Outcome before = race(scaling(), kAgainst);
  EXPECT_EQ(before.outcome, ATC_OUTCOME_WRONG_RESULT) << before.reason;
}

// The engine computes a right result but changes an input. It must be refused, because candidates
// that run after it would get wrong inputs.
TEST_F(RegisteredEngine, WritingIntoAnInputIsRefused) {
  scaler_.writes_x = true;
  const Outcome of_x = race(scaling(), kAgainst);
  EXPECT_EQ(of_x.outcome, ATC_OUTCOME_WRONG_RESULT) << of_x.reason;
  EXPECT_THAT(of_x.reason, testing::ContainsRegex("\\bx\\b"));
  EXPECT_EQ(of_x.choice.find("scaler"), std::string::npos);
  scaler_.writes_x = false;
  scaler_.writes_w = true;
  const Outcome of_w = race(scaling(), kAgainst);
  EXPECT_EQ(of_w.outcome, ATC_OUTCOME_WRONG_RESULT) << of_w.reason;
  EXPECT_THAT(of_w.reason, testing::ContainsRegex("\\bw\\b"));
}

TEST_F(RegisteredEngine, AFailingPrepareIsTold) {
  scaler_.prepare_status = ATC_ERROR_OUT_OF_MEMORY;
  scaler_.text = "no shelf left";
  const Outcome raced = race(scaling(), kAgainst);
  EXPECT_EQ(raced.outcome, ATC_OUTCOME_OUT_OF_MEMORY);
  EXPECT_THAT(raced.reason, HasSubstr("no shelf left"));
  scaler_.prepare_status = -5;
  const Outcome unknown = race(scaling(), kAgainst);
  EXPECT_EQ(unknown.outcome, ATC_OUTCOME_NOT_PREPARED);
  EXPECT_THAT(unknown.reason, HasSubstr("scaler"));
  EXPECT_THAT(unknown.reason, HasSubstr("-5"));
  const atc_conv_problem problem = scaling();
  atc_conv_plan* none = nullptr;
  EXPECT_REFUSED(
      atc_conv_plan_create_with_choice(&none, kCpu, &problem, nullptr, "scaler@1.0:loop"),
      ATC_ERROR_UNSUPPORTED, "scaler", "-5");
  EXPECT_EQ(none, nullptr);
}

TEST_F(RegisteredEngine, AChoiceOfACallRunsOnlyAfterTheGate) {
  scaler_.offers[0].configuration = "spoiled";
  scaler_.spoil = [](float* y, std::int64_t elements) { y[elements - 1] += 1; };
  const atc_conv_problem problem = scaling();
  atc_conv_plan* none = nullptr;
  for (int i = 0; i < 2; ++i) {
    EXPECT_REFUSED(
        atc_conv_plan_create_with_choice(&none, kCpu, &problem, nullptr, "scaler@1.0:spoiled"),
        ATC_ERROR_UNSUPPORTED, "scaler@1.0:spoiled", "the correctness gate refuses it");
  }
  EXPECT_EQ(none, nullptr);
  EXPECT_EQ(scaler_.executed, 1) << "refused by the first execution, and not checked again";
  scaler_.spoil = nullptr;
  const atc_conv_problem other = scaling();
  ASSERT_DONE(atc_conv_plan_create_with_choice(&none, kCpu, &other, nullptr, "scaler@1.0:spoiled"));
  atc_conv_plan_destroy(none);
}

TEST_F(RegisteredEngine, AFailingExecuteIsTold) {
  scaler_.execute_status = ATC_ERROR_IO;
  scaler_.text = "the wheel came off";
  const Outcome raced = race(scaling(), kAgainst);
  EXPECT_EQ(raced.outcome, ATC_OUTCOME_FAILED);
  EXPECT_THAT(raced.reason, HasSubstr("the wheel came off"));
  scaler_.execute_status = ATC_OK;
  Call call(scaling());
  const auto owner = plan(call.problem);
  scaler_.execute_status = ATC_ERROR_IO;
  EXPECT_REFUSED(call.run(owner.get()), ATC_ERROR_IO, "scaler", "execute", "the wheel came off");
  scaler_.text = nullptr;
  EXPECT_REFUSED(call.run(owner.get()), ATC_ERROR_IO, "scaler", "execute", "ATC_ERROR_IO");
  scaler_.execute_status = 99;
  EXPECT_REFUSED(call.run(owner.get()), ATC_ERROR_INTERNAL, "scaler", "execute", "99");
}

TEST_F(RegisteredEngine, ItsOwnBufferIsCheckedButRunsForNobodyElse) {
  scaler_.own_buffer = true;
  scaler_.offers[0].flags = ATC_ENGINE_RETURNS_OUTPUT;
  const atc_conv_problem problem = scaling();
  const Outcome raced = race(problem, kAgainst);
  EXPECT_NE(raced.outcome, ATC_OUTCOME_WRONG_RESULT) << raced.reason;
  EXPECT_NE(raced.outcome, 0);
  EXPECT_GT(scaler_.executed, 0);
  atc_conv_plan* none = nullptr;
  EXPECT_REFUSED(
      atc_conv_plan_create_with_choice(&none, kCpu, &problem, nullptr, "scaler@1.0:loop"),
      ATC_ERROR_UNSUPPORTED, "scaler");
  EXPECT_EQ(none, nullptr);
  // The engine returns its result in a buffer of its own. A race must find a wrong result in this
  // buffer. A race must also refuse the engine if it does not report where the buffer is.
  scaler_.spoil = [](float* y, std::int64_t) { y[0] += 1; };
  EXPECT_EQ(race(scaling(), kAgainst).outcome, ATC_OUTCOME_WRONG_RESULT);
  scaler_.spoil = nullptr;
  scaler_.own_buffer_missing = true;
  const Outcome missing = race(scaling(), kAgainst);
  EXPECT_EQ(missing.outcome, ATC_OUTCOME_FAILED);
  EXPECT_THAT(missing.reason, HasSubstr("result"));
}

// ---- Registration
// -----------------------------------------------------------------------------------------

TEST_F(RegisteredEngine, StaysWhilePlansLive) {
  Call call(scaling());
  auto owner = plan(call.problem);
  EXPECT_REFUSED(atc_engine_unregister("scaler"), ATC_ERROR_BUSY, "scaler", "1");
  ASSERT_DONE(call.run(owner.get()));
  owner.reset();
  EXPECT_DONE(atc_engine_unregister("scaler"));
  EXPECT_EQ(scaler_.prepared, scaler_.released);
  atc_conv_plan* none = nullptr;
  EXPECT_REFUSED(
      atc_conv_plan_create_with_choice(&none, kCpu, &call.problem, nullptr, "scaler@1.0:loop"),
      ATC_ERROR_UNSUPPORTED, "scaler");
  const atc_engine engine = table(scaler_);
  ASSERT_DONE(atc_engine_register(&engine));  // registers the engine that TearDown unregisters
}

TEST_F(RegisteredEngine, IsListedWithTheBuiltInOnes) {
  EXPECT_THAT(engine_names(), testing::IsSupersetOf({"reference", "scaler"}));
  std::size_t count = 0;
  ASSERT_DONE(atc_engine_count(&count));
  atc_engine_info info{};
  info.struct_size = sizeof(info);
  ASSERT_DONE(atc_engine_describe(&info, count - 1));
  EXPECT_STREQ(info.name, "scaler");
  EXPECT_STREQ(info.version, "1.0");
  EXPECT_EQ(info.built_in, 0);
  EXPECT_EQ(info.serves_cpu, 1);
  EXPECT_EQ(info.serves_cuda, 0);
  EXPECT_REFUSED(atc_engine_describe(&info, count), ATC_ERROR_INVALID_ARGUMENT, "index",
                 std::to_string(count).c_str());
}

TEST(EngineRegistration, AnEngineMayServeEveryDevice) {
  Scaler scaler;
  atc_engine engine = table(scaler);
  engine.name = "everywhere";
  engine.device_type = ATC_ENGINE_EVERY_DEVICE;
  ASSERT_DONE(atc_engine_register(&engine));
  std::size_t count = 0;
  ASSERT_DONE(atc_engine_count(&count));
  atc_engine_info info{};
  info.struct_size = sizeof(info);
  ASSERT_DONE(atc_engine_describe(&info, count - 1));
  EXPECT_STREQ(info.name, "everywhere");
  EXPECT_EQ(info.serves_cpu, 1);
  EXPECT_EQ(info.serves_cuda, 1);
  EXPECT_DONE(atc_engine_unregister("everywhere"));
}

TEST(EngineRegistration, MalformedEnginesAreRefused) {
  const auto before = engine_names();
  Scaler scaler;
  const std::string long_name(64, 'n');
  const struct {
    std::function<void(atc_engine&)> spoil;
    const char* text;
  } cases[] = {{[](atc_engine& e) { e.name = nullptr; }, "engine.name"},
               {[](atc_engine& e) { e.name = ""; }, "engine.name"},
               {[](atc_engine& e) { e.name = "a b"; }, "'a b'"},
               {[](atc_engine& e) { e.name = "a@b"; }, "'a@b'"},
               {[&](atc_engine& e) { e.name = long_name.c_str(); }, "engine.name"},
               {[](atc_engine& e) { e.name = "reference"; }, "already registered"},
               {[](atc_engine& e) { e.version = nullptr; }, "engine.version"},
               {[](atc_engine& e) { e.version = "1:2"; }, "'1:2'"},
               {[](atc_engine& e) { e.device_type = 3; }, "engine.device_type is 3"},
               {[](atc_engine& e) { e.offers = nullptr; }, "engine.offers"},
               {[](atc_engine& e) { e.prepare = nullptr; }, "engine.prepare"},
               {[](atc_engine& e) { e.execute = nullptr; }, "engine.execute"},
               {[](atc_engine& e) { e.release = nullptr; }, "engine.release"},
               {[](atc_engine& e) { e.struct_size = 16; }, "engine.struct_size is 16"}};
  for (const auto& [spoil, text] : cases) {
    atc_engine engine = table(scaler);
    spoil(engine);
    EXPECT_REFUSED(atc_engine_register(&engine), ATC_ERROR_INVALID_ARGUMENT, text);
  }
  EXPECT_REFUSED(atc_engine_register(nullptr), ATC_ERROR_INVALID_ARGUMENT, "engine", "missing");
  EXPECT_EQ(engine_names(), before);
}

TEST(EngineRegistration, BuiltInAndUnknownOnesCannotBeRemoved) {
  EXPECT_REFUSED(atc_engine_unregister("reference"), ATC_ERROR_INVALID_ARGUMENT, "reference",
                 "built in");
  EXPECT_REFUSED(atc_engine_unregister("nobody"), ATC_ERROR_INVALID_ARGUMENT, "nobody");
  EXPECT_REFUSED(atc_engine_unregister(nullptr), ATC_ERROR_INVALID_ARGUMENT, "name", "missing");
  EXPECT_THAT(engine_names(), testing::Contains("reference"));
}

// ---- Plug-ins
// ---------------------------------------------------------------------------------------------

TEST(Plugin, RegistersItsEngines) {
  ASSERT_DONE(atc_plugin_load(ATC_TEST_PLUGIN));
  EXPECT_THAT(engine_names(), testing::Contains("plugged"));
  // If the plug-in is loaded again, its init function fails, because the name of its engine is
  // taken. The error has the text of atc_engine_register.
  EXPECT_REFUSED(atc_plugin_load(ATC_TEST_PLUGIN), ATC_ERROR_INVALID_ARGUMENT, "atc1_plugin_init",
                 "plugged", "already registered");
  EXPECT_DONE(atc_engine_unregister("plugged"));
}

TEST(Plugin, WhatIsNoneIsRefused) {
  EXPECT_REFUSED(atc_plugin_load("/nowhere/plugin.so"), ATC_ERROR_LIBRARY, "/nowhere/plugin.so");
  EXPECT_REFUSED(atc_plugin_load("libm.so.6"), ATC_ERROR_LIBRARY, "atc1_plugin_init");
  EXPECT_REFUSED(atc_plugin_load(nullptr), ATC_ERROR_INVALID_ARGUMENT, "file", "missing");
  // The text has 9 MiB, which is more than the stack of a thread usually has.
  const std::string endless(std::size_t{9} << 20, 'a');
  EXPECT_REFUSED(atc_plugin_load(endless.c_str()), ATC_ERROR_INVALID_ARGUMENT,
                 "file has 9437184 bytes", "at most 4095");
  EXPECT_LT(std::strlen(atc_last_error()), 100u);
}

}  // namespace
