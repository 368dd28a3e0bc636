// The work of a problem (bytes and operations), and the highest rates of a device. These are the
// two parts of the roofline model of S. Williams, A. Waterman and D. Patterson, "Roofline: an
// insightful visual performance model for multicore architectures", Communications of the ACM
// 52(4), 2009.
#pragma once

#include <cstdint>
#include <optional>

#include "core/problem.hpp"

namespace atc::conv {

struct Work {
  // The bytes of x, w, y, bias, scale and residual, each moved once (the compulsory traffic of the
  // model). If the result is added to the output, the output counts twice, because it is read and
  // written.
  std::uint64_t bytes = 0;
  // The number of operations of the direct method: 2 for each product, including products with
  // padding.
  double flops = 0;
};

// The highest rates of a device (ceilings.hpp) for the kind of products of one problem.
struct Roof {
  std::optional<double> bytes_per_second, flops_per_second;
};

Work work_of(const Problem& problem);

}  // namespace atc::conv
