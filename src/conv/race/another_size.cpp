#include "conv/race/another_size.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "conv/race/arena.hpp"
#include "conv/race/resized.hpp"
#include "core/format.hpp"
#include "core/log.hpp"

namespace atc::conv {

namespace {

Problem smaller(const Problem& problem) {
  Extents in{};
  for (int dim = 0; dim < problem.spatial; ++dim) {
    const std::int64_t least =
        std::max<std::int64_t>(1, reach(problem, dim) - padding(problem, dim));
    in[dim] = std::max(least, problem.in(dim) / 2);
  }
  return with_input(problem, problem.batch(), in);
}

Problem larger(const Problem& problem) {
  const int last = problem.spatial - 1;
  Extents in{};
  std::int64_t batch = problem.batch();
  for (int dim = last; dim >= 0; --dim) {
    in[dim] = problem.in(dim);
    if (dim != last && batch == 1) continue;
    in[dim] *= 2;
    batch = std::max<std::int64_t>(1, batch / 2);
  }
  return with_input(problem, batch, in);
}

void run(const Chain& chain, const Choice& choice, const Problem& problem, const Limits& limits,
         Site& site) {
  const auto prepared = build(chain, choice, problem, limits);
  constexpr std::uint64_t kSeed = 0;
  ArenaTerms terms;
  terms.most_sets = 1;
  Arena arena(problem, site, kSeed, terms);
  arena.reserve_workspace(prepared->workspace_size());
  Operands operands = arena.operands(0);
  if (limits.constant_weights) {
    // Waits until the weights are written, because set_weights reads them on another stream.
    site.wait();
    prepared->set_weights(operands.w);
    operands.w = nullptr;
  }
  prepared->execute(operands, arena.workspace(), site.stream());
  site.wait();
}

}  // namespace

std::vector<Problem> other_sizes(const Problem& problem) {
  std::vector<Problem> others;
  if (Problem half = smaller(problem); half.x.shape != problem.x.shape)
    others.push_back(std::move(half));
  others.push_back(larger(problem));
  return others;
}

std::size_t run_other_sizes(const Chain& chain, const Choice& choice, const Problem& problem,
                            const Limits& limits, Site& site) {
  std::size_t executions = 0;
  for (const Problem& other : other_sizes(problem)) {
    try {
      run(chain, choice, other, limits, site);
      ++executions;
    } catch (const std::exception& error) {
      log(LogLevel::debug,
          format("{} did not run {}: {}", to_string(choice), describe(other), error.what()));
    }
  }
  return executions;
}

}  // namespace atc::conv
