#include "engines/cudnn/exactness.hpp"

#include "engines/cudnn/notes.hpp"

namespace atc::cudnn {

bool transforms(const Notes& notes, const Problem& problem) {
  // Engine 17 does not report that it transforms, but it returns -7e-6 for a sum of integers that
  // is 0.
  return notes.transform ||
         (problem.direction == Direction::backward_weight && notes.configuration.engine == 17);
}

bool rounds_partial_sums(const Notes& notes, const Problem& problem) {
  if (!problem.is_depthwise() || problem.x.dtype == Dtype::f32) return false;
  const std::int64_t engine = notes.configuration.engine;
  return (problem.direction == Direction::backward_data && engine == 25) ||
         (problem.direction == Direction::backward_weight && engine == 20);
}

}  // namespace atc::cudnn
