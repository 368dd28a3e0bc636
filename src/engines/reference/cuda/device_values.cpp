#include "engines/reference/cuda/device_values.hpp"

#include <algorithm>

#include "core/allocator.hpp"
#include "device/cuda/kernels.hpp"
#include "device/cuda/stream.hpp"
#include "engines/reference/cuda/geometry.hpp"
#include "engines/reference/geometry.hpp"

namespace atc::reference {

namespace {

constexpr unsigned kThreads = 128;  // as the kernel in values.cu has them

DeviceTensor device_tensor(const Tensor& tensor) {
  DeviceTensor result;
  const auto strides = strides_of(tensor);
  std::copy(strides.begin(), strides.end(), result.strides);
  result.dtype = static_cast<int>(tensor.dtype);
  return result;
}

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
  result.relu = problem.epilogue == Epilogue::bias_relu;
  return result;
}

DeviceOperands device_operands(const Problem& problem, const Operands& operands) {
  DeviceOperands result;
  result.x = operands.x;
  result.w = operands.w;
  result.y = operands.y;
  result.bias = operands.bias;
  result.old = output_of(problem, operands);
  return result;
}

// An index of the output in five dimensions.
DevicePosition device_position(const Index& index, int spatial) {
  DevicePosition position{};
  position.index[0] = index[0];
  position.index[1] = index[1];
  for (int i = 0; i < spatial; ++i) position.index[5 - spatial + i] = index[2 + i];
  return position;
}

}  // namespace

std::vector<ElementValue> device_values(const Problem& problem, const Operands& operands,
                                        const std::vector<Index>& indices, DeviceId device,
                                        cuda::Context context, Stream stream) {
  if (indices.empty()) return {};
  std::vector<DevicePosition> positions;
  positions.reserve(indices.size());
  for (const Index& index : indices) positions.push_back(device_position(index, problem.spatial));
  const Allocation places(positions.size() * sizeof(DevicePosition), device, stream);
  const Allocation found(positions.size() * sizeof(DeviceValue), device, stream);
  cuda::copy_to_device(places.data(), positions.data(), places.size(), stream);
  cuda::launch(cuda::kernel(context, cuda::kReferenceKernels, "atc_reference_values"),
               static_cast<unsigned>(positions.size()), kThreads, stream, device_geometry(problem),
               device_operands(problem, operands), places.data(), found.data());
  std::vector<DeviceValue> values(positions.size());
  cuda::copy_to_host(values.data(), found.data(), found.size(), stream);
  std::vector<ElementValue> result;
  result.reserve(values.size());
  for (const DeviceValue& value : values)
    result.push_back({value.value, value.magnitude, value.energy, value.fresh});
  return result;
}

void convolve_on_device(const Problem& problem, const Operands& operands, cuda::Context context,
                        Stream stream) {
  const Tensor& output = problem.output();
  if (output.elements() == 0) return;
  constexpr std::int64_t kMostBlocks = 1 << 20;
  constexpr unsigned kWarp = 32;
  DevicePosition extents{};
  for (long long& extent : extents.index) extent = 1;
  for (int i = 0; i < output.rank; ++i)
    extents.index[i < 2 ? i : 5 - output.rank + i] = output.shape[i];
  const bool by_blocks = problem.direction == Direction::backward_weight;
  const std::int64_t blocks =
      std::min(by_blocks ? output.elements() : output.elements() / kThreads + 1, kMostBlocks);
  cuda::launch(
      cuda::kernel(context, cuda::kReferenceKernels,
                   by_blocks ? "atc_reference_convolve_by_blocks" : "atc_reference_convolve"),
      static_cast<unsigned>(blocks), by_blocks ? kWarp : kThreads, stream, device_geometry(problem),
      device_operands(problem, operands), extents, output_of(problem, operands));
}

}  // namespace atc::reference
