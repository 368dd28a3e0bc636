// Tests the fit of cost models to measured times. (A cost model computes the expected time of a
// kernel's configuration from some constants.) In the tests, the times are computed by the models
// with other constants, which the fit must find.
#include <gtest/gtest.h>

#include <string>

#include "fit_costs/fit.hpp"
#include "fit_costs/models.hpp"
#include "support/problems.hpp"

namespace atc::fit {
namespace {

constexpr kernels::Capacity kHopper{132, 227 << 10, true};

Limits usual_limits() {
  Limits limits;
  limits.alignment = 16;
  return limits;
}

// Adds samples of some layers to the models. A sample is a configuration with its time. Here the
// time is the cost that the model computes with the given constants.
void add_tiles(std::vector<Model>& models, const std::vector<double>& constants) {
  for (const std::int64_t channels : {64, 128, 256, 512})
    for (const std::int64_t extent : {7, 14, 28, 56}) {
      test::Spec spec;
      spec.x = spec.w = spec.y = Dtype::f16;
      spec.batch = 32;
      spec.channels_in = spec.channels_out = channels;
      spec.in = {extent, extent, 1};
      spec.kernel = {3, 3, 1};
      spec.pad_low = spec.pad_high = {1, 1, 0};
      const Problem problem = test::build(spec);
      for (const char* tile : {"tile_128x256_s", "tile_64x512_s", "tile_64x192_s", "tile_64x128_s"})
        for (const char* cut : {"1", "2", "1_c2", "1_c4", "1_r2", "1_r4"})
          add_sample(models, "dense", std::string(tile) + cut, problem, usual_limits(), kHopper,
                     test::label(problem), 1);
    }
  for (Sample& sample : models[0].samples) sample.ms = sample.cost(constants) / 1.7e6;
}

TEST(CostFit, FindsTheConstantsThatTheTimesAreOf) {
  std::vector<Model> all = models();
  Model& model = all.at(0);
  const std::vector<double> code = values_of(model);
  std::vector<double> truth = code;
  for (std::size_t i = 0; i < truth.size(); ++i)
    if (model.constants[i].is_free) truth[i] *= i % 2 == 0 ? 1.6 : 0.6;
  add_tiles(all, truth);
  ASSERT_GT(model.samples.size(), 100u);
  // the model's times with the right constants differ from the samples only by rounding errors
  EXPECT_LT(spread(model, truth), 1e-12);
  EXPECT_EQ(regret(model, truth), 0);
  ASSERT_GT(spread(model, code), 0.05);
  const std::vector<double> fitted = fit(model);
  // The search changes a constant by at least 0.5 %, so it may miss the right value by that much.
  EXPECT_LT(spread(model, fitted), 0.005);
  EXPECT_EQ(fitted[0], code[0]) << "a property of the hardware";
}

TEST(CostFit, KeepsConstantsThatNoTimeContradicts) {
  std::vector<Model> all = models();
  const std::vector<double> code = values_of(all.at(0));
  add_tiles(all, code);
  EXPECT_EQ(fit(all.at(0)), code);
}

TEST(CostFit, TakesNoConfigurationThatTheProblemDoesNotHave) {
  std::vector<Model> all = models();
  // The problem is in f32. The kernels of the model do not compute f32, so no sample is added.
  const Problem problem = test::build({});
  EXPECT_FALSE(add_sample(all, "cudnn", "eng1", problem, usual_limits(), kHopper, "", 1));
  EXPECT_FALSE(add_sample(all, "dense", "tile_1x1_s1", problem, usual_limits(), kHopper, "", 1));
}

// A cell has the configurations of one problem with their times. The regret of a model tells how
// much slower its choices are than the best ones: it compares, in each cell, the time of the
// configuration with the least cost with the time of the fastest configuration. In cell "a" the
// configuration with the least cost takes 4 times as long as the fastest one. In cell "b" the
// configuration with the least cost is the fastest one. A cell with one configuration does not
// count.
TEST(CostFit, RegretIsOfTheFirstOffer) {
  Model model;
  const auto add = [&](const char* cell, double ms, double cost) {
    model.samples.push_back({cell, ms, [=](const std::vector<double>&) { return cost; }});
  };
  add("a", 1, 5);
  add("a", 4, 4);
  add("b", 1, 1);
  add("b", 2, 3);
  add("alone", 9, 1);
  // The chosen configurations take 4 times and once the time of the fastest ones. The geometric
  // mean of these factors is 2, so the regret is 2 - 1 = 1.
  EXPECT_DOUBLE_EQ(regret(model, {}), 1);
}

}  // namespace
}  // namespace atc::fit
