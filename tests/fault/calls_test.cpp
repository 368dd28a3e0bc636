// Tests failures of the CUDA driver and of cuDNN. atc tunes, makes a plan or runs an eager call.
// Meanwhile one of atc's calls of the driver or of cuDNN fails. This is repeated for each of these
// calls and for several statuses. Each time the function of atc must either succeed without the
// failed call, or return the documented status with a sentence that names the failed call. The next
// call of atc must succeed, and nothing may leak.
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

// Returns a script in which each mode of cuDNN's heuristics proposes one engine. With a third
// engine, atc would make no other kinds of calls.
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
    // The first run makes the objects that a process makes only once. So only the objects after the
    // second run are compared with those after later runs.
    after_a_good_run(scenario, layer);
    const auto usual = after_a_good_run(scenario, layer);
    std::uint64_t call = 1;
    for (;; ++call) {
      EXPECT_DONE(atc_cache_clear());
      machine().break_call({failure.part, call, "", failure.status, false});
      const Ending ending = scenario.run(layer);
      const std::string broken = machine().broken(), next = machine().after_broken();
      // Some failures need not be named in an error. If a call fails while atc records its own work
      // into a graph, atc only concludes that this candidate cannot be recorded. If memory is short
      // while candidates are timed, the call runs the default candidate, and the log has a line
      // about it.
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

// From some call on, lets all calls of the driver fail. A real driver does the same after a kernel
// has failed.
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
