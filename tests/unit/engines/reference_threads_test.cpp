// Tests one reference engine on several threads, each with its own prepared convolutions.
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "core/half.hpp"
#include "core/walk.hpp"
#include "engines/reference/reference_engine.hpp"
#include "support/problems.hpp"
#include "support/tensors.hpp"

namespace atc {
namespace {

using test::Fill;
using test::Spec;

std::vector<double> elements(const Tensor& tensor, const void* data) {
  std::vector<double> values;
  for_each_offset(tensor, [&](std::int64_t, std::int64_t offset) {
    values.push_back(load_element(data, tensor.dtype, offset));
  });
  return values;
}

TEST(ReferenceThreads, PreparedObjectsOfOneEngineRunSideBySide) {
  const auto engine = make_reference_engine();
  const Problem problem = test::build(Spec{});
  test::Inputs inputs(problem, Fill::normal, 4);
  GuardedBuffer expected(problem.y);
  engine->prepare(problem, {}, "direct")
      ->execute(inputs.with_output(expected.data()), nullptr, nullptr);
  std::vector<std::thread> threads;
  std::vector<std::vector<double>> results(4);
  for (std::size_t i = 0; i < results.size(); ++i)
    threads.emplace_back([&, i] {
      test::Inputs own(problem, Fill::normal, 4);
      GuardedBuffer output(problem.y);
      std::string why_not;
      const Offer offer = engine->offers(problem, {}, why_not).front();
      for (int run = 0; run < 20; ++run)
        engine->prepare(problem, {}, offer.configuration)
            ->execute(own.with_output(output.data()), nullptr, nullptr);
      results[i] = elements(problem.y, output.data());
    });
  for (std::thread& thread : threads) thread.join();
  for (const auto& result : results) EXPECT_EQ(result, elements(problem.y, expected.data()));
}

}  // namespace
}  // namespace atc
