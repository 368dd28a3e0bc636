#include "engines/kernels/depthwise/plan.hpp"

#include <algorithm>
#include <utility>

#include "core/format.hpp"
#include "engines/kernels/depthwise/families.hpp"

namespace atc::depthwise {

namespace {

bool is_small(std::int64_t value) { return value >= 0 && value <= (std::int64_t{1} << 30); }

}  // namespace

std::string objection(const Problem& problem) {
  if (problem.groups != problem.channels_in())
    return format("a depthwise convolution has a group for each of its {} channels, this one {}",
                  problem.channels_in(), problem.groups);
  if (problem.x.dtype != problem.w.dtype || problem.x.dtype != problem.y.dtype)
    return "x, w and y have to be of one dtype";
  if (!(problem.x.channels_first() && problem.y.channels_first()) &&
      !(problem.x.channels_last() && problem.y.channels_last()))
    return "x and y have to be dense, both channels first or both channels last";
  // A group has one channel, so a filter that is dense in one layout is also dense in the other
  // layout.
  if (!problem.w.channels_first() && !problem.w.channels_last()) return "w has to be dense";
  if (problem.x.elements() == 0 || problem.y.elements() == 0) return "there is nothing to compute";
  for (int dim = 0; dim < problem.spatial; ++dim) {
    const std::int64_t reach = problem.out(dim) * problem.stride[dim] +
                               problem.kernel(dim) * problem.dilation[dim] + problem.in(dim);
    if (!is_small(problem.in(dim)) || !is_small(problem.out(dim)) ||
        !is_small(problem.kernel(dim)) || !is_small(problem.stride[dim]) ||
        !is_small(problem.dilation[dim]) || !is_small(problem.pad_low[dim]) ||
        !is_small(problem.pad_high[dim]) || !is_small(reach + problem.pad_low[dim]))
      return "an extent, a stride or a padding is beyond 2^30";
  }
  if (!is_small(problem.channels_out())) return "there are more than 2^30 channels";
  return "";
}

std::vector<Plan> plans(const Problem& problem, const Limits& limits, int multiprocessors) {
  const Geometry g = geometry_of(problem);
  std::vector<Plan> plans;
  if (g.last) {
    add_ahead_plans(g, limits, multiprocessors, plans);
    add_last_plans(g, limits, plans);
  } else {
    std::vector<Plan> rows, spans;
    add_row_plans(g, limits, multiprocessors, rows);
    add_first_plans(g, limits, multiprocessors, spans);
    // There are two lists of plans: of kernels for rows and of kernels for planes. The result takes
    // two plans of each list in turn, as long as both lists have plans. An engine offers four
    // plans, so the two best plans of each list are among them.
    constexpr std::size_t kOfEach = 2;
    for (std::size_t i = 0; i < std::max(rows.size(), spans.size()); i += kOfEach)
      for (std::vector<Plan>* const some : {&rows, &spans})
        for (std::size_t j = i; j < std::min(i + kOfEach, some->size()); ++j)
          plans.push_back(std::move((*some)[j]));
  }
  plans.push_back(direct_plan(g));
  return plans;
}

}  // namespace atc::depthwise
