// Every call of the driver and of cuDNN that tuning, a plan or an eager call makes fails once, with
// several statuses. Each time the call of atc returns the documented status with a sentence that
// names the failed call, or succeeds without it. The next call succeeds, and nothing has leaked.
#include <algorithm>
#include <tuple>

#include "fault/scenarios.hpp"

namespace atc::fault {
namespace {

using testing::Contains;
using testing::HasSubstr;

struct Failure {
  Part part;
  int status;
};

using Parameters = std::tuple<Scenario, Failure>;

class EveryCall : public testing::TestWithParam<Parameters> {};

// One engine of each mode of the heuristics; a third would add no new kind of call.
Script two_engines() {
  Script script = usual_script();
  script.engines.resize(2);
  script.engines[1].fallback = true;
  return script;
}

std::map<std::string, std::int64_t> after_a_good_run(const Scenario& scenario, Layer& layer) {
  EXPECT_DONE(atc_cache_clear());
  const Ending good = scenario.run(layer);
  EXPECT_EQ(good.status, ATC_OK) << good.text;
  auto alive = machine().alive();
  if (scenario.keeps_plans) alive.erase("descriptor");
  return alive;
}

TEST_P(EveryCall, FailsOnce) {
  on_machine(two_engines(), [] {
    const auto [scenario, failure] = GetParam();
    Layer layer(tiny_problem());
    after_a_good_run(scenario, layer);  // objects that a process makes once exist now
    const auto usual = after_a_good_run(scenario, layer);
    std::uint64_t call = 1;
    for (;; ++call) {
      EXPECT_DONE(atc_cache_clear());
      machine().break_call({failure.part, call, "", failure.status, false});
      const Ending ending = scenario.run(layer);
      const std::string broken = machine().broken(), next = machine().after_broken();
      // A failure during a recording means only that the candidate cannot be recorded.
      // A race that runs out of memory leaves its call to the default, with a line in the log.
      const bool lacked_memory = failure.part == Part::driver && failure.status == 2;
      const bool unseen =
          may_fail_unseen(broken, next) || machine().broken_in_recording() || lacked_memory;
      machine().mend();
      if (broken.empty()) break;
      SCOPED_TRACE("call " + std::to_string(call) + ", " + broken + ", then " + next);
      if (ending.status != ATC_OK) {
        EXPECT_THAT(statuses_of(failure.part, failure.status), Contains(ending.status))
            << atc_status_name(ending.status) << ": " << ending.text;
        EXPECT_TRUE(ending.tells_of(broken)) << ending.text;
      } else if (scenario.gives_reasons) {
        EXPECT_TRUE(ending.tells_of(broken) || unseen) << ending.text;
      }
      EXPECT_EQ(after_a_good_run(scenario, layer), usual);
      if (HasFailure()) return;
    }
    EXPECT_GT(call, 10u) << "the calls that were made";
    EXPECT_DONE(atc_cache_clear());
  });
}

std::string name_of(const testing::TestParamInfo<Parameters>& info) {
  const auto& [scenario, failure] = info.param;
  return std::string(scenario.name) + (failure.part == Part::driver ? "Driver" : "Cudnn") +
         std::to_string(failure.status);
}

INSTANTIATE_TEST_SUITE_P(
    Calls, EveryCall,
    testing::Combine(testing::Values(kTune, kPlan, kConstantWeights, kEager, kCaptured),
                     testing::Values(Failure{Part::driver, 2}, Failure{Part::driver, 719},
                                     Failure{Part::cudnn, 1002}, Failure{Part::cudnn, 3000},
                                     Failure{Part::cudnn, 4000}, Failure{Part::cudnn, 4004},
                                     Failure{Part::cudnn, 5000})),
    name_of);

// After a kernel has failed, every later call of the driver returns an error.
class AllCalls : public testing::TestWithParam<Scenario> {};

TEST_P(AllCalls, FailFromOneOn) {
  on_machine(two_engines(), [] {
    const Scenario& scenario = GetParam();
    Layer layer(tiny_problem());
    after_a_good_run(scenario, layer);
    const auto usual = after_a_good_run(scenario, layer);
    for (std::uint64_t call = 1;; ++call) {
      EXPECT_DONE(atc_cache_clear());
      machine().listen();
      machine().break_call({Part::driver, call, "", 719, true});
      const Ending ending = scenario.run(layer);
      const std::string broken = machine().broken();
      const std::vector<std::string> calls = machine().calls(Part::driver);
      machine().mend();
      if (broken.empty()) break;
      SCOPED_TRACE("from call " + std::to_string(call) + " on, " + broken);
      const bool gives_back = std::all_of(
          calls.begin() + static_cast<std::ptrdiff_t>(call - 1), calls.end(),
          [](const std::string& one) { return may_fail_unseen(one, "cuMemFreeAsync"); });
      if (ending.status != ATC_OK || !gives_back) {
        EXPECT_EQ(ending.status, ATC_ERROR_DEVICE)
            << atc_status_name(ending.status) << ": " << ending.text;
        EXPECT_THAT(ending.text, HasSubstr("CUDA_ERROR_LAUNCH_FAILED"));
      }
      EXPECT_EQ(after_a_good_run(scenario, layer), usual);
      if (HasFailure()) return;
    }
    EXPECT_DONE(atc_cache_clear());
  });
}

INSTANTIATE_TEST_SUITE_P(Calls, AllCalls,
                         testing::Values(kTune, kPlan, kConstantWeights, kEager, kCaptured),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace atc::fault
