// Tests the forecast, which orders candidates by their expected times before they have run.
#include "tune/forecast.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace atc::tune {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Belief belief(double log_ratio, double deviation) {
  Belief made;
  made.log_ratio = log_ratio;
  made.deviation = deviation;
  return made;
}

TEST(Forecast, TheMostPromisingComesFirstAndSlowOnesAreLeftOut) {
  EXPECT_THAT(expected_faster({belief(-0.5, 0.2), belief(0.4, 0.2), belief(-2, 0.2)}),
              ElementsAre(2, 0));
}

TEST(Forecast, AnUncertainCandidateIsNotPreferredToTheDefault) {
  EXPECT_THAT(expected_faster({belief(-0.3, 0.8)}), IsEmpty());
  EXPECT_THAT(expected_faster({belief(-0.6, 1), belief(-0.5, 0.1)}), ElementsAre(1, 0));
}

TEST(Forecast, NothingIsExpectedOfACandidateThatNoRaceHasShown) {
  EXPECT_THAT(expected_faster({Belief{}, Belief{}}), IsEmpty());
  EXPECT_THAT(expected_faster({}), IsEmpty());
}

TEST(Forecast, EquallyPromisingCandidatesKeepTheirOrder) {
  EXPECT_THAT(expected_faster({belief(-1, 0.2), belief(-1, 0.2), belief(-1, 0.2)}),
              ElementsAre(0, 1, 2));
}

}  // namespace
}  // namespace atc::tune
