#include "engines/cudnn/exactness.hpp"

#include "engines/cudnn/notes.hpp"

namespace atc::cudnn {

bool transforms(const Notes& notes, const Problem& problem) {
  // cuDNN's engine 17 for backward-weight does not report a transform. But for integers whose exact
  // sum is 0 the engine returns -7e-6, so it must transform its operands.
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
