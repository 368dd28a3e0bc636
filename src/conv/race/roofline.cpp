#include "conv/race/roofline.hpp"

#include <algorithm>

#include "conv/race/work.hpp"

namespace atc::conv {

namespace {

// The rates were measured with a single copy and a single product of matrices. Another kernel may
// be somewhat faster, so the bound is multiplied by this factor.
constexpr double kSafety = 0.9;

}  // namespace

double least_seconds(const Problem& problem, const Request& request, const Ceilings& ceilings) {
  const Work work = work_of(problem);
  double least = 0;
  if (ceilings.bytes_per_second.value_or(0) > 0)
    least = static_cast<double>(work.bytes) / *ceilings.bytes_per_second;
  bool one_element = true;
  for (int dim = 0; dim < problem.spatial; ++dim)
    one_element = one_element && problem.kernel(dim) == 1;
  const auto rate = ceilings.flops_per_second.find(products_of(problem, request));
  if (one_element && rate != ceilings.flops_per_second.end() && rate->second > 0)
    least = std::max(least, work.flops / rate->second);
  return kSafety * least;
}

}  // namespace atc::conv
