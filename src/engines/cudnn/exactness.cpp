#include "engines/cudnn/exactness.hpp"

#include "engines/cudnn/notes.hpp"

namespace atc::cudnn {

bool transforms(const Notes& notes, const Problem& problem) {
  // cuDNN does not report that its engine 17 for backward-weight transforms its operands. But if
  // the operands are integers and the exact sum is 0, this engine returns -7e-6. A direct sum of
  // integers would be exact, so the engine must transform its operands.
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
