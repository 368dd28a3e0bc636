// The work of a problem, and the least time for this work on a device. This is the roofline model
// of S. Williams, A. Waterman and D. Patterson, "Roofline: an insightful visual performance model
// for multicore architectures", Communications of the ACM 52(4), 2009.
#pragma once

#include <cstdint>
#include <optional>

#include "core/problem.hpp"

namespace atc::conv {

struct Work {
  // The bytes of x, w, y, bias, scale and residual, each moved once (the model's compulsory
  // traffic). If the result is added to the output, the output is read as well as written.
  std::uint64_t bytes = 0;
  double flops = 0;  // operations of the direct method: 2 for each product, also for products with
                     // padding
};

// The highest rates of a device (ceilings.hpp) for the products of one problem.
struct Roof {
  std::optional<double> bytes_per_second, flops_per_second;
};

Work work_of(const Problem& problem);

}  // namespace atc::conv
