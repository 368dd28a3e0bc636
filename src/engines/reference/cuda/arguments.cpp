#include "engines/reference/cuda/arguments.hpp"

#include <algorithm>
#include <cstdint>

#include "engines/reference/geometry.hpp"

namespace atc::reference {

namespace {

DeviceTensor device_tensor(const Tensor& tensor) {
  DeviceTensor result;
  const auto strides = strides_of(tensor);
  std::copy(strides.begin(), strides.end(), result.strides);
  result.dtype = static_cast<int>(tensor.dtype);
  return result;
}

}  // namespace

DeviceGeometry device_geometry(const Problem& problem) {
  const Geometry geometry(problem);
  DeviceGeometry result;
  result.batch = geometry.batch;
  result.groups = geometry.groups;
  result.group_in = geometry.group_in;
  result.group_out = geometry.group_out;
  std::copy(geometry.in.begin(), geometry.in.end(), result.in);
  std::copy(geometry.out.begin(), geometry.out.end(), result.out);
  std::copy(geometry.kernel.begin(), geometry.kernel.end(), result.kernel);
  std::copy(geometry.stride.begin(), geometry.stride.end(), result.stride);
  std::copy(geometry.dilation.begin(), geometry.dilation.end(), result.dilation);
  std::copy(geometry.pad.begin(), geometry.pad.end(), result.pad);
  result.x = device_tensor(problem.x);
  result.w = device_tensor(problem.w);
  result.y = device_tensor(problem.y);
  result.direction = static_cast<int>(problem.direction);
  result.accumulate = problem.accumulate;
  result.has_bias = problem.epilogue != Epilogue::none;
  result.has_scale = problem.post_ops.scale;
  result.has_residual = problem.post_ops.residual;
  result.activation = problem.activation();
  result.steepest = steepest(result.activation.function);
  return result;
}

DeviceOperands device_operands(const Problem& problem, const Operands& operands) {
  DeviceOperands result;
  result.x = operands.x;
  result.w = operands.w;
  result.y = operands.y;
  result.bias = operands.bias;
  result.old = output_of(problem, operands);
  result.scale = operands.scale;
  result.residual = operands.residual;
  return result;
}

DevicePosition device_position(const Tensor::Index& index, int spatial) {
  DevicePosition position{};
  position.index[0] = index[0];
  position.index[1] = index[1];
  for (int i = 0; i < spatial; ++i) position.index[5 - spatial + i] = index[2 + i];
  return position;
}

unsigned splits_of(const Problem& problem) {
  // Only the gradient of the weights has long sums. In the other directions one block computes the
  // whole sum of an element.
  if (problem.direction != Direction::backward_weight) return 1;
  // One block of 128 threads adds this many summands. Each thread then adds 128 of them, which
  // takes less time than the launch of a kernel.
  constexpr std::int64_t kOfBlock = std::int64_t{128} * 128;
  constexpr unsigned kMost = 64;
  unsigned splits = 1;
  while (splits < kMost && splits * kOfBlock < problem.reduction_length()) splits *= 2;
  return splits;
}

}  // namespace atc::reference
