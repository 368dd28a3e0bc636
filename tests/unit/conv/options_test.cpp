// Tests resolve(), which makes a request (the final options of a call) from the call's options and
// the process's settings.
#include "conv/options.hpp"

#include <gtest/gtest.h>

#include "core/settings.hpp"
#include "fake_engine.hpp"

namespace atc::conv {
namespace {

Request resolved(const PlanOptions& options = {}) {
  Settings settings;
  settings.benchmark_limit_cudnn = 7;
  return resolve({DeviceType::cuda, 0}, atc_test::problem_of(7), options, settings);
}

std::size_t places_of(const char* name, const Request& request) {
  auto script = std::make_shared<atc_test::Script>();
  script->name = name;
  return request.places_of(atc_test::FakeEngine(script));
}

TEST(Options, OptionsThatNothingChangesReachTheRequest) {
  PlanOptions given;
  given.allow_reference = false;
  given.strict_precision = true;
  given.engines_allowed = {"fake"};
  const Request request = resolved(given);
  EXPECT_FALSE(request.allow_reference);
  EXPECT_TRUE(request.strict_precision);
  EXPECT_FALSE(request.require_firm);
  EXPECT_EQ(request.engines_allowed, given.engines_allowed);
}

TEST(Options, TheLimitOfCudnnsCandidatesIsCudnnsAlone) {
  const Request request = resolved();
  // max_candidates is 0, so the total number of candidates in a race is not limited. But the number
  // of candidates of each engine is limited: places_of() returns this limit.
  EXPECT_EQ(request.race.max_candidates, 0u);
  EXPECT_EQ(places_of("cudnn", request), 7u);
  EXPECT_EQ(places_of("fake", request), 4u);
  Request from_front_end = request;
  from_front_end.front_end = "fake";
  EXPECT_GT(places_of("fake", from_front_end), 1000u);
}

TEST(Options, ALimitGivenWithTheCallHoldsForAllTogether) {
  PlanOptions given;
  given.max_candidates = 3;
  const Request request = resolved(given);
  EXPECT_EQ(request.race.max_candidates, 3u);
  EXPECT_GT(places_of("cudnn", request), 1000u);
}

TEST(Options, ALimitThatNobodyChoseIsWidened) {
  const auto goes_beyond_places = [](std::int32_t limit, const PlanOptions& options) {
    Settings settings;
    settings.benchmark_limit_cudnn = limit;
    const Request request =
        resolve({DeviceType::cuda, 0}, atc_test::problem_of(7), options, settings);
    auto script = std::make_shared<atc_test::Script>();
    script->name = "cudnn";
    return request.goes_beyond_places(atc_test::FakeEngine(script));
  };
  EXPECT_TRUE(goes_beyond_places(10, {}));
  EXPECT_FALSE(goes_beyond_places(9, {}));
  // with the limit 0 the number of candidates is not limited, so no candidate exceeds it
  EXPECT_FALSE(goes_beyond_places(0, {}));
  PlanOptions narrow;
  narrow.widen = false;
  EXPECT_FALSE(goes_beyond_places(10, narrow));
  PlanOptions limited;
  limited.max_candidates = 10;
  EXPECT_FALSE(goes_beyond_places(10, limited));
}

TEST(Options, OtherEnginesHaveNoSpares) {
  auto script = std::make_shared<atc_test::Script>();
  script->name = "fake";
  const Request request = resolve({DeviceType::cuda, 0}, atc_test::problem_of(7), {}, {});
  EXPECT_FALSE(request.goes_beyond_places(atc_test::FakeEngine(script)));
}

}  // namespace
}  // namespace atc::conv
