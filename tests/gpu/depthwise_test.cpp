// Tests the engine depthwise on small problems with awkward sizes. Each configuration that it
// offers must give right results, even if single elements of an input are Inf or NaN. If the engine
// does not offer a kernel that could compute the problem, one configuration of this kernel is
// tested, too.
#include <initializer_list>
#include <iostream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "cuda_test.hpp"
#include "device/cuda/driver_probe.hpp"
#include "engines/kernels/depthwise/plan.hpp"
#include "engines/registry.hpp"
#include "offers.hpp"
#include "support/grid.hpp"
#include "support/problems.hpp"

namespace atc {
namespace {

using Depthwise = test::CudaTest;

struct Window {
  std::int64_t kernel, stride, dilation, low, high;
};

// Returns problems of one, two and three dimensions. For some of them there is a specialised
// kernel, and for the others only the general kernel.
std::vector<Problem> problems() {
  constexpr Window kFlat[] = {{3, 1, 1, 1, 1},  {3, 1, 1, 0, 2}, {3, 2, 1, 1, 1}, {3, 2, 1, 0, 1},
                              {5, 1, 1, 2, 2},  {5, 2, 1, 2, 1}, {7, 1, 1, 3, 3}, {7, 2, 1, 3, 3},
                              {3, 1, 2, 2, 2},  {3, 3, 1, 1, 1}, {4, 1, 1, 1, 2}, {9, 1, 1, 4, 4},
                              {13, 1, 1, 6, 6}, {3, 1, 1, 4, 0}, {5, 2, 1, 7, 6}, {7, 1, 1, 8, 9}};
  constexpr Window kLine[] = {{2, 1, 1, 1, 0}, {3, 1, 1, 1, 1}, {4, 1, 1, 3, 3},
                              {5, 1, 1, 4, 0}, {7, 1, 1, 3, 3}, {4, 2, 1, 1, 1}};
  constexpr Window kSolid[] = {{3, 1, 1, 1, 1}, {3, 1, 1, 0, 2}, {3, 2, 1, 1, 1}};
  std::vector<Problem> problems;
  test::Spec spec;
  std::size_t turn = 0;
  const auto add = [&](const Window& window, std::int64_t channels, const Extents& in) {
    spec.in = in;
    spec.kernel.fill(window.kernel);
    spec.stride.fill(window.stride);
    spec.dilation.fill(window.dilation);
    spec.pad_low.fill(window.low);
    spec.pad_high.fill(window.high);
    spec.channels_in = spec.groups = channels;
    spec.channels_out = channels * (turn % 7 == 6 ? 2 : 1);
    constexpr Epilogue kEpilogues[] = {Epilogue::none, Epilogue::bias, Epilogue::bias_relu};
    for (const Direction direction : {Direction::forward, Direction::backward_data})
      for (const Dtype dtype : {Dtype::f32, Dtype::f16, Dtype::bf16})
        for (const auto memory : {test::Memory::first, test::Memory::last}) {
          spec.direction = direction;
          spec.x = spec.w = spec.y = dtype;
          spec.x_memory = spec.w_memory = spec.y_memory = memory;
          spec.epilogue = kEpilogues[turn % 3];
          spec.accumulate = turn % 4 == 3;
          ++turn;
          if (test::is_possible(spec)) problems.push_back(test::build(spec));
        }
  };
  for (const std::int64_t channels : {3, 16, 40, 136}) {
    spec.spatial = 2;
    spec.batch = channels == 136 ? 1 : 3;
    for (const Window& window : kFlat)
      for (const Extents& in : {Extents{7, 7, 1}, Extents{14, 15, 1}, Extents{29, 57, 1},
                                Extents{11, 28, 1}, Extents{9, 56, 1}})
        add(window, channels, in);
    spec.spatial = 1;
    for (const Window& window : kLine)
      for (const std::int64_t length : {9, 131, 2003}) add(window, channels, {length, 1, 1});
    spec.spatial = 3;
    for (const Window& window : kSolid) add(window, channels, {5, 9, 11});
  }
  return problems;
}

TEST_F(Depthwise, EveryOfferIsRight) {
  const auto engine = EngineRegistry::instance().find("depthwise");
  ASSERT_NE(engine, nullptr);
  const Limits limits = test::cuda_limits(16, false);
  const int multiprocessors = cuda::driver().devices.at(0).multiprocessors;
  std::map<std::string, std::size_t> passed;  // the number of passed configurations of each kernel
  test::Checks checks{conv::Apart::all};
  checks.also = [&](const Offer& offer, Prepared&, test::Trial&) { ++passed[offer.notes]; };
  std::size_t offers = 0;
  for (const Problem& problem : problems()) {
    std::string why_not;
    std::vector<Offer> offered = engine->offers(problem, limits, why_not);
    ASSERT_FALSE(offered.empty()) << test::label(problem) << ": " << why_not;
    std::set<std::string> kernels;
    for (const Offer& offer : offered) kernels.insert(offer.notes);
    for (const depthwise::Plan& plan : depthwise::plans(problem, limits, multiprocessors)) {
      if (!kernels.insert(plan.kernel).second) continue;
      Offer other;
      other.configuration = plan.configuration;
      other.notes = plan.kernel;
      offered.push_back(other);
    }
    test::check_each(*engine, problem, limits, offered, checks);
    offers += offered.size();
  }
  std::cout << offers << " offers\n";
  for (const auto& [kernel, count] : passed) std::cout << count << " x " << kernel << "\n";
}

// The generated grid has problems of all kinds. For each problem, the configurations that the
// engine offers must give right results, or the engine must give a reason why it offers none.
TEST_F(Depthwise, OffersNothingThatIsWrong) {
  const auto engine = EngineRegistry::instance().find("depthwise");
  ASSERT_NE(engine, nullptr);
  test::Tally tally;
  for (const Problem& problem : test::make_grid(2, 33).problems)
    tally.add(
        test::check_offers(*engine, problem, test::cuda_limits(16, false), {conv::Apart::all}));
  std::cout << tally;
  EXPECT_GT(tally.offers, 0u);
}

}  // namespace
}  // namespace atc
