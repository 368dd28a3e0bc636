// Tests tuning, stores and replaying (running stored decisions without measuring) through the C
// ABI.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "conv_call.hpp"
#include "entry_points.hpp"
#include "support/temp_folder.hpp"

namespace {

using namespace atc_test;
using testing::AllOf;
using testing::HasSubstr;
namespace fs = std::filesystem;

struct ReportDeleter {
  void operator()(atc_tune_report* report) const { atc_tune_report_destroy(report); }
};
using ReportPtr = std::unique_ptr<atc_tune_report, ReportDeleter>;

// A registered engine that computes fp32 convolutions directly, dense or strided, without an
// epilogue. It is in each build, so there is always a race. A test can make its results wrong.
struct OwnEngine {
  int factor = 1;
  int offered = 0, executed = 0;
};

struct OwnPrepared {
  atc_conv_problem problem;
};

extern "C" {
static atc_status own_offers(void* user, const atc_conv_problem* problem, const atc_engine_limits*,
                             atc_offer_callback offer, void* payload) {
  ++static_cast<OwnEngine*>(user)->offered;
  if (problem->direction != ATC_FORWARD || problem->spatial_dims != 2 ||
      problem->epilogue != ATC_EPILOGUE_NONE || problem->x_dtype != ATC_DTYPE_F32 ||
      problem->accumulate || problem->groups != 1)
    return ATC_OK;
  atc_engine_offer made{};
  made.struct_size = sizeof(made);
  made.configuration = "loops";
  return offer(&made, payload);
}
static atc_status own_prepare(void** prepared, void*, const atc_conv_problem* problem,
                              const atc_engine_limits*, const char*) {
  *prepared = new OwnPrepared{*problem};
  return ATC_OK;
}
static atc_status own_execute(void* user, void* prepared, atc_engine_operands* o) {
  auto& engine = *static_cast<OwnEngine*>(user);
  ++engine.executed;
  const atc_conv_problem& p = static_cast<OwnPrepared*>(prepared)->problem;
  const auto* x = static_cast<const float*>(o->x);
  const auto* w = static_cast<const float*>(o->w);
  auto* y = static_cast<float*>(o->y);
  std::int64_t out[4];
  atc_conv_operand_shape(out, nullptr, &p, ATC_OPERAND_Y);
  for (std::int64_t n = 0; n < p.batch; ++n)
    for (std::int64_t k = 0; k < p.out_channels; ++k)
      for (std::int64_t a = 0; a < out[2]; ++a)
        for (std::int64_t b = 0; b < out[3]; ++b) {
          float sum = 0;
          for (std::int64_t c = 0; c < p.in_channels; ++c)
            for (std::int64_t r = 0; r < p.kernel[0]; ++r)
              for (std::int64_t s = 0; s < p.kernel[1]; ++s) {
                const std::int64_t i = a * p.stride[0] + r * p.dilation[0] - p.padding_low[0];
                const std::int64_t j = b * p.stride[1] + s * p.dilation[1] - p.padding_low[1];
                if (i < 0 || j < 0 || i >= p.input[0] || j >= p.input[1]) continue;
                sum += x[n * p.x_strides[0] + c * p.x_strides[1] + i * p.x_strides[2] +
                         j * p.x_strides[3]] *
                       w[k * p.w_strides[0] + c * p.w_strides[1] + r * p.w_strides[2] +
                         s * p.w_strides[3]];
              }
          y[n * p.y_strides[0] + k * p.y_strides[1] + a * p.y_strides[2] + b * p.y_strides[3]] =
              static_cast<float>(engine.factor) * sum;
        }
  return ATC_OK;
}
static void own_release(void*, void* prepared) { delete static_cast<OwnPrepared*>(prepared); }
}

class Tuning : public testing::Test {
 protected:
  void SetUp() override {
    atc_engine engine{};
    engine.struct_size = sizeof(engine);
    engine.device_type = ATC_DEVICE_CPU;
    engine.name = "own";
    engine.version = "1";
    engine.user = &own_;
    engine.offers = own_offers;
    engine.prepare = own_prepare;
    engine.execute = own_execute;
    engine.release = own_release;
    ASSERT_EQ(atc_engine_register(&engine), ATC_OK) << atc_last_error();
  }
  void TearDown() override {
    atc_store_use(nullptr);
    EXPECT_EQ(atc_engine_unregister("own"), ATC_OK) << atc_last_error();
  }

  void use_store(atc_store_mode mode) {
    atc_store* store = nullptr;
    ASSERT_EQ(atc_store_open(&store, folder_.c_str(), mode), ATC_OK) << atc_last_error();
    ASSERT_EQ(atc_store_use(store), ATC_OK);
    atc_store_close(store);
  }

  static atc_tune_options quick() {
    atc_tune_options options{};
    options.struct_size = sizeof(options);
    // The budget of a race in seconds. It is so long that it never ends the race, even on a busy
    // machine.
    options.problem_budget_seconds = 60;
    // Each candidate gets its turn, also if a busy machine makes turns seem expensive.
    options.expected_calls = std::numeric_limits<double>::infinity();
    return options;
  }

  // Returns a problem with another size for each test, because a process remembers its
  // measurements.
  atc_conv_problem problem() {
    atc_conv_problem made = small_problem();
    static std::int64_t next = 10;
    made.input[0] = next++;
    return made;
  }

  ReportPtr tune(const std::vector<atc_conv_problem>& problems, const atc_tune_options& options) {
    atc_tune_report* report = nullptr;
    EXPECT_EQ(atc_tune(&report, kCpu, problems.data(), problems.size(), &options, nullptr, nullptr),
              ATC_OK)
        << atc_last_error();
    return ReportPtr(report);
  }

  static atc_tuned_problem at(const ReportPtr& report, std::size_t index) {
    atc_tuned_problem tuned{};
    tuned.struct_size = sizeof(tuned);
    EXPECT_EQ(atc_tune_report_problem(&tuned, report.get(), index), ATC_OK) << atc_last_error();
    return tuned;
  }

  static std::int32_t source_of(const atc_conv_problem& problem,
                                const atc_conv_options* options = nullptr) {
    atc_conv_plan* plan = nullptr;
    EXPECT_EQ(atc_conv_plan_create(&plan, kCpu, &problem, options), ATC_OK) << atc_last_error();
    std::int32_t source = 0;
    EXPECT_EQ(atc_conv_plan_source(&source, plan), ATC_OK);
    atc_conv_plan_destroy(plan);
    return source;
  }

  OwnEngine own_;
  const atc::test::TempFolder folder_;
};

TEST_F(Tuning, RacesEverybodyAndReportsEachCandidate) {
  const ReportPtr report = tune({problem()}, quick());
  const atc_tuned_problem tuned = at(report, 0);
  ASSERT_EQ(tuned.status, ATC_OK) << tuned.why;
  EXPECT_EQ(tuned.source, ATC_SOURCE_TUNED);
  ASSERT_GE(tuned.candidates, 2u);
  ASSERT_GE(tuned.winner, 0);
  EXPECT_EQ(tuned.default_candidate, 0);
  EXPECT_FALSE(tuned.flags & ATC_TUNED_STORED);
  bool own_raced = false;
  for (std::size_t i = 0; i < tuned.candidates; ++i) {
    atc_candidate candidate{};
    candidate.struct_size = sizeof(candidate);
    ASSERT_EQ(atc_tune_report_candidate(&candidate, report.get(), 0, i), ATC_OK);
    EXPECT_EQ(candidate.outcome == ATC_OUTCOME_WON, static_cast<std::int64_t>(i) == tuned.winner);
    if (std::string(candidate.engine) == "own") own_raced = candidate.samples > 0;
    if (candidate.samples > 0) {
      EXPECT_GT(candidate.min, 0);
      EXPECT_LE(candidate.min, candidate.median);
      EXPECT_LE(candidate.median, candidate.max);
    }
  }
  EXPECT_TRUE(own_raced);
  atc_candidate none{};
  none.struct_size = sizeof(none);
  EXPECT_EQ(atc_tune_report_candidate(&none, report.get(), 0, tuned.candidates),
            ATC_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(atc_tune_report_candidate(&none, report.get(), 1, 0), ATC_ERROR_INVALID_ARGUMENT);
}

TEST_F(Tuning, AWrongEngineIsRefusedByTheGateAndNeverRuns) {
  own_.factor = -1;
  const ReportPtr report = tune({problem()}, quick());
  const atc_tuned_problem tuned = at(report, 0);
  ASSERT_EQ(tuned.status, ATC_OK);
  bool seen = false;
  for (std::size_t i = 0; i < tuned.candidates; ++i) {
    atc_candidate candidate{};
    candidate.struct_size = sizeof(candidate);
    ASSERT_EQ(atc_tune_report_candidate(&candidate, report.get(), 0, i), ATC_OK);
    if (std::string(candidate.engine) != "own") continue;
    seen = true;
    EXPECT_EQ(candidate.outcome, ATC_OUTCOME_WRONG_RESULT);
    EXPECT_STRNE(candidate.reason, "");
    EXPECT_EQ(candidate.samples, 0u);
  }
  EXPECT_TRUE(seen);
}

TEST_F(Tuning, NothingIsMeasuredUnlessItIsAskedFor) {
  const atc_conv_problem mine = problem();
  EXPECT_THAT(source_of(mine), testing::AnyOf(ATC_SOURCE_DEFAULT, ATC_SOURCE_REFERENCE));
  // The switch benchmark_cudnn only has an effect on CUDA, and this test runs on the CPU.
  ASSERT_EQ(atc_set_benchmark_cudnn(1), ATC_OK);
  EXPECT_THAT(source_of(mine), testing::AnyOf(ATC_SOURCE_DEFAULT, ATC_SOURCE_REFERENCE));
  ASSERT_EQ(atc_set_benchmark_cudnn(0), ATC_OK);
  EXPECT_EQ(own_.executed, 0);
  atc_conv_options options{};
  options.struct_size = sizeof(options);
  options.tune = ATC_ON;
  options.budget_seconds = 3;
  EXPECT_EQ(source_of(mine, &options), ATC_SOURCE_TUNED);
  EXPECT_EQ(source_of(mine, &options), ATC_SOURCE_MEMORY);
  EXPECT_THAT(source_of(mine), testing::AnyOf(ATC_SOURCE_DEFAULT, ATC_SOURCE_REFERENCE));
}

// Tests with a provisional decision, which is uncertain and is measured again when there is a
// reason. On some machines a race ends with a provisional decision, on others with a firm one. So
// the fixture changes the stored record.
class ProvisionalRecord : public Tuning {
 protected:
  void SetUp() override {
    Tuning::SetUp();
    use_store(ATC_STORE_READ_WRITE);
    atc_tune_options options = quick();
    options.technique = ATC_TECHNIQUE_ONCE;  // a race with this technique is never provisional
    ASSERT_EQ(at(tune({mine_, firm_}, options), 0).flags, ATC_TUNED_STORED);
    ASSERT_EQ(atc_store_in_use(&store_), ATC_OK);
    atc_bytes* bytes = nullptr;
    ASSERT_EQ(atc_store_get(&bytes, store_, kCpu, &mine_, nullptr), ATC_OK) << atc_last_error();
    std::string entry(atc_bytes_data(bytes), atc_bytes_size(bytes));
    atc_bytes_destroy(bytes);
    entry = "{" + entry.substr(entry.find("\"key\":"));
    const std::string value = "\"value\":{";
    entry.insert(entry.find(value) + value.size(),
                 R"("provisional":{"risk":0.07,"why":"too noisy","budget":60},)");
    ASSERT_EQ(atc_store_put(store_, entry.data(), entry.size(), nullptr), ATC_OK)
        << atc_last_error();
    EXPECT_EQ(in_store(), 0u) << "it has taken the place of a firm one";
    ASSERT_EQ(atc_store_remove(nullptr, store_, entry.data(), entry.size()), ATC_OK);
    ASSERT_EQ(atc_store_put(store_, entry.data(), entry.size(), nullptr), ATC_OK)
        << atc_last_error();
  }
  void TearDown() override {
    atc_store_close(store_);
    Tuning::TearDown();
  }
  std::uint64_t in_store() const {
    std::uint64_t count = 99;
    EXPECT_EQ(atc_store_provisional(&count, store_), ATC_OK) << atc_last_error();
    return count;
  }

  const atc_conv_problem mine_ = problem(), firm_ = problem();
  atc_store* store_ = nullptr;
};

TEST_F(ProvisionalRecord, IsToldWithItsRisk) {
  EXPECT_EQ(in_store(), 1u);
  atc_tune_options options = quick();
  const ReportPtr report = tune({mine_, firm_}, options);
  std::size_t count = 99;
  EXPECT_EQ(atc_tune_report_provisional(&count, report.get()), ATC_OK);
  EXPECT_EQ(count, 1u);
  EXPECT_EQ(at(report, 0).source, ATC_SOURCE_RECORD);
  EXPECT_EQ(at(report, 0).flags, ATC_TUNED_STORED | ATC_TUNED_UNSTABLE);
  EXPECT_EQ(at(report, 0).risk, 0.07);
  EXPECT_STREQ(at(report, 0).why, "too noisy");
  EXPECT_EQ(at(report, 1).flags, ATC_TUNED_STORED);
  EXPECT_EQ(at(report, 1).risk, 0);
  for (const atc_conv_problem* one : {&mine_, &firm_}) {
    atc_conv_plan* plan = nullptr;
    ASSERT_EQ(atc_conv_plan_create(&plan, kCpu, one, nullptr), ATC_OK) << atc_last_error();
    std::int32_t provisional = 99;
    double risk = 99;
    EXPECT_EQ(atc_conv_plan_provisional(&provisional, &risk, plan), ATC_OK);
    EXPECT_EQ(provisional, one == &mine_ ? 1 : 0);
    EXPECT_EQ(risk, one == &mine_ ? 0.07 : 0);
    atc_conv_plan_destroy(plan);
  }
}

// The record in the store is provisional, but the decision that this process has measured itself is
// firm. So no further race is needed.
TEST_F(ProvisionalRecord, IsDecidedAgainOnRequest) {
  atc_tune_options options = quick();
  options.technique = ATC_TECHNIQUE_ONCE;
  // The budget is less than the 60 s of the race that made the stored record.
  options.problem_budget_seconds = 59;
  options.retune = ATC_RETUNE_PROVISIONAL;
  const ReportPtr report = tune({mine_, firm_}, options);
  EXPECT_EQ(at(report, 0).source, ATC_SOURCE_MEMORY);
  EXPECT_FALSE(at(report, 0).flags & ATC_TUNED_UNSTABLE);
  EXPECT_EQ(at(report, 1).source, ATC_SOURCE_RECORD);
  EXPECT_EQ(in_store(), 0u);
}

TEST_F(ProvisionalRecord, MayBeRefusedByPlans) {
  use_store(ATC_STORE_REPLAY_ONLY);
  atc_conv_options strict{};
  strict.struct_size = sizeof(strict);
  strict.require_firm = ATC_ON;
  EXPECT_EQ(source_of(firm_, &strict), ATC_SOURCE_RECORD);
  EXPECT_EQ(source_of(mine_), ATC_SOURCE_RECORD);
  atc_conv_plan* plan = nullptr;
  EXPECT_EQ(atc_conv_plan_create(&plan, kCpu, &mine_, &strict), ATC_ERROR_NOT_TUNED);
  EXPECT_THAT(atc_last_error(), HasSubstr("require_firm"));
}

TEST_F(Tuning, ARecordIsUsedByPlansEagerCallsAndTuning) {
  const atc_conv_problem mine = problem();
  atc_store* store = nullptr;
  ASSERT_EQ(atc_store_open(&store, folder_.c_str(), ATC_STORE_READ_WRITE), ATC_OK);
  ASSERT_EQ(atc_store_use(store), ATC_OK);
  atc_bytes* entry = nullptr;
  EXPECT_EQ(atc_store_get(&entry, store, kCpu, &mine, nullptr), ATC_ERROR_NOT_TUNED);
  const ReportPtr report = tune({mine}, quick());
  const atc_tuned_problem first = at(report, 0);
  ASSERT_EQ(first.status, ATC_OK) << first.why;
  ASSERT_TRUE(first.flags & ATC_TUNED_STORED) << first.why;
  ASSERT_EQ(atc_store_get(&entry, store, kCpu, &mine, nullptr), ATC_OK) << atc_last_error();
  EXPECT_THAT(std::string(atc_bytes_data(entry), atc_bytes_size(entry)), HasSubstr("\"choice\""));
  atc_bytes_destroy(entry);
  EXPECT_EQ(source_of(mine), ATC_SOURCE_RECORD);
  const int executed = own_.executed;
  const ReportPtr again = tune({mine}, quick());
  EXPECT_EQ(at(again, 0).source, ATC_SOURCE_RECORD);
  EXPECT_STREQ(at(again, 0).choice, first.choice);
  EXPECT_EQ(own_.executed, executed) << "a warm start measured";
  EXPECT_GT(first.executions, 0u);
  EXPECT_EQ(at(again, 0).executions, 0u);

  // If tuning is off and there is no record for a batch, the record of the nearest batch within a
  // factor of two is used.
  atc_conv_problem near = mine, far = mine;
  near.batch = 3;
  far.batch = 5;
  EXPECT_EQ(source_of(near), ATC_SOURCE_INHERITED);
  EXPECT_THAT(source_of(far), testing::AnyOf(ATC_SOURCE_DEFAULT, ATC_SOURCE_REFERENCE));

  atc_store_close(store);
  use_store(ATC_STORE_REPLAY_ONLY);
  EXPECT_EQ(source_of(mine), ATC_SOURCE_RECORD);
  atc_conv_plan* plan = nullptr;
  EXPECT_EQ(atc_conv_plan_create(&plan, kCpu, &near, nullptr), ATC_ERROR_NOT_TUNED);
  EXPECT_THAT(atc_last_error(), HasSubstr("replay-only"));
  Call call(near);
  EXPECT_EQ(call.eager(), ATC_ERROR_NOT_TUNED);
  EXPECT_EQ(at(tune({near}, quick()), 0).status, ATC_ERROR_NOT_TUNED);
}

TEST_F(Tuning, OtherVersionsAreRefusedWithAReplayOnlyStore) {
  const atc_conv_problem mine = problem();
  use_store(ATC_STORE_READ_WRITE);
  atc_tune_options racing = quick();
  racing.other_versions = ATC_ON;
  EXPECT_EQ(at(tune({mine}, racing), 0).status, ATC_OK);
  atc_conv_options options = ATC_CONV_OPTIONS_INIT;
  options.other_versions = ATC_ON;
  atc_conv_plan* plan = nullptr;
  ASSERT_EQ(atc_conv_plan_create(&plan, kCpu, &mine, &options), ATC_OK) << atc_last_error();
  atc_conv_plan_destroy(plan);
  use_store(ATC_STORE_REPLAY_ONLY);
  EXPECT_EQ(atc_conv_plan_create(&plan, kCpu, &mine, &options), ATC_ERROR_INVALID_ARGUMENT);
  EXPECT_THAT(atc_last_error(), HasSubstr("options.other_versions is 2 (on)"));
  const ReportPtr report = tune({mine}, racing);
  EXPECT_EQ(at(report, 0).status, ATC_ERROR_INVALID_ARGUMENT);
  EXPECT_THAT(at(report, 0).why, HasSubstr("mode read"));
}

// Limits the size of files while an object of this class exists, so that each write that extends a
// file fails. To code that writes a file, this looks like a full disk.
class FullDisk {
 public:
  FullDisk() : handler_(signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    rlimit none = before_;
    none.rlim_cur = 0;
    setrlimit(RLIMIT_FSIZE, &none);
  }
  ~FullDisk() {
    setrlimit(RLIMIT_FSIZE, &before_);
    signal(SIGXFSZ, handler_);
  }

 private:
  sighandler_t handler_;
  rlimit before_{};
};

TEST_F(Tuning, ADecisionThatTheStoreCannotWriteIsReportedAsUnwritten) {
  use_store(ATC_STORE_READ_WRITE);
  const atc_conv_problem mine = problem();
  atc_tune_options options = quick();
  options.technique = ATC_TECHNIQUE_ONCE;
  const auto lost = [&] {
    const FullDisk disk;
    return tune({mine}, options);
  }();
  EXPECT_EQ(at(lost, 0).status, ATC_OK) << "the decision stands for this process";
  EXPECT_EQ(at(lost, 0).flags, ATC_TUNED_UNWRITTEN);
  EXPECT_THAT(at(lost, 0).why, HasSubstr("File too large"));

  options.retune = ATC_ON;
  EXPECT_EQ(at(tune({mine}, options), 0).flags, ATC_TUNED_STORED) << "there is room again";
}

TEST_F(Tuning, ADecisionThatTheStoreCouldNotWriteIsWrittenOnceThereIsRoom) {
  use_store(ATC_STORE_READ_WRITE);
  const atc_conv_problem mine = problem();
  atc_tune_options options = quick();
  options.technique = ATC_TECHNIQUE_ONCE;
  const auto on_full_disk = [&] {
    const FullDisk disk;
    return tune({mine}, options);
  };
  ASSERT_EQ(at(on_full_disk(), 0).flags, ATC_TUNED_UNWRITTEN);
  const ReportPtr again = on_full_disk();
  EXPECT_EQ(at(again, 0).source, ATC_SOURCE_RECORD);
  EXPECT_EQ(at(again, 0).flags, ATC_TUNED_UNWRITTEN);
  EXPECT_THAT(at(again, 0).why, HasSubstr("File too large"));

  const ReportPtr written = tune({mine}, options);
  EXPECT_EQ(at(written, 0).source, ATC_SOURCE_RECORD);
  EXPECT_EQ(at(written, 0).flags, ATC_TUNED_STORED);
  EXPECT_STREQ(at(written, 0).why, "");
  use_store(ATC_STORE_REPLAY_ONLY);
  EXPECT_EQ(source_of(mine), ATC_SOURCE_RECORD);
}

// Puts the entry of the problem into the store again, unchanged, as if another user had sent the
// entry.
void send_back(atc_store* store, const atc_conv_problem& problem) {
  atc_bytes* bytes = nullptr;
  ASSERT_EQ(atc_store_get(&bytes, store, kCpu, &problem, nullptr), ATC_OK) << atc_last_error();
  EXPECT_EQ(atc_store_put(store, atc_bytes_data(bytes), atc_bytes_size(bytes), nullptr), ATC_OK)
      << atc_last_error();
  atc_bytes_destroy(bytes);
}

TEST_F(Tuning, ARecordFromOutsideIsCheckedOnceBeforeAPlanRunsIt) {
  use_store(ATC_STORE_READ_WRITE);
  const atc_conv_problem mine = problem(), measured = problem();
  atc_tune_options options = quick();
  options.technique = ATC_TECHNIQUE_ONCE;
  options.engines_allowed = "own";
  ASSERT_EQ(at(tune({mine, measured}, options), 0).flags, ATC_TUNED_STORED);
  atc_store* store = nullptr;
  ASSERT_EQ(atc_store_in_use(&store), ATC_OK);
  atc_conv_options own{};
  own.struct_size = sizeof(own);
  // Calls of this front end have the engine "own" as their default engine.
  std::strcpy(own.front_end, "own");

  send_back(store, mine);
  int executed = own_.executed;
  EXPECT_EQ(source_of(measured, &own), ATC_SOURCE_RECORD);
  EXPECT_EQ(own_.executed, executed) << "this process's user has measured it";
  EXPECT_EQ(source_of(mine, &own), ATC_SOURCE_RECORD);
  EXPECT_GT(own_.executed, executed);
  executed = own_.executed;
  EXPECT_EQ(source_of(mine, &own), ATC_SOURCE_RECORD);
  EXPECT_EQ(own_.executed, executed) << "checked a second time";
  atc_store_close(store);
}

TEST_F(Tuning, ARecordFromOutsideWhoseResultIsWrongIsNotUsed) {
  use_store(ATC_STORE_READ_WRITE);
  const atc_conv_problem mine = problem(), measured = problem();
  atc_tune_options options = quick();
  options.technique = ATC_TECHNIQUE_ONCE;
  options.engines_allowed = "own";
  ASSERT_EQ(at(tune({mine, measured}, options), 0).flags, ATC_TUNED_STORED);
  atc_store* store = nullptr;
  ASSERT_EQ(atc_store_in_use(&store), ATC_OK);
  atc_conv_options own{};
  own.struct_size = sizeof(own);
  std::strcpy(own.front_end, "own");
  send_back(store, mine);
  own_.factor = 2;
  EXPECT_EQ(source_of(measured, &own), ATC_SOURCE_RECORD);
  EXPECT_THAT(source_of(mine, &own), testing::AnyOf(ATC_SOURCE_DEFAULT, ATC_SOURCE_REFERENCE));
  use_store(ATC_STORE_REPLAY_ONLY);
  atc_conv_plan* plan = nullptr;
  EXPECT_EQ(atc_conv_plan_create(&plan, kCpu, &mine, &own), ATC_ERROR_NOT_TUNED);
  atc_store_close(store);
}

TEST_F(Tuning, AStoreThatIsOffIsNeitherReadNorWritten) {
  use_store(ATC_STORE_OFF);
  const auto before = std::distance(fs::recursive_directory_iterator(folder_.path()), {});
  const ReportPtr report = tune({problem()}, quick());
  EXPECT_FALSE(at(report, 0).flags & ATC_TUNED_STORED);
  EXPECT_EQ(std::distance(fs::recursive_directory_iterator(folder_.path()), {}), before);
}

TEST_F(Tuning, ChangingTheStoreTakesEffectOnTheNextEagerCall) {
  Call call(problem());
  ASSERT_EQ(call.eager(), ATC_OK);
  use_store(ATC_STORE_REPLAY_ONLY);
  EXPECT_EQ(call.eager(), ATC_ERROR_NOT_TUNED);
  ASSERT_EQ(atc_store_use(nullptr), ATC_OK);
  EXPECT_EQ(call.eager(), ATC_OK);
}

struct Cancel {
  std::uint64_t at_problem;
  std::vector<std::uint64_t> problems;
  std::vector<double> fractions;
};

extern "C" int32_t cancel_at(const atc_tune_progress* progress, void* payload) {
  auto& cancel = *static_cast<Cancel*>(payload);
  cancel.problems.push_back(progress->problem);
  cancel.fractions.push_back(progress->problem_fraction);
  EXPECT_EQ(progress->problems, 3u);
  EXPECT_THAT(progress->description, HasSubstr("forward"));
  return progress->problem >= cancel.at_problem ? 1 : 0;
}

TEST_F(Tuning, CancellingKeepsWhatWasDecided) {
  Cancel cancel{1, {}, {}};
  const std::vector<atc_conv_problem> problems = {problem(), problem(), problem()};
  const atc_tune_options options = quick();
  atc_tune_report* made = nullptr;
  EXPECT_EQ(atc_tune(&made, kCpu, problems.data(), 3, &options, cancel_at, &cancel),
            ATC_ERROR_CANCELLED);
  ASSERT_NE(made, nullptr);
  const ReportPtr report(made);
  EXPECT_EQ(at(report, 0).status, ATC_OK);
  EXPECT_EQ(at(report, 1).status, ATC_ERROR_CANCELLED);
  EXPECT_EQ(at(report, 2).status, ATC_ERROR_CANCELLED);
  EXPECT_GE(cancel.problems.size(), 2u);
  for (std::size_t i = 1; i < cancel.problems.size(); ++i)
    if (cancel.problems[i] == cancel.problems[i - 1]) {
      EXPECT_GE(cancel.fractions[i], cancel.fractions[i - 1]);
    }
}

// If only the reference and the test's engine are timed, the race makes more rounds than it has
// estimated at its start. The reported fraction must nevertheless rise to 1.
TEST_F(Tuning, TheFractionRisesToOneAtTheEndOfEachProblem) {
  for (const std::int32_t technique : {ATC_TECHNIQUE_ONCE, ATC_TECHNIQUE_INTERLEAVED}) {
    Cancel watched{3, {}, {}};
    const std::vector<atc_conv_problem> problems = {problem(), problem(), problem()};
    atc_tune_options options = quick();
    options.technique = technique;
    options.problem_budget_seconds = 1;
    ASSERT_DONE(atc_tune(nullptr, kCpu, problems.data(), 3, &options, cancel_at, &watched));
    for (std::uint64_t number = 0; number < 3; ++number) {
      std::vector<double> fractions;
      for (std::size_t i = 0; i < watched.problems.size(); ++i)
        if (watched.problems[i] == number) fractions.push_back(watched.fractions[i]);
      ASSERT_GE(fractions.size(), 4u);
      EXPECT_EQ(fractions.front(), 0);
      EXPECT_TRUE(std::is_sorted(fractions.begin(), fractions.end()));
      EXPECT_EQ(std::count(fractions.begin(), fractions.end(), 1.0), 1);
      EXPECT_EQ(fractions.back(), 1);
    }
  }
}

extern "C" int32_t cancel_in_race(const atc_tune_progress* progress, void*) {
  return progress->problem_fraction > 0 ? 1 : 0;
}

TEST_F(Tuning, CancelledBeforeTheFirstSampleNothingIsDecided) {
  for (const std::int32_t technique : {ATC_TECHNIQUE_ONCE, ATC_TECHNIQUE_INTERLEAVED}) {
    const atc_conv_problem mine = problem();
    atc_tune_options options = quick();
    options.technique = technique;
    atc_tune_report* made = nullptr;
    EXPECT_EQ(atc_tune(&made, kCpu, &mine, 1, &options, cancel_in_race, nullptr),
              ATC_ERROR_CANCELLED);
    ASSERT_NE(made, nullptr);
    const atc_tuned_problem tuned = at(ReportPtr(made), 0);
    EXPECT_EQ(tuned.status, ATC_ERROR_CANCELLED);
    EXPECT_EQ(tuned.source, 0);
    EXPECT_EQ(tuned.winner, -1);
  }
}

TEST_F(Tuning, TheBudgetInAllIsKeptAndSaid) {
  atc_tune_options options = quick();
  options.total_budget_seconds = 1e-9;
  const ReportPtr report = tune({problem(), problem()}, options);
  EXPECT_EQ(at(report, 1).status, ATC_ERROR_NOT_TUNED);
  EXPECT_THAT(at(report, 1).why, HasSubstr("budget"));
}

TEST_F(Tuning, AFailingProblemDoesNotStopTheOthers) {
  atc_conv_problem odd = problem();
  odd.x_dtype = ATC_DTYPE_F16;
  odd.w_dtype = ATC_DTYPE_BF16;
  atc_tune_options options = quick();
  options.engines_barred = "reference";
  // Mixed types must be converted, and conversion needs workspace.
  options.workspace_limit = ATC_NONE;
  const std::vector<atc_conv_problem> problems = {odd, problem()};
  const ReportPtr report = tune(problems, options);
  EXPECT_EQ(at(report, 0).status, ATC_ERROR_UNSUPPORTED);
  EXPECT_EQ(at(report, 1).status, ATC_OK) << at(report, 1).why;
}

TEST_F(Tuning, EnginesAreAllowedAndBarredByName) {
  atc_tune_options options = quick();
  options.engines_allowed = "own, reference";
  const ReportPtr report = tune({problem()}, options);
  const atc_tuned_problem tuned = at(report, 0);
  ASSERT_EQ(tuned.status, ATC_OK) << tuned.why;
  for (std::size_t i = 0; i < tuned.candidates; ++i) {
    atc_candidate candidate{};
    candidate.struct_size = sizeof(candidate);
    ASSERT_EQ(atc_tune_report_candidate(&candidate, report.get(), 0, i), ATC_OK);
    EXPECT_THAT(candidate.engine,
                testing::AnyOf(testing::StrEq("own"), testing::StrEq("reference")));
  }
}

TEST_F(Tuning, WhatIsTunedWithDefaultsIsFoundWithDefaults) {
  for (const auto& entry : entry_points(kCpu)) {
    SCOPED_TRACE(entry.name);
    use_store(ATC_STORE_READ_WRITE);
    Call call(problem());
    entry.tune(call);
    atc_store* replayed = nullptr;
    ASSERT_EQ(atc_store_open(&replayed, folder_.c_str(), ATC_STORE_REPLAY_ONLY), ATC_OK);
    ASSERT_EQ(atc_store_use(replayed), ATC_OK);
    expect_found_by_all(replayed, call);
    atc_store_close(replayed);
  }
}

// If a candidate crashes the process in which a program tunes, the program can refuse the candidate
// in a new process (atc_tune_refuse) and tune again. The test makes these two calls.
TEST_F(Tuning, ARefusedCandidateDoesNotRunAndTheReportNamesTheReason) {
  atc_conv_problem mine = problem();
  mine.out_channels = 14;
  std::set<std::string> told;
  const auto note = [](const atc_tune_progress* progress, void* names) {
    static_cast<std::set<std::string>*>(names)->insert(progress->candidate);
    return 0;
  };
  const auto run = [&](int32_t retune) {
    told.clear();
    atc_tune_options options = quick();
    options.retune = retune;
    atc_tune_report* report = nullptr;
    EXPECT_EQ(atc_tune(&report, kCpu, &mine, 1, &options, note, &told), ATC_OK) << atc_last_error();
    return ReportPtr(report);
  };
  const ReportPtr first = run(0);
  atc_tuned_problem tuned = ATC_TUNED_PROBLEM_INIT;
  ASSERT_EQ(atc_tune_report_problem(&tuned, first.get(), 0), ATC_OK);
  if (tuned.candidates < 2) GTEST_SKIP() << "this build has one engine alone: there is no race";
  EXPECT_EQ(told.count(tuned.choice), 1U) << "the candidate that works was not told";
  EXPECT_EQ(told.count(""), 1U);
  const std::string winner = tuned.choice;
  const atc_tune_options options = quick();
  EXPECT_EQ(atc_tune_refuse(kCpu, &mine, &options, winner.c_str(), ""), ATC_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(atc_tune_refuse(kCpu, &mine, &options, "no choice", "x"), ATC_ERROR_INVALID_ARGUMENT);
  ASSERT_EQ(atc_tune_refuse(kCpu, &mine, &options, winner.c_str(), "it ended the process"), ATC_OK)
      << atc_last_error();
  const ReportPtr second = run(ATC_ON);
  tuned = ATC_TUNED_PROBLEM_INIT;
  ASSERT_EQ(atc_tune_report_problem(&tuned, second.get(), 0), ATC_OK);
  EXPECT_NE(winner, tuned.choice);
  bool listed = false;
  for (std::size_t i = 0; i < tuned.candidates; ++i) {
    atc_candidate candidate = ATC_CANDIDATE_INIT;
    ASSERT_EQ(atc_tune_report_candidate(&candidate, second.get(), 0, i), ATC_OK);
    const std::string choice = std::string(candidate.rewrites) + candidate.engine + "@" +
                               candidate.version + ":" + candidate.configuration;
    if (choice != winner) continue;
    listed = true;
    EXPECT_EQ(candidate.outcome, ATC_OUTCOME_WRONG_RESULT);
    EXPECT_THAT(candidate.reason, HasSubstr("it ended the process"));
    EXPECT_EQ(candidate.executions, 0U);
  }
  EXPECT_TRUE(listed);
}

TEST_F(Tuning, EmptyAndBadArguments) {
  const ReportPtr report = tune({}, quick());
  std::size_t count = 1;
  ASSERT_EQ(atc_tune_report_count(&count, report.get()), ATC_OK);
  EXPECT_EQ(count, 0u);
  const atc_conv_problem mine = problem();
  EXPECT_EQ(atc_tune(nullptr, kCpu, nullptr, 1, nullptr, nullptr, nullptr),
            ATC_ERROR_INVALID_ARGUMENT);
  EXPECT_THAT(atc_last_error(), HasSubstr("problems"));
  atc_tune_options options = quick();
  options.tie_margin = 2;
  EXPECT_EQ(atc_tune(nullptr, kCpu, &mine, 1, &options, nullptr, nullptr),
            ATC_ERROR_INVALID_ARGUMENT);
  EXPECT_THAT(atc_last_error(), HasSubstr("tie_margin is 2"));
  for (const double calls : {-3.0, -0.0, std::nan("")}) {
    options = quick();
    options.expected_calls = calls;
    EXPECT_EQ(atc_tune(nullptr, kCpu, &mine, 1, &options, nullptr, nullptr),
              ATC_ERROR_INVALID_ARGUMENT);
    EXPECT_THAT(atc_last_error(),
                AllOf(HasSubstr("expected_calls is "), HasSubstr("use a number above 0")));
  }
  options = quick();
  options.technique = 9;
  EXPECT_EQ(atc_tune(nullptr, kCpu, &mine, 1, &options, nullptr, nullptr),
            ATC_ERROR_INVALID_ARGUMENT);
  EXPECT_THAT(atc_last_error(), HasSubstr("technique is 9"));
  options = quick();
  options.require_firm = 3;
  EXPECT_EQ(atc_tune(nullptr, kCpu, &mine, 1, &options, nullptr, nullptr),
            ATC_ERROR_INVALID_ARGUMENT);
  EXPECT_THAT(atc_last_error(), HasSubstr("require_firm is 3"));
  options = quick();
  options.strict_precision = 3;
  EXPECT_EQ(atc_tune(nullptr, kCpu, &mine, 1, &options, nullptr, nullptr),
            ATC_ERROR_INVALID_ARGUMENT);
  EXPECT_THAT(atc_last_error(), HasSubstr("strict_precision is 3"));
  options = quick();
  options.retune = 4;
  EXPECT_EQ(atc_tune(nullptr, kCpu, &mine, 1, &options, nullptr, nullptr),
            ATC_ERROR_INVALID_ARGUMENT);
  EXPECT_THAT(atc_last_error(), HasSubstr("retune is 4"));
}

}  // namespace
