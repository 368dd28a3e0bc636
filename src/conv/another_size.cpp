#include "conv/another_size.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "conv/arena.hpp"
#include "core/format.hpp"
#include "core/log.hpp"

namespace atc::conv {

namespace {

// Elements from the first tap of a kernel to its last.
std::int64_t reach(const Problem& problem, int dim) {
  return problem.dilation[dim] * (problem.kernel(dim) - 1) + 1;
}

std::int64_t padding(const Problem& problem, int dim) {
  return problem.pad_low[dim] + problem.pad_high[dim];
}

// Whether a tensor counts as channels last; one that lies in both layouts goes with its partner.
bool is_channels_last(const Tensor& tensor, const Tensor& partner) {
  const Tensor& judged = tensor.channels_first() && tensor.channels_last() ? partner : tensor;
  return judged.strides[1] == 1 && !judged.channels_first();
}

// A dense tensor of this batch and these extents.
Tensor resized(const Tensor& like, std::int64_t batch, const Extents& extents, bool channels_last) {
  Tensor tensor = like;
  tensor.shape[0] = batch;
  std::copy_n(extents.begin(), tensor.rank - 2, tensor.shape.begin() + 2);
  std::int64_t next = 1;
  const auto place = [&](int dim) {
    tensor.strides[dim] = next;
    next *= tensor.shape[dim];
  };
  if (channels_last) place(1);
  for (int dim = tensor.rank; dim-- > 2;) place(dim);
  if (!channels_last) place(1);
  place(0);
  return tensor;
}

Problem with_input(const Problem& problem, std::int64_t batch, const Extents& in) {
  Extents out{};
  for (int dim = 0; dim < problem.spatial; ++dim)
    out[dim] = (in[dim] + padding(problem, dim) - reach(problem, dim)) / problem.stride[dim] + 1;
  Problem other = problem;
  other.x = resized(problem.x, batch, in, is_channels_last(problem.x, problem.y));
  other.y = resized(problem.y, batch, out, is_channels_last(problem.y, problem.x));
  return other;
}

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
  constexpr std::uint64_t kSeed = 0, kSets = 1;
  Arena arena(problem, site, kSeed, kSets);
  arena.reserve_workspace(prepared->workspace_size());
  Operands operands = arena.operands(0);
  if (limits.constant_weights) {
    site.wait();  // set_weights reads the weights on another stream
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
