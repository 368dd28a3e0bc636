#include "engines/reference/cuda/device_values.hpp"

#include <algorithm>

#include "core/allocator.hpp"
#include "core/error.hpp"
#include "device/cuda/kernels.hpp"
#include "device/cuda/stream.hpp"
#include "engines/reference/cuda/arguments.hpp"

namespace atc::reference {

namespace {

// The number of threads of a block. It must be equal to kThreads in values.cu.
constexpr unsigned kThreads = 128;
constexpr std::int64_t kMostBlocks = 1 << 20;

// Returns the number of tiles into which the kernels of convolve_finite.cu divide the output. A
// tile has `side` rows and `side` columns.
std::int64_t tiles_of(const DeviceGeometry& geometry, std::int64_t elements, std::int64_t rows,
                      std::int64_t side) {
  const std::int64_t columns = elements / geometry.groups / rows;
  return geometry.groups * ((rows + side - 1) / side) * ((columns + side - 1) / side);
}

// Returns the number of blocks that share a tile of the gradient of the weights. Each block then
// adds at most kMostPositions products for an element, unless the partial sums would need more than
// kMostBytes bytes.
std::int64_t splits_of_positions(const DeviceGeometry& geometry, std::int64_t elements) {
  constexpr std::int64_t kMostPositions = 8192, kMostBytes = std::int64_t{16} << 20;
  const std::int64_t positions =
      geometry.batch * geometry.out[0] * geometry.out[1] * geometry.out[2];
  const std::int64_t most =
      std::max<std::int64_t>(kMostBytes / static_cast<std::int64_t>(sizeof(double)) / elements, 1);
  return std::clamp<std::int64_t>((positions + kMostPositions - 1) / kMostPositions, 1, most);
}

// Returns memory for the partial sums of several splits; no memory if there is one split. If the
// memory cannot be allocated, `splits` is set to 1, which takes longer.
Allocation memory_for_parts(std::int64_t elements, std::int64_t& splits, DeviceId device,
                            Stream stream) {
  if (splits == 1) return {};
  try {
    return Allocation(static_cast<std::uint64_t>(elements * splits) * sizeof(double), device,
                      stream);
  } catch (const Error& error) {
    if (error.status() != Status::out_of_memory) throw;
    splits = 1;
    return {};
  }
}

}  // namespace

std::vector<ElementValue> device_values(const Problem& problem, const Operands& operands,
                                        const std::vector<Index>& indices, DeviceId device,
                                        cuda::Context context, Stream stream) {
  if (indices.empty()) return {};
  std::vector<DevicePosition> positions;
  positions.reserve(indices.size());
  for (const Index& index : indices) positions.push_back(device_position(index, problem.spatial));
  const auto count = static_cast<long long>(positions.size());
  const unsigned splits = splits_of(problem);
  const Allocation places(positions.size() * sizeof(DevicePosition), device, stream);
  const Allocation parts(positions.size() * splits * sizeof(DeviceValue), device, stream);
  const Allocation found(positions.size() * sizeof(DeviceValue), device, stream);
  const DeviceGeometry geometry = device_geometry(problem);
  const DeviceOperands device_side = device_operands(problem, operands);
  cuda::copy_to_device(places.data(), positions.data(), places.size(), stream);
  cuda::launch(cuda::kernel(context, cuda::kReferenceKernels, "atc_reference_parts"),
               static_cast<unsigned>(positions.size()) * splits, kThreads, stream, geometry,
               device_side, places.data(), splits, parts.data());
  cuda::launch(cuda::kernel(context, cuda::kReferenceKernels, "atc_reference_values"),
               static_cast<unsigned>(positions.size()) / kThreads + 1, kThreads, stream, geometry,
               device_side, places.data(), count, splits, parts.data(), found.data());
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

void convolve_finite_on_device(const Problem& problem, const Operands& operands, DeviceId device,
                               cuda::Context context, Stream stream) {
  const Tensor& output = problem.output();
  if (output.elements() == 0) return;
  const DeviceGeometry geometry = device_geometry(problem);
  const bool weights = problem.direction == Direction::backward_weight;
  const std::int64_t channels =
      problem.direction == Direction::backward_data ? geometry.group_in : geometry.group_out;
  // If a group has fewer channels than this, most of each tile would be empty. Then the kernels of
  // convolve.cu are used.
  constexpr std::int64_t kFewestChannels = 8;
  if (channels < kFewestChannels) return convolve_on_device(problem, operands, context, stream);
  const std::int64_t rows =
      weights ? geometry.group_out : output.elements() / (channels * geometry.groups);
  std::int64_t splits = weights ? splits_of_positions(geometry, output.elements()) : 1;
  const Allocation parts = memory_for_parts(output.elements(), splits, device, stream);
  constexpr std::int64_t kLarge = 64, kSmall = 16;
  // With this number of blocks, all multiprocessors of a large device have work.
  constexpr std::int64_t kEnough = 256;
  const std::int64_t large = tiles_of(geometry, output.elements(), rows, kLarge) * splits;
  const bool few = large < kEnough;
  const std::int64_t tiles =
      few ? tiles_of(geometry, output.elements(), rows, kSmall) * splits : large;
  const auto blocks = static_cast<unsigned>(std::min(tiles, kMostBlocks));
  const auto kernel = [&](const char* name) {
    return cuda::kernel(context, cuda::kReferenceKernels, name);
  };
  const DeviceOperands device_side = device_operands(problem, operands);
  void* const result = output_of(problem, operands);
  if (!weights) {
    cuda::launch(
        kernel(few ? "atc_reference_convolve_finite_few" : "atc_reference_convolve_finite"), blocks,
        256, stream, geometry, device_side, result);
    return;
  }
  const auto count = static_cast<long long>(splits);
  cuda::launch(kernel(few ? "atc_reference_weight_parts_few" : "atc_reference_weight_parts"),
               blocks, 256, stream, geometry, device_side, count, parts.data(), result);
  if (splits == 1) return;
  cuda::launch(kernel("atc_reference_weight_sums"),
               static_cast<unsigned>(std::min(output.elements() / kThreads + 1, kMostBlocks)),
               kThreads, stream, geometry, device_side, count, parts.data(), result);
}

}  // namespace atc::reference
