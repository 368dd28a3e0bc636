// Compares the results of each configuration that the engine onednn offers with the reference, for
// the problems of the generated grid (tests/support/grid.hpp).
#include <gtest/gtest.h>

#include <cstdio>
#include <map>
#include <string>

#include "core/error.hpp"
#include "engines/onednn/onednn_engine.hpp"
#include "support/expected.hpp"
#include "support/grid.hpp"
#include "support/problems.hpp"
#include "support/tensors.hpp"

namespace atc {
namespace {

using test::Fill;

// The largest number of offers that are tested for a problem. For each tenth problem all offers are
// tested.
constexpr std::size_t kOffersOfMost = 12;

struct Counts {
  std::size_t problems = 0, offers = 0, empty = 0;
  std::map<std::string, std::size_t> implementations;
};

std::string implementation_of(const std::string& configuration) {
  return configuration.substr(configuration.find("impl=") + 5);
}

void check_offer(const Engine& engine, const Problem& problem, const Offer& offer,
                 test::Inputs (&inputs)[2], const test::Expected (&expected)[2]) {
  SCOPED_TRACE(offer.configuration);
  EXPECT_EQ(offer.configuration.find("impl=ref"), std::string::npos);
  EXPECT_EQ(offer.configuration.find("+ref"), std::string::npos);
  const auto prepared = engine.prepare(problem, {}, offer.configuration);
  EXPECT_EQ(prepared->workspace_size(), offer.workspace);
  test::Workspace workspace(prepared->workspace_size());
  for (int pass = 0; pass < 2; ++pass) {
    GuardedBuffer output(problem.output());
    inputs[pass].reset(output);
    prepared->execute(inputs[pass].with_output(output.data()), workspace.data(), nullptr);
    EXPECT_EQ(expected[pass].compare(output), "") << (pass ? "normal" : "ternary") << " operands";
  }
  EXPECT_FALSE(workspace.overrun());
}

TEST(OnednnGrid, EveryOfferEqualsTheReference) {
  const auto engine = make_onednn_engine();
  const test::Grid grid = test::make_grid(3, 20260101);
  Counts counts;
  for (std::size_t i = 0; i < grid.problems.size(); ++i) {
    const Problem& problem = grid.problems[i];
    SCOPED_TRACE(test::label(problem));
    std::string why_not;
    const std::vector<Offer> offers = engine->offers(problem, {}, why_not);
    // oneDNN computes every CPU convolution that is not empty, for all dtypes.
    ASSERT_EQ(offers.empty(), problem.batch() == 0) << why_not;
    if (offers.empty()) {
      ++counts.empty;
      continue;
    }
    test::Inputs inputs[2] = {{problem, Fill::ternary, i}, {problem, Fill::normal, i}};
    const test::Expected expected[2] = {{problem, inputs[0], Fill::ternary},
                                        {problem, inputs[1], Fill::normal}};
    ++counts.problems;
    for (std::size_t j = 0; j < offers.size(); ++j) {
      if (j >= kOffersOfMost && i % 10 != 0) break;
      check_offer(*engine, problem, offers[j], inputs, expected);
      ++counts.offers;
      ++counts.implementations[implementation_of(offers[j].configuration)];
    }
    ASSERT_FALSE(HasFailure());
  }
  std::printf("%zu problems in the grid (%zu drawn twice): %zu compared, %zu empty; %zu offers\n",
              grid.problems.size(), grid.duplicates, counts.problems, counts.empty, counts.offers);
  for (const auto& [name, count] : counts.implementations)
    std::printf("  %6zu %s\n", count, name.c_str());
  EXPECT_GE(counts.problems, 3000u);
}

}  // namespace
}  // namespace atc
